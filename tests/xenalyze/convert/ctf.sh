#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# CTF, read by babeltrace2: times, names and fields of all events are those of
# libxentrace, and discarded events are lost records.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

here=$top_srcdir/tests/xenalyze/convert
bin=$top_builddir/tests/xenalyze/convert
command -v babeltrace2 >/dev/null || skip "there is no babeltrace2"
command -v python3 >/dev/null || skip "there is no python3"

# convert TRACE OPTION...: export into the folder `ctf`
convert() {
    rm -rf ctf
    expect 0 "$xenalyze" export ctf -o ctf "$@"
}

# compare TRACE: all events of the folder
compare() {
    "$bin/fields" "$1" >fields || fail "$1: no fields"
    expect 0 python3 "$here/read-ctf.py" ctf fields
}

# Every event of the catalogue, in both layouts of those that changed.
"$top_builddir/tests/events/every" >every
"$top_builddir/tests/events/every" --old >every-old
for trace in every every-old; do
    convert $trace
    compare $trace
    grep -qx "events $(wc -l <fields)" out || fail "$trace: events are missing"
    [ "$(wc -l <fields)" -gt 200 ] || fail 'too few events'
done

expect 0 "$xensim" --virtual --boot tbuf_size=1 -T 0.5 --seed 3 --cpus 3 \
    --kind mix --drain 20ms --output lossy
expect 0 "$xensim" --virtual --boot tbuf_size=64 -T 0.1 --seed 3 --cpus 3 \
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
    case $trace in
    mix|*/c2b-membuf/*|*/svm-shadow-only/*) grep . lost && fail "$trace has no losses" ;;
    *) grep -q . lost || fail "$trace: no losses" ;;
    esac
    cmp lost info >&2 || fail "$trace: $(cat lost) lost, not $(cat info)"
    awk '$1 == "clock" && $2 != "unknown" && $2 > 2 { exit 1 }' out ||
        fail "$trace: $(grep clock out) ns from the wall clock"
done
convert mix
babeltrace2 ctf >text || fail 'babeltrace2 fails'
grep -q 'hvm_vmexit64: .* dom = ( "hvm2" .* reason = ( "HLT" ' text ||
    grep -q 'hvm_vmexit64: .* dom = ( "[a-z0-9]*" : container = [12] )' text ||
    fail "$(grep -m3 vmexit text)"
babeltrace2 --details ctf 2>/dev/null >text || :
convert lossy
expect 0 python3 "$here/read-ctf.py" ctf
grep -q '^pcpu 0 lost [1-9]' out || fail 'no loss is known'

# Filters: as for lines of records.
for filter in --time=0.03..0.05 --event=sched --pcpu=1 --vcpu=d1v0; do
    convert $filter mix
    expect 0 python3 "$here/read-ctf.py" ctf
    mv out have
    expect 0 "$xenalyze" --records $filter mix
    [ -s out ] || fail "$filter: nothing is selected"
    grep -qx "events $(wc -l <out)" have || fail "$filter: $(cat have)"
done

# The second segment follows the first; a step of time over 2^36 cycles.
cat mix mix >twice
convert twice
expect 0 python3 "$here/read-ctf.py" ctf
grep -qx "events $("$xenalyze" --records twice | wc -l)" out || fail 'twice'
compose far <<'END'
0 1000000 0x21101 0x10000
0 1000100 0x21031 0x10000
0 900000000000 0x21101 0x10000
0 900000000100 0x21031 0x10000
1 1000000 0x21101 0x10001
1 900000000050 0x21031 0x10001
END
convert far
compare far

# Every kind of input; names that would break the metadata.
hostile=$(printf 'a"\\;}<b\033[31m\342\200\256\377\n1')
cp mix "$hostile"
convert "./$hostile"
expect 0 python3 "$here/read-ctf.py" ctf
rm -rf ctf
expect 0 sh -c 'cat mix | "$1" --export ctf:ctf' sh "$xenalyze"
compare mix

# No folder is replaced or left behind.
rm -rf ctf
mkdir empty full
touch full/file
expect 0 "$xenalyze" export ctf -o empty/ mix
[ -s empty/metadata ] || fail 'an empty folder is not used'
touch after
ls >before
expect 1 "$xenalyze" export ctf -o full mix
expect_message 'full is not empty: name a new folder'
expect 1 "$xenalyze" export ctf -o mix mix
expect 2 "$xenalyze" export ctf mix
expect_message 'name it with -o'
expect 1 "$xenalyze" export ctf -o none/ctf mix
expect 1 "$xenalyze" export ctf -o ctf /dev/null
expect 1 "$xenalyze" export ctf -o ctf --time=0.03..0.05 --event=dom0op mix
for fault in write:1 write:5+ open:3 alloc:1 alloc:9 alloc:30; do
    FAULT=$fault "$xenalyze" --export ctf:ctf mix >out 2>err
    [ $? -eq 1 ] || fail "$fault: no failure"
done
FAULT=write:2 "$xenalyze" --export ctf:ctf mix >out 2>err
expect_message 'cannot write ctf: No space left on device'
rm -f out err
touch out err
ls >after
cmp before after >&2 || fail "files are left: $(diff before after)"
