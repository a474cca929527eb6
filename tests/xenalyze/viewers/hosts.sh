#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces of several hosts on one timeline: the lines of a dump and the events of
# timelines are those of each host alone, later by the difference of the wall
# clocks, and with the name of the host.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

# host FILE OPTION... : a trace of 0.3 s
host() {
    output=$1
    shift
    expect 0 "$xensim" --virtual -T 300ms --rate 8k --output "$output" "$@"
}
host one --cpus 2 --host-name one
host two --cpus 3 --seed 5 --host-name 'b <script>' --wall-clock 100ms
host far --cpus 2 --seed 6 --host-name one --wall-clock 2h

# message TEXT: among other lines
message() {
    grep -q "$1" err || fail "no message '$1': $(cat err)"
}

# begin_of FILE: nanoseconds from the begin of `one`, as the messages say
begin_of() {
    expect 0 "$xenalyze" dump one "$1" --time 0..1ms
    sed -n "s/^xenalyze: .*: $1, from second \([0-9]*\)\.\([0-9]*\)$/\1\2/p" err
}
later=$(begin_of two | sed 's/^0*//')
[ "$later" -ge 99000000 ] && [ "$later" -le 101000000 ] ||
    fail "two begins $later ns after one"
[ "$(begin_of far | cut -c-4)" = 7200 ] || fail 'two hours are not 7200 s'

# --- dump ---------------------------------------------------------------------

expect 0 "$xenalyze" dump two one
mv out both
message '2 hosts by the wall clock of each; how far these clocks differ is unknown'
for trace in one two; do
    "$xenalyze" dump "$trace" >"$trace.lines"
done
# The lines of each host are its own, with the same order; times are later.
sed -n 's/^one        \(.*\)/\1/p' both | cmp - one.lines || fail 'one: lines differ'
sed -n 's/^b__script_ \(.*\)/\1/p' both >got
awk -v later="$later" '
    substr($0, 2, 13) ~ /^ *[0-9]+\.[0-9]+$/ {
        ns = substr($0, 2, 13)
        sub(/\./, "", ns)
        ns += later
        printf "%s%3d.%09d%s\n", substr($0, 1, 1), int(ns / 1e9), ns % 1e9,
               substr($0, 15)
        next
    }
    { print }' two.lines >wanted
cmp got wanted || fail 'two: lines differ'
[ "$(wc -l <both)" -eq $(($(wc -l <one.lines) + $(wc -l <two.lines))) ] ||
    fail 'lines of no host'
awk '$2 ~ /^[0-9]+\.[0-9]+$/ { t = $2 } $3 ~ /^[0-9]+\.[0-9]+$/ { t = $3 }
     t < last { exit 1 } { last = t }' both || fail 'not in the order of time'
[ "$(sed 's/ .*//' both | uniq | wc -l)" -gt 1000 ] || fail 'hosts do not alternate'

# Colours do not change the lines.
"$xenalyze" -q dump --color=always one two | sed 's/\x1b\[[0-9;]*m//g' |
    cmp - both || fail 'in colours: other lines'

# --- the selection ------------------------------------------------------------

# Times are of the timeline, or of the wall clock.
expect 0 "$xenalyze" dump --time 0.15..0.16 one two
mv out part
grep -q '^one ' part && grep -q '^b__script_ ' part || fail '--time: a host is missing'
expect 0 env TZ=UTC "$xenalyze" dump --time 2026-01-01T00:00:00.15..2026-01-01T00:00:00.16 one two
awk '$2 ~ /^0\.15/ || $3 ~ /^0\.15/ { n++ } END { exit n < 100 }' part ||
    fail '--time: few records'
# The first record comes less than a millisecond after the start.
nr=$(wc -l <part) more=$(($(wc -l <out) - $(wc -l <part)))
[ $((more < 0 ? -more : more)) -lt $((nr / 5)) ] ||
    fail "--time: $more more lines than $nr by the wall clock"
expect 0 "$xenalyze" dump --time 0.01..0.02 one two
message 'warning: --time .* selects nothing of b__script_'
grep -q '^b__' out && fail 'lines outside of --time'
expect 1 "$xenalyze" dump --time 5..6 one two
message 'xenalyze: --time 5..6 selects nothing of the 2 hosts'
[ ! -s out ] || fail 'lines of nothing'
for time in 5c..6c -10ms..; do
    expect 2 "$xenalyze" dump --time=$time one two
    expect_message 'several hosts have no common time stamps'
