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

# What is bold in xenalyze-json(5) is what occurs, as table, member, name or
# detail of a row: all of that in the page, and all of the page in some report.
cat >listed.py <<'END'
import json, shlex, sys

def bold(line):
    words = shlex.split(line.replace("\\-", "-").replace("'", ""))
    if words[:1] == [".B"]:
        return words[1:]
    return words[1::2] if words[:1] == [".BR"] else \
        words[2::2] if words[:1] == [".RB"] else []

page = open(sys.argv[1]).read()
page = page[:page.index(".SH EXAMPLES")].splitlines()
words = {w for line in page for w in bold(line) if not w.startswith("-")}
words -= {"xenalyze", "1", "trace.hz", "xenalyze --json"}

needed, found = set(), {"known", "guessed", "other"}    # are values
for path in sys.argv[2:]:
    report = json.load(open(path))
    needed |= report.keys() | report["trace"].keys() | report["lost"].keys()
    needed |= report["damage"].keys()
    for some in (report["rows"], report["longest_waits"],
                 report["lost"]["longest"], report["damage"]["first"]):
        for row in some:
            needed |= row.keys()
    for row in report["rows"]:
        needed.add(row["table"])
        if row["table"] in ("trace", "vcpu", "cr3"):
            found.add(row["name"])
        if row["table"] == "wait":
            found.add(row["name"])
found |= needed
assert not needed - words, sorted(needed - words)
assert not words - found, sorted(words - found)
END

# What is rare, besides: page tables of guests, losses, damage, times of day.
awk -f "$top_srcdir/tests/report/shadow.awk" | compose shadow
play lossy --cpus 3 --kind pv --storm 5ms --boot tbuf_size=1
head -c -7 lossy >damaged
compose rare <<'END'
0 1000000 0x21101 0x10000
0 - 0x1f083 3000000 0 0 0 0x914f0000 0x4e94 0
0 - 0x1f08c 0x01000001 0x22622261 0 0 0 0 0
0 + 0x10f010 1 0 2 0 0x00090001
0 + 0x10f011 1 0 2 0 0x00090001
0 + 0x81002 0x55555555 0x1000
0 + 0x81001
0 + 0x81002 30 0x1000
0 - 0x82016 0x1f8 1
0 + 0x81001
0 + 0x802008 9 9000100 0 9000200 0
0 9000000 0x21011 0x10000
1 9000100 0x21101 0x10000
END

n=0
options="--with-cr3-enumeration --with-interrupt-eip-enumeration=240
    --histogram-interrupt-eip=240,4096"
# shellcheck disable=SC2086 # several words
for trace in $(traces) shadow damaged rare; do
    n=$((n + 1))
    expect 0 "$xenalyze" $options --json "$trace"
    mv out $n.json
    expect 0 "$xenalyze" $options --csv "$trace"
    mv out report.csv
    expect 0 python3 judge.py $n.json report.csv
done
expect 0 python3 listed.py "$top_srcdir/man/xenalyze-json.5" ./*.json

# A name is not to break it.
name=$(printf 'a"b\\\nc\351')
cp amd "$name"
expect 0 "$xenalyze" --json "$name"
mv out report.json
expect 0 python3 -c 'import json; json.load(open("report.json"))'
