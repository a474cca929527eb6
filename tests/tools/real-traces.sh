#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces of the real Xen, which are not kept in this tree but beside it: in
# each folder trace.bin and counts.txt, the records of each event that an
# independent reader counted.
. "$top_srcdir/tests/tools/lib.sh"

data=$top_srcdir/../shared/data/xen
[ -d "$data" ] || skip "there are no real traces beside the tree"

cd "$tmp" || exit 99
nr=0
for dir in "$data"/*/; do
    [ -f "$dir/trace.bin" ] || continue
    name=$(basename "$dir")

    # Its headers of windows are no records of ours.
    sed '1d; s/^ *//; /^0001f003 /d' "$dir/counts.txt" >want
    expect 0 "$xenalyze" --info "$dir/trace.bin"
    grep -qx 'damage: none' out || fail "$name: damage where there is none"
    sed -nE 's/^  ([0-9a-f]{8}) +([0-9]+)  [a-z0-9_]+$/\1 \2/p' out >got
    cmp -s want got || {
        diff want got
        fail "$name: the counts differ"
    }

    # And as many windows as headers.
    headers=$(sed -n 's/^ *0001f003 //p' "$dir/counts.txt")
    grep -q " in $headers windows\$" out || fail "$name: not $headers windows"
    nr=$((nr + 1))
done
[ $nr -gt 0 ] || skip "there are no real traces beside the tree"
echo "$nr real traces agree"
