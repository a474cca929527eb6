# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the tests of the programs share: where these are, a folder of one's
# own that goes away, and ways to fail with a reason.  To be sourced.

: "${top_srcdir:?run this by make check}" "${top_builddir:?}"

# shellcheck disable=SC2034 # used by those who source this
xentrace=$top_builddir/tools/xentrace/xentrace
xenalyze=$top_builddir/tools/xenalyze/xenalyze
xensim=$top_builddir/xensim/xensim

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

# Nothing of the user's own is to be found by accident.
unset XENSIM_SOCKET FAULT
XDG_RUNTIME_DIR=$tmp
export XDG_RUNTIME_DIR

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAILED: $*" >&2
    for f in "$tmp/out" "$tmp/err"; do
        [ -s "$f" ] && sed "s|^|    ${f##*/}: |" "$f" >&2
    done
    exit 1
}

# expect STATUS COMMAND...: run it, output into $tmp/out and $tmp/err.
expect() {
    want=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" -eq "$want" ] || fail "exit status $got, not $want: $*"
}

# One line on standard error, from the program, with these words.
complains() {
    [ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "not one line of reason"
    grep -qF -e "$1" "$tmp/err" || fail "the reason does not say: $1"
}
