#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-io: round trips of I/O equal the ground truth, and their steps add
# up; a starved dom0 and a slow guest are named by their shares.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: number of round trips, and the sums between the events
# and grants of the truth.  Where the requests of two vcpus overlap, the grants
# of both count for the first, so the parts may differ by 5 % of the whole.
cat >judge.py <<'END'
import bisect, json, sys

tables = json.load(open(sys.argv[1]))["tables"]
steps = {}
for r in tables["io_steps"]:
    key = r["domain"], r["backend"], r["kind"]
    steps.setdefault(key, {})[r["step"]] = r["total_cycles"]
for r in tables["io_trips"]:
    key = r["domain"], r["backend"], r["kind"]
    assert sum(steps[key].values()) == r["total_cycles"], r
    assert r["samples"] > 0

trips, runs = [], {}
for line in open(sys.argv[2]):
    r = json.loads(line)
    if r["what"] == "io":
        trips.append(r)
    if r["what"] in ("runstate", "still") and r["state"] == "running":
        runs.setdefault((r["dom"], r["vcpu"]), []).append(r["from"])
want = {}
for t in trips:
    starts = runs[t["dom"], t["vcpu"]]
    i = bisect.bisect_left(starts, t["answered"])
    if i == len(starts):
        continue
    w = want.setdefault(t["dom"], [0, 0, 0, 0])
    w[0] += 1
    w[1] += t["mapped"] - t["sent"]
    w[2] += t["answered"] - t["mapped"]
    w[3] += starts[i] - t["answered"]
assert want
got, grants = {}, {}
for r in tables["io_trips"]:
    if r["kind"] != "event":
        continue
    s = list(steps[r["domain"], r["backend"], "event"].values())
    grants[r["domain"]] = r["grants"]
    got[r["domain"]] = [r["samples"], sum(s[:3]), sum(s[3:6]), s[6]]
for domain, w in want.items():
    g = got.get(domain)
    print(domain, w, g)
    whole = sum(w[1:])
    # Each request maps a page and unmaps it, however many overlap.
    assert abs(grants[domain] - 2 * w[0]) <= 0.01 * w[0], (domain, grants)
    assert g and abs(g[0] - w[0]) <= 0.01 * w[0], domain
    assert abs(sum(g[1:]) - whole) <= 0.01 * whole, domain
    assert all(abs(a - b) <= 0.05 * whole for a, b in zip(g[1:], w[1:])), domain
END

# judge OPTION...: play and compare with the truth
judge() {
    expect 0 "$xensim" --virtual --boot tbuf_size=256 "$@" --truth truth \
        -o trace
    expect 0 "$xenalyze" --json --report-io trace
    mv out report
    expect 0 python3 judge.py report truth
    cat out
    expect 0 "$xenalyze" io trace
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"
}

# share STEP: the share of the step, in percent
share() {
    sed -n "s/^  $1 .* \([0-9.]*\)%\$/\1/p" out | head -n 1
}

slow=$top_srcdir/xensim/scenarios/slow-disk.scenario
judge -T 2 --scenario "$slow"
waits=$(share 'backend woken -> runs')
again=$(share 'backend woken again -> runs')
awk -v a="$waits" -v b="$again" 'BEGIN { exit !(a + b > 80) }' ||
    fail "dom0 waits only $waits + $again %"
grep -q '^ web1 through Domain-0: ' out || fail 'no names'
grep -Eq '^   --time [0-9.]+\.\.[0-9.]+$' out || fail 'no span of time'
span=$(sed -n 's/^   --time //p' out | head -n 1)
expect 0 "$xenalyze" dump --time "$span" trace
grep -q 'grant_table_op' out || fail 'the span has no grants'

# Each of the longest trips is in the span that is printed for it, the same.
expect 0 "$xenalyze" io trace
sed -n '/^--- The longest/,/^--- Not/p' out | grep -v '^---' >longest
[ "$(wc -l <longest)" = 20 ] || fail "not ten trips: $(cat longest)"
while read -r trip; do
    read -r option span
    [ "$option" = --time ] || fail "no span of time: $trip"
    expect 0 "$xenalyze" io --time "$span" trace
    grep -F -A1 "$trip" out | grep -qF -e "--time $span" ||
        fail "$span has not: $trip"
done <longest

# With a pcpu of its own, dom0 does not wait.
awk '/^pin = 0$/ && ++n == 2 { $0 = "pin = 3" } { print }' "$slow" |
    sed 's/^cpus = 3$/cpus = 4/' >free
judge -T 2 --scenario free
waits=$(share 'backend woken -> runs')
awk -v a="$waits" 'BEGIN { exit !(a < 20) }' || fail "dom0 waits $waits %"
judge -T 1 --kind pvh --load io --cpus 3
# Vcpus that wait for long after their wake-ups, and interrupts on their pcpus.
judge -T 1 --kind pv --vendor amd --load io --cpus 2 --domains 4
judge -T 1 --kind pvh --load io --cpus 8 --domains 6 --seed 3

