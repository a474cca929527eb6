#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# JSON and CSV, read by somebody else: both have the same rows, and the states
# of each vcpu and domain make up the time that it is known for; points and
# intervals are those of the text.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py NAME...: NAME.json and NAME.csv, and NAME.lines if there are any.
cat >judge.py <<'END'
import csv, json, os, sys

def same(table, rows, all_columns):
    table = list(csv.DictReader(table.splitlines()))
    assert len(table) == len(rows), (len(table), len(rows))
    for line, row in zip(table, rows):
        for key in row:
            if all_columns or line.get(key):
                assert line[key] == str(row[key]), (key, line, row)

def sums(rows, state, whole, keys):
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

def judge(report, tables):
    rows = report["rows"]
    assert report["format"] == "xenalyze" and report["version"] == 1
    assert report["trace"]["hz"] > 0 and report["trace"]["records"] > 0
    parts = [p for p in ("points", "intervals", "rows") if p in report]
    assert len(tables) == len(parts), (len(tables), parts)
    for table, part in zip(tables, parts):
        same(table, report[part], part != "rows")
    sums(rows, "vcpu-state", "vcpu", ("domain", "vcpu"))
    sums(rows, "domain-state", "domain", ("domain",))
    for row in rows:
        if row.get("samples"):
            assert row["min"] <= row["p5"] <= row["p50"] <= row["p95"] <= \
                row["p99"] <= row["max"], row
            assert sum(n for low, n in row["bars"]) == row["samples"], row

def seconds(ns):
    return "%d.%09d" % divmod(max(ns, 0), 10 ** 9)

def value(p):
    if p["plot"] == "runstate-time":
        return seconds(p["value"])
    if p["plot"] != "rdtsc" and p["value"] >= 2 ** 63:
        return str(p["value"] - 2 ** 64)    # an address: stock's have a sign
    return str(p["value"])

def whose(p):
    return {"i%x" % p["irq"]} if "irq" in p else \
        {"%s%dv%d" % (d, p["domain"], p["vcpu"]) for d in ("", "d")}

def points(report, lines):
    assert len(report["points"]) == len(lines) > 0, len(lines)
    for p, line in zip(report["points"], lines):
        assert [seconds(p["ns"]), value(p)] == line[-2:], (p, line)
        assert len(line) == 2 or line[0] in whose(p), (p, line)
        assert p["time"] >= report["trace"]["first"], p

def cell(c):
    if c["interval"] in ("domain-guest-interrupt", "domain-grant-maps"):
        return [str(c["value"])]
    share = "%.2f" % (100 * c["value"] / c["cycles"])
    if c["interval"] != "cr3-schedule-ordered":
        return [share]
    return ["%x:" % c["number"], share] + ["*"] * (c.get("name") == "new")

# "0.0" is a column of which nothing is known yet.
def intervals(report, lines):
    rows = {}
    for c in report["intervals"]:
        rows.setdefault(seconds(c["ns"]), []).append(c)
    assert rows
    for line in lines:
        if line[0] == "time":
            continue
        want = [word for c in rows.pop(line[0], []) for word in cell(c)]
        got = [word if word != "0.0" else "0.00" for word in line[1:]]
        assert want == got, (line, want)
    assert not rows, rows

def latencies(report, lines):
    said = {}
    for line in lines:
        if line[:1] == ["[vla]"]:
            said.setdefault((line[1], int(line[3])), []).append(int(line[7]))
    rows = {("d%dv%d" % (r["domain"], r["vcpu"]), r["number"]): r
            for r in report["rows"] if r["table"] == "ipi-latency"}
    assert said and said.keys() == rows.keys(), (said, rows)
    for key, row in rows.items():
        assert row["count"] == len(said[key]), row
        assert row["sum"] == sum(said[key]), row
        assert row["max"] == max(said[key]), row

def judged_by(report):
    return points if "points" in report else \
        intervals if "intervals" in report else latencies

