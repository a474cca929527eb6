#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --critical-path: the time of each vcpu and state equals the path through the
# ground truth, and adds up to the length of the trace; damaged and short
# traces, names, threads, wrong words.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py REPORT TRUTH: the path by its definition, forwards: the path of a
# blocked time is that of the waker in this time.
cat >judge.py <<'END'
import bisect, json, sys

tables = json.load(open(sys.argv[1]))["tables"]
spans, wakes, last = {}, {}, 0
for line in open(sys.argv[2]):
    r = json.loads(line)
    key = r.get("dom"), r.get("vcpu")
    if r["what"] in ("runstate", "still"):
        spans.setdefault(key, []).append([r["from"], r.get("to"), r["state"]])
        last = max(last, r["from"], r.get("to", 0))
    elif r["what"] == "wake":
        wakes.setdefault(key, []).append((r["at"], r))
for states in spans.values():
    states.sort()
    states[-1][1] = states[-1][1] or last
for events in wakes.values():
    events.sort(key=lambda e: e[0])

def find_wake(key, end):
    events = wakes.get(key, [])
    i = bisect.bisect_right(events, end, key=lambda e: e[0]) - 1
    return events[i][1] if i >= 0 and end - events[i][0] < 200000 else None

def find_waker(key, state, end):
    w = find_wake(key, end)
    if state in ("blocked", "offline") and w and w["by"] == "event":
        return w["waker_dom"], w["waker_vcpu"]
    return None

def name(key, state, end):
    if state in ("running", "runnable"):
        return {"running": "runs", "runnable": "waits"}[state]
    w = find_wake(key, end)
    by = w["by"] if w else ""
    return {"timer": "timer", "interrupt": "device"}.get(by, "other")

def add_path(key, a, b, seen, sums):
    states = spans[key]
    i = max(bisect.bisect_right(states, [a]) - 1, 0)
    while i < len(states) and states[i][0] < b:
        x, y, state = states[i]
        i += 1
        if y <= a:
            continue
        waker = find_waker(key, state, y) if y <= b else None
        if waker in spans and waker not in seen:
            add_path(waker, max(a, x), y, seen | {waker}, sums)
        else:
            k = key, name(key, state, y)
            sums[k] = sums.get(k, 0) + min(y, b) - max(x, a)

[of] = tables["critical_path_of"]
target, span = (of["domain"], of["vcpu"]), of["span_cycles"]
got, want = {}, {}
for r in tables["critical_path"]:
    reason = r["state"] if r["state"] in ("runs", "waits") else \
        r.get("reason", "unknown")
    if reason not in ("runs", "waits", "timer", "device"):
        reason = "other"
    k = (r["domain"], r["vcpu"]), reason
    got[k] = got.get(k, 0) + r["total_cycles"]
assert sum(got.values()) == span, (sum(got.values()), span)
add_path(target, spans[target][0][0], last, {target}, want)
assert abs(span - (last - spans[target][0][0])) <= 0.01 * span
for k in set(got) | set(want):
    # A first state without its begin has no reason.
    slack = 0.01 * span + (3000000 if k[1] in ("timer", "other") else 0)
    assert abs(got.get(k, 0) - want.get(k, 0)) <= slack, \
        (target, k, "truth", want.get(k, 0), "report", got.get(k, 0), span)
parts = tables["critical_path_parts"]
assert parts == sorted(parts, key=lambda r: r["from_tsc"] - r["to_tsc"])
others = [k for k in got if k[0] != target and got[k] > 0.005 * span]
print(len(others))
END

# agree NAME VCPU: report and truth agree; `others`: the rows of other vcpus
agree() {
    expect 0 "$xenalyze" --critical-path="$2" --json "$1"
    mv out path.json
    others=$(python3 judge.py path.json truth) ||
        fail "$1: $2: report and truth differ"
    expect 0 "$xenalyze" --critical-path="$2" --json --threads 1 "$1"
    cmp -s out path.json || fail "$1: threads change the report"
    expect 0 "$xenalyze" --critical-path="$2" "$1"
    [ "$(wc -L <out)" -le 80 ] || fail "$1: more than 80 columns"
    mv out path.text
}

