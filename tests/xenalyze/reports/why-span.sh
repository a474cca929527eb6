#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# why --time: the verdict prints spans of time to look at, and the same causes have
# to be found there, whatever states the span begins with.  A wait that began
# before the trace, or before the span, is explained as well.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# simulate NAME <SCENARIO
simulate() {
    cat >scenario
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --seed 5 \
        --scenario scenario -o "$1"
}

head='cpus = 2
rate = 2k
[domain Domain-0]
vcpus = 1
pin = 1
'

# one pcpu is idle all the time, and asleep
simulate pinned <<END
$head
[domain victim]
pin = 0
[domain noisy]
pin = 0
END
# parked since before the span
simulate cap <<END
$head
[domain victim]
cap = 40
[domain other]
load = periodic
END
# waits end on other pcpus than the last one
simulate many <<END
cpus = 4
rate = 5k
[domain Domain-0]
vcpus = 2
[domain busy]
copies = 3
vcpus = 3
END
expect 0 "$xensim" --virtual -T 1 \
    -f "$top_srcdir/xensim/scenarios/noisy-neighbour.scenario" -o neighbour
expect 0 python3 "$top_srcdir/tests/xenalyze/reports/judge-span.py" \
    "$xenalyze" pinned cap many neighbour intel amd

# Round trips of I/O begin before a span and end behind it, and so do blocked times:
# the parts of a trace have all of the time that the backend waited, and all of the
# blocked time has the same reason.
expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --seed 5 -o disk \
    -f "$top_srcdir/xensim/scenarios/slow-disk.scenario"
cat >parts.py <<'END'
import collections, json, subprocess, sys

xenalyze, trace = sys.argv[1:]

def cycles(*options):
    run = subprocess.run([xenalyze, "why", "--json", *options, trace],
                         capture_output=True, text=True, check=True)
    tables = json.loads(run.stdout)["tables"]
    sums = collections.Counter()
    for r in tables["why_vcpus"]:
        sums[r["domain"], r["vcpu"], "backend"] += r["backend_cycles"]
    for r in tables["why_blocks"]:
        sums[r["domain"], r["vcpu"], r["reason"]] += r.get("total_cycles", 0)
    return +sums

whole = cycles()
assert sum(key[2] == "backend" for key in whole) == 2, whole
assert sum(key[2] == "event" for key in whole) >= 2, whole
for parts in 7, 100:
    total = collections.Counter()
    for i in range(parts):
        end = "" if i == parts - 1 else "%.9f" % ((i + 1) / parts)
        total.update(cycles("--time", "%.9f..%s" % (i / parts, end)))
    assert total == whole, (parts, total, whole)
END
expect 0 python3 parts.py "$xenalyze" disk

# Threads and streams do not matter.
for span in 0.3..0.31 0.5..0.6; do
    for trace in cap many; do
        expect 0 "$xenalyze" why --json --threads 1 --time $span $trace
        sed 's/"name":"[^"]*"/"name":""/' out >one
        expect 0 "$xenalyze" why --json --threads 2 --time $span $trace
        sed 's/"name":"[^"]*"/"name":""/' out | cmp -s - one ||
            fail "$trace, $span: threads change the report"
        "$xenalyze" why --json --time $span - <$trace >out 2>err ||
            fail "$trace, $span: a stream cannot be read"
        sed 's/"name":"[^"]*"/"name":""/' out | cmp -s - one ||
            fail "$trace, $span: a stream has another report"
    done
done

# A vcpu that is gone before the span has no row.
simulate short <<END
$head
[domain brief]
load = busy
end = 200ms
[domain other]
load = periodic
END
expect 0 "$xenalyze" why --json short
grep -q '"domain_name":"brief"' out || fail 'there is no domain brief'
expect 0 "$xenalyze" why --json --time 0.5..0.7 short
! grep -q '"vcpus":.*"domain_name":"brief"' out ||
    fail 'a vcpu that is gone has a row'

# wait_while SWITCHES CYCLES FIRST: d1v0 waits while d2 and d3 have the pcpu in
# turn, so many cycles each, behind the first record
wait_while() {
    {
        echo "$3"
        awk -v n="$1" -v cycles="$2" 'BEGIN {
            t = 1000100
            printf "0 %d 0x21101 0x20000\n", t
            for ( i = 0; i < n; i++ ) {
                t += cycles
                printf "0 %d 0x21011 0x%d0000\n", t, 2 + i % 2
                printf "0 %d 0x21101 0x%d0000\n", t + 1000, 3 - i % 2
            }
            printf "0 %d 0x21011 0x%d0000\n", t + cycles, 2 + n % 2
            printf "0 %d 0x21101 0x10000\n", t + cycles + 1000
            printf "0 %d 0x21021 0x10000\n", t + cycles + 100000
        }'
    } | compose waits
}

