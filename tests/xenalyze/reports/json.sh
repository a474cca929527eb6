#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# JSON and CSV, parsed independently: both have the same rows, and the states of
# each vcpu and domain add up to its known time; points and intervals equal
# those of the text.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read JSON"

# judge.py SCHEMA NAME...: check NAME.json and NAME.csv, and NAME.lines if it
# exists; at the end, report parts of the schema that never occur.
cat >judge.py <<'END'
import csv, json, os, sys

# --- the schema: as much of JSON Schema as ours uses ---

used = set()

def check(value, schema, path):
    if "const" in schema:
        assert value == schema["const"], (path, value)
    kind = schema.get("type")
    if kind == "integer":
        assert isinstance(value, int) and not isinstance(value, bool), path
        assert value >= schema.get("minimum", value), (path, value)
    if kind == "string":
        assert isinstance(value, str), path
    if kind == "array":
        assert isinstance(value, list), path
        assert schema.get("minItems", 0) <= len(value), path
        assert len(value) <= schema.get("maxItems", len(value)), path
        for item in value:
            check(item, schema["items"], path)
    if kind == "object":
        assert isinstance(value, dict), path
        missing = set(schema.get("required", ())) - value.keys()
        assert not missing, (path, missing)
        unknown = value.keys() - schema["properties"].keys()
        assert not unknown, (path, unknown)
        for key in value:
            used.add((path, key))
            check(value[key], schema["properties"][key], path + "/" + key)

def described(schema, path):
    for key, below in schema.get("properties", {}).items():
        yield path, key
        yield from described(below, path + "/" + key)
    if "items" in schema:
        yield from described(schema["items"], path)

# --- JSON and CSV have the same rows ---

def sections(text):
    return [list(csv.DictReader(part.splitlines()))
            for part in text.split("\n\n") if part.strip()]

def lists(report):
    for name in ("points", "intervals"):
        if name in report:
            yield name, report[name]
    if "trace" in report:
        yield "trace", [report["trace"]]
        for name, rows in report["tables"].items():
            if rows:
                yield name, rows

def same(table, name, rows):
    assert len(table) == len(rows), (name, len(table), len(rows))
    for line, row in zip(table, rows):
        assert line.pop("table", name) == name, (name, line)
        row = {k: str(v) for k, v in row.items() if k != "histogram"}
        assert row == {k: v for k, v in line.items() if v}, (name, line, row)

# --- sums ---

def sums(tables, states, wholes, keys):
    times = {}
    for row in tables[states]:
        key = tuple(row[k] for k in keys)
        times.setdefault(key, 0)
        times[key] += row.get("total_cycles", 0) + row["open_cycles"]
    whole = {tuple(row[k] for k in keys): row["time_cycles"]
             for row in tables[wholes] if "time_cycles" in row}
    assert times and times == whole, (states, times, whole)

# A comparison has tables of its own; their rows are judged by compare.sh.
def judge_comparison(report, tables):
    headed = [p for p in report["tables"].items() if p[1]]
    assert len(tables) == len(headed), (len(tables), [p[0] for p in headed])
    for table, (name, rows) in zip(tables, headed):
        same(table, name, rows)

