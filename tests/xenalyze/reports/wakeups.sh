#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-wakeups: edges and chains of the wake-up graph are those of the ground
# truth; a composed trace has the known chains, and none beyond a millisecond.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: the waker of a wake-up is the vcpu that ran on its pcpu,
# by the runstates of the truth.
cat >judge.py <<'END'
import bisect, json, sys

tables = json.load(open(sys.argv[1]))["tables"]
truth = [json.loads(line) for line in open(sys.argv[2])]
[khz] = [r["khz"] for r in truth if r["what"] == "machine"]
name = lambda domain, vcpu: "d%dv%d" % (domain, vcpu)
runs = {}
for r in truth:
    if r["what"] in ("runstate", "still") and r["state"] == "running":
        runs.setdefault(r["cpu"], []).append((r["from"], r["dom"], r["vcpu"]))
for spans in runs.values():
    spans.sort()

def find_waker(cpu, at):
    i = bisect.bisect_right(runs[cpu], (at,)) - 1
    return name(*runs[cpu][i][1:]) if i >= 0 and runs[cpu][i][1] != 32767 \
        else None

wakes = sorted((r["at"] + r["latency"], r["at"], name(r["dom"], r["vcpu"]),
                find_waker(r["on"], r["at"]))
               for r in truth if r["what"] == "wake")
edges, chains, last = {}, {}, {}
for ran, at, woken, waker in wakes:
    if waker:
        edges[waker, woken] = edges.get((waker, woken), 0) + 1
        w = last.get(waker)
        if w and w[2] and w[0] <= at and at - w[1] <= khz:
            n = chains.setdefault((w[2], waker, woken), [0, 0])
            n[0] += 1
            n[1] += ran - w[1]
    last[woken] = ran, at, waker
got = {(r["waker"], r["second"], r["last"]): r
       for r in tables["wakeup_chains"]}
assert len(chains) >= 2, chains
assert any(a == c for a, _, c in chains), chains
for key in set(chains) | set(got):
    n, length = chains.get(key, [0, 0])
    r = got.get(key, {"events": 0})
    # Waits at an end of the trace are incomplete.
    assert abs(r["events"] - n) <= 2 + 0.01 * n, (key, n, r)
    assert abs(r.get("total_cycles", 0) - length) <= 0.01 * length + khz, \
        (key, length, r)
    if n:
        assert (r["loop"] == "yes") == (key[0] == key[2]), r
        assert 0 <= r["waits_cycles"] <= r["total_cycles"], r
for r in tables["wakeups"]:
    n = edges.get((r["waker"], r["woken"]), 0)
    if r["waker"] not in ("interrupt", "unknown", "others"):
        assert abs(r["events"] - n) <= 2 + 0.01 * n, (n, r)
END

for seed in 1 2; do
    cat >scenario <<'END'
cpus = 3
rate = 10k
[domain Domain-0]
vcpus = 2
[domain web]
kind = pv
vcpus = 2
load = io
[domain files]
kind = pvh
load = io
END
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --seed $seed \
        -f scenario --truth truth -o chains
    expect 0 "$xenalyze" --report-wakeups --json chains
    mv out chains.json
    python3 judge.py chains.json truth || fail "seed $seed: not the truth's"
    expect 0 "$xenalyze" --report-wakeups --json --threads 1 chains
    cmp -s out chains.json || fail "seed $seed: threads change the report"
done
expect 0 "$xenalyze" --report-wakeups chains
grep -q '^--- Chains of wake-ups within 1 ms: ' out || fail "$(cat out)"
[ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns: $(cat out)"

# delayed NS: d3v0 wakes d0v2, which wakes d3v1 NS later, ten times
delayed() {
    awk -v delay="$1" 'BEGIN {
        print 0, 1000000, "0x21101 0x30000"
        print 1, 1000000, "0x21101 0x7fff0001"
        print 2, 1000000, "0x21101 0x7fff0002"
        for ( i = 1; i <= 10; i++ )
        {
            t = 10000000 * i
            print 0, t, "0x21211 0x2"
            print 1, t + 10000, "0x21011 0x7fff0001"
            print 1, "- 0x21101 0x2"
            print 1, t + delay, "0x21211 0x30001"
            print 2, t + delay + 30000, "0x21011 0x7fff0002"
            print 2, "- 0x21101 0x30001"
            print 1, t + 2000000, "0x21021 0x2"
            print 1, "- 0x21101 0x7fff0001"
            print 2, t + 2000000, "0x21021 0x30001"
            print 2, "- 0x21101 0x7fff0002"
        }
    }' | compose delayed
    expect 0 "$xenalyze" --cpu-hz 1G --report-wakeups --json delayed
}
delayed 1000000
python3 - out <<'END' || fail 'other chains than composed'
import json, sys
[r] = json.load(open(sys.argv[1]))["tables"]["wakeup_chains"]
assert (r["waker"], r["second"], r["last"]) == ("d3v0", "d0v2", "d3v1"), r
assert (r["events"], r["loop"]) == (10, "no"), r
assert r["total_cycles"] == 10 * 1030000, r
assert r["waits_cycles"] == 10 * 40000, r
END
delayed 1000001
grep -q '"wakeup_chains":\[\]' out || fail "a chain beyond 1 ms: $(cat out)"
