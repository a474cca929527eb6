#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --why on machines that nobody has designed: random numbers of pcpus and
# domains, with random loads, caps, pinnings, weights, pauses, rate limits and
# ends.  Causes, reasons and co-stop equal the ground truth, with any number of
# threads.
#
#   SEEDS="N..." selects other machines: 1 to 60 with CHECK_FULL.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# On 28 and 30, events were timers while an exit for an interrupt was open.
seeds=${SEEDS-1 2 3 4 5 6 28 30}
[ -z "${CHECK_FULL-}" ] || seeds=${SEEDS-$(seq 60)}

# scenario.py SEED: a scenario.  The metadata have one affinity for all times, so
# no domain gets another one.  A vcpu that is paused while its domain has no
# budget has one state for both, so no domain has a cap and pauses.  All vcpus
# fit on the pcpus of the null scheduler.
cat >scenario.py <<'END'
import random, sys

r = random.Random(int(sys.argv[1]))
cpus = r.choice([1, 2, 2, 3, 4, 4, 6, 8])
credit2 = r.random() < 0.8
room = 999 if credit2 else cpus

def put(key, values, chance=1.0):
    if r.random() < chance:
        print(key, "=", r.choice(values))

def pins():
    first = r.randrange(cpus)
    last = min(cpus - 1, first + r.randrange(4))
    return ["%d-%d" % (first, last) if first < last else first]

def take(most):
    global room
    nr = min(r.randint(1, most), room)
    room -= nr
    return nr

print("cpus =", cpus)
print("scheduler =", "credit2" if credit2 else "null")
put("rate", ["500", "2k", "5k", "20k", "50k"])
put("ratelimit", ["0", "200us", "1ms", "5ms"])
put("runq-cpus", [1, 2, 16])
put("cstates", ["yes", "no"])
put("timer-slack", ["10us", "100us", "500us"], 0.3)
put("interrupts", ["0", "100", "1k", "5k"])
put("nmis", [0, 1, 100])
put("layout", ["4.17", "master"])
if r.random() < 0.5:
    print("vendor = amd")
    put("nested", ["yes"], 0.3)
if r.random() < 0.2:
    print("stall = 50ms")
    put("stall-for", ["1ms", "5ms"])
print("[domain Domain-0]")
print("vcpus =", take(cpus))
put("load", ["quiet", "io", "periodic", "busy"])
if credit2:
    put("pin", pins(), 0.4)
for i in range(r.randint(1, 6)):
    vcpus = take(4)
    if not vcpus:
        break
    kind = r.choice(["pv", "pvh", "hvm"])
    print("[domain g%d]" % i)
    print("kind =", kind)
    print("vcpus =", vcpus)
    put("load", ["busy", "periodic", "io", "bursty", "quiet", "io,busy",
                 "busy,periodic,quiet"])
    if r.random() < 0.5:
        put("period", ["1ms", "3ms", "10ms", "40ms"])
        put("duty", [5, 20, 50, 80])
    pauses = r.random() < 0.2
    if pauses:
        put("pause", ["50ms", "100ms"])
        put("pause-for", ["1ms", "10ms"])
    if credit2:
        put("cap", [10, 30, 60, 150], 0 if pauses else 0.25)
        put("pin", pins(), 0.4)
        put("weight", [64, 128, 512, 1024], 0.3)
        put("copies", [2, 3, 4, 5], 0.2)
    put("end", ["100ms", "250ms", "390ms"], 0.2)
    if kind != "pv":
        put("apic-timer", ["yes"], 0.2)
        put("spins", ["yes"], 0.2)
        if r.random() < 0.1:
            print("exit-storm = 100ms")
            print("exit-storm-for = 50ms")
END

for seed in $seeds; do
    python3 scenario.py "$seed" >scenario || fail "seed $seed: no scenario"
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 0.4 --seed "$seed" \
        --scenario scenario --truth truth -o trace
    expect 0 "$xenalyze" --why --json trace
    mv out report
    python3 "$top_srcdir/tests/xenalyze/reports/judge-why.py" report truth \
        random || fail "seed $seed: not the truth's: $(cat scenario)"
    expect 0 "$xenalyze" --why --json --threads 1 trace
    cmp -s out report || fail "seed $seed: threads change the report"
done
