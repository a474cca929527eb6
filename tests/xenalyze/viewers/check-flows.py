# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-flows.py WAITS TRUTH INFO: the longest waits equal the ground truth.
#
# WAITS are lines of import-perfetto.py --waits, TRUTH is of xensim --truth,
# INFO of xenalyze info --json.  A wait that follows a wake-up is in the truth,
# with its length and its waker; and the truth has no longer wait after a
# wake-up than those listed, or those that are.
import json
import re
import sys

SLACK = 1000        # ns between wake-up and state, or state and run


def number_of(label):
    """Domain and vcpu of "pv1/0"; xensim numbers the names."""
    found = re.fullmatch(r".*?([0-9]+)/([0-9]+)", label)
    return int(found.group(1)), int(found.group(2))


def main():
    with open(sys.argv[3], encoding="utf-8") as info:
        first = json.load(info)["file"]["first_tsc"]
    with open(sys.argv[2], encoding="utf-8") as truth:
        facts = [json.loads(line) for line in truth]
    [khz] = [f["khz"] for f in facts if f["what"] == "machine"]
    last = max(f["at"] for f in facts if "at" in f)
    wakes, lengths = {}, {}
    for f in facts:
        if f["what"] == "wake":
            at = (f["at"] - first) * 1000000 // khz
            length = f["latency"] * 1000000 // khz
            wakes[f["dom"], f["vcpu"], at] = f
            if f["at"] + f["latency"] < last:
                lengths[f["dom"], f["vcpu"], at] = length
    listed, counts, shortest = set(), {"vcpu": 0, "interrupt": 0}, None
    with open(sys.argv[1], encoding="utf-8") as lines:
        waits = [line.split()[1:] for line in lines
                 if line.startswith("wait ")]
    assert 0 < len(waits) <= 64, "%d waits" % len(waits)
    for label, start, end, pieces, woken, row in waits:
        start, end, woken = int(start), int(end), int(woken)
        assert int(pieces), "a wait of %s has no pieces" % label
        shortest = min(shortest or end - start, end - start)
        if row == "-":
            continue
        key = next((k for k in ((*number_of(label), woken + d)
                                for d in (0, -1, 1)) if k in wakes), None)
        assert key, "%s is not woken at %d" % (label, woken)
        f, length = wakes[key], end - woken
        listed.add(key)
        assert abs(length - lengths[key]) <= SLACK, \
            "%s waits %d ns, not %d" % (label, length, lengths[key])
        if f["by"] == "event":
            assert number_of(row) == (f["waker_dom"], f["waker_vcpu"]), \
                "%s wakes %s at %d, not %s" % (
                    (f["waker_dom"], f["waker_vcpu"]), label, woken, row)
            counts["vcpu"] += 1
        else:
            # On an idle pcpu; or the interrupt found a vcpu that runs.
            assert not row.startswith("CPU") or row == "CPU%d" % f["on"], row
            counts["interrupt"] += 1
    for key, length in lengths.items():
        assert key in listed or length <= shortest + SLACK, \
            "the wait of %s for %d ns is not listed" % (key, length)
    print("wakers: %(vcpu)d vcpus, %(interrupt)d interrupts" % counts)


main()
