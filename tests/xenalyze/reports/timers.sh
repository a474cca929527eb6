#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-timers: the lateness of timers, and its parts, of composed traces
# with known parts.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# late XEN WAIT DELIVERY PERIOD: 100 timers of 1 ms; after the due time d1v0 is
# blocked for XEN ns, runnable for WAIT ns, and gets the interrupt after
# DELIVERY ns; with PERIOD 1, one timer fires 100 times.  1 cycle is 1 ns.
late() {
    awk -v xen="$1" -v wait="$2" -v delivery="$3" -v period="$4" 'BEGIN {
        print 0, 900000, "0x21101 0x10000"
        if ( period )
            print 0, 1000000, "0x84004 1000000 0 1000000 0 0xec"
        for ( i = 1; i <= 100; i++ )
        {
            t = 1000000 * i
            if ( !period )
                print 0, t + 200000, "0x84004 800000 0 0 0 0xec"
            print 0, t + 300000, "0x21021 0x10000"
            print 0, t + 1000000 + xen, "0x21211 0x10000"
            print 0, t + 1000000 + xen + wait, "0x21101 0x10000"
            print 0, t + 1000000 + xen + wait + delivery, "0x8400a"
        }
        print 0, t + 1900000, "0x21021 0x10000"
    }' | compose late
    expect 0 "$xenalyze" --cpu-hz 1G --threads 1 --json --report-timers late
    mv out one
    expect 0 "$xenalyze" --cpu-hz 1G --json --report-timers late
    cmp -s out one || fail 'threads change the report'
    python3 - out "$1" "$2" "$3" <<'END' || fail "$*: other parts"
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
want = dict(zip(("timer", "vcpu waits", "delivery"), map(int, sys.argv[2:])))
want["other"] = 0
[row] = tables["timers"]
assert row["events"] == 100, row
assert row["total_cycles"] == 100 * sum(want.values()), (row, want)
got = {r["part"]: r.get("total_cycles", 0) for r in tables["timer_parts"]}
assert got == {k: 100 * n for k, n in want.items()}, (got, want)
END
}
for period in 0 1; do
    late 5000 20000 1000 $period
    late 0 0 700 $period
    late 60000 100 0 $period
done
expect 0 "$xenalyze" --cpu-hz 1G --report-timers late
grep -Eq '^ d1v0 +100 +60.1 us +60.1 us +60.1 us +99.8 +0.2 +0.0 +0.0$' out ||
    fail "$(cat out)"
span=$(sed -n 's/^ latest: --time //p' out)
[ "$span" = 0.001100000..0.001160100 ] || fail "the latest is $span"
[ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"

# An interrupt before the due time is that of an earlier timer; a timer that is
# stopped, set again or absurd has none; short records are ignored.
compose none <<'END'
0 900000 0x21101 0x10000
0 1000000 0x84004 500000 0 0 0 0xec
0 1100000 0x8400a
0 1200000 0x84008
0 1600000 0x8400a
0 1700000 0x84004 0xffffffff 0xffffffff 0 0 0xec
0 1800000 0x8400a
0 1900000 0x84004 5
0 2000000 0x8400a
0 2100000 0x21021 0x10000
END
expect 0 "$xenalyze" --cpu-hz 1G --report-timers none
grep -q '^ No timer of a local APIC was delivered' out || fail "$(cat out)"

# Lost records are no other part.
compose lost <<'END'
0 900000 0x21101 0x10000
0 1000000 0x84004 100000 0 0 0 0xec
0 1050000 0x21021 0x10000
0 1400000 0x1f001 5 0x10000 1200000 0
0 1500000 0x21101 0x10000
0 1500500 0x8400a
END
expect 0 "$xenalyze" --cpu-hz 1G --json --report-timers lost
python3 - out <<'END' || fail 'the parts of a loss do not add up'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
assert sum(r.get("total_cycles", 0) for r in tables["timer_parts"]) == \
    sum(r.get("total_cycles", 0) for r in tables["timers"])
END
expect 0 "$xenalyze" --report-timers intel

# The printed span has the timer again, with the same parts, though it was started
# before.
expect 0 "$xensim" --virtual -T 0.5 -c 8 --load bursty --domains 20 \
    --stall 100ms -o late
expect 0 "$xenalyze" --report-timers late
span=$(sed -n 's/^ latest: --time //p' out)
[ -n "$span" ] || fail "no timer is late: $(cat out)"
mv out all
expect 0 "$xenalyze" --report-timers --time "$span" late
row=$(grep ' 1  *[0-9.]* ms .* 99\.[0-9]  *0\.' out)
grep -qxF "$row" all || fail "the span $span has another timer: $(cat out)"
