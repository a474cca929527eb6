# SPDX-License-Identifier: GPL-2.0-or-later
#
# read-chrome.py FILE [JSON]: the rules of readers of Chrome's trace format, and
# our numbers, which have to equal those of JSON, the output of xenalyze --json.
import collections
import decimal
import json
import sys

from report_rows import check_path, label_of, near

TO_NS = 1000


def ns(value):
    value *= TO_NS
    assert value == int(value), "a time is no number of nanoseconds"
    return int(value)


def check_rows(slices):
    """Slices of one thread nest."""
    for row, all_slices in slices.items():
        stack = []
        for start, end, name in sorted(all_slices,
                                       key=lambda s: (s[0], -s[1])):
            while stack and stack[-1] <= start:
                stack.pop()
            assert not stack or end <= stack[-1], (row, name, start)
            stack.append(end)


def read_events(document):
    x = {"processes": {}, "threads": {}, "slices":
         collections.defaultdict(list), "flows": {}, "exits":
         collections.Counter(), "exit_ns": collections.Counter(), "lost": 0,
         "calls": collections.Counter(), "path": collections.Counter(),
         "path_parts": 0}
    for e in document["traceEvents"]:
        key = e["pid"], e["tid"]
        if e["ph"] == "M":
            kind = "processes" if e["name"] == "process_name" else "threads"
            key = e["pid"] if kind == "processes" else key
            assert key not in x[kind]
            x[kind][key] = e["args"]["name"]
            continue
        time = ns(e["ts"])
        assert time >= 0 and key in x["threads"]
        assert e["pid"] in x["processes"]
        if e["ph"] in "sf":
            assert (e["id"] in x["flows"]) == (e["ph"] == "f")
            x["flows"][e["id"]] = x["flows"].get(e["id"], 0) + 1
            continue
        if e["ph"] == "i":
            assert e["s"] == "t" and e["cat"] == "pv"
            x["calls"][x["threads"][key][:-6], e["name"]] += 1
            continue
        assert e["ph"] == "X"
        end = time + ns(e["dur"])
        x["slices"][key].append((time, end, e["name"]))
        if e.get("cat") == "critical path":
            x["path"][e["name"]] += end - time
            x["path_parts"] += 1
        label = x["threads"][key]
        if e.get("cat") == "exit":
            assert label.endswith(" exits")
            x["exits"][label[:-6], e["name"]] += 1
            x["exit_ns"][label[:-6], e["name"]] += end - time
        if e["name"] == "records lost":
            x["lost"] += e["args"]["records"]
    return x


def compare(x, report):
    tables, states = report["tables"], collections.Counter()
    runs = collections.Counter()
    for (pid, tid), slices in x["slices"].items():
        for start, end, name in slices:
            states[x["threads"][pid, tid], name] += end - start
            runs[x["threads"][pid, tid], name] += 1
    pcpus = sum(end - start for key, slices in x["slices"].items()
                for start, end, name in slices
                if x["processes"][key[0]] == "pcpus" and
                x["threads"][key].split()[2:] == [])
    running = 0
    for row in tables["vcpu_states"]:
        label = label_of(row)
        key = label, "running"
        if row["state"] == "running" and key in runs:
            near("running time of " + label, states[key],
                 row["total_ns"] + row["open_ns"], 2 * runs[key] + 2)
            running += states[key]
    assert pcpus == running > 0
    exits = {(label_of(r), r["reason"]): r["events"] for r in tables["exits"]}
    assert exits == x["exits"]
    for r in tables["exits"]:
        near("exits", x["exit_ns"][label_of(r), r["reason"]], r["total_ns"],
             r["events"] + 1)
    calls = collections.Counter()
    for row in tables["hypercalls"]:
        calls[label_of(row), row["hypercall"]] += row["times"]
    for row in tables["pv_operations"]:
        if not row["operation"].startswith("hypercall"):
            calls[label_of(row), row["operation"]] += row["times"]
    for call, times in x["calls"].items():
        assert calls[call] == times, (call, times, calls[call])
    assert x["lost"] == report["trace"]["lost_records"]
    assert all(n == 2 for n in x["flows"].values())
    check_path(x["path"], x["path_parts"], tables)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        document = json.load(f, parse_float=decimal.Decimal)
    assert document["metadata"]["trace"]
    x = read_events(document)
    check_rows(x["slices"])
    tids = [tid for _, tid in x["threads"]]
    assert len(set(tids)) == len(tids) and max(tids) < 1 << 31
    assert not set(tids) & set(x["processes"])
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as f:
            compare(x, json.load(f))
    print("threads", *sorted(x["threads"].values()))
    print("flows %d, exits %d, lost %d" % (len(x["flows"]),
                                           sum(x["exits"].values()),
                                           x["lost"]))


main()