# The description of a file has the numbers and names of its text.
def judge_info(report, tables, text):
    file = report["file"]
    headed = [("file", [file])] + [p for p in report["tables"].items() if p[1]]
    assert len(tables) == len(headed), (len(tables), [p[0] for p in headed])
    for table, (name, rows) in zip(tables, headed):
        same(table, name, rows)
    lines = [line.split() for line in text.splitlines()]
    def count(number, noun, end="s"):
        return f"{number} {noun}{end if number != 1 else ''}"
    for words in (f"bytes: {file['bytes']} in "
                  + count(file["windows"], "window"),
                  f"records: {file['records']}: "
                  + ", ".join((count(file["events"], "event"),
                               count(file["loss_records"], "loss", "es"),
                               count(file["fillers"], "filler"),
                               f"{file['metadata']} metadata")),
                  "lost: " + count(file["lost_records"], "record")):
        assert words.split() in lines, (words, text)
    assert "time:    %d cycles, %d .. %d\n" % (
        file["last_tsc"] - file["first_tsc"], file["first_tsc"],
        file["last_tsc"]) in text
    if "part_begin_tsc" in file:
        # Time 0 is the begin of the whole trace, not of the part.
        (ns, cycles), (all_ns, all_cycles) = [
            [file[end + unit] - file[begin + unit] for unit in ("_ns", "_tsc")]
            for begin, end in (("part_begin", "first"), ("first", "last"))]
        assert abs(ns - cycles * all_ns / all_cycles) < 2, file
    else:
        assert file["first_ns"] == 0
    for name in ("host", "kernel", "collector", "arguments", "comment",
                 "trigger", "selection"):
        found = [line for line in lines if line[:1] == [name + ":"]]
        want = [[name + ":"] + file[name].split()] if name in file else []
        assert found == want, (name, found, want)
    tables = report["tables"]
    events = [(w[0], w[1]) for w in lines
              if len(w) in (2, 3) and len(w[0]) == 8 and w[1].isdigit() and
              text.count("\n  " + w[0] + " ")]
    assert events == [("%08x" % r["event"], str(r["records"]))
                      for r in tables["file_events"]], events
    assert sum(r["records"] for r in tables["file_pcpus"]) == file["records"]
    assert sum(r["events"] for r in tables["file_pcpus"]) == file["events"]
    assert (file["damaged"] + file["backward"] >=
            len(tables["file_damage"]))
    assert ("damage: none" in text) == (not file["damaged"])
    assert file["marks"] == text.count("\n  mark:")

def judge(report, tables, name):
    assert report["format"] == "xenalyze" and report["version"] == 2
    if "file" in report:
        return judge_info(report, tables, open(name + ".info").read())
    if "compared_values" in report["tables"]:
        return judge_comparison(report, tables)
    assert report["trace"]["tsc_hz"] > 0 and report["trace"]["records"] > 0
    parts = list(lists(report))
    headed = [p for p in parts if p[1] or p[0] in ("points", "intervals")]
    assert len(tables) == len(headed), (len(tables), [p[0] for p in headed])
    for table, (name, rows) in zip(tables, headed):
        same(table, name, rows)
    sums(report["tables"], "vcpu_states", "vcpus", ("domain", "vcpu"))
    sums(report["tables"], "domain_states", "domains", ("domain",))
    hz = report["trace"]["tsc_hz"]
    for rows in report["tables"].values():
        for row in rows:
            for key in row:
                ns = key[:-7] + "_ns"
                if key.endswith("_cycles"):
                    assert abs(row[key] * 10 ** 9 / hz - row[ns]) < \
                        2 + row[ns] * 1e-6, (key, row)
            if row.get("samples"):
                assert row["min_ns"] <= row["p5_ns"] <= row["p50_ns"] <= \
                    row["p95_ns"] <= row["p99_ns"] <= row["max_ns"], row
                assert sum(n for low, n in row["histogram"]) == \
                    row["samples"], row

# --- text has the same points, cells and latencies ---

def seconds(ns):
    return "%d.%09d" % divmod(max(ns, 0), 10 ** 9)

def value(p):
    if p["plot"] == "runstate-time":
        return seconds(p["value"])
    if "address" not in p:
        return str(p["value"])
    if p["plot"] != "rdtsc" and p["address"] >= 2 ** 63:
        return str(p["address"] - 2 ** 64)      # stock's have a sign
    return str(p["address"])

def whose(p):
    return {"i%x" % p["irq"]} if "irq" in p else \
        {"%s%dv%d" % (d, p["domain"], p["vcpu"]) for d in ("", "d")}

