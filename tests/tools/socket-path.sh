#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without XDG_RUNTIME_DIR (after su, from cron, in a container), xensim of an
# ordinary user and its clients find each other in a directory of all users.
# There, the clients refuse files that other users have put in the way.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"

# Root is asked for /run; an ordinary user is needed.
uid=$(id -u)
as_user=
if [ "$uid" -eq 0 ]; then
    command -v setpriv >/dev/null || skip "there is no setpriv"
    uid=65534
    as_user="setpriv --reuid $uid --clear-groups"
    # shellcheck disable=SC2086 # a command with arguments
    $as_user "$xensim" --version >/dev/null 2>&1 ||
        skip "user $uid cannot read this folder"
fi
setsize=$top_builddir/tools/xentrace/xentrace_setsize
cd "$tmp" || exit 99
chmod 755 .
mkdir -m 1777 all
mkdir -m 777 work
unset XDG_RUNTIME_DIR XENTRACE_CONTROL_DIR
TMPDIR=$tmp/all
export TMPDIR
socket=$TMPDIR/xensim-$uid.sock

mkfifo ready
# shellcheck disable=SC2086
$as_user "$xensim" --cpus 2 --ready-fd 3 3>ready 2>sim.err &
sim=$!
trap 'kill $sim 2>/dev/null; rm -rf "$tmp"' EXIT
read -r _ <ready || fail "xensim does not start: $(cat sim.err)"
[ -S "$socket" ] || fail "no socket $socket"
[ "$(stat -c %a "$socket")" = 600 ] || fail "the socket is not private"

# shellcheck disable=SC2086
expect 0 $as_user "$xentrace" --hypervisor xensim -T 0.1 work/trace
[ -s work/trace ] || fail "no trace"
kill $sim
wait $sim
[ ! -e "$socket" ] || fail "the socket is left behind"

# --- files in the way --------------------------------------------------------

# refuses WORD: both clients, with that word
refuses()
{
    # shellcheck disable=SC2086
    expect 1 $as_user "$xentrace" --hypervisor xensim -T 0.1 work/trace
    expect_message "$1"
    # shellcheck disable=SC2086
    expect 1 $as_user "$setsize" 32
    expect_message "$1"
}

refuses "no xensim at $socket"
: >"$socket"
refuses 'not a socket that belongs to you'
rm "$socket"
ln -s "$tmp/elsewhere" "$socket"
refuses 'not a socket that belongs to you'
# A symbolic link to a real socket, and a socket of another user.
mkfifo ready2
"$xensim" --cpus 2 --socket "$tmp/elsewhere" --ready-fd 3 3>ready2 &
sim=$!
read -r _ <ready2 || fail "xensim does not start"
refuses 'not a socket that belongs to you'
rm "$socket"
if [ "$(id -u)" -eq 0 ]; then
    mv elsewhere "$socket"
    refuses 'not a socket that belongs to you'
fi
kill $sim
wait $sim

# xensim does not follow a link either.
rm -f "$socket"
ln -s "$tmp/nowhere" "$socket"
# shellcheck disable=SC2086
expect 1 $as_user "$xensim" --cpus 2 -T 0.1
expect_message 'is not a socket'
[ ! -e "$tmp/nowhere" ] || fail "xensim has followed a symbolic link"
