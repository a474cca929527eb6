#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-storms.  The only storm of a simulated machine is found, as in
# the ground truth; calm machines have none; lost records are no storm, and no
# calm time; filters and threads keep the storm; bounds are printed.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: begin and end within a window; the exits of the truth,
# and the few others to the same port in the first and last window
cat >judge.py <<'END'
import json, sys

tables = json.load(open(sys.argv[1]))["tables"]
truth = [json.loads(line) for line in open(sys.argv[2])]
[want] = [r for r in truth if r["what"] == "exit_storm"]
[got] = tables["exit_storms"]
[search] = tables["exit_storm_search"]
width = search["window_cycles"]
assert search["storms"] == 1 and search["folded"] == 0, search
assert (got["domain"], got["vcpu"]) == (want["dom"], want["vcpu"]), got
assert (got["reason"], got["kind"], got["at"]) == \
    (want["name"], "port", want["port"]), got
assert abs(got["from_tsc"] - want["from"]) <= width, (got, want)
assert abs(got["to_tsc"] - want["to"]) <= width, (got, want)
# The device model has another port.
emulated = {r["exit"] for r in truth if r["what"] == "emulated"}
inside = [r for r in truth if r["what"] == "exit" and
          r["at"] not in emulated and (r["dom"], r["vcpu"]) == (want["dom"], want["vcpu"]) and
          r.get("handler") == "hvm_ioport_write" and
          got["from_tsc"] <= r["at"] < got["to_tsc"]]
assert 0 <= len(inside) - got["events"] <= 5, (len(inside), got)
assert got["events"] >= 0.95 * want["exits"], (got, want)
assert got["rip"] == want["rip"] and got["rip_percent"] > 90, (got, want)
assert got["per_second"] >= 50 * got["usual_per_second"] > 0, got
cycles = sum(r["cycles"] for r in inside)
assert abs(got["in_xen_cycles"] - cycles) <= 0.02 * cycles, (got, cycles)

# Phases follow each other; one is the storm, with the exits of the truth.
key = want["dom"], want["vcpu"]
phases = [r for r in tables["exit_phases"] if (r["domain"], r["vcpu"]) == key]
assert len(phases) >= 3, phases
for a, b in zip(phases, phases[1:]):
    assert a["to_tsc"] == b["from_tsc"], (a, b)
exits = [r for r in truth if r["what"] == "exit" and
         (r["dom"], r["vcpu"]) == key]
for p in phases:
    inside = [r for r in exits if p["from_tsc"] <= r["at"] < p["to_tsc"]]
    assert abs(p["exits"] - len(inside)) <= 0.01 * len(inside) + 3, \
        (p, len(inside))
[p] = [p for p in phases if p["from_tsc"] <= (want["from"] + want["to"]) / 2
       < p["to_tsc"]]
assert abs(p["from_tsc"] - want["from"]) <= width, (p, want)
assert abs(p["to_tsc"] - want["to"]) <= 2 * width, (p, want)
assert p["reason"] == "IO_INSTRUCTION", p
# The windows of the transition, at most two at the end, are in another phase.
assert p["reason_exits"] >= 0.75 * want["exits"], (p, want)
END

# simulate SEED OPTION...: the scenario with one storm
simulate() {
    seed=$1
    shift
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --seed "$seed" \
        --scenario "$top_srcdir/xensim/scenarios/serial-storm.scenario" \
        --truth truth -o storm "$@"
}

for seed in 1 2 3 4 5; do
    simulate $seed
    expect 0 "$xenalyze" exits --json storm
    mv out report
    python3 judge.py report truth || fail "seed $seed: not the storm"
    for threads in 1 2 4; do
        expect 0 "$xenalyze" exits --json --threads $threads storm
        cmp -s out report || fail "$threads threads change the report"
    done
done
expect 0 "$xenalyze" exits storm
sed -n '/^--- Storms/,/^--- Phases/p' out >text
echo 'ffffffff81123400 t io_serial_out' >symbols
expect 0 "$xenalyze" exits --symbol-file symbols storm
[ "$(grep -c '^  (io_serial_out +54) *$' out)" -ge 2 ] ||
    fail "no symbol: $(cat out)"
