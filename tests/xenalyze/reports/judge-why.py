#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# judge-why.py REPORT TRUTH [random]: compare the JSON of --why with the ground
# truth: the causes of each vcpu's complete waits, from the runstates of all vcpus
# and the simulator's own account of caps, rate limits and sleep states; the
# reasons of blocked times; co-stop.  Exit code 1, and a line of Python, if they
# differ.  Machines that are not designed for the test are `random`: what the
# records cannot tell is allowed for them.
import bisect
import json
import sys

IDLE = 32767
is_random = sys.argv[3:] == ["random"]
tables = json.load(open(sys.argv[1]))["tables"]
runs, vcpu_runs, waits, whole, pins, cpus = {}, {}, {}, {}, {}, 0
parked = {}

def may_use(domain, vcpu):
    """The pcpus of the affinity in the trace."""
    words = [pins[k] for k in ((domain, vcpu), (domain, None)) if k in pins]
    if not words or words[0] == "all":
        return list(range(cpus)) if words else []
    spans = [w.split("-") for w in words[0].split(",")]
    return [c for s in spans for c in range(int(s[0]), int(s[-1]) + 1)]

for r in tables["vcpu_affinity"]:
    if "hard" in r:
        pins[r["domain"], r.get("vcpu")] = r["hard"]
for line in open(sys.argv[2]):
    r = json.loads(line)
    if r["what"] in ("runstate", "still") and r["state"] == "running":
        runs.setdefault(r["cpu"], []).append(
            (r["from"], r.get("to", 2 ** 63), r["dom"]))
        vcpu_runs.setdefault(r["cpu"], []).append(
            (r["from"], r.get("to", 2 ** 63), "d%dv%d" % (r["dom"], r["vcpu"])))
    if r["what"] == "machine":
        cpus = r["cpus"]
    if r["what"] == "parked":
        parked.setdefault((r["dom"], r["vcpu"]), []).append(
            (r["from"], r["to"]))
    if r["what"] == "wait":
        waits.setdefault((r["dom"], r["vcpu"]), []).append(r)
edges = {}
for cpu, spans in runs.items():
    spans.sort()
    edges[cpu] = [s for s in (spans[0], spans[-1]) if s[2] == IDLE]

# Waits that end in another state, or with the trace, are only in the report.
cut, whole_waits = {}, {(key, w["from"], w["to"])
                        for key, all in waits.items() for w in all}
for line in open(sys.argv[2]):
    r = json.loads(line)
    key = r.get("dom"), r.get("vcpu")
    if is_random and r["what"] == "runstate" and \
            r["state"] in ("runnable", "offline") and \
            (key, r["from"], r["to"]) not in whole_waits and \
            not any(w["from"] <= r["from"] and r["to"] <= w["to"]
                    for w in waits.get(key, [])):
        cut[key] = cut.get(key, 0) + r["to"] - r["from"]

def idle_elsewhere(spans, a, b):
    """Parts of a..b in which any of the pcpus with these spans is idle."""
    cut = []
    for s in spans:
        i = max(bisect.bisect_right(s, (a,)) - 1, 0)
        while i < len(s) and s[i][0] < b:
            if s[i][2] == IDLE and s[i][1] > a:
                cut.append((max(s[i][0], a), min(s[i][1], b)))
            i += 1
    total, at = 0, a
    for x, y in sorted(cut):
        total += max(0, y - max(x, at))
        at = max(at, y)
    return total

def free_parts(key, a, b):
    """Parts of a..b in which the vcpu was not parked."""
    for x, y in parked.get(key, []):
        if a < y and x < b:
            if a < x:
                yield a, x
            a = y
    if a < b:
        yield a, b

# While a pcpu idles at the begin or end of the trace, it has no record of the
# scheduler: the report may not know that it was idle.
want, unseen = {}, {}
for key, all in waits.items():
    w = want.setdefault(key, {})
    used = may_use(*key)[:16]
    for r in sorted(all, key=lambda r: r["to"]):
        spans = runs[r["cpu"]]
        others = siblings = 0
        placed = 0
        near = [runs[c] for c in used if c != r["cpu"] and c in runs]
        for a, b in free_parts(key, r["from"], r["to"]):
            i = max(bisect.bisect_right(spans, (a,)) - 1, 0)
            while i < len(spans) and spans[i][0] < b:
                x, y = max(spans[i][0], a), min(spans[i][1], b)
                if spans[i][2] != IDLE and x < y:
                    p = idle_elsewhere(near, x, y)
                    placed += p
                    if is_random and any(
                            c in used and c != r["cpu"] and
                            x < s[1] and s[0] < y
                            for c, all in edges.items() for s in all):
                        unseen[key] = unseen.get(key, 0) + p
                    if spans[i][2] == key[0]:
                        siblings += y - x - p
                    else:
                        others += y - x - p
                i += 1
        # The rate limit takes the place of the others that it protects.
        for name, part in (("cap", r["capped"]), ("ratelimit", r["limited"]),
                           ("sleep", r["asleep"]), ("placement", placed),
                           ("sibling", siblings), ("rival", others)):
            w[name] = w.get(name, 0) + part
        w["all"] = w.get("all", 0) + r["to"] - r["from"]
        if r["cpu"] in used:
            used.remove(r["cpu"])
        used = [r["cpu"]] + used[:15]