done
expect 0 "$xenalyze" dump --vcpu d1v0 one two
# A name that only one host has.
host web --cpus 2 --domains 1 --host-name web
expect 0 "$xenalyze" dump --domain pvh2 one web
message 'warning: .*no domain is named pvh2'
grep -q '^one ' out || fail 'nothing of the domain'
expect 1 "$xenalyze" dump --domain web9 one web
message 'no domain is named web9'
expect 1 "$xenalyze" dump one two missing
expect_message 'missing'
# A pipe is no file that can be read again.
expect 1 sh -c '"$1" dump one two - <far' sh "$xenalyze"
expect_message 'cannot open -: No such file or directory'
expect 1 sh -c '"$1" dump one - <two' sh "$xenalyze"
expect_message 'cannot open -'
mkfifo pipe
expect 1 "$xenalyze" dump one two pipe
expect_message 'pipe is no regular file, as traces of several hosts have to be'
# The clock of a host without events is in its metadata.
host silent --cpus 1 --host-name silent --wall-clock 50ms \
    --boot 'tbuf_size=1 tevt_mask=0x80000000'
begin=$(begin_of silent | sed 's/^0*//')
[ "$begin" -ge 49000000 ] && [ "$begin" -le 51000000 ] ||
    fail 'a host without events has no begin'
expect 0 "$xenalyze" dump one silent
grep -q '^silent .* meta_boot_id' out || fail 'its metadata are not shown'
# A file that cannot be one of several hosts is named, with the reason.
{ echo 0 - 0x1f088 1 2 3 4; echo 0 1000000 0x21101 0x10000; } | compose no-wall
expect 1 "$xenalyze" dump one two no-wall
expect_message 'no-wall has no wall clock, so its place among the other hosts is unknown'
{ echo 0 - 0x1f082 1000000000 0 0 0; echo 0 1000000 0x21101 0x10000; } | compose no-boot
expect 1 "$xenalyze" dump one two no-boot
expect_message 'the metadata of no-boot do not tell its host'
nr=1 many=
while [ $nr -le 65 ]; do
    host host-$nr --cpus 1 --seed $nr --host-name $nr -T 2ms
    many="$many host-$nr"
    nr=$((nr + 1))
done
# shellcheck disable=SC2086 # words
expect 1 "$xenalyze" dump $many
expect_message 'host-65 is of host number 65; at most 64 hosts are shown together'
# shellcheck disable=SC2086 # words
expect 0 "$xenalyze" dump ${many% *}
[ "$(sed 's/ .*//' out | sort -u | wc -l)" -eq 64 ] || fail 'not 64 hosts'
rm host-*
expect 1 "$xenalyze" dump one two -o /dev/full
message "cannot write /dev/full: No space left on device"
(ulimit -f 64; trap '' XFSZ; exec "$xenalyze" dump one two -o full) >out 2>err &&
    fail 'a full disk is no error'
message 'cannot write full: File too large'
[ ! -e full ] || fail 'half a file'

# --- timelines ----------------------------------------------------------------

for form in chrome fxt html perfetto perfetto-compact; do
    for threads in 1 2; do
        expect 0 "$xenalyze" --threads $threads export $form one two -o $form.$threads
    done
    cmp $form.1 $form.2 || fail "$form: threads change it"
done
"$xenalyze" -q export chrome one -o one.json
"$xenalyze" -q export chrome two -o two.json
expect 0 python3 "$viewers/read-chrome.py" chrome.1
cat >chrome.py <<'END'
import json, sys
def read(path, host=None, later=0):
    """All events with the names of their rows; of a host alone."""
    trace, names, out = json.load(open(path)), {}, []
    for e in trace["traceEvents"]:
        if e["ph"] == "M":
            names[e["name"], e["pid"], e["tid"]] = e["args"]["name"]
    for e in trace["traceEvents"]:
        if e["ph"] == "M":
            continue
        row = names["thread_name", e["pid"], e["tid"]]
        process = names.get(("process_name", e["pid"], 0))
        name = e["name"]
        if host:
            process, row = host + ":" + process, host + ":" + row
            name = host + ":" + name if e.get("cat") == "run" else name
        if process and process.endswith("pcpus"):
            process = "pcpus"
        out.append((round(e["ts"] * 1000) + later, round(e.get("dur", 0) * 1000),
                    e["ph"], process, row, name, e.get("cat"),
                    json.dumps(e.get("args"))))
    return out
both = read("chrome.1")
wanted = read("one.json", "one") + read("two.json", "b__script_",
                                        int(sys.argv[1]))
assert len(wanted) > 5000
assert sorted(both, key=str) == sorted(wanted, key=str), [
    x for x in both if x not in set(wanted)][:3]
END
expect 0 python3 chrome.py "$later"

# A page: the tables of each host, and the slices of its rows, are those of the
# page of the host alone.
"$xenalyze" -q export html one -o one.html
"$xenalyze" -q export html two -o two.html
cat >page.py <<'END'
import importlib, sys
sys.path.insert(0, sys.argv[1])
html = importlib.import_module("read-html")
later = [0, int(sys.argv[2])]
facts, tracks = html.read_page("html.1")
assert [h["label"] for h in facts["hosts"]] == ["one", "b__script_"]
assert [h["begin"] for h in facts["hosts"]] == later

