#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --report-io, emulated devices: the parts of each access equal the ground truth
# and add up to its length; a starved dom0 is named by its share.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: the parts, from exits, runstates and wake-ups.  Of the
# simulator's devices, only the port 0x1f7 has a device model.
cat >judge.py <<'END'
import bisect, json, sys

tables = json.load(open(sys.argv[1]))["tables"]
exits, states, wakes = [], {}, {}
for line in open(sys.argv[2]):
    r = json.loads(line)
    key = r.get("dom"), r.get("vcpu")
    if r["what"] == "exit" and r.get("name") == "IO_INSTRUCTION":
        exits.append(r)
    if r["what"] == "runstate":
        states.setdefault(key, []).append((r["from"], r["to"], r["state"]))
    if r["what"] == "wake" and "waker_dom" in r:
        wakes.setdefault(key, []).append(
            (r["at"], r["latency"], (r["waker_dom"], r["waker_vcpu"])))
for spans in list(states.values()) + list(wakes.values()):
    spans.sort()

def within(spans, a, b):
    i = max(bisect.bisect_right(spans, (a,)) - 1, 0)
    while i < len(spans) and spans[i][0] < b:
        if spans[i][1] > a:
            yield spans[i]
        i += 1

def waited(key, a, b):
    return sum(min(y, b) - max(x, a)
               for x, y, s in within(states.get(key, []), a, b)
               if s == "runnable")

names = "xen", "helper waits", "device model", "vcpu waits"
want = {}
for x in exits:
    key = x["dom"], x["vcpu"]
    start, end = x["at"], x["at"] + x["cycles"]
    own = [s for s in within(states[key], start, end) if s[0] >= start]
    blocked = [s for s in own if s[2] in ("blocked", "offline")]
    w = want.setdefault(x["dom"], [0] * 6)
    w[4] += 1
    if not blocked:
        ran = sum(b - a for a, b, s in own if s == "runnable" and b <= end)
        w[0] += x["cycles"] - ran
        w[3] += ran
        continue
    a, b, _ = blocked[0]
    runs = min([s[1] for s in own if s[2] == "runnable" and s[0] == b],
               default=b)
    i = bisect.bisect_left(wakes[key], (b - 100000,))
    waker = next((k for at, _, k in wakes[key][i:] if at >= a), None)
    # The vcpu that the access has woken; the waker, if it was awake.
    woken = [k for k, all in wakes.items() if k[0] == 0
             for at, _, by in all[bisect.bisect_left(all, (start,)):]
             if at <= b and by == key]
    helper = max([waited(k, a, b) for k in [waker] + woken if k], default=0)
    w[0] += a - start
    w[1] += helper
    w[2] += b - a - helper
    w[3] += runs - b
    w[5] += 1
assert want
got = {}
for r in tables["emulated_devices"]:
    g = got.setdefault(r["domain"], [0] * 6)
    g[4] += r["samples"]
    g[5] += r["answered"]
    parts = {p["part"]: p.get("total_cycles", 0)
             for p in tables["emulated_parts"]
             if all(p.get(k) == r.get(k) for k in ("domain", "kind", "first"))}
    assert sum(parts.values()) == r["total_cycles"], r
    for i, name in enumerate(names):
        g[i] += parts[name]
for domain, w in want.items():
    g = got[domain]
    print(domain, w, g)
    whole = sum(w[:4])
    # The truth has exits until their entry; some are open at the end.
    assert abs(g[4] - w[4]) <= 0.01 * w[4] + 2, domain
    assert abs(g[5] - w[5]) <= 2, domain
    assert all(abs(a - b) <= 0.01 * whole + 3000000
               for a, b in zip(g[:4], w[:4])), domain
END

# simulate OPTION...: play, compare with the truth, and with one thread
simulate() {
    expect 0 "$xensim" --virtual --boot tbuf_size=256 "$@" --truth truth \
        -o trace
    expect 0 "$xenalyze" --json --report-io trace
    mv out report
    expect 0 python3 judge.py report truth
    cat out
    expect 0 "$xenalyze" --threads 1 --json --report-io trace
    cmp -s out report || fail "threads change the report"
    expect 0 "$xenalyze" io trace
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"
}

# share DEVICE COLUMN: a share of the first row of the device, in percent
share() {
    sed -n "s/^ .* $1 //p" out | head -n 1 |
        awk -v at="$2" '{ print $(NF - 4 + at) }'
}

for seed in 1 2 3; do
    simulate -T 1 --kind hvm --cpus $((seed + 1)) --domains 3 --seed $seed
done
simulate -T 0.5 --kind hvm --vendor amd --cpus 4 --domains 2

