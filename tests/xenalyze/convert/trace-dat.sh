#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# trace.dat, read by trace-cmd report: times, names and fields of all events are
# those of libxentrace, dropped events are lost records, and switches and wake-ups
# follow from the records.  The library of KernelShark loads the file.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

here=$top_srcdir/tests/xenalyze/convert
bin=$top_builddir/tests/xenalyze/convert
command -v trace-cmd >/dev/null || skip "there is no trace-cmd"
command -v python3 >/dev/null || skip "there is no python3"
hz=2400000000

# convert TRACE OPTION...: export into the file `dat`
convert() {
    rm -f dat
    expect 0 "$xenalyze" export trace.dat --cpu-hz=$hz -o dat "$@"
}

# read_back [FIELDS [JSON]]
read_back() {
    expect 0 python3 "$here/read-trace-dat.py" dat $hz "$@"
}

# compare TRACE: all events of the file
compare() {
    "$bin/fields" "$1" >fields || fail "$1: no fields"
    read_back fields
    grep -qx "events $(wc -l <fields)" out || fail "$1: events are missing"
}

# Every event of the catalogue, in both layouts of those that changed.
"$top_builddir/tests/events/every" >every
"$top_builddir/tests/events/every" --old >every-old
for trace in every every-old; do
    convert $trace
    compare $trace
    [ "$(wc -l <fields)" -gt 200 ] || fail 'too few events'
done

expect 0 "$xensim" --virtual --boot tbuf_size=1 -T 0.5 --seed 3 --cpus 3 \
    --kind mix --drain 20ms --output lossy
expect 0 "$xensim" --virtual --boot tbuf_size=64 -T 0.2 --seed 3 --cpus 3 \
    --kind mix --output mix
for trace in mix lossy "$real/lost-keep-x/trace.bin" \
    "$real/c2b-membuf/trace.bin" "$real/svm-shadow-only/trace.bin"
do
    [ -f "$trace" ] || continue
    convert "$trace"
    compare "$trace"
    sed -n 's/^pcpu \(.*\) lost \(.*\)/\1 \2/p' out >lost
    "$xenalyze" --info "$trace" | awk '
        /^  pcpu /{ on = 1; next } !NF { on = 0 } on && $4 { print $1, $4 }
        ' >info
    cmp lost info >&2 || fail "$trace: $(cat lost) lost, not $(cat info)"
    [ "$trace" != lossy ] || [ -s lost ] || fail 'nothing is lost'
done

# Switches and wake-ups, and times of running vcpus.
convert mix
expect 0 "$xenalyze" --json mix
mv out whole.json
"$bin/fields" mix >fields
read_back fields whole.json
grep -q '^switches [1-9][0-9][0-9].* wake-ups [1-9][0-9]' out || fail "$(cat out)"
grep -q '^tasks .*Domain-0/0.*pvh2/1' out || fail "$(cat out)"
mv out mix.totals

# Names of values, in the text without -R.
trace-cmd report dat >text 2>&1 || fail 'trace-cmd'
grep -q 'hvm_vmexit64: *reason=HLT rip=0x[0-9a-f]*$' text ||
    fail "$(grep -m3 vmexit text)"
grep -q 'sched_switch: .*:[0-9]* \[120\] S ==> ' text ||
    fail "$(grep -m5 switch: text)"
[ "$(wc -l <text)" -eq $(($(wc -l <fields) + 1 + $(sed -n \
    's/switches \(.*\), wake-ups \(.*\)/\1 + \2/p' mix.totals))) ] ||
    fail 'trace-cmd has other lines'

# KernelShark's library has as many entries, and a task for each vcpu.  It wants
# a name that ends in .dat.
cp dat shark.dat
python3 "$here/load-kernelshark.py" shark.dat >shark 2>err
case $? in
0)
    grep -qx "entries $(($(wc -l <text) - 1))" shark || fail "$(cat shark)"
    grep -q '^tasks .*131072 .*262144' shark || fail "$(cat shark)"
    ;;
77) echo "KernelShark is left out: $(cat shark)" ;;
*) fail "KernelShark's library: $(cat shark err)" ;;
esac

# Filters: as for lines of records; a selected vcpu has the ends of its runs.
for filter in --time=0.03..0.05 --event=sched --pcpu=1 --vcpu=d1v0; do
    convert $filter mix
    read_back part
    mv out have
    expect 0 "$xenalyze" --records $filter mix
    [ -s out ] || fail "$filter: nothing is selected"
    grep -qx "events $(wc -l <out)" have || fail "$filter: $(cat have)"
