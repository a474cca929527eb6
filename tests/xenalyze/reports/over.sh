#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Waiting time by interval: right to the digit, split at the borders, headings
# first, in 80 columns; JSON has all domains.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# d1 and d2 share pcpu 0 for four milliseconds: in each, d1 runs for 0.75 ms and
# d2 waits, and then the reverse.
awk 'BEGIN {
    for ( ms = 0; ms < 4; ms++ ) {
        t = 1000000 * (1 + ms)
        if ( ms )
            print 0, t, "0x21011 131072"
        print 0, t, "0x21101 65536"
        print 0, t + 750000, "0x21011 65536"
        print 0, t + 750000, "0x21101 131072"
    }
    print 0, 5000000, "0x21011 131072"
}' | compose even

over() {
    expect 0 "$xenalyze" over wait --cpu-hz 1000000000 "$@"
}

over --every 1ms even
tail -n 3 out >got
cat >expected <<'END'
 0.0010000   75.00%   25.00%    0.00%
 0.0020000   75.00%   25.00%    0.00%
 0.0030000   75.00%   25.00%    0.00%
END
cmp -s got expected || fail "other waiting times"
sed -n 2p out | grep -qx ' time            d2       d1     lost' || fail "other headings"
over --every 2ms even
tail -n 1 out | grep -qx ' 0.0020000   75.00%   25.00%    0.00%' || fail "no sum of 2 ms"

# Every domain is in a column or in the last one: the sum of a row is that of
# JSON.
over --every 500ms --json intel
mv out all.json
over --every 500ms intel
awk 'NR > 2' out >rows
python3 - all.json rows <<'END' || fail "the rows have other sums than JSON"
import json, sys
sums = {}
for r in json.load(open(sys.argv[1]))["intervals"]:
    assert r["interval"] == "domain-wait-time-all" and r["domain"] < 32751
    sums.setdefault(r["start_tsc"], []).append(
        100.0 * r["value"] / r["length_cycles"])
rows = [l.split()[1:-1] for l in open(sys.argv[2])] # without "lost"
assert len(rows) == len(sums) >= 2, (len(rows), len(sums))
for row, cells in zip(rows, [sums[k] for k in sorted(sums)]):
    total = sum(float(c.rstrip("%")) for c in row)
    assert abs(total - sum(cells)) < 0.005 * len(row) + 0.001, (total, cells)
END

# Many domains with names: 80 columns, and a column for the others.
play many --cpus 8 --domains 30
over --every 100ms many
awk 'length > 80' out >wide
[ ! -s wide ] || fail "$(head -n 1 wide)"
sed -n 2p out | grep -q ' others     lost$' || fail "domains are missing"
expect 2 "$xenalyze" over wait --every 0 even
expect_message '--every'

# Without scheduler events there is no answer, and a word says so.
awk '$2 != ""' >lines <<'END'
0 1000000 0x81002 1 0x1000
0 1000100 0x81001
END
compose exits <lines
for what in run wait; do
    expect 1 "$xenalyze" over $what exits
    expect_message "capture with xentrace -e sched:min"
done

# Beside a summary or another table, the events are named without an error.
expect 0 "$xenalyze" --interval-domain-wait-time-all --summary ./exits
expect_message "has no changes of runstates; capture with"
expect 0 "$xenalyze" --interval-domain-wait-time-all --style=table \
    --interval-domain-guest-interrupt 1 exits
grep -q '^ no vcpu waited; capture with xentrace -e sched:min$' out ||
    fail "no word about missing events"
expect 0 "$xenalyze" over wait --json exits
grep -q 'no scheduler events' err || fail "no word about missing events"

# A selection of pcpus counts what happened on these: the parts add up to the
# whole.
play parts --cpus 4 --domains 2
for what in run wait; do
    for part in 0,1,2,3 0 1-2 3; do
        expect 0 "$xenalyze" over $what --every 200ms --json --pcpu $part parts
        mv out "part-$part"
    done
    expect 0 "$xenalyze" over $what --every 200ms --json parts
    mv out whole
    python3 - whole part-0,1,2,3 -- whole part-0 part-1-2 part-3 <<'END' ||
import json, sys
def cells(name):
    return {(r["start_tsc"], r["domain"]): r["value"]
            for r in json.load(open(name))["intervals"] if r["value"]}
split = sys.argv.index("--")
for whole, *parts in sys.argv[1:split], sys.argv[split + 1:]:
    parts = [cells(p) for p in parts]
    assert all(parts), "an empty part"
    sums = {}
    for p in parts:
        for k, v in p.items():
            sums[k] = sums.get(k, 0) + v
    assert sums == cells(whole), (whole, len(parts))
assert parts[0] != parts[1], "the selection is ignored"
END
        fail "over $what: parts of the pcpus do not add up"
done
expect 2 "$xenalyze" over cr3 --pcpu 0 parts
grep -q -e 'instead of --pcpu' err || fail "the error does not say what to do"
"$xensim" --virtual --boot 'tbuf_size=64 tevt_mask=0x8f000' -T 100ms \
    -o unscheduled >/dev/null || fail "unscheduled cannot be simulated"
for what in run wait; do
    expect 1 "$xenalyze" over $what unscheduled
    expect_message "capture with xentrace -e sched:min"
done

# The warning about losses fits into 80 columns.
"$xensim" --virtual --boot tbuf_size=1 --rate 200k --drain 50ms -T 300ms \
    -o lossy >/dev/null || fail "lossy cannot be simulated"
expect 0 "$xenalyze" --interval-domain-total-time-all lossy
expect_message "records lost"
[ "$(wc -L <err)" -le 80 ] || fail "a warning of more than 80 columns"

# In lines of stock, the last line names each column.
expect 0 "$xenalyze" --interval 0.25 --interval-domain-guest-interrupt=2 parts
awk '{ if ( NR == 1 ) n = NF; if ( NF != n || NF < 2 ) exit 1; last = $1 }
     END { exit last != "time" || NR < 4 }' out || fail "names: $(cat out)"

# A file with several captures: the first one has intervals, and a warning says
# so.
cat parts even >several
for command in 'over run' 'over wait' 'over run --json'; do
    # shellcheck disable=SC2086 # several words
    expect 0 "$xenalyze" $command --every 0.1 several
    expect_message 'several has 2 parts with times that begin anew, as of several captures; intervals are of the first part only'
done
expect 0 "$xenalyze" latency several
expect_message 'captures; --time selects from each part'
