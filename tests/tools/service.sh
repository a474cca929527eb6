#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xentrace.service: systemd-analyze accepts the unit without warnings, and the
# sandbox is as tight as before.  The command of the unit can be parsed, too.
. "$top_srcdir/tests/tools/lib.sh"

command -v systemd-analyze >/dev/null || skip "there is no systemd-analyze"
cd "$tmp" || exit 99
unit=$top_builddir/tools/xentrace/xentrace.service

# The program and its man pages are not installed.
sed -E "s,=[^ ]*/xentrace,=$xentrace,;/^Documentation=/d" "$unit" \
    >xentrace.service
expect 0 systemd-analyze verify ./xentrace.service
[ ! -s out ] && [ ! -s err ] || fail "systemd-analyze prints a warning"
# The limit of exposure in tenths; 96 without the sandbox.
expect 0 systemd-analyze security --no-pager --offline=true --threshold=12 \
    ./xentrace.service

options=$(sed -n 's/^Environment="XENTRACE_OPTIONS=\(.*\)"$/\1/p' "$unit")
[ -n "$options" ] || fail "the unit has no options"
[ -x "$xensim" ] || skip "there is no xensim"
# shellcheck disable=SC2086 # several words
expect 0 "$xensim" --cpus 2 -- "$xentrace" $options -T 0.1 trace