# No answer is the end of a pause by the toolstack, nor a timer of the guest on
# the pcpu of the backend.  Random guests: those with round trips in the truth.
cat >paused.scenario <<'END'
cpus = 2
[domain web]
kind = pv
vcpus = 2
load = bursty
pause = 40ms
pause-for = 20ms
END
# only_true OPTION...: no domain has round trips by event but those of the truth
only_true() {
    expect 0 "$xensim" --virtual --boot tbuf_size=256 "$@" --truth truth \
        -o trace
    expect 0 "$xenalyze" --json --report-io trace
    python3 - out truth <<'END' || fail "round trips without I/O: $*"
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
want = {r["dom"] for r in map(json.loads, open(sys.argv[2]))
        if r["what"] == "io"}
got = {r["domain"] for r in tables["io_trips"] if r["kind"] == "event"}
assert got <= want, (got, want)
END
}
only_true -T 1 --scenario paused.scenario
only_true --seed 16 -T 0.4 --cpus 12 --rate 100k --hotplug 5ms --vcpus 4

# The backend is preempted in a round trip, however often: in each of ten round
# trips of d1v0, d0v0 waits for 9 ms and works for 1 ms, many times.  With a
# second number, d0v0 is blocked for 50 ms before that wait, for a device.
preempted_backend() {
    awk -v n="$1" -v blocks="$2" "$awk_line"'
    BEGIN {
        line(0, 1000000, "0x21101 0x20000")
        line(1, 1000000, "0x21101 0x10000")
        for ( x = 2000000; trips++ < 10; x = y + 1000000 )
        {
            line(1, x, "0x20100d 32")
            line(1, x, "0x21211 0x0")
            line(1, x + 1000, "0x21021 0x10000")
            line(1, x + 1000, "0x21101 0x7fff0001")
            y = x
            for ( k = 0; k < n; k++ )
            {
                if ( k )
                {
                    line(0, y, k == blocks ? "0x21021 0x0" : "0x21011 0x0")
                    line(0, y, "0x21101 0x20000")
                }
                if ( k && k == blocks )
                {
                    y += 50000000
                    line(0, y, "0x21211 0x0")
                }
                line(0, y + 9000000, "0x21011 0x20000")
                line(0, y + 9000000, "0x21101 0x0")
                if ( !k )
                    line(0, y + 9001000, "0x10f001 1")
                y += 10000000
            }
            line(0, y, "0x10f002 1")
            line(0, y, "0x20100d 32")
            line(0, y, "0x21211 0x10000")
            line(1, y + 1000, "0x21011 0x7fff0001")
            line(1, y + 1000, "0x21101 0x10000")
            line(0, y + 3000, "0x21021 0x0")
            line(0, y + 3000, "0x21101 0x20000")
        }
    }' | compose preempted
}

# The latest 256 waits are exact, older ones nearly so.
while read -r waits blocks error; do
    preempted_backend "$waits" "$blocks"
    expect 0 "$xenalyze" --cpu-hz 1G --json io preempted
    python3 - out "$waits" "$blocks" "$error" <<'END' ||
import json, sys
n, blocks, error = map(int, sys.argv[2:])
tables = json.load(open(sys.argv[1]))["tables"]
steps = {r["step"]: r.get("total_cycles", 0) / 10
         for r in tables["io_steps"]}
[trips] = tables["io_trips"]
assert trips["samples"] == 10, trips
assert sum(steps.values()) * 10 == trips["total_cycles"], steps
assert (trips["estimated"] > 0) == (error > 0), trips
waits = steps["backend woken -> runs"] + steps["backend woken again -> runs"]
runs = (steps["backend runs -> first grant"] + steps["grants, device"] +
        steps["backend runs -> event back"])
assert abs(waits - n * 9000000) <= error, steps
assert abs(runs - n * 1000000 - (50000000 if blocks else 0)) <= error, steps
if blocks:
    assert abs(steps["backend runs -> event back"] -
               (n - blocks) * 1000000) <= error, steps
END
        fail "$waits waits, blocked before wait $blocks: other steps"
    [ "$blocks" != 0 ] && continue
    expect 0 "$xenalyze" --cpu-hz 1G why d1v0 preempted
    head -n 1 out | grep -q 'waits for I/O; its backend waits for a pcpu: d0' ||
        fail "$waits waits: $(cat out)"
done <<'END'
2 0 0
10 0 0
100 0 0
100 60 0
256 0 0
3000 0 40000000
END

# An emulated device needs no event of the guest.
expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --kind hvm --cpus 2 \
    -o trace
expect 0 "$xenalyze" io trace
grep -q ', emulated: ' out || fail 'no emulated device'

# Sinks of waits without rivals: the same beside a report that needs rivals.
expect 0 "$xenalyze" --json --report-io trace
mv out alone
expect 0 "$xenalyze" --json --report-io --report-latency trace
python3 - alone out <<'END' || fail 'another report changes round trips'
import json, sys
alone, beside = (json.load(open(path))["tables"] for path in sys.argv[1:])
assert alone["io_trips"] and alone["emulated_devices"]
assert beside["wait_rivals"]
for name in alone:
    assert alone[name] == beside[name], name
END

# Classes that are missing are named.
expect 0 "$xenalyze" io --time 0..0.1 "$tmp/intel"
! grep -q 'warning' out || fail 'a warning without need'
compose sched <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x21021 0x10000
END
expect 0 "$xenalyze" --cpu-hz 1G io sched
grep -q 'warning: no hypercalls .* xentrace -e sched,hvm,pv,mem$' out ||
    fail "no warning: $(cat out)"
expect 0 "$xenalyze" --cpu-hz 1G --json --report-io sched