def name_origin(facts, host, key):
    """What the origin of a state means, without the name of the host."""
    state, origin = key & 7, key >> 3
    first = facts["hosts"][host]["first_pcpu"]
    if not origin or state not in (1, 2):
        return state, origin
    if state == 1:
        return state, origin - 1 - first
    if origin & 1:
        return state, "pcpu", (origin >> 1) - 1 - first
    row = facts["vcpus"][(origin >> 1) - 1]
    assert row[6] == host, "a waker on another host"
    return state, row[2].split(":")[-1]

def read_rows(facts, tracks, host, later):
    """{row: slices}, with names instead of numbers."""
    rows, first = {}, facts["hosts"][host]["first_pcpu"]
    last = facts["hosts"][host + 1]["first_pcpu"] \
        if host + 1 < len(facts["hosts"]) else 1 << 32
    names = {0: "others"}
    for number, row in enumerate(facts["vcpus"]):
        names[number + 1] = row[2].split(":")[-1]
        if row[6] != host:
            continue
        label = row[2].split(":")[-1]
        rows[label] = [(a + later, b + later, n, {
            name_origin(facts, host, k): ns for k, ns in keys.items()})
            for a, b, n, keys in tracks["state"][row[2]]]
        rows[label, "exits"] = [(a + later, b + later, n, {
            facts["names"][k]: ns for k, ns in keys.items()})
            for a, b, n, keys in tracks["exits"][row[2]]]
    for pcpu, slices in tracks["run"].items():
        if first <= pcpu < last:
            rows[pcpu - first] = [(a + later, b + later, n, {
                names[k]: ns for k, ns in keys.items()})
                for a, b, n, keys in slices]
    return rows

for host, file in enumerate(("one.html", "two.html")):
    alone, own = html.read_page(file)
    both, one = dict(facts["hosts"][host]), dict(alone["hosts"][0])
    for name in "label", "begin", "first_pcpu":
        del both[name], one[name]
    assert both["wakes"] and both["pieces"] and set(both) == set(one)
    assert both == one, [(k, both[k], one[k]) for k in one if one[k] != both[k]]
    got = read_rows(facts, tracks, host, 0)
    wanted = read_rows(alone, own, 0, later[host])
    assert set(got) == set(wanted) and len(got) > 8, (set(got), set(wanted))
    for row in wanted:
        assert got[row] == wanted[row], (file, row)
assert not facts["quantum"] and not facts["exit_quantum"]
END
expect 0 python3 page.py "$viewers" "$later"

# counts FORM FILE: numbers of runs, wake-ups, exits, calls
counts() {
    if [ "$1" = fxt ]; then
        expect 0 python3 "$viewers/read-fxt.py" "$2"
    else
        protoc --decode=Trace -I"$viewers" "$viewers/perfetto.proto" <"$2" >text
        expect 0 python3 "$viewers/import-perfetto.py" text
    fi
    sed -n 's/^runs \([0-9]*\), wake-ups \([0-9]*\), exits \([0-9]*\), calls \([0-9]*\).*/\1 \2 \3 \4/p' out
}
forms=fxt
! command -v protoc >/dev/null || forms='fxt perfetto perfetto-compact'
for form in $forms; do
    sum='0 0 0 0'
    for trace in one two; do
        expect 0 "$xenalyze" export $form $trace -o alone
        # shellcheck disable=SC2046 # words
        set -- $sum $(counts $form alone)
        sum="$(($1 + $5)) $(($2 + $6)) $(($3 + $7)) $(($4 + $8))"
    done
    [ "$(counts $form $form.1)" = "$sum" ] && [ "${sum%% *}" -gt 500 ] ||
        fail "$form: $(counts $form $form.1) events, not $sum"
done

# Counters of a host have the values that they have alone.
# counters FILE HOST: the values of each counter, without the name of the host
counters() {
    protoc --decode=Trace -I"$viewers" "$viewers/perfetto.proto" <"$1" >text
    expect 0 python3 "$viewers/import-perfetto.py" text --blocks
    sed -n "s/^counter [0-9]* \([^ ]*\) $2/\1 /p" out | sort -s -k 2
}
case $forms in *perfetto*)
    for host in one:one: 'two:b__script_:'; do
        trace=${host%%:*}
        expect 0 "$xenalyze" export perfetto "$trace" -o alone
        counters alone '' >alone.values
        counters perfetto.1 "${host#*:}" >values
        cmp alone.values values || fail "$trace: its counters differ"
        [ "$(grep -c 'waiting vcpus' values)" -gt 100 ] ||
            fail "$trace: few values of waiting vcpus"
    done
    ;;
esac