expect 0 "$xenalyze" exits storm
grep -q '^--- Phases of VM exits: ' out || fail "no phases: $(cat out)"
[ "$(sed -n '/^--- Phases/,$p' out | wc -L)" -le 80 ] ||
    fail 'phases have more than 80 columns'
[ "$(wc -L <text)" -le 80 ] || fail 'more than 80 columns'
grep -Eq '^ web/0 +IO_INSTRUCTION: port 0x3f8 ' text || fail "$(cat text)"
span=$(sed -n 's/.*times: --time \([^ ,]*\).*/\1/p' text)
expect 0 "$xenalyze" count --time "$span" storm
[ -s out ] || fail "nothing in $span"

# found NR OPTION...: so many storms
found() {
    nr=$1
    shift
    expect 0 "$xenalyze" exits "$@" storm
    [ "$(grep -c 'times: --time' out)" = "$nr" ] || fail "$*: $(cat out)"
}
found 1 --time 0.2..0.8
found 0 --time 0.6..1
found 1 --vcpu web/0
found 0 --vcpu web/1
found 1 --domain web
found 0 --domain other
found 0 --pcpu 2

# Rings that lose records: unknown windows are counted.
simulate 6 --boot tbuf_size=16 --drain 250ms
expect 0 "$xenalyze" exits --json storm
python3 - out <<'END' || fail 'lost records'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
[search] = tables["exit_storm_search"]
assert 0 < search["unknown"] < search["windows"], search
for s in tables["exit_storms"]:
    assert s["kind"] == "port" and s["domain_name"] == "web", s
    assert s["from_ns"] >= 403e6 and s["to_ns"] <= 518e6, s
END

# Calm machines, of several seeds.
for seed in 1 2 3 4; do
    for options in '--kind hvm --cpus 4' \
        '--kind mix --cpus 2 --domains 5 --load bursty --rate 40k' \
        '--kind pvh --cpus 8 --load io --interrupts 2k' \
        '--vendor amd --kind hvm --cpus 3 --load periodic --rate 50k' \
        '--kind hvm --cpus 2 --domains 6 --load quiet --rate 100k' \
        '--kind hvm --cpus 2 --boot tbuf_size=2 --storm 20ms'
    do
        # shellcheck disable=SC2086 # several words
        expect 0 "$xensim" --virtual --boot tbuf_size=64 -T 1 --seed $seed \
            $options -o calm
        expect 0 "$xenalyze" exits calm
        grep -qx ' none' out || fail "seed $seed, $options: $(cat out)"
    done
done

# exits CONDITION SECONDS [LOST]: d1v0 has an exit for CPUID every 100 us; where
# the condition on t (in us) holds, it writes to `port` every 10 us.  The
# records of LOST are lost, a condition.
exits() {
    awk -v seconds="$2" 'BEGIN {
        print 0, 1000000, "0x21101 0x10000"
        for ( t = 1000; t < seconds * 1000000; t += 10 )
        {
            port = 1016
            now = t * 1000 + 1000
            if ( '"${3:-0}"' )
            {
                first = first ? first : now
                continue
            }
            if ( first )
            {
                printf "0 %.0f 0x1f001 9 1 %.0f 0\n", now, first
                printf "0 %.0f 0x21101 0x10000\n", now
            }
            first = 0
            if ( '"$1"' )
                printf "0 %.0f 0x81002 30 0x1000\n0 - 0x82016 %u 1\n", now,
                    port
            else if ( t % 100 == 0 )
                printf "0 %.0f 0x81002 10 0x1000\n", now
            else
                continue
            printf "0 %.0f 0x81001\n", now + 1000
        }
    }' | compose made
    expect 0 "$xenalyze" --cpu-hz 1G exits made
}

# storms NR LINE: so many storms, one in this line and the next
storms() {
    [ "$(grep -c 'times: --time' out)" = "$1" ] || fail "not $1: $(cat out)"
    grep -Eq "$2" out || fail "no $2: $(cat out)"
}

storm='t >= 500000 && t < 545000'
exits "$storm" 1
storms 1 '^  4[0-9]{3} times: --time 0\.(49|50).*\.\.0\.5[45]'
exits "$storm" 5.2
storms 1 'windows of 20\.0 ms'
# A regular load, one that lasts, and none: no storms.
for condition in 't % 20000 < 4000' 't >= 300000' 0; do
    exits "$condition" 1
    storms 0 'Time in guest'