# The device model runs in a dom0 whose pcpu is busy; then it has its own.
cat >starved <<'END'
cpus = 3
rate = 10k
[domain Domain-0]
vcpus = 1
pin = 0
[domain windows-server]
kind = hvm
vcpus = 1
load = bursty
pin = 2
[domain batch]
kind = pvh
vcpus = 2
load = busy
pin = 0
END
simulate -T 2 --scenario starved
starved=$(share 'ide 0x1f0' 2)
awk -v a="$starved" 'BEGIN { exit !(a > 60) }' || fail "dom0 waits $starved %"

# A part of an access has the same cause, and the parts of a trace have its time.
cat >parts.py <<'END'
import collections, json, subprocess, sys

xenalyze, trace = sys.argv[1:]

def run(*options):
    return subprocess.run([xenalyze, "why", "windows-server", *options, trace],
                          capture_output=True, text=True, check=True).stdout

def time(*options):
    rows = json.loads(run("--json", *options))["tables"]["why_vcpus"]
    return sum(r["emulated_cycles"] for r in rows)

def span(start, end):
    return "--time=%d.%09d..%d.%09d" % (*divmod(start, 10 ** 9),
                                         *divmod(end, 10 ** 9))

devices = json.load(open("devices"))["tables"]["emulated_devices"]
longest = max((d for d in devices if d["device"] == "ide"),
              key=lambda d: d["max_ns"])
