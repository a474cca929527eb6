#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-interrupts: each path of each interrupt and event, part by part, and
# the time of each vcpu in handlers, equal the ground truth; storms are found;
# lost records are no part of a path.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: the runstates of the truth have wake-up and run, its
# exits the VM entry.  The path of the last wake-up of a vcpu may be incomplete.
cat >judge.py <<'END'
import bisect, json, sys

report = json.load(open(sys.argv[1]))["tables"]
spans, irqs, entries, wakes = {}, {}, {}, {}
interrupts, hits, hvm = {}, [], set()
for line in open(sys.argv[2]):
    r = json.loads(line)
    key = r.get("dom"), r.get("vcpu")
    if r["what"] in ("runstate", "still") and key[0] != 32767:
        spans.setdefault(key, []).append((r["from"], r["state"], r["cpu"]))
    elif r["what"] == "interrupt":
        interrupts.setdefault(r["cpu"], []).append((r["from"], r["to"]))
        if "dom" in r:
            irqs.setdefault(key, []).append(r)
    elif r["what"] == "exit":
        hvm.add(key)
        entries.setdefault(key, []).append(r["at"] + r["cycles"])
        if r["name"] == "EXTERNAL_INTERRUPT":
            hits.append((r["cpu"], r["at"], r["at"] + r["cycles"], key))
    elif r["what"] == "injection":
        entries.setdefault(key, []).append(r["at"])
    elif r["what"] == "wake":
        wakes.setdefault(key, []).append(r)

want, final = {}, {}
for key, states in spans.items():
    states.sort()
    ends = sorted(entries.get(key, []))
    events = sorted(wakes.get(key, []), key=lambda r: r["at"])
    at = [r["at"] for r in events]
    last = max((a for a, s, c in states if s == "blocked"), default=0)
    for (a, state, _), (woken, _, _), (runs, to, cpu) in zip(
            states, states[1:], states[2:]):
        if state != "blocked" or to != "running":
            continue
        i = bisect.bisect_right(at, woken) - 1
        if i < 0 or woken - at[i] > 5000:
            continue
        w = events[i]
        irq = [r for r in irqs.get(key, []) if r["from"] <= woken <= r["to"]]
        if w["by"] == "interrupt":
            source, begin = ("device", irq[0]["irq"]), irq[0]["from"]
        elif w["by"] == "event":
            source, begin = ("event", w["waker_dom"]), woken
        else:
            continue
        i = bisect.bisect_left(ends, runs)
        end = ends[i] if i < len(ends) else runs
        paths = final if woken > last else want
        p = paths.setdefault(key + source, [0] * 5)
        parts = 1, woken - begin, runs - woken, end - runs, w["on"] != cpu
        for k, n in enumerate(parts):
            p[k] += n

got = {}
for r in report["interrupt_paths"]:
    parts = [r[k + "_cycles"] for k in ("handler", "wait", "entry")]
    assert sum(parts) == r.get("total_cycles", 0), r
    assert r["unknown"] == 0, r
    reason = "event" if r["reason"] == "emulated" else r["reason"]
    source = r["irq"] if reason == "device" else r.get("waker")
    key = r["domain"], r["vcpu"], reason, source
    if reason in ("device", "event"):
        p = got.setdefault(key, [0] * 5)
        for k, n in enumerate([r["events"]] + parts + [r["elsewhere"]]):
            p[k] += n
assert len(want) > 3 and set(want) <= set(got)
assert set(got) <= set(want) | set(final)
for key, w in want.items():
    more = [a + b for a, b in zip(w, final.get(key, w))]
    assert got[key] in (w, more), (key, "truth", w, "report", got[key])

# Exits with handlers in them; for a PV guest, handlers while it ran.
lost = {}
for spans_of in interrupts.values():
    spans_of.sort()
for cpu, a, b, key in hits:
    list = interrupts.get(cpu, [])
    # The exit of a vcpu that is preempted ends there.
    i = bisect.bisect_left(spans[key], (a,))
    b = min(b, spans[key][i][0]) if i < len(spans[key]) else b
    i = bisect.bisect_left(list, (a,))
    if i < len(list) and list[i][1] <= b:
        lost[key] = lost.get(key, 0) + b - a