def points(report, lines):
    assert len(report["points"]) == len(lines) > 0, len(lines)
    for p, line in zip(report["points"], lines):
        assert [seconds(p["time_ns"]), value(p)] == line[-2:], (p, line)
        assert len(line) == 2 or line[0] in whose(p), (p, line)
        assert p["time_tsc"] >= report["trace"]["start_tsc"], p

def cell(c):
    if c["interval"] in ("domain-guest-interrupt", "domain-grant-maps"):
        return [str(c["value"])]
    share = "%.2f" % (100 * c["value"] / c["length_cycles"])
    if c["interval"] != "cr3-schedule-ordered":
        return [share]
    return ["%x:" % c["number"], share] + ["*"] * (c.get("category") == "new")

# "0.0" is a column of which nothing is known yet.
def intervals(report, lines):
    rows = {}
    for c in report["intervals"]:
        rows.setdefault(seconds(c["start_ns"]), []).append(c)
    assert rows
    for line in lines:
        if line[0] == "time":
            continue
        want = [word for c in rows.pop(line[0], []) for word in cell(c)]
        got = [word if word != "0.0" else "0.00" for word in line[1:]]
        assert want == got, (line, want)
    assert not rows, rows

def latencies(report, lines):
    printed = {}
    for line in lines:
        if line[:1] == ["[vla]"]:
            printed.setdefault((line[1], int(line[3])),
                               []).append(int(line[7]))
    rows = {("d%dv%d" % (r["domain"], r["vcpu"]), r["vector"]): r
            for r in report["tables"]["ipi_latency"]}
    assert printed and printed.keys() == rows.keys(), (printed, rows)
    for key, row in rows.items():
        assert row["events"] == len(printed[key]), row
        assert row["total_cycles"] == sum(printed[key]), row
        assert row["max_cycles"] == max(printed[key]), row

def judged_by(report):
    return points if "points" in report else \
        intervals if "intervals" in report else latencies

schema = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    print(name)
    report = json.load(open(name + ".json"))
    check(report, schema, "")
    judge(report, sections(open(name + ".csv").read()), name)
    if os.path.exists(name + ".lines"):
        lines = [line.split() for line in open(name + ".lines")]
        judged_by(report)(report, lines)
# Which tables have a trace with a date or with names is not looked at; names.sh
# looks for names.
unused = {(path, key) for path, key in set(described(schema, "")) - used
          if not key.endswith("_wall_ns") and key != "domain_name"}
assert not unused, sorted(unused)
END

# listed.py PAGE SCHEMA: each table and member of the schema is bold in the
# manual page, and each bold word of its lists is a table or member.
cat >listed.py <<'END'
import json, shlex, sys

def bold(line):
    words = shlex.split(line.replace("\\-", "-").replace("'", ""))
    if words[:1] == [".B"]:
        return words[1:]
    return words[1::2] if words[:1] == [".BR"] else \
        words[2::2] if words[:1] == [".RB"] else []

page = open(sys.argv[1]).read()
page = page[page.index(".SH DOCUMENT"):page.index(".SH EXAMPLES")]
words = {w for line in page.splitlines() for w in bold(line)
         if not w.startswith("-")}
schema = json.load(open(sys.argv[2]))
parts = {"events", "samples", "histogram"} | {
    p + s for p in ("total", "mean", "min", "max", "p5", "p50", "p95", "p99",
                    "weighted_p5", "weighted_p50", "weighted_p95",
                    "weighted_p99") for s in ("_cycles", "_ns")} | {
    "max_at" + s for s in ("_tsc", "_ns", "_wall_ns")}
names = set()
def collect(properties):
    for name, below in properties.items():
        if name in parts:
            continue
        for end in ("_cycles", "_wall_ns", "_tsc", "_ns"):
            if name.endswith(end):
                name = name[:-len(end)]
                break
        names.add(name)
        items = below.get("items", below)
        collect(items.get("properties", {}))
