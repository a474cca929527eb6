#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of a trace: its reports are those of the trace with the same --time.
# Not equal are fillers and metadata, and counts with these: records, bytes of
# the class gen; contradictions; and rows of vcpus without any time in the span,
# or of domains that have ended.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

expect 0 "$xensim" --virtual --boot tbuf_size=1 -T 1 --seed 3 --cpus 3 \
    --kind mix --drain 20ms --output lossy

# totals: remove counts of fillers and of metadata, and the names of the files
totals() {
    sed -E -e "s|$1|FILE|g" -e '/trace_wrap_buffer| meta_|contradictions/d' \
        -e '/^ gen +: +[0-9]+$/d' -e '/records: [0-9]+$/d' \
        -e '/ pcpus?, [0-9]+ records$/d'
}

# causes: remove the causes of waits, since the pcpu where a vcpu runs after the
# span is unknown in a part
causes() {
    case $1 in
    --why) grep -E '^ Of |^ [0-9]+ waits: ' ;;
    *) cat ;;
    esac
}

# same OPTION... : the output is equal for trace and piece
same() {
    "$xenalyze" "$@" --time="$span" "$trace" 2>err | totals "$trace" |
        causes "$1" >whole
    "$xenalyze" "$@" piece 2>err | totals piece | causes "$1" >cropped
    # PV guests have no VM exits, in the trace and in the part.
    [ "$1" != --report-exits ] || [ -s whole ] ||
        ! grep -q ' has no VM exits of HVM or PVH guests; ' err || return 0
    [ -s cropped ] || fail "$trace $span: $* of the part: $(cat err)"
    cmp whole cropped >&2 || {
        diff whole cropped | sed 20q >&2
        fail "$trace $span: $* differs"
    }
}

# ends TRACE: first and last time stamp of a trace
ends() {
    "$xenalyze" --info "$1" | sed -n 's/^ *time: .* cycles, \(.*\) \.\. /\1 /p'
}

check() {
    expect 0 "$xenalyze" cut "$trace" --time="$span" -o piece
    for option in --summary --report-latency --report-exits --why \
        --dump-all --records --report-pcpu --report-interrupts
    do
        same $option
    done
    same --report-overview --cpu-hz 1G
}

# spans TRACE NR: spans of different length, from a seed
spans() {
    ends "$1" | awk -v seed="$2" -v nr="$2" '{
        srand(seed)
        for (i = 0; i < nr; i++) {
            from = $1 + (0.1 + 0.7 * rand()) * ($2 - $1)
            until = from + rand() * 0.2 * ($2 - $1)
            printf "%.0fc..%.0fc\n", from, until
        }
    }'
}

for trace in intel amd; do
    for span in $(spans $trace 3); do
        check
    done
done
for t in c2b-all credit-2pv-all rtds-real-sched svm-pvh-sched; do
    trace=$real/$t/trace.bin
    [ -f "$trace" ] || continue
    for span in $(spans "$trace" 1); do
        check
    done
done

# Early records that pass the ring by, and those of a filter, which enter it: the
# same, since this filter selects all.
expect 0 "$xensim" --virtual --boot "tevt_mask=0x0ffff000 tbuf_size=64" -T 2 \
    --cpus 4 --rate 100k --output long
[ "$(wc -c <long)" -gt 30000000 ] || fail 'the trace is shorter than the ring'
for span in 1.5..1.51 1.9..; do
    expect 0 "$xenalyze" cut long --time=$span -o piece
    expect 0 "$xenalyze" cut long --time=$span --pcpu=0-3 -o filtered
    for part in piece filtered; do
        "$xenalyze" --records --time=.. $part | grep -v ' meta_text ' >$part.txt
    done
    cmp piece.txt filtered.txt || fail "$span: early records differ"
done
rm long piece.txt filtered.txt

# Pcpus that are offline, and a domain that has ended before the span.
cat >ended.scenario <<'END'
[domain brief]
kind = hvm
vcpus = 3
load = bursty
end = 30ms

[domain long]
kind = pvh
vcpus = 3
load = busy,quiet
END
expect 0 "$xensim" --virtual --seed 4 -T 400ms --cpus 3 --rate 20k \
    --scenario ended.scenario --output short-lived
trace=short-lived
span=0.3..0.35
expect 0 "$xenalyze" cut short-lived --time=$span -o piece
same --report-latency
same --report-pcpu
"$xenalyze" --records --time=.. piece | grep -q 'runstate.* d1v' &&
    fail 'the part has vcpus of a domain that has ended'
expect 0 "$xensim" --virtual --seed 16 -T 400ms --cpus 12 --rate 100k \
    --hotplug 5ms --vcpus 4 --output hotplug
