#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xentrace-file(5) describes the format of xentrace; see file-page.py.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
command -v python3 >/dev/null || skip "there is no python3"
cd "$tmp" || exit 99

# A small trace with losses, as computing its checksums is slow.
expect 0 "$xensim" --cpus 2 --rate 50k -- \
    sh -c '"$1" -S 1 -s 300 -T 0.3 trace && "$1" -z -T 0.1 packed || :' \
    sh "$xentrace"
set --
if [ -s packed ] && command -v zstd >/dev/null; then
    expect 0 zstd -q -d -c packed
    cp out unpacked
    set -- packed unpacked
fi
expect 0 python3 "$top_srcdir/tests/tools/file-page.py" \
    "$top_srcdir/man/xentrace-file.5" "$top_srcdir/events" trace "$@"
cat out
