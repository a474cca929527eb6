#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The time of device models by events of their programs: equal to the ground
# truth, and the parts add up to the whole.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: each access is cut at the events of its domain's
# process, without the time in which the vcpu of dom0 was runnable.
cat >judge.py <<'END'
import bisect, json, sys

tables = json.load(open(sys.argv[1]))["tables"]
states, events, accesses, exits = {}, {}, [], {}
for line in open(sys.argv[2]):
    r = json.loads(line)
    key = r.get("dom"), r.get("vcpu")
    if r["what"] == "runstate":
        states.setdefault(key, []).append((r["from"], r["to"], r["state"]))
    if r["what"] == "program":
        events.setdefault(r["pid"], []).append((r["at"], r["event"]))
    if r["what"] == "emulated":
        accesses.append(r)
    if r["what"] in ("exit", "outside"):
        exits[r["dom"], r["vcpu"], r["at"]] = r["what"]
for spans in list(states.values()) + list(events.values()):
    spans.sort()

def within(spans, a, b):
    i = max(bisect.bisect_right(spans, (a,)) - 1, 0)
    while i < len(spans) and spans[i][0] < b:
        if spans[i][1] > a:
            yield spans[i]
        i += 1

def worked(key, a, b):
    return b - a - sum(min(y, b) - max(x, a)
                       for x, y, s in within(states.get(key, []), a, b)
                       if s == "runnable")

# The last access of a vcpu may have no VM entry; its waits are then unknown.
want, count, unknown = {}, {}, {}
def add(key, cycles):
    want[key] = want.get(key, 0) + cycles
    count[key] = count.get(key, 0) + 1

for x in accesses:
    key = x["dom"], x["vcpu"]
    if key + (x["exit"],) not in exits:
        continue
    out = [s for s in within(states[key], x["exit"], x["answered"] + 1)
           if s[0] > x["exit"] and s[2] in ("blocked", "offline")]
    a, b, _ = out[0]
    if exits[key + (x["exit"],)] == "outside":
        unknown[x["dom"]] = unknown.get(x["dom"], 0) + b - a
    mine = events[1000 + x["dom"]]
    i = bisect.bisect_left(mine, (a,))
    cuts = [(a, None)]
    while i < len(mine) and mine[i][0] < b:
        cuts.append(mine[i])
        i += 1
    assert len(cuts) > 1
    cuts.append((b, None))
    for (t, name), (end, _) in zip(cuts, cuts[1:]):
        add((x["dom"], name), worked((0, x["by"]), t, end))

got = {}
for r in tables["emulated_events"]:
    assert r["program"] == "qemu" and r["pid"] == 1000 + r["domain"], r
    assert (r["kind"] == "event") == (("event" in r)), r
    if r["kind"] == "none":
        continue
    key = r["domain"], r.get("event")
    got[key] = r.get("total_cycles", 0)
    assert abs(r["events"] - count[key]) <= 0.01 * count[key], (key, r)

# The parts of a domain add up to its part "device model".
for domain in {d for d, _ in want}:
    whole = sum(r.get("total_cycles", 0) for r in tables["emulated_parts"]
                if r["domain"] == domain and r["part"] == "device model")
    parts = sum(r.get("total_cycles", 0) for r in tables["emulated_events"]
                if r["domain"] == domain)
    assert whole == parts, (domain, whole, parts)
    truth = sum(w for (d, _), w in want.items() if d == domain)
    print(domain, len(accesses), whole, truth)
    for (d, name), w in want.items():
        if d == domain:
            print("   ", name, got.get((d, name)), w)
            error = abs(got.get((d, name), 0) - w)
            assert error <= 0.01 * w + unknown.get(d, 0), name
END

# judge OPTION...: play and compare with the truth
judge() {
    expect 0 "$xensim" --virtual --boot tbuf_size=256 "$@" --truth truth \
        -o xen --programs programs
    expect 0 "$xenalyze" --json --report-io xen programs
    mv out report
    expect 0 python3 judge.py report truth
    cat out
    expect 0 "$xenalyze" io xen programs
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"
    grep -q '^--- Device models: ' out || fail 'no table of device models'
}

judge -T 2 --kind hvm --cpus 3
judge -T 1 --kind hvm --cpus 2 --domains 3 --vcpus 4 --seed 5
judge -T 1 --kind hvm --cpus 8 --domains 5 --vendor amd --seed 9

# A dom0 that competes for its pcpu: time of waits belongs to no event.
judge -T 1 --kind hvm --cpus 1 --domains 4 --load busy

# Without traces of programs the table is empty, and the rest is the same.
"$xenalyze" io xen programs | sed '/^--- Device models/,$d' >with
expect 0 "$xenalyze" io xen
cmp -s out with || fail 'other tables differ'
expect 0 "$xenalyze" --json --report-io xen
python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))["tables"]
assert t["emulated_events"] == [], t["emulated_events"]' out ||
    fail 'events without a trace of a program'

# A program without events in the accesses serves no domain.
head -c 600 programs >few
expect 0 "$xenalyze" io xen few

expect 0 "$xenalyze" --csv --report-io xen programs
grep -q '^emulated_events' out || grep -q 'emulated_events' out ||
    fail 'no table in CSV'