trace=hotplug
span=1099767949232c..1099863866837c
expect 0 "$xenalyze" cut hotplug --time=$span -o piece
same --summary

# Clock times do not differ, not even by rounding.
wall() {
    "$xenalyze" --json --summary "$@" | grep -o '"start_wall_ns":[0-9]*' |
        head -n 1
}
for trace in intel short-lived; do
    expect 0 "$xenalyze" cut $trace --time=0.11..0.12 -o piece
    [ -n "$(wall piece)" ] || fail 'JSON lacks the time of day'
    [ "$(wall --time=0.11..0.12 $trace)" = "$(wall piece)" ] ||
        fail "$trace: the part begins at another time of day"
done

# Seconds and clock times are those of the trace.
trace=intel
for span in 0.3..0.4 -0.2.. ..0.2; do
    expect 0 "$xenalyze" cut intel --time=$span -o piece
    same --records
    same --summary
done
expect 0 "$xenalyze" cut intel --time=0.3..0.4 -o piece
expect 0 "$xenalyze" --dump-all --time=0.3..0.31 piece
[ ! -s err ] || fail "$(cat err)"
expect 0 "$xenalyze" cut intel --time=0.3..0.5 -o first
expect 0 "$xenalyze" cut first --time=0.35..0.4 -o piece
span=0.35..0.4
same --dump-all
same --summary
same --report-latency

# Without the span, the records before it are shown as well.
expect 0 "$xenalyze" --records --time=.. piece
mv out all
expect 0 "$xenalyze" --records piece
[ "$(wc -l <all)" -gt "$(wc -l <out)" ] || fail 'no record before the span'

expect 0 "$xenalyze" cut intel --time=0.3..0.4 -o piece
expect 0 "$xenalyze" info piece
grep -q '^  part: *0\.3000000.. s to 0\.[34][0-9]* s of a trace$' out ||
    fail 'the file is not described as a part'

expect 0 "$xenalyze" info --json piece
grep -q '"part_begin_ns":300000000,.*"part_end_ns":400000000,' out ||
    fail 'JSON lacks the span of the part'
expect 0 "$xenalyze" info --json intel
grep -q '"part_begin' out && fail 'a whole trace is described as a part'

# A part that lacks records within its span names what selected the others.
expect 0 "$xenalyze" latency piece
[ -s err ] && fail 'a part with all records of its span is said to lack some'
expect 0 "$xenalyze" cut intel --domain=1 --time=0.3..0.4 -o part
expect 0 "$xenalyze" info part
grep -qx '  selection: --domain=1' out || fail 'the selection is not described'
for input in part -; do
    "$xenalyze" why $input <part >out 2>err || fail "no report: $(cat err)"
    expect_message ' has only those records of a trace that --domain=1 selected'
done
pcpus=0,$(seq -s , 100 140)
expect 0 "$xenalyze" cut part --pcpu="$pcpus" -o part-of-part
expect 0 "$xenalyze" info --json part-of-part
grep -q "\"selection\":\"--domain=1, --pcpu=$pcpus\"" out ||
    fail 'the selection of a part of a part is not described'
rm part part-of-part

# Marks of the span stay, with their times.
python3 - >marks.lines <<'END' || skip "there is no python3 to write marks"
import struct
for at, mark in (1, b""), (2, b"before"), (3, b"inside"), (5, b"behind"):
    print("0 - 0x1f083 %d 0 %d 0 %d 0 0" % ((at * 1000000,) * 3))
    if mark:
        print("0 - 0x1f087 %d" % (15 | 1 << 24),
              *struct.unpack("<6I", mark.ljust(24, b"\0")))
    print("0 %d 0x21101 0x10000" % (at * 1000000))
    print("0 %d 0x21011 0x10000" % (at * 1000000 + 500000))
END
compose marked <marks.lines
# Marks are found in the middle of a window, too.
expect 0 "$xenalyze" info marked
[ "$(sed -n 's/^  mark:.*: //p' out | tr '\n' ' ')" = 'before inside behind ' ] ||
    fail "marks behind events: $(grep mark: out)"
expect 0 "$xenalyze" cut marked --time=2700000c..3900000c -o piece
expect 0 "$xenalyze" info piece
grep 'mark:' out >marks
[ "$(grep -c . marks)" -eq 1 ] && grep -q ' 0\.0008333.*inside$' marks ||
    fail "marks of the part: $(cat marks)"