done
trace-cmd report -R dat >text
[ "$(grep -c 'sched_switch: .*next_pid=196608' text)" -gt 5 ] ||
    fail 'no runs of d1v0'
[ "$(grep -c 'sched_switch: .*prev_pid=196608' text)" -gt 5 ] ||
    fail 'no ends of these runs'
convert --time=0.03..0.05 mix
read_back
sed -n 's/^times \([0-9]*\) \([0-9]*\)$/\1 \2/p' out | {
    read -r first last
    [ "$first" -ge 30000000 ] && [ "$last" -le 50000000 ]
} || fail "times: $(cat out)"

# The second segment follows the first; a step of time over 2^59 ns.
cat mix mix >twice
convert twice
read_back part
grep -qx "events $("$xenalyze" --records twice | wc -l)" out || fail 'twice'
compose far <<'LINES'
0 1000000 0x21101 0x10000
0 1000100 0x21031 0x10000
0 900000000000 0x21101 0x10000
0 900000000100 0x21031 0x10000
1 1000000 0x21101 0x10001
1 900000000050 0x21031 0x10001
LINES
convert far
compare far

# Every kind of input and output; hostile names are text.
expect 0 "$xenalyze" export trace.dat --cpu-hz=$hz mix
mv out one
convert mix
cmp one dat || fail 'standard output has another file'
sh -c 'cat mix | "$1" --cpu-hz=$2 --export trace.dat:two' sh "$xenalyze" $hz ||
    fail 'standard input'
cmp two dat || fail 'a stream has another file'
hostile=$(printf 'a"\\;}<b\033[31m\342\200\256\377\n1')
cp mix "$hostile"
convert "./$hostile"
cmp two dat || fail 'the name of the trace changes the file'
python3 - >names.lines <<'LINES'
import struct
for dom, name in ((1, b"</script>\x1b[31m\n%s"), (2, b"\xe2\x80\xae\xc3\xa4" * 4)):
    print("0 - 0x1f08b %d 0 0 0 0" % (dom | 1 << 16))
    print("0 - 0x1f08c %d" % (dom | 1 << 24),
          *struct.unpack("<6I", name.ljust(24, b"\0")[:24]))
for i in range(40):
    print(0, 1000000 * (i + 1), "0x21101", 0x10000 if i % 2 else 0x20001)
LINES
compose names <names.lines
convert names
read_back part
trace-cmd report dat >text
grep -q "$(printf '[\033\342\200\256]')\[31m\|$(printf '\342\200\256')" text &&
    fail "control characters: $(tail -2 text)"
grep -q '</script>' text || fail "$(tail -2 text)"

# No file is replaced or left behind, and full disks are errors.
echo old >kept
touch after
ls >before
expect 1 "$xenalyze" export trace.dat -o kept /dev/null
expect 1 "$xenalyze" export trace.dat -o kept --time=0.03..0.05 \
    --event=dom0op mix
expect 1 "$xenalyze" export trace.dat mix -o /dev/full
expect_message 'cannot write /dev/full: No space left on device'
expect 1 sh -c '"$1" export trace.dat mix >/dev/full' sh "$xenalyze"
expect 2 "$xenalyze" --export trace.dat:mix mix
expect_message 'mix is the trace'
expect 2 "$xenalyze" --export trace.dat:- --summary mix
expect_message 'is an output of its own'
expect 2 "$xenalyze" --export trace.dat:x --export trace.dat:y mix
expect_message 'one file is enough'
for fault in write:1 write:5+ open:2 open:3 read:1 alloc:1 alloc:9 alloc:30 \
    alloc:60; do
    FAULT=$fault "$xenalyze" --export trace.dat:kept mix >out 2>err
    case $? in
    1) ;;
    0) [ $fault = read:1 ] || fail "$fault: no failure"; echo old >kept ;;
    *) fail "$fault: $(cat err)" ;;
    esac
    [ "$(cat kept)" = old ] || fail "$fault: half a file"
done
(
    trap '' XFSZ
    ulimit -f 16
    exec "$xenalyze" --export trace.dat:kept mix
) >out 2>err && fail 'no error from a full disk'
[ "$(cat kept)" = old ] || fail 'a full disk leaves half a file'
rm -f out err
touch out err
ls >after
cmp before after >&2 || fail "files are left: $(diff before after)"