collect(schema["properties"])
statistics = {"total", "mean", "min", "max", "max_at", "p5", "p50", "p95",
              "p99", "weighted_p5", "weighted_p50", "weighted_p95",
              "weighted_p99", "events", "samples", "histogram"}
suffixes = {"_cycles", "_ns", "_tsc", "_wall_ns", "table"}
assert not names - words, sorted(names - words)
extra = words - names - statistics - suffixes
assert not extra, sorted(extra)
END

# Rare tables: page tables of guests, losses, damage, times of day.
awk -f "$top_srcdir/tests/xenalyze/reports/shadow.awk" | compose shadow
play disk --cpus 2 --kind pvh --load io
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
0 + 0x81002 30 0x1000
0 - 0x82016 0x70 1
0 + 0x81001
0 + 0x84004 10 0 0 0 0xec
0 + 0x8400a
0 + 0x802008 9 9000100 0 9000200 0
0 9000000 0x21011 0x10000
1 9000100 0x21101 0x10000
END

# Whatever runs is preempted by the same vcpu, elsewhere: a contradiction.
compose skewed <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x21101 0x10000
1 3000000 0x21021 0x10000
0 9000000 0x21011 0x10000
END
echo '0000000000000001 T start' >symbols

n=0
options="--symbol-file symbols --report-wakeups --report-migrations --report-timers --report-interrupts --report-io --why --with-cr3-enumeration --with-interrupt-eip-enumeration=250
    --histogram-interrupt-eip=250,4096"
# shellcheck disable=SC2086 # several words
# The description of a host under credit, with a budget of RTDS; a vcpu without
# records; a wake-up by an interrupt with a name.
compose host <<'END'
0 - 0x1f089 0 0 0 0 0 1
0 - 0x1f08a 0 5 1 1
0 - 0x1f093 0 30000 1000 100
0 - 0x1f08b 0x00020001 0 0x100000 0 0
0 - 0x1f090 1 1 2 3 4
0 - 0x1f091 1 5 256 50
0 - 0x1f092 0x00010000 10000 4000 1
0 - 0x1f08d 0x00010001 0 1 0 0 1000000 0
0 - 0x1f08e 0x00010000 0 1 0 0 0 0
0 - 0x1f08e 0x00010000 1 4 0 0 0 0
0 - 0x1f094 0x01000004 0x412d4f49 0x20434950 0x64652d34 0x74206567 0x30537974 0
0 1000000 0x21101 0x10000
0 9000000 0x21021 0x10000
0 9000000 0x21101 0x7fff0000
0 9001000 0x21211 0x10000
0 9001100 0x802008 4 9000900 9001100
0 9001200 0x21011 0x7fff0000
0 9001200 0x21101 0x10000
0 9002000 0x21011 0x10000
END

for trace in $(traces) disk shadow damaged rare skewed host; do
    n=$((n + 1))
    expect 0 "$xenalyze" $options --json "$trace"
    mv out $n.json
    expect 0 "$xenalyze" $options --csv "$trace"
    mv out $n.csv
done

# Stalls of the machine, in a regular period; clocks that jump, which cannot be
# corrected.
play stalls --cpus 4 --load busy --rate 50k --stall 50ms --stall-for 4ms
play periods --cpus 4 --load busy --rate 500 -T 2
play clocks --cpus 4 --load periodic --rate 1k --no-cstates --tsc-skew 1ms \
    --tsc-jump 100ms
for trace in stalls periods clocks; do
    n=$((n + 1))
    expect 0 "$xenalyze" --why --json $trace
    mv out $n.json
    expect 0 "$xenalyze" --why --csv $trace
    mv out $n.csv
done

# A storm of an interrupt, at the cost of a vcpu.
awk 'BEGIN {
    print 0, 1000000, "0x21101 0x10000"
    for ( i = 1; i <= 600; i++ )
        printf "0 %u 0x802008 9 %u %u\n", 1000000 + 20000 * i,
            999000 + 20000 * i, 1000000 + 20000 * i
}' | compose storm
n=$((n + 1))
expect 0 "$xenalyze" --cpu-hz 1G --report-interrupts --json storm
mv out $n.json
expect 0 "$xenalyze" --cpu-hz 1G --report-interrupts --csv storm
mv out $n.csv