# Losses in the span stay losses, and parts that are left out are none.
lost() {
    "$xenalyze" --records "$@" | grep -c 'records lost from'
}
expect 0 "$xenalyze" cut lossy --time=0.3..0.6 -o piece
[ "$(lost --time=0.3..0.6 lossy)" -gt 1 ] || fail 'the trace has no losses'
[ "$(lost --time=0.3..0.6 lossy)" -eq "$(lost piece)" ] || fail 'losses differ'
expect 0 "$xenalyze" cut intel --time=0.3..0.6 -o piece
[ "$(lost --time=.. piece)" -eq 0 ] || fail 'a loss that the trace lacks'

# Filters hold, also for the records before the span.
expect 0 "$xenalyze" cut intel --time=0.3..0.4 --event=hvm --pcpu=1 -o piece
expect 0 "$xenalyze" --records --time=.. piece
awk '$1 != 1 || $3 !~ /^(vm|hvm_|meta_)/ { exit 1 }' out ||
    fail "$(awk '$3 !~ /^(hvm_|vm|meta_)/' out | sed 3q)"
expect 0 "$xenalyze" --records --time=0.3..0.4 --event=hvm --pcpu=1 intel
mv out want
expect 0 "$xenalyze" --records piece
grep -v ' meta_' out | cmp want - >&2 || fail 'other records are selected'
expect 0 "$xenalyze" cut intel --vcpu=d1v0 --time=0.3..0.4 -o piece
expect 0 "$xenalyze" --records piece
[ -s out ] || fail 'no record of the vcpu'

# Every kind of input gives the same part.
expect 0 "$xenalyze" cut intel --time=0.3..0.4 -o piece
expect 0 sh -c '"$1" cut --time=0.3..0.4 <intel | cat >piped' sh "$xenalyze"
cmp piece piped >&2 || fail 'a file is cut in another way than a pipe'
expect 0 "$xenalyze" cut --time=0.3..0.4 -o - intel
cmp piece out >&2 && [ ! -e ./- ] || fail '-o - is not standard output'
if command -v zstd >/dev/null; then
    zstd -q intel -o intel.zst
    expect 0 "$xenalyze" --cut piped --time=0.3..0.4 intel.zst
    cmp piece piped >&2 || fail 'a compressed file is cut in another way'
fi

# Damage in the trace: the part is sound.
cp intel damaged
head -c 5000 /dev/zero | dd of=damaged bs=1000 seek=500 conv=notrunc 2>dd
expect 0 "$xenalyze" --cut piece damaged
grep -q 'bytes were skipped' err || fail "no warning: $(cat err)"
expect 0 "$xenalyze" --records --time=.. piece
[ ! -s err ] || fail "the part is damaged: $(cat err)"

# The span of a damaged record is ignored.
compose wrong <<'END'
0 - 0x1f095 1 0 9 0 1 0
0 1000000 0x21101 0x10000
0 1000100 0x21031 0x10000
END
expect 0 "$xenalyze" --records wrong
[ "$(wc -l <out)" -eq 3 ] || fail 'records of a sound part are hidden'

# Nothing is left behind by failures, and the trace is never replaced.
touch after; ls >before
expect 2 "$xenalyze" --cut intel intel
expect_message 'intel is the trace: give the output another name'
expect 2 "$xenalyze" cut intel -o intel
expect 2 "$xenalyze" --follow --cut new intel
expect_message 'leave out --follow'
expect 2 "$xenalyze" --cut - --summary intel
expect_message 'cut is an output of its own'
expect 1 "$xenalyze" --cut /dev/full intel
expect_message 'cannot write /dev/full: No space left on device'
echo old >kept
(
    trap '' XFSZ
    ulimit -f 16
    exec "$xenalyze" --cut kept intel
) >out 2>err && fail 'no error from a full disk'
expect_message 'cannot write kept: File too large'
[ "$(cat kept)" = old ] || fail 'a full disk leaves half a file'
rm kept
expect 1 "$xenalyze" --cut new --time=7000.. intel
expect_message 'selects nothing'
expect 1 "$xenalyze" --cut new --event=dom0op --time=0.3..0.4 intel
expect 1 "$xenalyze" --cut new /dev/null
for n in 1 5 20 40 60 80 100 120; do
    FAULT=alloc:$n "$xenalyze" --cut piece intel >out 2>err || [ $? -eq 1 ] ||
        fail "allocation $n: $(cat err)"
done
ls >after
cmp before after >&2 || fail "files are left: $(diff before after)"

# Xen's own xenalyze reads a part.
stock=$("$top_srcdir/tests/truth/fetch") || exit 0
expect 0 "$xenalyze" cut intel --time=0.3..0.4 -o piece
expect 0 "$stock" --dump-all piece
grep -q 'runstate' out || fail 'the other xenalyze reads no record'
