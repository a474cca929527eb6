#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --why: stalls of the whole machine, interrupts on the pcpu of a vcpu, and
# regular periods, each in a simulated machine with this cause only, by the
# ground truth; other machines have no stalls, and lost records are none.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# simulate NAME OPTION... <SCENARIO
simulate() {
    name=$1
    shift
    cat >"$name.scenario"
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 "$@" \
        --scenario "$name.scenario" --truth truth -o "$name"
    expect 0 "$xenalyze" --why --json "$name"
    mv out "$name.json"
    expect 0 "$xenalyze" --why --json --threads 1 "$name"
    cmp -s out "$name.json" || fail "$name: threads change the report"
}

# verdict NAME VCPU LINE: the first line of the text, which fits the screen
verdict() {
    # shellcheck disable=SC2086 # no argument without VCPU
    expect 0 "$xenalyze" why $2 "$1"
    [ "$(wc -l <out)" -le 20 ] || fail "$1: more than 20 lines"
    [ "$(wc -L <out)" -le 80 ] || fail "$1: more than 80 columns"
    [ "$(head -n 1 out)" = "$3" ] || fail "$1: $(cat out)"
}

# judge.py REPORT TRUTH
cat >judge.py <<'END'
import json, sys

tables = json.load(open(sys.argv[1]))["tables"]
truth = [json.loads(line) for line in open(sys.argv[2])]
want = [r for r in truth if r["what"] == "stall"]
got = tables["why_stalls"]
assert len(want) == len(got) == 19, (len(want), len(got))
for w, g in zip(want, got):
    assert abs(g["to_tsc"] - w["to"]) <= 24000, (w, g)
    assert abs(g["from_tsc"] - w["from"]) <= 1200000, (w, g)
    assert g["pcpus"] == 3, g
[p] = [r for r in tables["why_periods"] if r["what"] == "stalls"]
assert abs(p["period_ns"] - 50000000) <= 500000 and p["percent"] >= 95, p
total = sum(w["to"] - w["from"] for w in want)
for v in tables["why_vcpus"]:
    lost = 0 if v["domain"] == 0 else total
    assert abs(v["stalls_cycles"] - lost) <= 0.01 * total, (v, total)
END
simulate stall --rate 40k <<'END'
cpus = 4
ratelimit = 0
cstates = no
stall = 50ms
stall-for = 4ms
[domain Domain-0]
vcpus = 1
pin = 3
[domain a]
kind = hvm
pin = 0
[domain b]
kind = pv
pin = 1
[domain c]
kind = pvh
pin = 2
END
python3 judge.py stall.json truth || fail 'stalls are not those of the truth'
for vcpu in a/0 b/0 c/0; do
    verdict stall $vcpu \
        "$vcpu loses time while the whole machine stands still."
done
grep -Eq '^ The whole machine stood still 19 times, 7[0-9]\.[0-9] ms in all, every (50\.0|49\.9|50\.1) ms\.$' \
    out || fail "no period: $(cat out)"
span=$(sed -n 's/^ *worst, of 3 busy pcpus: --time //p' out)
expect 0 "$xenalyze" dump --time "$span" stall
[ "$(wc -l <out)" -le 20 ] || fail "$(wc -l <out) records in a stall, $span"
verdict stall d0 "Nothing is wrong: Domain-0/0 does not wait long for a pcpu."

# Spans have the parts of stalls that are in them.
cat >parts.py <<'END'
import json, subprocess, sys

xenalyze, trace = sys.argv[1:]

def lost(span):
    run = subprocess.run([xenalyze, "why", "--json", "--time", span, trace],
                         capture_output=True, text=True, check=True)
    tables = json.loads(run.stdout)["tables"]
    return sum(v["stalls_cycles"] for v in tables["why_vcpus"]), tables

whole, tables = lost("..")
assert whole
stall = tables["why_stalls"][0]
middle = (2 * stall["from_tsc"] + stall["to_tsc"]) // 3
parts = [lost(f"..{middle}c")[0], lost(f"{middle}c..")[0]]
assert all(parts) and sum(parts) == whole, (parts, whole)
END
python3 parts.py "$xenalyze" stall || fail 'the parts of stalls do not add up'

