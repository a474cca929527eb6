# SPDX-License-Identifier: GPL-2.0-or-later
#
# The longest waits of a trace, each again in a span of time: a little longer than
# the wait, as the verdict prints spans, and in the middle of the wait.  Causes and
# pieces have to be the same as those of the whole trace in that time.
#
#   judge-span.py XENALYZE TRACE...
import collections
import json
import subprocess
import sys

xenalyze, traces = sys.argv[1], sys.argv[2:]


def tables(*options):
    run = subprocess.run([xenalyze, "--why", "--json", *options],
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["tables"]


def seconds(ns):
    return "%d.%09d" % divmod(ns, 10 ** 9)


def differ(want, got, length):
    """Apart from rounding, and from the end of a switch"""
    return sum(abs(want[key] - got[key])
               for key in want.keys() | got.keys()) > length / 50 + 10


def of_vcpu(rows, vcpu):
    return [r for r in rows if (r["domain"], r["vcpu"]) == vcpu]


def check_whole(trace, vcpu, start, end, causes):
    margin = (end - start) // 10 + 1
    span = seconds(max(start - margin, 0)) + ".." + seconds(end + margin)
    got = collections.Counter()
    for r in of_vcpu(tables(trace, "--time", span)["why_waits"], vcpu):
        if abs(r["from_ns"] - start) <= 3:
            got[r["cause"]] += r["waited_ns"]
    assert not differ(causes, got, end - start), (trace, vcpu, span, causes, got)


def check_middle(trace, vcpu, start, end, pieces):
    third = (end - start) // 3
    start, end = start + third, end - third
    want = collections.Counter()
    for p in pieces:
        part = min(p["from_ns"] + p["waited_ns"], end) - max(p["from_ns"], start)
        want[p["pcpu_use"]] += max(part, 0)
    span = seconds(start) + ".." + seconds(end)
    got = collections.Counter()
    for p in of_vcpu(tables(trace, "--time", span)["why_pieces"], vcpu):
        got[p["pcpu_use"]] += p["waited_ns"]
    assert not differ(want, got, end - start), (trace, vcpu, span, want, got)


compared = 0
for trace in traces:
    whole = tables(trace)
    waits = collections.defaultdict(collections.Counter)
    for r in whole["why_waits"]:
        key = (r["domain"], r["vcpu"]), r["from_ns"], r["to_ns"]
        waits[key][r["cause"]] += r["waited_ns"]
    for (vcpu, start, end), causes in list(waits.items())[:5]:
        check_whole(trace, vcpu, start, end, causes)
        pieces = [p for p in of_vcpu(whole["why_pieces"], vcpu)
                  if p["wait_ns"] == start]
        if all(p["pcpu_use"] != "shorter" for p in pieces):
            check_middle(trace, vcpu, start, end, pieces)
            compared += 1
assert compared >= 3 * len(traces), compared
print("compared", compared)
