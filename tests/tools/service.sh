#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xentrace.service, as make install writes it: the program that it starts is
# installed at that path, systemd accepts the unit without a remark, and the
# sandbox is as tight as it was.  The options in the unit can be parsed, too.
. "$top_srcdir/tests/tools/lib.sh"

unset MAKEFLAGS MAKELEVEL MFLAGS
root=$tmp/root
expect 0 make -C "$top_builddir" DESTDIR="$root" install-sbinPROGRAMS \
    install-nodist_systemdunitDATA
unit=$(find "$root" -name xentrace.service)
[ -s "$unit" ] || fail "no unit is installed"

# ExecStart names an installed program by its absolute path.
program=$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$unit")
case $program in
/*/xentrace) ;;
*) fail "ExecStart=$program is no absolute path of xentrace" ;;
esac
[ -f "$root$program" ] && [ -x "$root$program" ] ||
    fail "ExecStart=$program: make install writes no such program"
if grep '@[a-z]*dir@' "$unit"; then
    fail "the unit has a path that was not filled in"
fi

options=$(sed -n 's/^Environment="XENTRACE_OPTIONS=\(.*\)"$/\1/p' "$unit")
[ -n "$options" ] || fail "the unit has no options"
if [ -x "$xensim" ]; then
    # shellcheck disable=SC2086 # several options
    expect 0 "$xensim" --cpus 2 -- "$xentrace" $options -T 0.1 "$tmp/trace"
fi

command -v systemd-analyze >/dev/null || skip "there is no systemd-analyze"
cd "$tmp" || exit 99
# The root has no other units, and no manual pages.
for target in sysinit basic shutdown multi-user; do
    echo '[Unit]' >"${unit%/*}/$target.target"
done
# systemd finds units only in the folders that it searches; a prefix may be
# none of them.
units=${unit#"$root"}
export SYSTEMD_UNIT_PATH="${units%/*}:"
expect 0 systemd-analyze verify --man=no --root="$root" "$units"
unset SYSTEMD_UNIT_PATH
[ ! -s out ] && [ ! -s err ] || fail "systemd has remarks about the unit"
# Exposure in tenths: 96 for a unit without a sandbox.
expect 0 systemd-analyze security --no-pager --offline=true --threshold=12 \
    "$unit"
