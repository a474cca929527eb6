#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock's xentrace reads our rings, knowing nothing of them: what it wrote, and
# what Xen counted as lost, is all that was traced.
. "$top_srcdir/tests/stock/lib.sh"

# lost CPU: it does not say, so Xen's books have to.
lost() {
    sed -nE "s/.*\"cpu\": $1, .*\"lost\": ([0-9]+) .*/\1/p" books
}

expect 0 "$xensim" --cpus 3 --rate 100k --report books -- \
    "$stock" -S 2 -e all -c 0-1 -T 1 trace
expect 0 "$xenalyze" --info trace
cp out report
grep -qx 'damage: none' report || fail "damage"
agree "stock's"

# Ours beside it says who that is.
expect 0 "$xensim" --cpus 2 -- sh -c '"$stock" theirs &
    until [ -s theirs ]; do sleep 0.02; done
    "$xentrace" -T 0.1 ours 2>said; kill $!; wait $!'
grep -q 'reads* .*rings.*xentrace (' said || fail "nobody is named: $(cat said)"
