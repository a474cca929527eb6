#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where clocks of pcpus do not agree, records still come in the order of what
# they say: hardly a runstate begins with another state than the last one ended
# with.  (Some clocks are further apart in the end than they were seen to be.)
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
    echo "$skew: $n, and $m as a stream, which nobody can look through first"
    [ "$n" -le 10 ] || fail "$skew: $n runstates out of order"
    [ "$m" -gt 20 ] || fail "$skew: there was nothing to put right"
done