# A storm of VM exits.
play exits --scenario "$top_srcdir/xensim/scenarios/serial-storm.scenario"
n=$((n + 1))
expect 0 "$xenalyze" --report-storms --symbol-file symbols --json exits
mv out $n.json
expect 0 "$xenalyze" --report-storms --symbol-file symbols --csv exits
mv out $n.csv

# A device model with a trace of its own.
play model --kind hvm --cpus 3 --programs programs
n=$((n + 1))
expect 0 "$xenalyze" --report-io --json model programs
mv out $n.json
expect 0 "$xenalyze" --report-io --csv model programs
mv out $n.csv

# A critical path through a backend.
play path --scenario "$top_srcdir/xensim/scenarios/slow-disk.scenario"
n=$((n + 1))
expect 0 "$xenalyze" --critical-path=d1v0 --top=0 --json path
mv out $n.json
expect 0 "$xenalyze" --critical-path=d1v0 --top=0 --csv path
mv out $n.csv
n=$((n + 1))
play sched --boot 'tbuf_size=64 tevt_mask=0x0002f000'
expect 0 "$xenalyze" --critical-path=d1v0 --json sched
mv out $n.json
expect 0 "$xenalyze" --critical-path=d1v0 --csv sched
mv out $n.csv

# A scheduler that breaks rules: unequal shares, and a late slice.
{
    echo '0 - 0x1f08a 0 6 1 1'
    for domain in 1 2; do
        echo "0 - 0x1f08b $((0x10000 + domain)) 0 0 0 0"
        echo "0 - 0x1f08c $((0x01000000 + domain)) 0x22622261 0 0 0 0 0"
        echo "0 - 0x1f091 $domain 6 256 0"
    done
    awk 'BEGIN {
        for (t = 1000000; t < 1500000000; t += 10000000)
        {
            printf "0 %.0f 0x21101 0x10000\n", t
            printf "0 %.0f 0x2800f 1 0 0 1000000\n", t
            printf "0 %.0f 0x21011 0x10000\n", t + 9000000
            printf "0 %.0f 0x2800f 2 0 0 1000000\n", t + 9000000
            printf "0 %.0f 0x21101 0x20000\n", t + 9000000
            printf "0 %.0f 0x21011 0x20000\n", t + 10000000
        }
    }'
} | compose unfair
n=$((n + 1))
expect 1 "$xenalyze" --cpu-hz 1G --check-scheduler --json unfair
mv out $n.json
expect 1 "$xenalyze" --cpu-hz 1G --check-scheduler --csv unfair
mv out $n.csv

# forms TRACE OPTION...: compare the outputs as text, JSON and CSV
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
    ! grep -q '^table' out || fail "$*: an unexpected table"
    head -c "$(wc -c <out)" $n.csv | cmp -s - out ||
        fail "$*: another table with --summary"
}

compose irq <<'END'
0 - 0x1f094 0x01000009 0x412d4f49 0x20434950 0x61662d39 0x6f657473 0x63612069 0x00006970
0 1000000 0x21101 0x10000
0 + 0x81002 16 0x1000
0 - 0x8201a 0x89abcdef 0xfedcba98
0 + 0x81001
0 + 0x802008 9 9000100 0 9000200 0
0 9000000 0x21011 0x10000
END
play brief --cpus 3 --kind mix -T 0.04
for plot in runstate runstate-time pcpu vmexit-eip extint-cycles=250 \
    interrupt-eip=250 wake-to-halt; do
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

# compare A B OPTION...: a comparison as JSON and CSV
compare() {
    n=$((n + 1))
    expect 0 "$xenalyze" compare --json "$@"
    mv out $n.json
    expect 0 "$xenalyze" compare --csv "$@"
    mv out $n.csv
}
compare intel disk
compare intel lossy --vcpu d1v0
compare intel amd --pcpu 0-1
compose plain <<'END'
0 1000000 0x21101 0x10000
0 9000000 0x21011 0x10000
END
compare rare plain

