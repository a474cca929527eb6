#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xentrace.service: systemd understands it, as a whole and without exception,
# and the sandbox is as tight as it was.  What it starts can be parsed, too.
. "$top_srcdir/tests/tools/lib.sh"

command -v systemd-analyze >/dev/null || skip "there is no systemd-analyze"
cd "$tmp" || exit 99
unit=$top_builddir/tools/xentrace/xentrace.service

# The program is not installed, nor are its manuals.
sed -E "s,=[^ ]*/xentrace,=$xentrace,;/^Documentation=/d" "$unit" \
    >xentrace.service
expect 0 systemd-analyze verify ./xentrace.service
[ ! -s out ] && [ ! -s err ] || fail "systemd has something to say of it"
# Exposure in tenths: 96 without any of its lines.
expect 0 systemd-analyze security --no-pager --offline=true --threshold=12 \
    ./xentrace.service

options=$(sed -n 's/^Environment="XENTRACE_OPTIONS=\(.*\)"$/\1/p' "$unit")
[ -n "$options" ] || fail "it has no options"
[ -x "$xensim" ] || skip "there is no xensim"
# shellcheck disable=SC2086 # they are several
expect 0 "$xensim" --cpus 2 -- "$xentrace" $options -T 0.1 trace