got = {}
for r in tables["why_causes"]:
    got.setdefault((r["domain"], r["vcpu"]), {})[r["cause"]] = \
        r["waited_cycles"]
states, opened = {}, dict(cut)
for r in tables["vcpu_states"]:
    if r["state"] in ("runnable", "offline"):
        key = r["domain"], r["vcpu"]
        opened[key] = opened.get(key, 0) + r["open_cycles"]
    states[r["domain"], r["vcpu"], r["state"]] = \
        r.get("total_cycles", 0) + r["open_cycles"]
slow = {(r["domain"], r["vcpu"]): r for r in tables["why_vcpus"]}
for key, row in slow.items():
    causes = got.get(key, {})
    assert sum(causes.values()) == row["waited_cycles"], (key, row)
    runnable = states.get(key + ("runnable",), 0)
    assert row["waited_cycles"] == runnable or \
        ("cap" in causes and row["waited_cycles"] > runnable), (key, row)
compared = 0
for key, w in want.items():
    g = got[key]
    slack = 0.01 * slow[key]["waited_cycles"] + 3000000 + \
        opened.get(key, 0) + unseen.get(key, 0)
    limited = g.get("ratelimit", 0)
    for cause in ("cap", "ratelimit"):
        assert abs(g.get(cause, 0) - w[cause]) <= slack, (key, cause, g, w)
    # A pcpu in a C-state that the scheduler has not tickled yet is idle.
    asleep = g.get("sleep", 0)
    idle = g.get("idle", 0) if is_random else 0
    assert asleep - slack <= w["sleep"] <= asleep + idle + slack, (key, g, w)
    ran = sum(w[c] for c in ("rival", "sibling", "placement"))
    mine = limited + sum(g.get(c, 0) for c in ("rival", "sibling",
                                               "placement"))
    assert abs(ran - mine) <= slack, (key, g, w)
    if not limited:
        for cause in ("rival", "sibling", "placement"):
            assert abs(g.get(cause, 0) - w[cause]) <= slack, (key, cause, g, w)
    assert "unknown" not in g or g["unknown"] <= slack, (key, g)
    compared += w["all"]
assert compared > 0

# Victim and rival: the waiting time of each domain, by what had the pcpu.  The
# sum is exact; of time without a cap, the runs of each domain are the truth's.
sums, matrix, truth, slacks = {}, {}, {}, {}
for (domain, _), row in slow.items():
    sums[domain] = sums.get(domain, 0) + row["waited_cycles"]
for r in tables["why_domain_waits"]:
    row = matrix.setdefault(r["domain"], {})
    assert r["waited_cycles"] > 0 and r["pcpu_use"] not in row, r
    row[r["pcpu_use"]] = r["waited_cycles"]
for domain, row in matrix.items():
    assert sum(row.values()) == sums[domain], (domain, row, sums[domain])
assert set(matrix) == {d for d, n in sums.items() if n}
for key, all in waits.items():
    domain = key[0]
    slacks[domain] = slacks.get(domain, 0) + 3000000 + opened.get(key, 0) + \
        0.01 * slow[key]["waited_cycles"] + sum(r["capped"] for r in all)
    row = truth.setdefault(domain, {})
    for r in all:
        spans = runs[r["cpu"]]
        i = max(bisect.bisect_right(spans, (r["from"],)) - 1, 0)
        while i < len(spans) and spans[i][0] < r["to"]:
            a, b, rival = spans[i]
            cycles = min(b, r["to"]) - max(a, r["from"])
            i += 1
            if rival != IDLE and cycles > 0:
                rival = "d%d" % rival
                row[rival] = row.get(rival, 0) + cycles
for domain, row in truth.items():
    for rival in set(row) | {r for r in matrix[domain] if r[0] == "d"}:
        assert abs(row.get(rival, 0) - matrix[domain].get(rival, 0)) <= \
            slacks[domain], (domain, rival, row, matrix[domain])

# The pieces of the longest waits: exact sums, in the order of time, and while a
# piece of a vcpu lasts, this vcpu runs on the pcpu of the wait.
lengths, pieces, judged = {}, {}, 0
for r in tables["why_waits"]:
    key = r["domain"], r["vcpu"], r["from_tsc"]
    lengths[key] = r["to_tsc"] - r["from_tsc"]
for r in tables["why_pieces"]:
    pieces.setdefault((r["domain"], r["vcpu"], r["wait_tsc"]), []).append(r)