# All texts of a file, and a mark with its time.
cat >texts.py <<'END'
import struct

def text(kind, text):
    parts = (len(text) + 23) // 24
    data = text.encode().ljust(24 * parts, b"\0")
    for i in range(parts):
        print("0 - 0x1f087", kind | i << 16 | parts << 24,
              *struct.unpack("<6I", data[24 * i:24 * i + 24]))

print("0 - 0x1f086", 4 | 17 << 16, 1, 2, 0, 0)
for kind in 1, 7, 8, 10, 11, 12, 14:
    text(kind, "text %d, which takes more than one part" % kind)
print("0 - 0x1f083 3000000 0 0 0 0x914f0000 0x4e94 0")
text(15, "deploy of web1")
print("0 2000000 0x21101 0x10000\n0 9000000 0x21011 0x10000")
END
python3 texts.py | compose texts
expect 0 "$xenalyze" cut intel --time=0.3..0.4 --pcpu=0-1000 -o piece
cat intel lossy >several
for trace in intel lossy damaged several host piece texts; do
    n=$((n + 1))
    expect 0 "$xenalyze" --info $trace
    mv out $n.info
    expect 0 "$xenalyze" info --json $trace
    mv out $n.json
    expect 0 "$xenalyze" --csv --info $trace
    mv out $n.csv
done
"$xenalyze" info --json - <texts >out || fail "info of standard input fails"
sed 's/"name":"standard input"/"name":"texts"/' out | cmp - $n.json ||
    fail "another description of standard input"
expect 0 python3 -c 'import json, sys
f = json.load(open(sys.argv[1]))
assert f["file"]["xen"] == "4.17text 1, which takes more than one part", f
assert f["file"]["first_wall_ns"] == f["file"]["last_wall_ns"] - 2916666, f
assert f["tables"]["file_marks"] == [{"time_tsc": 3000000, "time_ns": 416666,
    "time_wall_ns": f["file"]["first_wall_ns"] + 416666,
    "text": "deploy of web1"}], f' $n.json
expect 1 "$xenalyze" info --json /dev/null
[ ! -s out ] || fail "a document about an empty file"
compose_ipis
forms ipi --dump-ipi-latency
for interval in schedule-time=1,3 schedule-time-all schedule-ordered \
    short-summary=1; do
    points shadow -i 10us --interval-cr3-$interval
done
# shellcheck disable=SC2046 # several words
expect 0 "$xenalyze" --json-schema
mv out schema
expect 0 python3 judge.py schema $(seq $n)
expect 0 python3 listed.py "$top_srcdir/man/xenalyze-json.5" schema

# Special characters in a name are escaped.
name=$(printf 'a"b\\\nc\351')
cp amd "$name"
expect 0 "$xenalyze" --json "$name"
mv out report.json
expect 0 python3 -c 'import json; json.load(open("report.json"))'

# The output for programs contains no other text.
while read -r line; do
    # shellcheck disable=SC2086 # several words
    expect 2 "$xenalyze" $line intel
    expect_message "${line%% *}"
    [ ! -s out ] || fail "$line: something is printed"
done <<'END'
--json --csv
--json --count
--csv --dump-all
--info --json --summary
--info --csv --report-exits
--info --json --dump-all
END
expect 0 "$xenalyze" --csv --scatterplot-rdtsc intel
[ "$(cat out)" = \
    plot,domain,vcpu,irq,device,time_tsc,time_ns,time_wall_ns,value,address ] ||
    fail "of no points there is more than a heading: $(head -n 2 out)"
expect 0 "$xenalyze" --json --plot intel.svg --scatterplot-pcpu intel
! grep -q '"points"' out || fail "points that are drawn are printed, too"