for key, states in spans.items():
    if key in hvm:
        continue
    for (a, state, cpu), (b, _, _) in zip(states, states[1:]):
        list = interrupts.get(cpu, []) if state == "running" else []
        i = bisect.bisect_left(list, (a,))
        while i < len(list) and list[i][1] <= b:
            lost[key] = lost.get(key, 0) + list[i][1] - list[i][0]
            i += 1
rows = {(r["domain"], r["vcpu"]): r["lost_cycles"]
        for r in report["interrupt_victims"]}
assert lost
for key in set(lost) | set(rows):
    a, b = lost.get(key, 0), rows.get(key, 0)
    assert abs(a - b) <= 0.01 * a + 30000, (key, "truth", a, "report", b)
total = sum(b - a for spans_of in interrupts.values() for a, b in spans_of)
assert sum(r["total_cycles"] for r in report["interrupt_handlers"]) == total
END

# agree NAME: report and truth agree, with any number of threads
agree() {
    expect 0 "$xenalyze" --report-interrupts --json "$1"
    mv out "$1.json"
    python3 judge.py "$1.json" truth || fail "$1: report and truth differ"
    expect 0 "$xenalyze" --report-interrupts --json --threads 1 "$1"
    cmp -s out "$1.json" || fail "$1: threads change the report"
    expect 0 "$xenalyze" --report-interrupts "$1"
    mv out "$1.text"
    [ "$(wc -L <"$1.text")" -le 80 ] || fail "$1: more than 80 columns"
}

# simulate NAME SEED <SCENARIO
simulate() {
    cat >"$1.scenario"
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --seed "$2" \
        --scenario "$1.scenario" --truth truth -o "$1"
    agree "$1"
}

for seed in 1 2; do
    for kind in pv pvh; do
        simulate $kind $seed <<END
cpus = 3
rate = 10k
[domain Domain-0]
kind = $kind
vcpus = 2
[domain web]
kind = hvm
vcpus = 2
load = io
[domain files]
kind = pv
load = io
[domain calc]
kind = hvm
vcpus = 2
END
    done
done
grep -Eq '^ Domain-0/0 +irq 25 nvme0 +[0-9]+ ' pvh.text || fail "$(cat pvh.text)"
grep -Eq '^ web/0 +0xf3 +[0-9]+ .* [89][0-9]\.[0-9]$' pvh.text ||
    fail 'no masked vector'
! grep -q Storms pvh.text || fail 'a storm without many interrupts'

# The longest path is in the part of the trace that the report names.
span=$(sed -n 's/^ longest: --time //p' pvh.text)
expect 0 "$xenalyze" dump --time "$span" 'sched_*' pvh
[ -s out ] || fail "nothing in $span"

# A storm on the pcpu of a vcpu that has nothing to do with the device.
simulate storm 3 <<'END'
cpus = 3
rate = 5k
interrupts = 150k
interrupt-cpus = 1
nmis = 0
cstates = no
[domain Domain-0]
vcpus = 1
pin = 2
[domain victim]
kind = hvm
pin = 0
[domain web]
kind = hvm
load = io
vcpus = 4
pin = 1
END
grep -Eq '^ +0 +1[01][0-9]{4} several +--time 0\.0.*\.\.(0\.99|1\.0)' storm.text ||
    fail "no storm: $(cat storm.text)"
[ "$(grep -c -- '--time' storm.text)" = 2 ] || fail 'several storms'

# storm NR GAP: NR interrupts of irq 9, GAP ns apart, a handler of 1 us each
storm() {
    awk -v nr="$1" -v gap="$2" 'BEGIN {
        print 0, 1000000, "0x21101 0x10000"
        for ( i = 1; i <= nr; i++ )
            printf "0 %u 0x802008 9 %u %u\n", 1000000 + i * gap + 1000,
                1000000 + i * gap, 1000000 + i * gap + 1000
        print 0, 1000000 + nr * gap + 5000000, "0x21021 0x10000"
    }' | compose storms
    expect 0 "$xenalyze" --cpu-hz 1G --json --report-interrupts storms
}
storm 513 20000
python3 - out <<'END' || fail 'the shortest storm'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
[r] = tables["interrupt_storms"]
assert (r["pcpu"], r["irq"], r["interrupts"]) == (0, 9, 513), r
assert r["to_ns"] - r["from_ns"] == 512 * 20000, r
[r] = tables["interrupt_victims"]
assert (r["interrupts"], r["lost_cycles"], r["irq"]) == (513, 513000, 9), r
END
for args in '512 20000' '2000 20010'; do
    # shellcheck disable=SC2086 # two words
    storm $args
    grep -q '"interrupt_storms":\[\]' out || fail "a storm: $args"
