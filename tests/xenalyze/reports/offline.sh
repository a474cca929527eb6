#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A pcpu that goes offline and comes back: nothing is known about it meanwhile,
# so it is no idle pcpu, neither in tables nor for vcpus that wait.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py JSON TRUTH: as unknown as the pcpu was offline.  Short silences, at
# most SILENCE cycles, are idle time.
cat >judge.py <<'EOF'
import json, sys

SILENCE = 1 << 26
down, gone, short = {}, {}, {}
for line in open(sys.argv[2]):
    r = json.loads(line)
    if r["what"] == "cpu" and r["event"] == "down":
        down[r["cpu"]] = r["at"]
    elif r["what"] == "cpu" and r["cpu"] in down:
        length = r["at"] - down.pop(r["cpu"])
        which = gone if length > SILENCE else short
        which[r["cpu"]] = which.get(r["cpu"], 0) + length
states = {(r["pcpu"], r["state"]): r["total_cycles"]
          for r in json.load(open(sys.argv[1]))["tables"]["pcpu_states"]}
for cpu in range(4):
    want, got = gone.get(cpu, 0), states.get((cpu, "unknown"), 0)
    assert abs(got - want) <= 0.01 * want + 2000000, (cpu, got, want)
print("offline", sum(gone.values()))
EOF

seen=0
for seed in 1 2 3 4; do
    for vcpus in 1 2 3; do
        expect 0 "$xensim" --virtual --cpus 4 --rate 2k -T 1 --seed $seed \
            --hotplug 90ms --domains 1 --vcpus $vcpus --load mix \
            --boot tbuf_size=256 --truth truth -o plug
        grep -q '"event":"up"' truth || continue
        expect 0 "$xenalyze" pcpus --json plug
        mv out several
        python3 judge.py several truth >offline ||
            fail "seed $seed, $vcpus vcpus: other times"
        grep -q ' 0$' offline || seen=$((seen + 1))
        # The order of time, in one thread, has the same facts.
        expect 0 "$xenalyze" pcpus --json --threads 1 plug
        cmp -s out several || fail "seed $seed: threads change the report"
    done
done
[ "$seen" -ge 4 ] || fail "only $seen traces have a pcpu that comes back"

# d1v0 has run on pcpu 1, which is silent while d2v0 runs on pcpu 0: no idle
# pcpu; if pcpu 1 sleeps meanwhile, d1v0 could have run there.
silent() {
    compose silent <<END
0 1000000 0x21101 0x20000
1 1000000 0x21101 0x10000
1 2000000 0x21021 0x10000
1 - 0x21101 0x7fff0001
1 2100000 0x801002 2 0 0 0
1 2200000 0x801003 2 0 0 0 0 0
$1
0 3000000 0x21211 0x10000
0 503000000 0x21011 0x20000
0 - 0x21101 0x10000
1 600000000 0x801002 2 0 0 0
0 600000000 0x21021 0x10000
END
    expect 0 "$xenalyze" why --cpu-hz 1G d1v0 silent
    head -n 1 out >headline
}
silent ''
grep -q '^d1v0 has a noisy neighbour' headline || fail "$(cat out)"
expect 0 "$xenalyze" --check-scheduler --cpu-hz 1G silent
silent '1 2300000 0x801002 2 0 0 0'
grep -q '^d1v0 .*while a pcpu that it may use is idle' headline ||
    fail "asleep: $(cat out)"
expect 1 "$xenalyze" --check-scheduler --cpu-hz 1G silent

# In tables over time, the pcpu is idle only if it sleeps.
idle_rows() {
    expect 0 "$xenalyze" over run --cpu-hz 1G --interval 0.1 silent
    awk '/^ time/ { for ( i = 1; i <= NF; i++ ) if ( $i == "idle" ) at = i }
         $1 > 0.05 && $1 < 0.45 && $at == share { nr++ }
         END { print nr + 0 }' share="$1" out
}
[ "$(idle_rows 100.00%)" = 4 ] || fail "asleep: $(cat out)"
silent ''
[ "$(idle_rows 0.00%)" = 4 ] || fail "silent: $(cat out)"

# A loss in the silence, and records without a time, change nothing else.
for line in '1 550000000 0x1f001 7 0 400000000 0' '1 - 0x21021 0x7fff0001' \
    '1 550000000 0x1f001 7 0x7fff0001 2300000 0' '1 2300001 0x1f001 1 0 1 0'; do
    silent "$line"
    for report in why pcpus --summary --check-scheduler; do
        "$xenalyze" $report --cpu-hz 1G silent >several 2>&1 || [ $? = 1 ] ||
            fail "$report fails with $line"
        "$xenalyze" $report --cpu-hz 1G --threads 1 silent >one 2>&1
        cmp -s several one || fail "$report: threads differ with $line"
    done
done