# The same machines without stalls, and others.
for options in '--rate 40k' '--rate 1k' '--seed 7' '--load bursty --cpus 16' \
    '--load periodic --cpus 8 --rate 2k' '--load io --cpus 2' \
    '--load busy --rate 200 --no-cstates --interrupts 10' '--kind mix --cpus 8'
do
    # shellcheck disable=SC2086 # several words
    play calm $options
    expect 0 "$xenalyze" --why --json calm
    grep -q '"why_stalls":\[\]' out || fail "a stall without one: $options"
done

# All pcpus lose records at the same time.
gap() {
    awk -v lost="$1" 'BEGIN {
        for ( t = 1000000; t < 101000000; t += 50000 )
        {
            if ( t > 60000000 && t < 80000000 )
                continue
            for ( p = 0; p < 2; p++ )
            {
                if ( t == 80000000 && lost )
                    printf "%u %.0f 0x1f001 9 %u 60010000 0\n", p, t, p + 1
                if ( t == 1000000 || (t == 80000000 && lost) )
                    printf "%u %.0f 0x21101 0x%u0000\n", p, t + p + 1, p + 1
                printf "%u %.0f 0x20f00d\n", p, t + 10 + p
            }
        }
    }' | sed 's/0x20f00d/0x28101/' | compose gap
    expect 0 "$xenalyze" --cpu-hz 1G --why --json gap
}
gap 0
[ "$(grep -o '"pcpus":2}' out | wc -l)" = 1 ] || fail "no stall: $(cat out)"
gap 1
grep -q '"why_stalls":\[\]' out || fail "a loss is a stall: $(cat out)"

# Interrupts on the pcpu of a vcpu.
simulate storm <<'END'
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
[domain other]
pin = 1
END
verdict storm '' 'victim/0 loses its pcpu to interrupts of the host.'
grep -Eq '^ Interrupts of the host took 21\.[0-9]%, 21[0-9]\.[0-9] ms, ' out ||
    fail "$(cat out)"
python3 - storm.json truth <<'END' || fail 'not the time of the truth'
import bisect, json, sys
# Whole exits of d1 with a handler in them.
truth = [json.loads(line) for line in open(sys.argv[2])]
at = sorted(r["from"] for r in truth if r["what"] == "interrupt")
want = 0
for r in truth:
    if r["what"] == "exit" and r["dom"] == 1:
        i = bisect.bisect_left(at, r["at"])
        if i < len(at) and at[i] < r["at"] + r["cycles"]:
            want += r["cycles"]
[row] = [r for r in json.load(open(sys.argv[1]))["tables"]["why_vcpus"]
         if r["domain"] == 1]
assert want and abs(row["interrupts_cycles"] - want) <= 0.01 * want, (row, want)
END
verdict storm other 'Nothing is wrong: other/0 does not wait long for a pcpu.'

# A single interrupt is named.
awk 'BEGIN {
    print 0, 1000000, "0x21101 0x10000"
    for ( i = 1; i <= 40000; i++ )
        printf "0 %u 0x802008 9 %u %u\n", 1002000 + 10000 * i,
            1000000 + 10000 * i, 1002000 + 10000 * i
    print 0, 500000000, "0x21021 0x10000"
}' | compose one
expect 0 "$xenalyze" --cpu-hz 1G why d1 one
[ "$(head -n 1 out)" = \
    'd1v0 loses its pcpu to interrupts of the host: irq 9.' ] || fail "$(cat out)"

# A neighbour that comes back every 30 ms.
simulate periodic <<'END'
cpus = 2
rate = 2k
ratelimit = 0
cstates = no
interrupts = 0
nmis = 0
[domain Domain-0]
vcpus = 1
pin = 1
[domain victim]
pin = 0
[domain backup]
load = periodic
period = 30ms
duty = 20
weight = 1024
pin = 0
END
verdict periodic '' 'victim/0 is kept beside a noisy neighbour: backup.'
grep -Eq '^ Waits of 100 us and more begin every 30\.0 ms: 9[0-9]% of 3[0-9]\.$' \
    out || fail "no period: $(cat out)"
python3 - periodic.json <<'END' || fail 'the period in JSON'
import json, sys
[p] = json.load(open(sys.argv[1]))["tables"]["why_periods"]
assert p["what"] == "waits" and p["domain"] == 1 and p["vcpu"] == 0, p
assert abs(p["period_ns"] - 30000000) <= 150000, p
END
