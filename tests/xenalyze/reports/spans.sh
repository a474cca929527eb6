#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reports of spans: what lies at the bounds of a span, or behind it.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# A VM exit belongs to the span in which it begins, also if the guest sleeps in it
# for seconds.
compose asleep <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x81002 12 0x1000
0 2100000 0x21021 0x10000
0 2200000 0x21101 0x7fff0000
1 1000000 0x21101 0x20000
1 9000000000 0x21002 0x20000
0 9000000000 0x21211 0x10000
0 9000001000 0x21011 0x7fff0000
0 9000002000 0x21101 0x10000
0 9000003000 0x81001
0 9000009000 0x81002 1 0x1000
END
expect 0 "$xenalyze" --cpu-hz 1G exits --time ..0.5 asleep
grep -q 'HLT *1 ' out || fail "an exit that ends behind the span: $(cat out)"
expect 0 "$xenalyze" --cpu-hz 1G exits --time 0.5.. asleep
! grep -q 'HLT' out || fail "an exit from before the span: $(cat out)"

# Captures that follow each other: the second begins long behind the span.
compose captures <<'END'
0 1000000 0x21101 0x10000
0 1000100 0x81002 44 0x1000
0 1000600 0x81001
1 1000000 0x21101 0x20000
0 50000000000 0x21002 0x10000
1 50000000000 0x21002 0x20000
0 90000000000 0x21002 0x10000
1 90000000000 0x21002 0x20000
0 60000000000 0x21101 0x10000
1 60000000000 0x21101 0x20000
0 61000000000 0x21002 0x10000
1 61000000000 0x21002 0x20000
END
for report in --summary --why --report-latency --report-pcpu --json; do
    for threads in 1 2; do
        expect 0 "$xenalyze" --cpu-hz 1G --threads $threads $report \
            --time 0..1ms captures
    done
done

# A span against itself has no difference, whatever the clocks of pcpus are.
expect 0 "$xensim" --virtual --seed 2 --cpus 4 --kind pv -T 2 -r 5k \
    --tsc-skew 2ms --tsc-jump 300ms -o jump
expect 0 "$xenalyze" compare --time 0.5..1.5 --against 0.5..1.5 jump
grep -q 'No difference beyond noise' out || fail "one span: $(cat out)"
expect 0 "$xenalyze" compare --json --all-rows --time 0.1..0.2 \
    --against 0.1..0.2 jump
python3 - out <<'END' || fail 'the sides differ'
import json, sys
sides = json.load(open(sys.argv[1]))["tables"]["compared_traces"]
assert len(sides) == 2, sides
differ = {k for k in sides[0] if sides[0][k] != sides[1][k]} - {"trace"}
assert not differ, (differ, sides)
END

# A span has its share of the records of a loss.
compose lossy <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x21002 0x10000
0 12000000 0x1f001 100 0x10000 2000000 0
0 13000000 0x21002 0x10000
END
for choice in '0..10ms 90' '0..2ms 10' '1ms..6ms 50' '10ms.. 10' '.. 100'; do
    expect 0 "$xenalyze" --cpu-hz 1G --json --time "${choice% *}" lossy
    grep -q "\"lost_records\":${choice#* }," out ||
        fail "$choice: $(grep -o '"lost_records":[0-9]*' out)"
done
