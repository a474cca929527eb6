#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file for Perfetto, decoded by protoc with our schema: no packet breaks a
# rule of the importer, and times and counts equal those of --json.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

command -v protoc >/dev/null || skip "there is no protoc to read the files"

# read_back FILE: decode FILE.pftrace into FILE.text
read_back() {
    protoc --decode=Trace -I "$viewers" "$viewers/perfetto.proto" \
        <"$1.pftrace" >"$1.text" || fail "$1: protoc cannot read the file"
}

# check_rules OPTION...: export the trace "mix", and read back
check_rules() {
    expect 0 "$xenalyze" export perfetto "$@" mix -o part.pftrace
    read_back part
    expect 0 python3 "$viewers/import-perfetto.py" part.text
}

for trace in $(small_traces); do
    expect 0 "$xenalyze" export perfetto "$trace" -o whole.pftrace
    [ ! -s err ] || fail "$trace: $(cat err)"
    read_back whole
    expect 0 "$xenalyze" --json "$trace"
    mv out whole.json
    expect 0 "$xenalyze" dump sched_runstate_change "$trace"
    mv out whole.lines
    expect 0 python3 "$viewers/import-perfetto.py" whole.text whole.json \
        whole.lines
    [ "$trace" != mix ] || mv out mix.totals
    [ "$trace" != lossy ] || grep -q 'lost [1-9]' out || fail 'nothing is lost'
done
for count in runs wake-ups exits calls; do
    grep -q "$count [1-9]" mix.totals || fail "no $count: $(cat mix.totals)"
done

# Blocked times and their reasons are those of why.
# compare_blocks TRACE LEAST: at least LEAST blocked times, in the file "blocks"
compare_blocks() {
    expect 0 "$xenalyze" export perfetto "$1" -o blocks.pftrace
    read_back blocks
    expect 0 python3 "$viewers/import-perfetto.py" blocks.text --blocks
    mv out blocks
    expect 0 "$xenalyze" --why --json "$1"
    mv out why.json
    expect 0 "$xenalyze" --info "$1"
    mv out info
    expect 0 python3 compare.py "$2"
}
cat >compare.py <<'END'
import collections, json, re, sys
NAMES = {"timer": "timer", "sibling": "vcpu of its domain", "paused": "paused",
         "open": "blocked to the end", "unknown": "unknown"}
tables = json.load(open("why.json"))["tables"]
domains = collections.defaultdict(lambda: None)
for r in tables["why_blocks"]:
    domains[r["domain"]] = r.get("domain_name")
devices = dict(re.findall(r"^ +(\d+) (\S+)$", open("info").read(), re.M))
times, total = collections.Counter(), collections.Counter()
for r in tables["why_blocks"]:
    name = NAMES.get(r["reason"]) or (
        "irq %d %s" % (r["irq"], devices[str(r["irq"])])
        if r["reason"] == "device" else
        {"event": "event from ", "emulated": "device model in "}[r["reason"]] +
        (domains[r["waker"]] or "d%d" % r["waker"]))
    label = r.get("domain_name")
    key = "%s/%d" % (label, r["vcpu"]) if label else \
        "d%dv%d" % (r["domain"], r["vcpu"]), name
    times[key] += r["events"]
    total[key] += r["total_ns"]
seen = 0
for line in open("blocks"):
    if not line.startswith("block "):
        continue
    _, label, count, ns, name = line.rstrip("\n").split(" ", 4)
    key = label, name
    assert times[key] == int(count), (key, times[key], count)
    assert abs(total.pop(key) - int(ns)) <= int(count) + 1, key
    seen += int(count)
assert not total and seen >= int(sys.argv[1]), (total, seen)
END
for trace in credit-2pv-all c2b-all svm-pvh-sched; do
    [ ! -f "$real/$trace/trace.bin" ] ||
        compare_blocks "$real/$trace/trace.bin" 50
done
compare_blocks lossy 200
compare_blocks mix 500
grep -q '^block .* irq [0-9]* eth' blocks && grep -q '^block .* event from ' blocks ||
    fail "reasons: $(grep '^block' blocks)"

# The counter has all changes of the number of waiting vcpus.
expect 0 "$xenalyze" dump sched_runstate_change mix
mv out lines
cat >waiting.py <<'END'
import re
waits, wanted = set(), []
for line in open("lines"):
    m = re.match(r"..(?: *(\d+)\.(\d{9}))? .* runstate_change (d\d+v\d+) "
                 r"(\w+)->(\w+)", line)
    time = int((m[1] or "0") + (m[2] or "0"))
    if m[3].startswith("d32767"):
        continue
    before = len(waits)
    (waits.add if m[5] == "runnable" else waits.discard)(m[3])
    if wanted and wanted[-1][0] == time:
        wanted[-1][1] = len(waits)
    elif len(waits) != before:
        wanted.append([time, len(waits)])
