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
