#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --why: losses of time that are no waits for a pcpu, each in a simulated machine
# with this loss, and its time by the ground truth.
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
    head -n 1 out | grep -qx "$3" || fail "$1: $(cat out)"
}

# Four vcpus share a lock.  One after another waits behind a neighbour, and the
# others spin for it.
# spinning SPINS
spinning() {
    simulate spin --no-cstates --rate 20k --interrupts 0 --nmis 0 <<END
cpus = 5
ratelimit = 0
[domain Domain-0]
vcpus = 1
pin = 4
load = quiet
[domain victim]
kind = hvm
vcpus = 4
pin = 0-3
spins = $1
[domain noisy]
load = periodic
period = 20ms
duty = 50
pin = 3
END
}
spinning yes
python3 - spin.json truth <<'END' || fail 'the spin loops are not the truth'"'"'s'
import json, sys
want = {}
for line in open(sys.argv[2]):
    r = json.loads(line)
    if r["what"] == "spin":
        key = r["dom"], r["vcpu"]
        want[key] = want.get(key, 0) + r["to"] - r["from"]
assert sorted(want) == [(1, n) for n in range(4)], want
for r in json.load(open(sys.argv[1]))["tables"]["why_vcpus"]:
    w = want.get((r["domain"], r["vcpu"]), 0)
    assert abs(r["spins_cycles"] - w) <= 0.01 * w, (r, w)
    assert (r["verdict"] == "spinning") == (r["domain"] == 1), r
END
for vcpu in '' victim/0 victim/3; do
    verdict spin "$vcpu" \
        "${vcpu:-victim/[0-3]} spins for vcpus of its domain that wait for a pcpu\\."
done
grep -Eq '^ +probably, .* up to 49\.[0-9]%, this one 3[67]\.[0-9]%$' out ||
    fail "not the share of victim/3: $(cat out)"
grep -q '^ *helps: pcpus for all of its vcpus at once' out || fail "$(cat out)"
# The same machine without the lock.
spinning no
expect 0 "$xenalyze" why victim/0 spin
! grep -q 'spin' out || fail "spins without a lock: $(cat out)"

# Timers that Xen fires late, by the due times and runstates of the truth.
# timers SLACK
timers() {
    simulate timers --no-cstates --timer-slack "$1" <<'END'
cpus = 3
rate = 2k
interrupts = 0
nmis = 0
[domain Domain-0]
vcpus = 1
pin = 2
load = quiet
[domain victim]
kind = hvm
load = periodic
period = 3ms
duty = 20
apic-timer = yes
pin = 0
[domain other]
kind = pvh
load = bursty
apic-timer = yes
pin = 1
END
    expect 0 "$xenalyze" --report-timers --json timers
    python3 - out timers.json truth <<'END' || fail "slack $1: not the truth's"
import json, sys
truth = [json.loads(line) for line in open(sys.argv[3])]
parts = {"blocked": "timer", "runnable": "vcpu waits", "running": "delivery"}
want, count, states = {}, {}, {}
for r in truth:
    if r["what"] in ("runstate", "still"):
        states.setdefault((r["dom"], r["vcpu"]), []).append(
            (r["from"], r.get("to", 2 ** 63), r["state"]))
for r in truth:
    if r["what"] != "timer":
        continue
    key = r["dom"], r["vcpu"]
    count[key] = count.get(key, 0) + 1
    for a, b, state in states[key]:
        n = min(b, r["at"]) - max(a, r["due"])
        if n > 0:
            part = key + (parts.get(state, "other"),)
            want[part] = want.get(part, 0) + n
tables = json.load(open(sys.argv[1]))["tables"]
assert len(count) == 2 and count[1, 0] > 300, count
assert {(r["domain"], r["vcpu"]): r["events"]
        for r in tables["timers"]} == count, (count, tables["timers"])
for r in tables["timer_parts"]:
    w = want.get((r["domain"], r["vcpu"], r["part"]), 0)
    # The due time of a record is rounded to ns.
    slack = 0.01 * w + 3 * count[r["domain"], r["vcpu"]]
    assert abs(r.get("total_cycles", 0) - w) <= slack, (r, w)
for r in json.load(open(sys.argv[2]))["tables"]["why_vcpus"]:
    key = r["domain"], r["vcpu"]
    w = want.get(key + ("timer",), 0)
    assert abs(r["timers_cycles"] - w) <= 0.01 * w + 3 * count.get(key, 0), (r, w)
END
}
timers 0
verdict timers '' 'Nothing is wrong: .*'
timers 300us
verdict timers '' 'victim/0 sleeps on after its timers are due\.'
grep -Eq '^ Timers were due in blocked time: [0-9.]+%, [0-9.]+ ms; p99 of [0-9]+: [0-9.]+ us\.$' \
    out || fail "$(cat out)"
grep -qx ' *helps: a smaller timer_slop on Xen.s command line' out ||
    fail "$(cat out)"
verdict timers other 'Nothing is wrong: .*'