assert set(lengths) == set(pieces) and len(lengths) <= 10
ended = {(key + (r["from"],)): r for key, all in waits.items() for r in all}
for key, all in pieces.items():
    assert sum(r["waited_cycles"] for r in all) == lengths[key], (key, all)
    listed = [r for r in all if r["pcpu_use"] != "shorter"]
    assert len(listed) <= 16 and len(all) <= len(listed) + 1, all
    at = key[2]
    for r in listed:
        assert r["from_tsc"] >= at and r["waited_cycles"] > 0, (key, r)
        assert r["ratelimit_cycles"] + r["placement_cycles"] <= \
            r["waited_cycles"], r
        at = r["from_tsc"] + r["waited_cycles"]
        if key not in ended or r["pcpu_use"][0] != "d":
            continue
        a, b, pcpu = r["from_tsc"], at, ended[key]["cpu"]
        ran = [min(y, b) - max(x, a) for x, y, vcpu in vcpu_runs[pcpu]
               if x < b and a < y and vcpu == r["pcpu_use"]]
        assert sum(ran) >= b - a - 2000, (key, r, ran)
        judged += 1
    assert at <= key[2] + lengths[key]
print("pieces", judged)

# The reasons of blocked times, from the wake-ups.  A device model sends an
# event, too.  Without records of interrupts a timer has an unknown reason.
ended, reasons, blocks, left, longest = {}, {}, {}, {}, {}
for line in open(sys.argv[2]):
    r = json.loads(line)
    key = r.get("dom"), r.get("vcpu")
    if r["what"] == "runstate" and r["state"] == "blocked":
        ended[key] = (ended.get(key, []) + [(r["from"], r["to"])])[-3:]
        length = r["to"] - r["from"]
        left.setdefault(key, {})[r["from"]] = length
        longest[key] = max(longest.get(key, 0), length)
    if r["what"] != "wake" or r["by"] not in ("timer", "interrupt", "event"):
        continue
    own = r.get("waker_dom") == key[0]
    reason = {"timer": "timer", "interrupt": "device"}.get(
        r["by"], "sibling" if own else ("event", r.get("waker_dom")))
    for a, b in reversed(ended.get(key, [])):
        if 0 <= b - r["at"] < 200000:
            w = reasons.setdefault(key, {})
            w[reason] = w.get(reason, 0) + left[key].pop(a, 0)
            break
for r in tables["why_blocks"]:
    reason = r["reason"]
    if reason in ("event", "emulated"):
        reason = "event", r["waker"]
    g = blocks.setdefault((r["domain"], r["vcpu"]), {})
    g[reason] = g.get(reason, 0) + r["total_cycles"]
has_irqs = any("device" in w for w in reasons.values())
for key, g in blocks.items():
    whole = sum(g.values())
    assert whole == states.get(key + ("blocked",), 0), (key, g)
    w = reasons.get(key, {})
    assert not has_irqs or g.get("unknown", 0) <= 0.1 * whole + 30000000, \
        (key, g)
    # 5 ms: at the begin of the trace there is no hypercall yet.
    slack = 0.01 * whole + 12000000 + g.pop("unknown", 0) + g.pop("open", 0)
    # A pause ends blocked times, too.  A timer may fire just behind a hypercall
    # that wakes nobody: one time may have a wrong reason.
    if is_random:
        slack += sum(left.get(key, {}).values()) + longest.get(key, 0) + \
            g.pop("paused", 0)
    for reason in set(w) | set(g):
        assert abs(w.get(reason, 0) - g.get(reason, 0)) <= slack, \
            (key, reason, g, w)
print("compared", compared)

# The time in which some vcpus of a domain ran while others were runnable, from
# the first run of the domain on.  As in stock xenalyze, a vcpu counts from its
# own first run on.
changes, first, firsts, end = {}, {}, {}, 0
for line in open(sys.argv[2]):
    r = json.loads(line)
    end = max(end, r.get("to", 0), r.get("at", 0))
    if r["what"] not in ("runstate", "still") or r["dom"] == IDLE:
        continue
    d = changes.setdefault(r["dom"], [])
    begins = firsts.setdefault(r["dom"], {})
    begins.setdefault(r["vcpu"], 2 ** 63)
    if r["state"] == "running":
        first[r["dom"]] = min(first.get(r["dom"], 2 ** 63), r["from"])
        begins[r["vcpu"]] = min(begins[r["vcpu"]], r["from"])
    if r["state"] in ("running", "runnable"):
        d.append((r["from"], r["state"], 1))
        if "to" in r:
            d.append((r["to"], r["state"], -1))
for row in tables["why_domains"]:
    count, want, at = {"running": 0, "runnable": 0}, 0, 0
    key = row["domain"]
    for t, state, step in sorted(changes[key]) + [(end, "running", 0)]:
        if count["running"] and count["runnable"]:
            want += max(0, t - max(at, first[key]))
        count[state] += step
        at = t
    six = sum(row[k + "_cycles"] for k in (
        "full_run", "partial_run", "co_stop", "partial_contention",
        "full_contention", "blocked"))
    slack = 0.01 * six + 3000000
    if is_random:
        slack += max(firsts[key].values()) - first[key]
    assert abs(row["co_stop_cycles"] - want) <= slack, (row, want)
