# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rows of xenalyze --json, for the readers of files for viewers, and the comparison
# of a timeline with them.
import collections
import json
import re


def label_of(row):
    """The name of a row's vcpu in viewers."""
    name = row.get("domain_name")
    return "%s/%d" % (name, row["vcpu"]) if name else \
        "d%dv%d" % (row["domain"], row["vcpu"])


def near(what, got, want, slack):
    assert abs(got - want) <= slack, "%s: %d, not %d" % (what, got, want)


def check_path(path, parts, tables):
    """The slices of a critical path, by name, have the times of its rows."""
    if "critical_path" not in tables:
        assert not path
        return
    [of] = tables["critical_path_of"]
    near("length of the path", sum(path.values()), of["span_ns"], parts + 1)
    runs = [r for r in tables["critical_path"] if r["state"] == "runs"]
    assert runs and parts <= sum(r["events"] for r in tables["critical_path"])
    for row in runs:
        near("path of " + label_of(row), path[label_of(row) + " runs"],
             row["total_ns"], row["events"] + 1)


def count_runs(lines):
    """By vcpu, the records in which the vcpu begins to run."""
    runs = collections.Counter()
    for line in lines:
        found = re.search(r"runstate_change (d[0-9]+v[0-9]+) .*->running$",
                          line)
        if found:
            runs[found.group(1)] += 1
    return runs


def compare(x, report, records):
    """x: totals of a timeline, as Importer in import-perfetto.py has them."""
    tables = report["tables"]
    for row in tables["vcpu_states"]:
        label = label_of(row)
        if row["state"] != "running" or label not in x.runs:
            continue
        # a nanosecond of rounding for each run, and the state at the begin
        near("running time of " + label, x.running[label],
             row["total_ns"] + row["open_ns"], 2 * x.runs[label] + 2)
        if not x.lost:
            near("runs of " + label, x.runs[label],
                 records["d%dv%d" % (row["domain"], row["vcpu"])], 1)
    exits = collections.Counter()
    for row in tables["exits"]:
        label, reason = label_of(row), row["reason"]
        exits[label, reason] = row["events"]
        near("time of %s of %s" % (reason, label), x.exit_ns[label, reason],
             row["total_ns"], row["events"] + 1)
    assert exits == x.exits, (exits, x.exits)
    calls = collections.Counter()
    for row in tables["hypercalls"]:
        calls[label_of(row), row["hypercall"]] += row["times"]
    for row in tables["pv_operations"]:
        if not row["operation"].startswith("hypercall"):
            calls[label_of(row), row["operation"]] += row["times"]
    for call, times in x.calls.items():
        assert calls[call] == times, (call, times, calls[call])
    named, found = collections.Counter(), False
    for (label, reason, handler), times in x.handlers.items():
        if handler:
            named[label, reason, handler] += times
    for row in tables["exit_handlers"]:
        key = label_of(row), row["reason"], row.get("handler")
        if key in named:
            assert named[key] == row["events"], (key, named[key], row)
            found = True
    assert found or not exits
    assert x.lost == report["trace"]["lost_records"], (x.lost, report["trace"])
    assert x.loss_marks == report["trace"]["loss_gaps"]
    check_path(x.path, x.path_parts, tables)
    woken = collections.Counter()
    for row in tables["wait_wakers"]:
        if row["waker"].startswith("d") or \
                (row["waker"] == "idle" and x.has_interrupts):
            woken[label_of(row)] += row["wakeups"]
    got = collections.Counter()
    for (_, label), times in x.wakers.items():
        got[label] += times
    for label in got:
        assert 0.8 * woken[label] - 2 <= got[label] <= woken[label], \
            (label, got[label], woken[label])


def compare_files(x, report, lines):
    with open(report, encoding="utf-8") as r, \
            open(lines, encoding="utf-8") as records:
        compare(x, json.load(r), count_runs(records))
    assert x.runs


def print_totals(x):
    assert x.runs or x.exits
    print("vcpus", *sorted(x.runs))
    print("cpus", *sorted(x.cpus))
    print("runs %d, wake-ups %d, exits %d, calls %d, lost %d" %
          (sum(x.runs.values()), sum(x.wakers.values()),
           sum(x.exits.values()), sum(x.calls.values()), x.lost))
