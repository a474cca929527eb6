#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces of real Xen, which are kept beside this tree: each folder has
# trace.bin, and counts.txt with the records of each event, counted by an
# independent reader.
. "$top_srcdir/tests/tools/lib.sh"

data=$top_srcdir/../shared/data/xen
[ -d "$data" ] || skip "there are no real traces beside the tree"

cd "$tmp" || exit 99
nr=0
for dir in "$data"/*/; do
    [ -f "$dir/trace.bin" ] || continue
    name=$(basename "$dir")

    # Headers of windows do not count as records.
    sed '1d; s/^ *//; /^0001f003 /d' "$dir/counts.txt" >want
    expect 0 "$xenalyze" --info "$dir/trace.bin"
    grep -qx 'damage: none' out || fail "$name: false report of damage"
    sed -nE 's/^  ([0-9a-f]{8}) +([0-9]+)  [a-z0-9_]+$/\1 \2/p' out >got
    cmp -s want got || {
        diff want got
        fail "$name: the counts differ"
    }

    # There are as many windows as headers.
    headers=$(sed -n 's/^ *0001f003 //p' "$dir/counts.txt")
    grep -q " in $headers windows\$" out || fail "$name: not $headers windows"
    nr=$((nr + 1))
done
[ $nr -gt 0 ] || skip "there are no real traces beside the tree"
echo "$nr real traces agree"