for name in sys.argv[1:]:
    print(name)
    report = json.load(open(name + ".json"))
    judge(report, open(name + ".csv").read().split("\n\n"))
    if os.path.exists(name + ".lines"):
        lines = [line.split() for line in open(name + ".lines")]
        judged_by(report)(report, lines)
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
    points, intervals = report.get("points", []), report.get("intervals", [])
    for some in (report["rows"], report["longest_waits"], points, intervals,
                 report["lost"]["longest"], report["damage"]["first"]):
        for row in some:
            needed |= row.keys()
    for row in report["rows"]:
        needed.add(row["table"])
        if row["table"] in ("trace", "vcpu", "cr3"):
            found.add(row["name"])
        if row["table"] == "wait":
            found.add(row["name"])
    found |= {c.get("name") for c in intervals} | {p["plot"] for p in points}
found |= needed
assert not needed - words, sorted(needed - words)
assert not words - found, sorted(words - found)
END

# What is rare, besides: page tables of guests, losses, damage, times of day.
awk -f "$top_srcdir/tests/xenalyze/reports/shadow.awk" | compose shadow
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
    mv out $n.csv
done

# forms TRACE OPTION...: all that was asked for, as text, as JSON and as CSV
forms() {
    n=$((n + 1))
    trace=$1
    shift
    expect 0 "$xenalyze" "$@" "$trace"
    mv out $n.lines
    expect 0 "$xenalyze" --json "$@" "$trace"
    mv out $n.json
    expect 0 "$xenalyze" --csv --summary "$@" "$trace"
    mv out $n.csv
}

points() {
    forms "$@"
    shift
    [ $((n % 4)) = 0 ] || return 0
    expect 0 "$xenalyze" --csv "$@" "$trace"
    ! grep -q '^table' out || fail "$*: a table that nobody asked for"
    head -c "$(wc -c <out)" $n.csv | cmp -s - out ||
        fail "$*: another table with --summary"
}

compose irq <<'END'
0 1000000 0x21101 0x10000
0 + 0x81002 16 0x1000
0 - 0x8201a 0x89abcdef 0xfedcba98
0 + 0x81001
0 + 0x802008 9 9000100 0 9000200 0
0 9000000 0x21011 0x10000
END
play brief --cpus 3 --kind mix -T 0.04
for plot in runstate runstate-time pcpu vmexit-eip extint-cycles=240 \
    interrupt-eip=240 wake-to-halt; do
    points brief --scatterplot-$plot
done
points brief --scatterplot-runstate --scatterplot-pcpu
points irq --scatterplot-rdtsc
points irq --scatterplot-irq
points rare --scatterplot-io=504
points shadow --scatterplot-cr3-switch --scatterplot-unpin-promote
for interval in domain-total-time=1,7 domain-total-time-all \
    domain-short-summary=2 domain-guest-interrupt=2; do
    points brief -i 0.005 --interval-$interval
done
points rare -i 100us --interval-domain-grant-maps=1
compose_ipis
forms ipi --dump-ipi-latency
for interval in schedule-time=1,3 schedule-time-all schedule-ordered \
    short-summary=1; do
    points shadow -i 10us --interval-cr3-$interval
done
# shellcheck disable=SC2046 # several words
expect 0 python3 judge.py $(seq $n)
expect 0 python3 listed.py "$top_srcdir/man/xenalyze-json.5" ./*.json

# A name is not to break it.
name=$(printf 'a"b\\\nc\351')
cp amd "$name"
expect 0 "$xenalyze" --json "$name"
mv out report.json
expect 0 python3 -c 'import json; json.load(open("report.json"))'

# What programs read is one thing, and nothing else stands there.
while read -r line; do
    # shellcheck disable=SC2086 # several words
    expect 1 "$xenalyze" $line intel
    complains "${line%% *}"
    [ ! -s out ] || fail "$line: something is printed"
done <<'END'
--json --csv
--json --count
--csv --dump-all
END
expect 0 "$xenalyze" --csv --scatterplot-rdtsc intel
[ "$(cat out)" = plot,domain,vcpu,irq,time,ns,value ] ||
    fail "of no points there is more than a heading: $(head -n 2 out)"
expect 0 "$xenalyze" --json --plot intel.svg --scatterplot-pcpu intel
! grep -q '"points"' out || fail "points that are drawn are printed, too"
