#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events of programs in timelines: a row for each thread, and each event of the
# dump once, with its time, its name and its arguments.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

play xen --kind hvm --cpus 3 --programs programs
expect 0 "$xenalyze" dump xen programs
grep '^\*' out >lines

# judge.py KIND FILE LINES: KIND is chrome, or text of protoc
cat >judge.py <<'END'
import json, re, sys

kind, name, lines = sys.argv[1:]
want = []
for line in open(lines):
    _, time, thread, event, args = line.rstrip("\n").split(None, 4)
    want.append((int(time.replace(".", "")), thread, event, args))

def read_chrome(events):
    rows = {e["tid"]: e["args"]["name"] for e in events
            if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"]: e["args"]["name"] for e in events
                 if e["ph"] == "M" and e["name"] == "process_name"}
    for e in events:
        if e.get("cat") == "program":
            assert rows[e["tid"]].startswith(processes[e["pid"]]), e
            yield (round(e["ts"] * 1000), rows[e["tid"]], e["name"],
                   e["args"]["args"])

def read_perfetto(text):
    rows, time = {}, 0
    for packet in re.split(r"^packet \{", text, flags=re.M)[1:]:
        field = lambda name: re.search(r"\b%s: (\S.*)" % name, packet)
        if "track" in packet and "parent" in packet:
            rows[field("uuid").group(1)] = field("name").group(1).strip('"')
        if re.search(r"string: ", packet):
            names = re.findall(r"\bname: \"(.*)\"", packet)
            yield (int(field("time(?:stamp)?").group(1)),
                   rows[field("track").group(1)], names[-1],
                   field("string").group(1).strip('"'))

text = open(name).read()
got = sorted(read_chrome(json.loads(text)["traceEvents"]) if kind == "chrome"
             else read_perfetto(text))
assert len(got) == len(want) > 100, (len(got), len(want))
for g, w in zip(got, sorted(want)):
    assert abs(g[0] - w[0]) <= 1 and g[1:] == w[1:], (g, w)
END

expect 0 "$xenalyze" export chrome xen programs -o chrome.json
[ ! -s err ] || fail "a message: $(cat err)"
expect 0 python3 judge.py chrome chrome.json lines

# A selection has the events in its time.
expect 0 "$xenalyze" export chrome --time 0.2..0.3 xen programs -o part.json
expect 0 "$xenalyze" dump --time 0.2..0.3 xen programs
wanted=$(grep -c '^\*' out)
[ "$(grep -c '"cat":"program"' part.json)" -eq "$wanted" ] ||
    fail "--time: not $wanted events"

# The page in HTML: rows with the same events and arguments.
expect 0 "$xenalyze" export html xen programs -o page.html
[ ! -s err ] || fail "a message: $(cat err)"
expect 0 python3 "$viewers/read-html.py" page.html
sed -n 's/^event //p' out | LC_ALL=C sort >got
awk '{ sub(/\./, "", $2); $1 = ""; $2 = $2 + 0; print substr($0, 2) }' lines | LC_ALL=C sort >wanted
[ "$(wc -l <got)" -gt 100 ] && cmp -s got wanted ||
    fail "other events: $(diff got wanted | head -n 4)"
expect 0 "$xenalyze" export html --time 0.2..0.3 xen programs -o page.html
expect 0 python3 "$viewers/read-html.py" page.html
[ "$(grep -c '^event' out)" -eq "$(grep -c '"cat":"program"' part.json)" ] ||
    fail 'html: other events in a part'

# Far more events than the page has room for: condensed, and all counted.
awk 'BEGIN {
    for (i = 0; i < 3000000; i++)
        printf "1001@1767225600.%06d:event_%d\n", 1000 + i / 7, i * 7 % 11
}' >many
expect 0 "$xenalyze" export html xen many -o page.html
[ "$(wc -c <page.html)" -lt 20000000 ] || fail 'the page is too large'
expect 0 python3 "$viewers/read-html.py" page.html
grep -q '"has_arguments":false' page.html || fail 'arguments of slices'
grep -qx 'thread many/1001, events 3000000' out &&
    grep -q 'condensed 0 [1-9]' out ||
    fail "not all events are counted: $(grep '^thread' out)"

# More arguments than there is room for, of few events: the page has none.
awk 'BEGIN {
    text = sprintf("%0400d", 0)
    for (i = 0; i < 8000; i++)
        printf "1001@1767225600.%06d:event_%d x%s\n", 1000 + i, i % 11, text
}' >wide
for room in 5000:true 8000:false; do
    head -n "${room%:*}" wide >some
    expect 0 "$xenalyze" export html xen some -o page.html
    grep -q "\"has_arguments\":${room#*:}" page.html ||
        fail "${room%:*} events: arguments are not ${room#*:}"
    expect 0 python3 "$viewers/read-html.py" page.html
    [ "$(grep -c "^event " out)" -eq "${room%:*}" ] || fail 'not all events'
done

# Without traces of programs, or in a format without rows for these: the same.
expect 0 "$xenalyze" export chrome xen -o alone.json
for file in alone chrome; do
    grep -v '"cat":"program"\|"name":"qemu/' $file.json | sed 's/,$//' \
        >$file.rest
done
cmp -s alone.rest chrome.rest || fail 'other events differ'
expect 0 "$xenalyze" export collapsed xen programs -o stacks
expect_message 'no place for events of programs'

# Losses, names and texts that would break a format.
{
    cat programs
    printf '\001\000\000\000\000\000\000\000'
    printf '\376\377\377\377\377\377\377\377'
    printf '\000\312\232\003\000\000\000\000\040\000\000\000\350\003\000\000'
    printf '\051\000\000\000\000\000\000\000'
} >lossy
expect 0 "$xenalyze" export chrome xen lossy -o lossy.json
expect_message 'the program lost 41 events'
grep -q '"name":"events lost".*"args":"41"' lossy.json || fail 'no loss'
LC_ALL=C sed 's/ of vcpu %u/";<script>%u/' programs >hostile
expect 0 "$xenalyze" export chrome xen hostile -o hostile.json
expect 0 python3 -c 'import json; json.load(open("hostile.json"))'
grep -q '<script' hostile.json && fail 'a tag in JSON'
expect 0 "$xenalyze" export html xen lossy -o page.html
expect 0 python3 "$viewers/read-html.py" page.html
grep -q '^event .* events lost 41$' out || fail 'html: no loss'
{
    cat log 2>/dev/null
    printf '7@1767225600.25:</script><img/src=x/onload=1> x\n'
    printf '7@1767225600.26:\342\200\256evil\033[31m x\n'
    printf '7@1767225600.27:open "</script><!--\342\200\256%0600d\n' 0
} >'<b>log'
expect 0 "$xenalyze" export html xen '<b>log' -o page.html
expect 0 python3 "$viewers/read-html.py" page.html
grep -q '^event 24[0-9]* <b>log/7 </script><img/src=x/onload=1> x$' out ||
    fail "html: a tag in a name: $(grep '^event' out)"

command -v protoc >/dev/null || skip 'there is no protoc to read Perfetto files'
expect 0 "$xenalyze" export perfetto xen programs -o xen.pftrace
protoc --decode=Trace -I "$viewers" "$viewers/perfetto.proto" <xen.pftrace \
    >text || fail 'protoc cannot read the file'
expect 0 python3 judge.py perfetto text lines