done
# Two storms; more ports than the limit.
exits "$storm || t >= 700000 && t < 745000" 1
storms 2 '^ d1v0 +IO_INSTRUCTION: port 0x3f8 '
exits "($storm) && (port = t / 10 % 200 + 1)" 1
storms 1 '^ vcpus with more than 128 ports, pages and vectors.*: 1$'
grep -Eq '^ d1v0 +IO_INSTRUCTION +[0-9]' out || fail "no storm: $(cat out)"
# Records lost in the storm, and in calm time, which stays calm.
exits "$storm" 1 't >= 521000 && t < 525000'
storms 2 'records were lost beside it'
exits 0 1 't >= 521000 && t < 525000'
storms 0 'Time in guest'
# Traces that cannot have storms, and a vcpu that runs for too short a time.
echo '0 1000000 0x21101 0x10000
0 900000000 0x21021 0x10000' | compose made
expect 0 "$xenalyze" --cpu-hz 1G --report-storms made
grep -qx ' not searched: the trace has no VM exits' out || fail "$(cat out)"
echo '0 1000000 0x81002 10 0x1000
0 2000000 0x81001
0 900000000 0x81002 10 0x1000' | compose made
expect 0 "$xenalyze" --cpu-hz 1G --report-storms made
grep -qx ' not searched: no scheduler events' out || fail "$(cat out)"
exits 0 0.05
grep -qx ' vcpus that ran in fewer than 10 windows, not searched: 1' out ||
    fail "$(cat out)"

# A vcpu of several captures counts once, and is searched if one is long enough.
captures() {
    cat one made >both
    expect 0 "$xenalyze" --cpu-hz 1G --report-storms both
}
mv made one
exits 0 0.06
captures
grep -qx ' vcpus that ran in fewer than 10 windows, not searched: 1' out ||
    fail "$(cat out)"
exits "($storm) && (port = t / 10 % 200 + 1)" 1
captures
! grep -q 'not searched' out || fail "$(cat out)"
mv made one
exits "($storm) && (port = t / 10 % 190 + 1)" 1
captures
storms 2 '^ vcpus with more than 128 ports, pages and vectors.*: 1$'

# phases VCPUS LENGTH: each vcpu exits 40 times per window of 10 ms and not at all,
# in turns of LENGTH windows
phases() {
    awk -v vcpus="$1" -v turn="$2" 'BEGIN {
        for ( v = 0; v < vcpus; v++ )
        {
            print v, 1000000, "0x21101", 65536 + v
            for ( w = 0; w < 510; w++ )
                for ( k = 0; k < 40 && int(w / turn) % 2 == 0; k++ )
                {
                    t = 1000000 + 10000000 * w + 250000 * k + 1000
                    printf "%u %.0f 0x81002 12 0x1000\n", v, t
                    printf "%u %.0f 0x81001\n", v, t + 2000
                }
            printf "%u %.0f 0x21021 %u\n", v, 1000000 + 10000000 * 510,
                65536 + v
        }
    }' | compose phases
    expect 0 "$xenalyze" --cpu-hz 1G --report-storms --json phases
    mv out report
    expect 0 "$xenalyze" --cpu-hz 1G --report-storms --top=0 phases
}
phases 1 51
python3 - report <<'END' || fail 'not the composed phases'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
assert [(r["from_tsc"], r["exits"]) for r in tables["exit_phases"]] == \
    [(1000000 + 510000000 * i, 51 * 40 * (i % 2 == 0)) for i in range(10)], \
    tables["exit_phases"]
assert all(("reason" in r) == (r["exits"] > 0) for r in tables["exit_phases"])
END
# The most phases that are kept, and more.
phases 7 3
grep -q '^ more phases, not kept: 166$' out || fail "$(tail -n 3 out)"
python3 - report <<'END' || fail 'not the bound'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
assert len(tables["exit_phases"]) == 1024
assert tables["exit_storm_search"][0]["phases"] == 7 * 170
END
phases 7 4
! grep -q 'more phases' out || fail "$(tail -n 3 out)"