# simulate NAME SEED <SCENARIO
simulate() {
    cat >"$1.scenario"
    expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --seed "$2" \
        --scenario "$1.scenario" --truth truth -o "$1"
}

# A backend on a busy pcpu: most of the path is the backend's wait.
simulate slow 1 <"$top_srcdir/xensim/scenarios/slow-disk.scenario"
agree slow web1/1
[ "$others" -ge 2 ] || fail 'no path through the backend'
awk '$1 == "Domain-0/0" && /waits behind batch.* ms / { n++; share += $(NF - 1) }
    END { exit n != 2 || share < 60 }' path.text || fail "$(cat path.text)"
mv path.text by-name
expect 0 "$xenalyze" --critical-path=d1v1 slow
cmp -s out by-name || fail 'the number of a vcpu is another vcpu'
expect 0 "$xenalyze" --critical-path=1/1 slow
cmp -s out by-name || fail 'a word without letters is another vcpu'
# The longest part is in the trace: all of it is one state of that vcpu.
span=$(sed -n 's/^.* --time //p' by-name | head -n 1)
expect 0 "$xenalyze" --critical-path=d0v0 --time "$span" slow
grep -q ' Domain-0/0 .* waits behind batch.* 100\.0 ' out || fail "$(cat out)"

# Chains of PV, PVH and HVM guests, device models, many domains.
through=0
for seed in 1 2 3; do
    for kind in pv pvh; do
        simulate mixed $seed <<END
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
        for vcpu in d0v0 d1v0 d1v1 d2v0 d3v1; do
            agree mixed $vcpu
            through=$((through + (others > 0)))
        done
    done
done
[ "$through" -ge 12 ] || fail "only $through paths through other vcpus"

# Lost records: unknown time, and the same sum.
expect 0 "$xensim" --virtual --boot tbuf_size=1 -T 1 --seed 3 --drain 10ms \
    --scenario slow.scenario -o lost
expect 0 "$xenalyze" --critical-path=d1v0 --json lost
python3 - out <<'END' || fail 'lost records'
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
assert tables["loss_gaps"]
[of] = tables["critical_path_of"]
rows = tables["critical_path"]
assert sum(r["total_cycles"] for r in rows) == of["span_cycles"]
assert any(r["state"] == "unknown" and r["total_cycles"] for r in rows)
END

# Without records of interrupts and guests, wakers are not certain.
! grep -q 'may be taken for a waker' by-name || fail 'all classes are there'
for mask in 0x0002f000=hvm,pv,hw:irq 0x0082f000=hvm,pv 0x002af000=hw:irq; do
    expect 0 "$xensim" --virtual --boot "tbuf_size=64 tevt_mask=${mask%=*}" \
        -T 0.2 --scenario mixed.scenario -o some
    expect 0 "$xenalyze" --critical-path=d1v0 some
    grep -q "^ The trace lacks ${mask#*=}: a vcpu that an" out || fail "$mask"
done

# Wrong words, and vcpus that are not there.
expect 2 "$xenalyze" --critical-path=d1 slow
expect_message 'xenalyze: --critical-path d1: name a vcpu, such as d1v0 or web1/0'
expect 1 "$xenalyze" --critical-path=d1v9 slow
expect_message 'xenalyze: --critical-path d1v9: slow has no records of this vcpu; xenalyze summary lists all'
expect 1 "$xenalyze" --critical-path=d99999999999v0 slow
echo '0 1000000 0x82008 1' | compose guest
expect 1 "$xenalyze" --critical-path=d1v0 guest
expect_message 'guest has no changes of runstates; capture with xentrace -e sched,hvm,pv,hw:irq'
expect 1 "$xenalyze" --critical-path=d1v0 --time 5..6 slow
expect_message "--time 5..6 selects nothing of slow"
expect 1 "$xenalyze" --critical-path=nobody/0 slow
expect 2 "$xenalyze" --critical-path=d1v0 --domain 1 slow