# explained SPAN: d2 and d3 explain 99 % of the wait
explained() {
    expect 0 "$xenalyze" why --cpu-hz 1G --time "$1" d1v0 waits
    awk '/other domains ran on its pcpu/ { found = $1 + 0 >= 99 }
        END { exit !found }' out || fail "$1: $(cat out)"
    grep -q '^ Ran instead: d[23] [45][0-9.]*%, d[23] [45][0-9.]*%$' out ||
        fail "$1: d2 and d3 have no halves"
}

wait_while 1000 1000000 '0 1000000 0x21011 0x10000'
for span in 0..1.1 0.3..0.9 0.96..1.0005; do
    explained $span
done
# The first record of d1v0 ends the wait.
wait_while 1000 1000000 '0 1000000 0x21021 0x40000'
for span in 0..1.1 0.3..1.0015; do
    explained $span
done

# More switches than are kept, and nothing told before that d1v0 waits: the time is
# unknown, and gets no other cause.
wait_while 80000 20000 '0 1000000 0x21021 0x40000'
expect 0 "$xenalyze" why --cpu-hz 1G --json d1v0 waits
python3 - out <<'END' || fail "the causes of a very long wait"
import json, sys
t = json.load(open(sys.argv[1]))["tables"]
[v] = t["why_vcpus"]
causes = {r["cause"]: r["waited_cycles"] for r in t["why_causes"]}
assert sum(causes.values()) == v["waited_cycles"], (causes, v)
assert set(causes) == {"rival", "unknown"}, causes
assert causes["unknown"] > 0.9 * v["waited_cycles"], causes
END

# A span is as short as a stall: what is usual is known from before.
expect 0 "$xensim" --virtual --cpus 4 --load busy --rate 50k --stall 50ms \
    --stall-for 4ms --boot tbuf_size=64 -T 1 --seed 3 -o stalls
expect 0 "$xenalyze" why stalls
span=$(sed -n 's/^ *worst, of [0-9]* busy pcpus: --time //p' out)
[ -n "$span" ] || fail 'there is no stall'
vcpu=$(sed -n '1s/ .*//p' out)
grep -c '^ Not in th' out >want
expect 0 "$xenalyze" why "$vcpu" --time "$span" stalls
grep -c '^ Not in th' out | cmp -s - want ||
    fail "other classes are traced in $span"
expect 0 "$xenalyze" why --json stalls
mv out whole
expect 0 "$xenalyze" why --json --time "$span" stalls
python3 - whole out <<'END' || fail "no stall in $span"
import json, sys
whole, part = (json.load(open(f))["tables"]["why_stalls"] for f in sys.argv[1:])
assert len(part) == 1 and part[0] in whole, part
END

# Facts come from two seconds before the span on.  States that are older are
# known: pcpu 1 is idle, and d9 runs on pcpu 2, from the begin to the end.
cat >long.py <<'END'
ms, t, current = 1000000, 2000000, 1
lines = []

def change(time, pcpu, domain, vcpu, old, new):
    lines.append((time, pcpu, 0x21001 | old << 8 | new << 4, domain << 16 | vcpu))

change(1 * ms, 1, 0x7fff, 1, 1, 0)
change(1 * ms, 2, 9, 0, 1, 0)
change(t, 0, 1, 0, 1, 0)
change(4000 * ms, 0, 3, 0, 2, 1)
while t < 6000 * ms:
    t += 10 * ms
    change(t, 0, current, 0, 0, 1)
    current = 3 - current
    change(t + 1000, 0, current, 0, 1, 0)
change(t + ms, 2, 9, 0, 0, 2)
change(t + ms + 1000, 2, 3, 0, 1, 0)
change(t + 2 * ms, 1, 0x7fff, 1, 0, 1)
change(t + 2 * ms + 1000, 1, 9, 1, 1, 0)
for time, pcpu, event, word in sorted(lines):
    print(pcpu, time, event, word)
END
python3 long.py | "$top_builddir/tests/xenalyze/reports/compose" >long
for choice in '0.5..1 d1v0' '3..3.5 d1v0' '4.5..4.9 d2v0' '5.. d2v0' '5.. d3v0'; do
    expect 0 "$xenalyze" why "${choice#* }" --cpu-hz 1G --time "${choice% *}" long
    grep -q '^ *\(100.0\|99.6\)% .* on its pcpu, other pcpus were idle' out ||
        fail "$choice: $(cat out)"
done
grep -q '^ Not in this part: ' out || fail "what the span lacks: $(cat out)"
# The same in a second capture, behind one that the span is also in.
for time in 2900 3100 4000 7000; do
    printf "%d ${time}000000 0x21101 0x80000\n" 2 1 0
done | "$top_builddir/tests/xenalyze/reports/compose" >both
cat long >>both
expect 0 "$xenalyze" why d1v0 --cpu-hz 1G --time 3000000100c..3500000000c both
grep -q ' other pcpus were idle' out || fail "a second capture: $(cat out)"
expect_message 'has 2 parts'
