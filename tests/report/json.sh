#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# JSON and CSV, read by somebody else: both have the same rows, and the states
# of each vcpu and domain make up the time that it is known for.
. "$top_srcdir/tests/report/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

cat >judge.py <<'END'
import csv, json, sys

report = json.load(open(sys.argv[1]))
rows = report["rows"]
assert report["format"] == "xenalyze" and report["version"] == 1
assert report["trace"]["hz"] > 0 and report["trace"]["records"] > 0

table = list(csv.DictReader(open(sys.argv[2])))
assert len(table) == len(rows), (len(table), len(rows))
for line, row in zip(table, rows):
    for key in row:
        if key in line and line[key] != "":
            assert line[key] == str(row[key]), (key, line, row)

def sums(state, whole, keys):
    times = {}
    for row in rows:
        key = tuple(row.get(k) for k in keys)
        if row["table"] == state:
            times.setdefault(key, [0, 0])
            times[key][0] += row.get("sum", 0) + row.get("open", 0)
        if row["table"] == whole and row["name"] == "cycles":
            times.setdefault(key, [0, 0])[1] = row["count"]
    assert times
    for key, (got, expected) in times.items():
        assert got == expected, (state, key, got, expected)

sums("vcpu-state", "vcpu", ("domain", "vcpu"))
sums("domain-state", "domain", ("domain",))
for row in rows:
    if row.get("samples"):
        assert row["min"] <= row["p5"] <= row["p50"] <= row["p95"] <= \
            row["p99"] <= row["max"], row
        assert sum(n for low, n in row["bars"]) == row["samples"], row
END

# Each table and member that occurs is in xenalyze-json(5).
cat >listed.py <<'END'
import json, sys

page = open(sys.argv[1]).read().replace("\\-", "-").replace('"', " ")
words = set(page.replace(",", " ").replace(".", " ").split())
report = json.load(open(sys.argv[2]))
names = {row["table"] for row in report["rows"]}
for row in report["rows"]:
    names |= row.keys()
names |= report.keys() | report["trace"].keys() | report["lost"].keys()
names |= report["damage"].keys()
for wait in report["longest_waits"]:
    names |= wait.keys()
missing = sorted(names - words)
assert not missing, missing
END

for trace in $(traces); do
    expect 0 "$xenalyze" --json "$trace"
    mv out report.json
    expect 0 python3 listed.py "$top_srcdir/man/xenalyze-json.5" report.json
    expect 0 "$xenalyze" --csv "$trace"
    mv out report.csv
    expect 0 python3 judge.py report.json report.csv
done

# A name is not to break it.
name=$(printf 'a"b\\\nc\351')
cp amd "$name"
expect 0 "$xenalyze" --json "$name"
mv out report.json
expect 0 python3 -c 'import json; json.load(open("report.json"))'