got = [list(map(int, line.split()[1:3])) for line in open("blocks")
       if line.startswith("counter") and line.endswith(" waiting vcpus\n")]
assert len(wanted) > 1000 and got[-1][1] == 0
assert got[:len(wanted)] == wanted and len(got) <= len(wanted) + 1, [
    x for x in zip(got, wanted) if x[0] != x[1]][:3]
END
expect 0 python3 waiting.py

# The counters of a run queue have all changes in its records.
# compare_queues TRACE QUEUES
compare_queues() {
    expect 0 "$xenalyze" export perfetto "$1" -o part.pftrace
    read_back part
    expect 0 python3 "$viewers/import-perfetto.py" part.text --blocks
    mv out counters
    expect 0 "$xenalyze" dump csched2_update_runq_load "$1"
    mv out lines
    expect 0 python3 queues.py "$2"
}
cat >queues.py <<'END'
import collections, re, sys
wanted = collections.defaultdict(list)
for line in open("lines"):
    m = re.match(r"..(?: *(\d+)\.(\d{9}))? .* update_rq_load rq# (\d+), "
                 r"load = (\d+), avgload = \S+ \((\d+)\)",
                 line.replace("csched2:", ""))
    time = int((m[1] or "0") + (m[2] or "0"))
    for name, value in (("vcpus", int(m[4])),
                        ("average load", int(m[5]) * 100 // (1 << 18) / 100)):
        values = wanted[name + " of run queue " + m[3]]
        if not values or values[-1][1] != value:
            values.append((time, value))
got = collections.defaultdict(list)
for line in open("counters"):
    if line.startswith("counter ") and " of run queue " in line:
        _, time, value, name = line.rstrip("\n").split(" ", 3)
        got[name].append((int(time), float(value)))
assert len(wanted) == 2 * int(sys.argv[1]) and set(got) == set(wanted), wanted
for name, values in wanted.items():
    # The end of the trace is a last value, 0.
    if values[-1][1]:
        time, value = got[name].pop()
        assert not value and time >= values[-1][0]
    assert len(values) > 10 and got[name] == values, name
END
compare_queues mix 1
expect 0 "$xensim" --virtual --scheduler credit2 -T 0.4 --cpus 8 --runq-cpus 3 \
    --output queues
compare_queues queues 3
for trace in credit-2pv-all c2b-all; do
    [ ! -f "$real/$trace/trace.bin" ] ||
        "$xenalyze" dump csched2_update_runq_load "$real/$trace/trace.bin" \
        2>/dev/null | sed -n 's/.* rq# \([0-9]*\),.*/\1/p' | sort -u >seen
    [ ! -s seen ] ||
        compare_queues "$real/$trace/trace.bin" "$(grep -c . seen)"
    : >seen
done

# Queues of two pools may have the same number, and those of a selection lack
# records; a shift that no Xen has is no load.
for pools in 1 2; do
    {
        echo '0 - 0x1f08a 0 6 4 1'
        [ $pools = 1 ] || echo '0 - 0x1f08a 1 6 4 1'
        echo '0 1000 0x21101 65536'
        echo '0 1000 0x2220c 0xc0000 0 0 0 0x12030004 0'
        echo '0 2000 0x2220c 0xffffffff 0xffffffff 0 0 0x3f030005 0'
        echo '0 3000 0x2220c 0xffffffff 0xffffffff 0 0 0x00030005 0'
        echo '0 4000 0x2220c 1 0 0 0 0x40030006 0'
        echo '0 4500 0x81002 44 0x1000'
        echo '0 5000 0x81001'
    } | compose pools
    expect 0 "$xenalyze" export perfetto --cpu-hz 1G pools -o part.pftrace
    read_back part
    expect 0 python3 "$viewers/import-perfetto.py" part.text --blocks
    grep '^counter .* run queue' out >pools$pools || :
done
cat >wanted <<'END'
counter 0 4 vcpus of run queue 3
counter 1000 5 vcpus of run queue 3
counter 4000 0 vcpus of run queue 3
counter 0 3.0 average load of run queue 3
counter 1000 1.99 average load of run queue 3
counter 2000 42949672.95 average load of run queue 3
counter 4000 0.0 average load of run queue 3
END
diff wanted pools1 || fail 'other values'
[ ! -s pools2 ] || fail 'queues of two pools are mixed'
for selection in --pcpu=1-2 --vcpu=d1v0 --domain=0; do
    expect 0 "$xenalyze" export perfetto "$selection" queues -o part.pftrace
    grep -a -q 'run queue' part.pftrace && fail "$selection: run queues"
done

# The output does not depend on threads, nor on the way that the trace comes.
expect 0 "$xenalyze" export perfetto mix -o one.pftrace
expect 0 "$xenalyze" --export perfetto:two.pftrace --summary mix
cmp one.pftrace two.pftrace || fail 'the option writes another file'
"$xenalyze" export perfetto - <mix >three.pftrace || fail 'standard input'
cmp -s one.pftrace three.pftrace && fail 'the name of the trace is missing'
tail -c 10000 one.pftrace >one.end
tail -c 10000 three.pftrace | cmp - one.end || fail 'a stream differs'

# Every selection.
check_rules --vcpu d2v0
grep -qx 'vcpus pvh2/0' out || fail "$(cat out)"
grep -q 'Domain-0' part.text && fail 'a waker that is not selected'
check_rules --domain 1
grep -qx 'vcpus pv1/0 pv1/1' out || fail "$(cat out)"
check_rules --pcpu 1-2
grep -qx 'cpus 1 2' out || fail "$(cat out)"
check_rules --time 0.1..0.2
awk '/^ *timestamp: / && $2 { if (!n++ || $2 < first) first = $2
                              if ($2 > last) last = $2 }
     END { exit !(first >= 100000000 && last < 210000000) }' part.text ||
    fail 'times are outside of --time'
expect 0 "$xenalyze" --json --domain 2 mix
mv out part.json
expect 0 "$xenalyze" dump sched_runstate_change mix
mv out part.lines
check_rules --domain 2
expect 0 python3 "$viewers/import-perfetto.py" part.text part.json part.lines

# A critical path is a track, with the times of its rows.
expect 0 "$xenalyze" --critical-path=d2v0 --json --export perfetto:path.pftrace mix
mv out path.json
read_back path
grep -q 'name: "critical path of pvh2/0"' path.text || fail 'no track'
expect 0 "$xenalyze" dump sched_runstate_change mix
mv out path.lines
expect 0 python3 "$viewers/import-perfetto.py" path.text path.json path.lines

# Two boots in one trace: the second follows the first.
cat mix mix >twice
expect 0 "$xenalyze" export perfetto twice -o part.pftrace
read_back part
expect 0 python3 "$viewers/import-perfetto.py" part.text
sed -n 's/runs \([0-9]*\).*/\1/p' out mix.totals | {
    read -r both
    read -r one
    [ "$both" -ge $((2 * one - 2)) ]
} || fail "the second boot is missing: $(cat out mix.totals)"

# Samples of exits have guest addresses, or symbols with --symbol-file; a table
# of names that is full is cleared.
expect 0 "$xenalyze" export perfetto mix -o part.pftrace
read_back part
expect 0 python3 "$viewers/import-perfetto.py" part.text --addresses
grep -q '^0x[0-9a-f]*[1-9a-f]' out || fail "no address: $(head -n 3 out)"
echo '0000000000000001 T guest_code' >symbols
expect 0 "$xenalyze" export perfetto --symbol-file=symbols mix -o part.pftrace
read_back part
expect 0 python3 "$viewers/import-perfetto.py" part.text --addresses
sed '/^guest_code$/d; /^vcpus /,$d' out >others
[ ! -s others ] || fail "addresses without a symbol: $(cat others)"
awk 'BEGIN {
    print "0 1000 0x21101 65536"
    for (i = 1; i <= 4000; i++) {
        t = 2000 + i * 1100
        print "0", t, "0x81002 44", i * 16
        print "0", t + 100, "0x81001"
    }
}' | compose many
expect 0 "$xenalyze" export perfetto --cpu-hz 1M many -o part.pftrace
read_back part
[ "$(grep -c '^  flags: 3$' part.text)" -ge 3 ] || fail 'no table was full'
expect 0 python3 "$viewers/import-perfetto.py" part.text

# A hostile name is text.
expect 0 "$xenalyze" export perfetto "$hostile" -o part.pftrace
read_back part
grep -q 'text: "a\\"\\\\;<script>b\\357\\277\\275\[31m\\357\\277\\275' \
    part.text || fail "$(grep 'text:' part.text)"
expect 0 python3 "$viewers/import-perfetto.py" part.text