# An allocation that fails, in this process or in one of a dump, leaves no file.
for output in 'export perfetto' 'export chrome' 'export html' dump; do
    n=1
    while :; do
        rm -f kept
        # shellcheck disable=SC2086 # words
        FAULT=alloc:$n "$xenalyze" -q $output --time 0.1..0.12 one two -o kept >out 2>err
        rc=$?
        [ $rc -ne 0 ] || break
        [ $rc -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "$output: alloc:$n: $(cat err)"
        [ ! -e kept ] || fail "$output: alloc:$n: half a file"
        n=$((n + 1 + n / 10))
    done
    [ $n -gt 20 ] || fail "$output: only $n allocations"
done

# Hosts of one name have numbers.  A part of a trace begins where the trace does.
expect 0 "$xenalyze" --cut late --time 0.2.. one
expect 0 "$xenalyze" dump far late two
message 'one-2: far, from second 7200'
grep '^one ' out | grep -v '[]!]  ' | sed -n '2s/^one *\(0\.[0-9]*\) .*/\1/p' >got
grep -q '^0\.2' got || fail "the part begins at $(cat got)"
expect 0 "$xenalyze" export chrome far two one -o three.json
grep -q '"one-2:d0:Domain-0"' three.json || fail 'a host without a number'
expect 0 python3 "$viewers/read-chrome.py" three.json

# A warning says that vcpus have no row.
for boot in $(seq 20); do
    python3 - $boot <<'END' | compose "many.$boot"
import sys
print("0 - 0x1f088", sys.argv[1], "2 3 4")
print("0 - 0x1f082 2400000000 0 2 0")
print("0 - 0x1f083 1000 0 0 0 0 0x18000000 0")
for i in range(40000 if int(sys.argv[1]) < 3 else 2100):
    print(0, 2000 + 100 * i, "0x21101", (i // 128 + 1) << 16 | i % 128)
    print(0, 2050 + 100 * i, "0x21201", (i // 128 + 1) << 16 | i % 128)
END
done
expect 0 "$xenalyze" export fxt many.1 many.2 -o many.fxt \
    --export=chrome:many.json
message 'more than 65536 vcpus of all hosts: further ones have no row'
[ "$(grep -c 'more than' err)" -eq 1 ] || fail "a warning twice: $(cat err)"

# A warning says that pcpus have no row, for each format with its bound.
for i in 1 2 3 4; do
    echo 0 ${i}000 0x21101 0x10000
    echo 0 ${i}500 0x21201 0x10000
    echo 5000 ${i}000 0x21101 0x10001
    echo 5000 ${i}500 0x21201 0x10001
done | compose wide
expect 0 "$xenalyze" export perfetto wide -o wide.pf \
    --export=perfetto-compact:wide.compact --export=html:wide.html \
    --export=chrome:wide.json --export=fxt:wide.fxt
for bound in '4096 pcpus: perfetto' '1024 pcpus: perfetto-compact' \
    '4096 pcpus: html'; do
    message "wide: more than $bound does not show what further ones did"
done
[ "$(grep -c 'more than' err)" -eq 3 ] || fail "other warnings: $(cat err)"
grep -q '"pcpu 5000"' wide.json || fail 'chrome: no row of pcpu 5000'

# A page has tables within a bound.
expect 0 "$xenalyze" export html many.[0-9]* -o many.html
expect 0 python3 -c 'import importlib, sys
sys.path.insert(0, sys.argv[1])
hosts = importlib.import_module("read-html").read_page("many.html")[0]["hosts"]
told = [host for host in hosts if "records" in host]
assert len(hosts) == 20 and 1 < len(told) < 20, len(told)
assert all(len(host["vcpu_times"]) == 2048 for host in told)' "$viewers"

# A damaged date would be a span of centuries.
for high in 0xf8000000 0x60000000; do
    compose damaged <<END
0 - 0x1f088 9 2 3 4
0 - 0x1f082 2400000000 0 2 0
0 - 0x1f083 1000 0 0 0 0 $high 0
0 2000 0x21101 0x10000
END
    expect 1 "$xenalyze" dump one damaged
    expect_message 'damaged has a wall clock before 1970 or after 2043'
done

# --- outputs of one host ------------------------------------------------------

for output in summary why 'export speedscope' 'export ctf -o folder' count; do
    # shellcheck disable=SC2086 # words
    expect 1 "$xenalyze" $output one two
    expect_message 'two is not of the same capture as one: the boot id differs; analyze'
    expect_message 'or show hosts on one timeline with xenalyze dump, or xenalyze export html'
done
# Without a wall clock there is no place on a timeline.
compose bare <<'END'
0 - 0x1f088 1 2 3 4
0 2000 0x21101 0x10000
END
expect 1 "$xenalyze" dump one bare
grep -q 'the boot id differs; analyze these traces one by one$' err || fail "$(cat err)"