start, length = longest["max_at_ns"], longest["max_ns"]
assert length > 500000, longest
for part in ((start - length // 4, start + length // 2),
             (start + length // 3, start + length // 2)):
    assert run(span(*part)).split("\n")[0] == (
        "windows-server/0 waits for a device model that waits for a pcpu: "
        "ide 0x1f0."), (part, run(span(*part)))
    spent = time(span(*part))
    assert 0 < spent <= (part[1] - part[0]) * 2.4, (part, spent)
edges = [i * 2000000000 // 150 for i in range(150)] + [3000000000]
assert sum(time(span(*e)) for e in zip(edges, edges[1:])) == time()
END
expect 0 "$xenalyze" io --json trace
mv out devices
expect 0 python3 parts.py "$xenalyze" trace
sed '/batch/,$s/^pin = 0/pin = 1/' starved >free
simulate -T 2 --scenario free
free=$(share 'ide 0x1f0' 2)
awk -v a="$free" 'BEGIN { exit !(a < 30) }' || fail "dom0 waits $free %"

# The vcpu stays off its pcpu after the answer: it has used up its cap, or is
# paused.  The device model answers within microseconds.
for stop in 'cap = 20' 'pause = 5ms
pause-for = 20ms'; do
    cat >stopped <<END
cpus = 4
rate = 20k
[domain Domain-0]
vcpus = 2
[domain guest]
kind = hvm
load = busy
vcpus = 4
$stop
END
    expect 0 "$xensim" --virtual --scenario stopped --seed 1 -T 1 -o trace
    expect 0 "$xenalyze" io trace
    model=$(share 'ide 0x1f0' 3)
    waits=$(share 'ide 0x1f0' 4)
    awk -v a="$model" -v b="$waits" 'BEGIN { exit !(a < 5 && b > 50) }' ||
        fail "$stop: the device model works $model %, the vcpu waits $waits %"
    [ "$stop" = 'cap = 20' ] && continue
    expect 0 "$xenalyze" why guest trace
    grep -q '^Nothing is wrong but pauses: guest/[0-3] was paused [678]' out ||
        fail "the pauses are not named: $(cat out)"
done

# Composed: d0v0 serves d1v0.  Of an access from 1,000,100 to 1,005,000, Xen has
# 100 cycles, the helper waits 1,000 and works 1,500, and the vcpu waits 2,300.
compose access <<'END'
0 900000 0x21101 0x0
0 950000 0x21021 0x0
0 1000000 0x21101 0x10000
0 1000100 0x81002 30 0x1000
0 - 0x82216 0xc100 0
0 1000150 0x21211 0x0
0 1000200 0x21021 0x10000
0 1001200 0x21101 0x0
0 1002700 0x21211 0x10000
0 1002800 0x21021 0x0
0 1005000 0x21101 0x10000
0 1005100 0x81001
0 1005200 0x81002 30 0x1000
0 - 0x82216 0x70 0
0 1005300 0x81001
END
expect 0 "$xenalyze" --cpu-hz 1G --json --report-io access
python3 - out <<'END' || fail 'the composed access has other parts'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
parts = {(r["first"], r["part"]): r.get("total_cycles", 0)
         for r in tables["emulated_parts"]}
assert parts == {
    (0xc100, "xen"): 100, (0xc100, "helper waits"): 1000,
    (0xc100, "device model"): 1500, (0xc100, "vcpu waits"): 2300,
    (0x70, "xen"): 100, (0x70, "helper waits"): 0, (0x70, "device model"): 0,
    (0x70, "vcpu waits"): 0}, parts
END

# The helper is preempted in an access, however often: in each of three accesses
# of d1v0, d0v0 waits for 9 ms and works for 1 ms, many times.
helper_waits() {
    awk -v n="$1" "$awk_line"'
    BEGIN {
        line(0, 1000000, "0x21101 0x20000")
        line(1, 1000000, "0x21101 0x10000")
        for ( x = 2000000; accesses++ < 3; x = y + 1000000 )
        {
            line(1, x, "0x81002 30 0x1000")
            print "1 - 0x82216 0x1f0 1"
            y = x + 1000
            line(1, y, "0x21211 0x0")
            line(1, y + 1000, "0x21021 0x10000")
            line(1, y + 1000, "0x21101 0x7fff0001")
            for ( k = 0; k < n; k++ )
            {
                if ( k )
                {
                    line(0, y, "0x21011 0x0")
                    line(0, y, "0x21101 0x20000")
                }
                line(0, y + 9000000, "0x21011 0x20000")
                line(0, y + 9000000, "0x21101 0x0")
                y += 10000000
            }
            line(0, y, "0x21211 0x10000")
            line(1, y + 1000, "0x21011 0x7fff0001")
            line(1, y + 1000, "0x21101 0x10000")
            line(1, y + 2000, "0x81001")
            line(0, y + 3000, "0x21021 0x0")
            line(0, y + 3000, "0x21101 0x20000")
        }
    }' | compose preempted
}

# The latest 256 waits are exact, older ones nearly so.
while read -r waits error; do
    helper_waits "$waits"
    expect 0 "$xenalyze" --cpu-hz 1G --json io preempted
    python3 - out "$waits" "$error" <<'END' || fail "$waits waits: other parts"
import json, sys
n, error = int(sys.argv[2]), int(sys.argv[3])
rows = json.load(open(sys.argv[1]))["tables"]["emulated_parts"]
parts = {r["part"]: r["total_cycles"] for r in rows}
want = {"xen": 2000, "helper waits": n * 9000000 - 1000,
        "device model": n * 1000000, "vcpu waits": 1000}
assert sum(parts.values()) == 3 * sum(want.values()), parts
for part, cycles in want.items():
    assert abs(parts[part] - 3 * cycles) <= 3 * error, (part, parts)
END
    expect 0 "$xenalyze" --cpu-hz 1G io preempted
    [ "$(share 'ide 0x1f0' 2) $(share 'ide 0x1f0' 3)" = '90.0 10.0' ] ||
        fail "$waits waits: $(cat out)"
    expect 0 "$xenalyze" --cpu-hz 1G why d1v0 preempted
    head -n 1 out | grep -q 'waits for a device model that waits for a pcpu' ||
        fail "$waits waits: $(cat out)"
done <<'END'
10 0
100 0
256 0
4000 40000000
END

# Devices beyond the first 64 of a domain share a row, and nothing is missing.
{
    echo '0 1000000 0x21101 0x10000'
    i=0
    while [ $i -lt 200 ]; do
        printf '0 %d 0x81002 48 0x1000\n' $((2000000 + 1000 * i))
        printf '0 - 0x82217 0x%x 1\n' $((0xfeb00000 + 4096 * (i % 80)))
        printf '0 %d 0x81001\n' $((2000300 + 1000 * i))
        i=$((i + 1))
    done
} >lines
compose many <lines
expect 0 "$xenalyze" --cpu-hz 1G io many
grep -q ' others  *32 ' out || fail "no row of others: $(cat out)"
[ "$(grep -c ' at 0xfeb' out)" -eq 64 ] || fail 'not 64 devices'
expect 0 "$xenalyze" --cpu-hz 1G --json --report-io many
python3 - out <<'END' || fail 'accesses are missing'
import json, sys
rows = json.load(open(sys.argv[1]))["tables"]["emulated_devices"]
assert sum(r["samples"] for r in rows) == 200, rows
assert sum(r["total_cycles"] for r in rows) == 200 * 300, rows
assert [r for r in rows if r["kind"] == "others"][0]["samples"] == 32, rows
END

# Without handler records the time is known, but the ports are not.
simulate -T 1 --kind hvm --cpus 2
with=$(sed -n 's/^ .* ide 0x1f0 *\([0-9]*\) .*/\1/p' out)
expect 0 "$xensim" --virtual --boot 'tbuf_size=256 tevt_mask=0xa1000' -T 1 \
    --kind hvm --cpus 2 -o trace
expect 0 "$xenalyze" io trace
without=$(sed -n 's/^ .* unknown ports *\([0-9]*\) .*/\1/p' out)
[ "$with" ] && [ "$with" = "$without" ] || fail "$with, without $without"
expect 0 "$xenalyze" --json --report-io trace
! grep -q '"first":0' out || fail 'an unknown port is called 0'
