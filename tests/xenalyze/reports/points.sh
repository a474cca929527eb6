#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Points come in the order of time: the first state of a vcpu and an exit are
# known only when they end, after later points of others.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# list_times FIELD: the times of points, in nanoseconds
list_times() {
    awk -v field="$1" '{ sub(/\./, "", $field); print $field + 0 }' out
}

for trace in intel amd; do
    for kind in runstate=2 pcpu=2 vmexit-eip=1 wake-to-halt=1; do
        name=${kind%=*}
        expect 0 "$xenalyze" points "$name" $trace
        list_times "${kind#*=}" >found
        [ "$(wc -l <found)" -gt 100 ] || fail "$trace: $name: no points"
        sort -n found | cmp -s - found || fail "$trace: $name: not in order"
    done
    # Two kinds are in one order.
    expect 0 "$xenalyze" --scatterplot-runstate --scatterplot-vmexit-eip $trace
    awk '{ sub(/\./, "", $(NF - 1)); print $(NF - 1) + 0 }' out >found
    sort -n found | cmp -s - found || fail "$trace: two kinds: not in order"
    expect 0 "$xenalyze" --json --scatterplot-runstate \
        --scatterplot-vmexit-eip $trace
    python3 -c '
import json, sys
times = [p["time_tsc"] for p in json.load(open(sys.argv[1]))["points"]]
assert len(times) > 100 and times == sorted(times)' out ||
        fail "$trace: JSON: not in order"
done

# A damaged time stamp, later than its neighbours, does not delay the end of its
# pcpu: no state ends before it begins.
compose outlier <<'END'
0 1000000 0x21101 0x10000
0 1050000 0x28002 0x10000
0 9000000 0x28002 0x10000
0 1100000 0x28002 0x10000
1 1000000 0x21101 0x20000
1 3000000 0x21021 0x20000
1 3000000 0x21011 0x10000
1 4000000 0x21101 0x10000
1 5000000 0x21021 0x10000
1 6000000 0x21101 0x20000
END
expect 0 "$xenalyze" --cpu-hz 1G points runstate-time outlier
awk '$NF > 0.005' out >long
[ ! -s long ] || fail "longer than the trace: $(head -n 1 long)"
grep -qx '1v0 0.000100000 0.000100000' out || fail "d1v0 has no end of data"
# The summary, which reads pcpu by pcpu, notices the time stamp, too.
expect 0 "$xenalyze" --summary outlier
grep -q '^  at byte [0-9]*: time goes backwards' out ||
    fail "the summary has no word on time that goes backwards"
expect 0 "$xenalyze" --summary intel
grep -qx ' damage: none' out || fail "damage in an intact trace"
