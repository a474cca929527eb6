#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-migrations: moves equal those of the ground truth; distances follow
# the topology of the trace.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: moves between consecutive runs of a vcpu
cat >judge.py <<'END'
import json, sys

report = json.load(open(sys.argv[1]))
hz = report["trace"]["tsc_hz"]
cpus = {r["pcpu"]: r for r in report["tables"]["topology"]}
runs = {}
for line in open(sys.argv[2]):
    r = json.loads(line)
    if r["what"] in ("runstate", "still") and r["state"] == "running" \
            and r["dom"] != 32767:
        runs.setdefault((r["dom"], r["vcpu"]), []).append((r["from"], r["cpu"]))
assert cpus
all = 0
got = {(r["domain"], r["vcpu"]): r for r in report["tables"]["migrations"]}
for key, spans in runs.items():
    moves = [(0, None, None)]
    at = None
    for start, cpu in sorted(spans):
        if at is not None and cpu != at:
            moves.append((start, at, cpu))
        at = cpu
    kinds = {"thread": 0, "core": 0, "socket": 0, "node": 0, "unknown": 0}
    pings = 0
    for (t0, a0, _), (t, a, b) in zip(moves, moves[1:]):
        x, y = cpus[a], cpus[b]
        kinds["node" if x["node"] != y["node"] else
              "socket" if x["socket"] != y["socket"] else
              "core" if x["core"] != y["core"] else "thread"] += 1
        pings += a0 == b and t - t0 < hz / 1000
    row = got[key]
    assert row["moves"] == len(moves) - 1, (key, row, len(moves) - 1)
    assert row["ping_pongs"] == pings, (key, row, pings)
    for kind, n in kinds.items():
        assert row["to_" + kind] == n, (key, kind, row, n)
    assert row["samples"] == max(len(moves) - 2, 0), (key, row)
    if len(moves) > 2:
        assert row["total_cycles"] == moves[-1][0] - moves[1][0], (key, row)
    all += row["moves"]
assert all > 100, all
END

for seed in 1 2 3; do
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 0.5 --seed $seed \
        --cpus $((seed + 2)) --domains 4 --runq-cpus 2 --truth truth -o trace
    expect 0 "$xenalyze" --json --report-migrations trace
    mv out report
    expect 0 python3 judge.py report truth
    expect 0 "$xenalyze" --threads 1 --json --report-migrations trace
    cmp -s out report || fail "threads change the report"
    expect 0 "$xenalyze" --report-migrations trace
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"
done
expect 0 "$xenalyze" --report-migrations --sort=count --top=2 trace
[ "$(wc -l <out)" -eq 4 ] || fail "not two rows: $(cat out)"

# Two threads of a core (0, 1), another core (2), another socket (3), another
# node (4), and a pcpu that the metadata does not have (5).
{
    i=0
    for place in '0 0 0' '0 0 0' '1 0 0' '0 1 0' '0 2 1'; do
        # shellcheck disable=SC2086 # three words
        set -- $place
        echo "0 - 0x1f089 $i $1 $2 $3 0 0"
        i=$((i + 1))
    done
    t=1000000
    for pcpu in 0 1 0 2 3 4 5 0; do
        echo "$pcpu $t 0x21101 0x10000"
        echo "$pcpu $((t + 400000)) 0x21011 0x10000"
        t=$((t + 500000))
    done
} >lines
compose topology <lines
expect 0 "$xenalyze" --cpu-hz 1G --report-migrations topology
grep -Eq '^ vcpu .* back thread  core socket  node other$' out ||
    fail "no distances: $(cat out)"
grep -Eq '^ d1v0 +7 .* 500.0 us +14.3 +28.6 +14.3 +14.3 +14.3 +28.6$' out ||
    fail "other distances: $(cat out)"
sed '/0x1f089/d' lines | compose unknown
expect 0 "$xenalyze" --cpu-hz 1G --report-migrations unknown
grep -qx ' The topology of the host is not in the trace.' out ||
    fail "no word of the topology: $(cat out)"
