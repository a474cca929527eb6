#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With different clocks of pcpus, records are sorted by corrected times: hardly
# any runstate begins with another state than the last one ended with. (Some
# clocks drift apart further than was observed.)
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

odd() {
    expect 0 "$facts" "$@" sums trace
    awk -F'[: ]+' '/^strange: runstate changes/ { n += $(NF - 1) }
                   END { print n + 0 }' out
}

for skew in 5us 100us 500us; do
    play --duration=200ms --seed=11 --tsc-skew=$skew
    n=$(odd)
    m=$(odd -S)
    echo "$skew: $n, and $m as a stream, where clocks cannot be compared first"
    [ "$n" -le 10 ] || fail "$skew: $n runstates out of order"
    [ "$m" -gt 20 ] || fail "$skew: there was nothing to put right"
done
