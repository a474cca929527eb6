#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Times count from the start of the trace, in every output, whatever the span of
# --time: a time of one report is an argument for the next.  (Waits, which end in
# the span but may begin before, are the subject of other tests.)
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

play lossy --cpus 2 --boot tbuf_size=1 --drain 50ms
from=0.46
until=0.58

# times FILTER OPTION...: the awk program prints the times of the report, which
# have to be in the span
check_times() {
    filter=$1
    shift
    expect 0 "$xenalyze" --time "$from..$until" "$@"
    awk "$filter" out >times
    [ -s times ] || fail "no times: $*"
    awk -v from=$from -v until=$until '$1 < from - 0.000001 || $1 > until' \
        times >outside
    [ ! -s outside ] || fail "$*: $(head -n 1 outside)"
}

first='/^ *[0-9]+\.[0-9]+ / { print $1 }'
check_times '/ no records for .* from / { sub("s$", ""); print $NF }' --summary lossy
check_times '/^--- Duration of VM exits by reason/ { on = 1; next }
       /^---/ { on = 0 } on && $NF ~ /^[0-9]/ { print $NF }' \
    --report-exits intel
check_times "$first" over run --every 50ms intel
check_times "$first" over wait --every 50ms intel
check_times "$first" over exits --domain pvh2 --every 50ms intel
check_times "$first" over interrupts --domain pvh2 --every 50ms intel
check_times "$first" over grants --style=stock --domain 0 --every 50ms intel
check_times "$first" --dump-all intel
check_times '{ print $2 }' --scatterplot-pcpu intel
check_times '/--time/ { sub(".*--time ", ""); sub("\\.\\..*", ""); print }' \
    --report-io intel
check_times '/--time/ { sub(".*--time ", ""); sub("\\.\\..*", ""); print }' \
    --why intel
for rows in loss_gaps vcpu_states exits intervals; do
    expect 0 "$xenalyze" --json --summary --time "$from..$until" \
        --interval-domain-total-time-all --every 50ms lossy
    python3 - $rows $from $until <<'END' || fail "JSON: times of $rows"
import json, sys
with open("out") as f:
    data = json.load(f)
rows = data.get(sys.argv[1]) or data["tables"][sys.argv[1]]
times = [r[k] for r in rows for k in ("start_ns", "max_at_ns") if k in r]
assert times and all(float(sys.argv[2]) * 1e9 - 1000 <= t <=
                     float(sys.argv[3]) * 1e9 for t in times), times
END
done

# The first interval begins with the span.
expect 0 "$xenalyze" over run --every 50ms --time "$from..$until" intel
grep -q '^ 0\.4600000 ' out || fail "the first interval does not begin at $from"