done

# A woken vcpu whose records are lost before it runs, or before its entry: the
# time is unknown.
compose lost <<'END'
0 900000 0x21101 0x10000
0 950000 0x81002 12 0x1000
0 951000 0x81001
0 1000000 0x81002 12 0x1000
0 1001000 0x21021 0x10000
0 1001000 0x21101 0x7fff0000
0 2000000 0x21211 0x10000
0 2000100 0x802008 9 1999000 2000100
0 3000000 0x1f001 5 0x1 2100000 0
0 3100000 0x81002 12 0x1000
0 3101000 0x21021 0x10000
0 3101000 0x21101 0x7fff0000
0 4000000 0x21211 0x10000
0 4000100 0x802008 9 3999000 4000100
0 4001000 0x21011 0x7fff0000
0 4001000 0x21101 0x10000
0 4002000 0x81001
0 4005000 0x81002 12 0x1000
0 4006000 0x21021 0x10000
0 4006000 0x21101 0x7fff0000
0 5000000 0x21211 0x10000
0 5001000 0x21011 0x7fff0000
0 5001000 0x21101 0x10000
0 5002000 0x81001
0 5005000 0x81002 12 0x1000
0 5006000 0x81001
END
expect 0 "$xenalyze" --cpu-hz 1G --json --report-interrupts lost
python3 - out <<'END' || fail 'lost records'
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))["tables"]["interrupt_paths"]
        if r["reason"] == "device"]
[r] = rows
assert (r["irq"], r["events"], r["unknown"]) == (9, 1, 1), r
assert [r[k + "_cycles"] for k in ("handler", "wait", "entry")] == \
    [1000, 1000, 1000], r
END

# Nothing to report.
expect 0 "$xenalyze" --report-interrupts intel --time 0..0.000001
grep -q '^ No vcpu was woken' out || fail "$(cat out)"

# --top keeps the rows with the most time, and says how many it leaves out.
for top in 1 3; do
    expect 0 "$xenalyze" --report-interrupts intel
    mv out all
    expect 0 "$xenalyze" --report-interrupts --top=$top intel
    python3 - all out $top <<'END' || fail "--top=$top"
import re, sys

def read(name):
    tables, rows = {}, None
    for line in open(name):
        if line.startswith("---"):
            rows = tables[line] = []
        elif line.strip() and not line.startswith(" longest"):
            rows.append(line)
    return tables

every, cut, top = read(sys.argv[1]), read(sys.argv[2]), int(sys.argv[3])
assert list(every) == list(cut) and len(every) >= 4, list(every)
ns = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
for name, rows in cut.items():
    left = max(0, len(every[name]) - 1 - top)
    assert len(rows) == len(every[name]) - left + (left > 0), rows
    if left > 0:
        assert rows[-1] == f" and {left} more row{'s' * (left > 1)}\n", rows[-1]
        del rows[-1]
    assert set(rows) <= set(every[name]), rows
    if "Time of vcpus" in name:
        lost = [float(n) * ns[u] for n, u in
                (re.search(r"([\d.]+) ([num]?s)", r).groups()
                 for r in every[name][1:])]
        first = re.search(r"([\d.]+) ([num]?s)", rows[1]).groups()
        assert float(first[0]) * ns[first[1]] == max(lost), rows
END
done

# A cut name has its id, and other cut texts a mark; columns stay in line.
cat >long.scenario <<'END'
cpus = 2
[domain Domain-0]
vcpus = 1
[domain guest-with-a-long-customer-name]
vcpus = 2
load = io
END
expect 0 "$xensim" --virtual -f long.scenario -T 0.1 --output long
expect 0 "$xenalyze" --report-interrupts long
grep -qE '^ Domain-0/0   guest-with-a-~1 +[0-9]+ ' out || fail "$(cat out)"
