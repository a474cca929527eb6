#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock's xentrace reads our rings without any knowledge of them: its file and
# Xen's count of losses add up to all emitted records.
. "$top_srcdir/tests/stock/lib.sh"

# lost CPU: the losses from xensim's report, as stock does not print them.
lost() {
    sed -nE "s/.*\"cpu\": $1, .*\"lost\": ([0-9]+) .*/\1/p" counts
}

expect 0 "$xensim" --cpus 3 --rate 100k --report counts -- \
    "$stock" -S 2 -e all -c 0-1 -T 1 trace
expect 0 "$xenalyze" --info trace
cp out report
grep -qx 'damage: none' report || fail "damage"
agree "stock's"

# Our xentrace names a competing stock xentrace.
expect 0 "$xensim" --cpus 2 -- sh -c '"$stock" theirs &
    until [ -s theirs ]; do sleep 0.02; done
    "$xentrace" -T 0.1 ours 2>refused && exit 9
    "$xentrace" --share-rings -T 0.5 ours 2>messages; kill $!; wait $!'
grep -q 'xentrace ([0-9]*) reads .*rings' refused || fail "no reader is named: $(cat refused)"
grep -q 'reads* .*rings.*xentrace (' messages || fail "no reader is named: $(cat messages)"
grep -q 'records are missing: another program' messages ||
    fail "no number of missing records: $(cat messages)"
grep -q 'no record was lost' messages && fail "stock took records: $(cat messages)"
echo "passed"
