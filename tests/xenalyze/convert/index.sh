#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With the index of a trace, reports of a span read a small part of the trace,
# and info and count nothing of it; all print the same.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

run_xensim() {
    expect 0 "$xensim" --virtual --boot tbuf_size=64 "$@"
}

# same_output TRACE COMMAND... : the output with and without the index is equal
same_output() {
    trace=$1; shift
    "$xenalyze" "$@" "$trace" >with 2>with.err
    with=$?
    mv "$trace.xti" aside
    "$xenalyze" "$@" "$trace" >without 2>without.err
    without=$?
    mv aside "$trace.xti"
    [ $with -eq $without ] && [ -s without ] && cmp with without >&2 &&
        cmp with.err without.err >&2 || {
        diff without with | sed 20q >&2
        fail "$trace: $* differs: $(cat with.err)"
    }
}

# same TRACE SPAN COMMAND... : likewise, of a span
same() {
    trace=$1; span=$2; shift 2
    same_output "$trace" "$@" --time="$span"
}

# same_counts TRACE: what the index has for info and count is right
same_counts() {
    for command in info 'info --json' 'info --csv' 'info --cpu-hz=1G' --info \
        count 'count --sort=name --top=3' 'count --domain=1' '--count --info' \
        '--info --summary --threads=1' \
        '--count --report-interrupts --threads=1' '--info --count --time=0.1..'
    do
        # shellcheck disable=SC2086
        same_output "$1" $command
    done
}

check_reports() {
    for command in summary latency exits why io wakeups --report-interrupts \
        --report-pcpu 'export json' --cut=- dump \
        'compare --against=0.2..0.5' 'latency --domain=1'
    do
        # shellcheck disable=SC2086
        same "$1" "$2" $command
    done
}

# A part is used if it is far shorter than what is in front of it.
run_xensim -T 14 --seed 3 --cpus 4 --kind mix --rate 10k --output mix
run_xensim -T 14 --seed 5 --cpus 6 --kind hvm --load io --rate 5k \
    --vendor amd --hotplug 150ms --output amd
run_xensim -T 14 --seed 7 --cpus 4 --kind mix --rate 5k --tsc-skew 300us \
    --output skewed
for trace in mix amd skewed; do
    expect 0 "$xenalyze" index $trace
    grep -qE "^$trace.xti: ([2-9]|[1-9][0-9]+) checkpoints, " out ||
        fail "$(cat out)"
    [ $trace = skewed ] || check_reports $trace 13.2..13.25
    same_counts $trace
    for span in 12.7..12.7005 13.95.. 0.1..0.2 5..9; do
        same $trace $span summary
        same $trace $span --cut=-
    done
done

# Clocks that differ, and cannot be corrected: a span has too few records to
# find out.
expect 0 "$xensim" --virtual --boot 'tbuf_size=256 tevt_mask=0x2f000' -T 20 \
    --seed 631260 --cpus 4 --online 2 --kind pvh --load busy --rate 5k \
    --tsc-skew 300us --domains 60 --vcpus 3 --ratelimit 0 --output contradictory
expect 0 "$xenalyze" index contradictory
expect_message 'reports will not use the index, since the clocks of pcpus differ'
for command in latency why; do
    same contradictory 18..18.1 $command
    grep -q 'waits may be wrong by' without.err || fail 'no contradiction'
done

# The first records of a pcpu are in the span.
run_xensim -T 14 --seed 724363 --cpus 4 --online 2 --hotplug 3s --kind pv \
    --load bursty --vendor amd --storm 300ms --rate 10k --output late
expect 0 "$xenalyze" index late
first=$("$xenalyze" --scatterplot-pcpu late |
        awk '$3 == 3 { print $2; exit }')
[ "${first%.*}" = 11 ] || fail "pcpu 3 appears at $first, not at 11 s"
for command in pcpus latency summary --cut=-; do
    same late "$first..12" $command
done

# The index is used: damage at the begin of the trace, which the index does not
# notice, is not read.
cp -p mix begin_lost
cp mix.xti begin_lost.xti
head -c 3000 /dev/zero | dd of=begin_lost bs=1000 seek=500 conv=notrunc 2>dd
touch -r mix begin_lost
same mix 13.2..13.25 latency
mv with want
expect 0 "$xenalyze" latency --time=13.2..13.25 begin_lost
sed 's/begin_lost/mix/g' out | cmp want - >&2 || fail 'the index is not used'
[ ! -s err ] || fail "records before the checkpoint are read: $(cat err)"
for command in info count; do
    expect 0 "$xenalyze" $command mix
    mv out want.$command
    expect 0 "$xenalyze" $command begin_lost
    sed 's/begin_lost/mix/g' out | cmp want.$command - >&2 ||
        fail "$command reads the trace"
    [ ! -s err ] || fail "$command reads the trace: $(cat err)"
done
rm begin_lost.xti
expect 0 "$xenalyze" latency --time=13.2..13.25 begin_lost
grep -q damaged err || fail 'the damage is not read without the index'

# The index of a damaged trace has checkpoints behind the damage, and the damage:
# reports mention that, but do not read it again.
expect 0 "$xenalyze" index begin_lost
grep -qE 'begin_lost.xti: ([2-9]|[1-9][0-9]+) checkpoints' out ||
    fail "$(cat out)"
[ ! -s err ] || fail "$(cat err)"
check_reports begin_lost 13.2..13.25
same_counts begin_lost
expect 0 "$xenalyze" info begin_lost
mv out want.damage
expect 0 "$xenalyze" latency --time=13.2..13.25 begin_lost
cp out want.latency
mv err want.err
touch -r begin_lost time
dd if=/dev/zero of=begin_lost bs=1000 seek=700 count=1 conv=notrunc 2>dd
touch -r time begin_lost
expect 0 "$xenalyze" info begin_lost
cmp out want.damage >&2 || fail 'info reads a damaged trace'
expect 0 "$xenalyze" latency --time=13.2..13.25 begin_lost
cmp out want.latency >&2 || fail 'latency reads all of a damaged trace'
cmp err want.err >&2 || fail "another warning: $(cat err)"
rm begin_lost*

# damage TRACE STEP: eight bytes are wrong, each STEP bytes
damage() {
    size=$(wc -c <"$1")
    at=$2
    while [ "$at" -lt $((size - 8)) ]; do
        printf '\252\125\001\000\377\100\003\277' |
            dd of="$1" bs=1 seek="$at" conv=notrunc 2>dd
        at=$((at + $2))
    done
}

# Wrong records and times, here and there, also near and in the spans; bytes that
# are missing; pages that are zero; windows with broken seals.
cp mix wrong
damage wrong 1234567
cp amd missing
size=$(wc -c <missing)
{
    head -c $((size / 3)) amd
    tail -c +$((size / 3 + 20001)) amd
} >missing
cp mix zero
size=$(wc -c <zero)
for part in 20 45 60 85; do
    dd if=/dev/zero of=zero bs=4096 seek=$((size / 409600 * part)) count=2 \
        conv=notrunc 2>dd
done
for trace in wrong missing zero; do
    expect 0 "$xenalyze" index $trace
    grep -qE "^$trace.xti: ([2-9]|[1-9][0-9]+) checkpoints, " out ||
        fail "$(cat out)"
    check_reports $trace 13.2..13.25
    for span in 11.9..12 12.7..12.7005 13.5..13.6 13.95.. 0.1..0.2; do
        for command in latency summary pcpus 'export json'; do
            # shellcheck disable=SC2086
            same $trace $span $command
        done
    done
    same_counts $trace
    rm $trace*
done

# Several captures have no checkpoint.
cat amd mix >several
expect 0 "$xenalyze" index several
grep -q '^several.xti: 0 checkpoints' out || fail "$(cat out)"
grep -q 'the index serves --info and --count only, since the trace has' err ||
    fail "$(cat err)"
same several 13.2..13.25 latency
same_counts several
rm several*

# An index that does not fit is written anew by a report, in silence.
cp mix touched
cp mix.xti touched.xti
touch -d 2020-01-01 touched
expect 0 "$xenalyze" latency --time=13.2..13.25 touched
sed 's/touched/mix/g' out | cmp want - >&2 || fail 'a stale index: other output'
[ ! -s err ] || fail "$(cat err)"
cmp -s mix.xti touched.xti && fail 'the index was not written anew'
cp touched.xti renewed
expect 0 "$xenalyze" latency --time=13.2..13.25 touched
cmp touched.xti renewed >&2 || fail 'an index that fits was written anew'
# Without an index, none is written.
rm touched.xti
expect 0 "$xenalyze" latency --time=13.2..13.25 touched
[ ! -e touched.xti ] || fail 'an index was written without being asked for'
rm touched

# The index of a trace that ended abruptly is used, that of one that has grown is
# ignored, and that of another trace, which is longer, is written anew.
head -c 30000000 mix >growing
expect 0 "$xenalyze" index growing
grep -qE 'growing.xti: ([1-9]|[1-9][0-9]+) checkpoints?, ' out ||
    fail "a capture that ended abruptly: $(cat out)"
same_counts growing
# Reports with an index know that records are missing at the torn end.
for span in 4.3..4.35 4.9..; do
    for command in summary latency pcpus wakeups 'export json' --cut=-; do
        # shellcheck disable=SC2086
        same growing $span $command
    done
done
expect 0 "$xenalyze" latency --time=4.3..4.35 growing
grep -q 'growing: damaged (places: 1)' err || fail "no torn end: $(cat err)"
cp growing.xti before
tail -c +30000001 mix >>growing
expect 0 "$xenalyze" latency --time=13.2..13.25 growing
sed 's/growing/mix/g' out | cmp want - >&2 || fail 'a grown trace: other output'
cmp growing.xti before >&2 || fail 'the index of a grown trace was replaced'
same_counts growing
cat amd mix >growing
expect 0 "$xenalyze" latency --time=13.2..13.25 growing
cmp -s growing.xti before && fail 'the index of another trace was used'
# Several captures: the span selects from each.
same growing 13.2..13.25 latency
same growing 13.2..13.25 --cut=-
same_counts growing
rm growing growing.xti

# Lost records; seals, texts and marks of our collector; the same capture twice;
# captures one after another of which one is damaged.
run_xensim -T 1 --seed 9 --cpus 2 --rate 200k --boot tbuf_size=2 \
    --drain 20ms --output lossy
expect 0 "$xenalyze" info lossy
grep -qE '^  lost:    [1-9][0-9]* records' out || fail 'no record is lost'
expect 0 "$xensim" --cpus 2 --rate 0 -- "$xentrace" -S 1 -s 100 -T 0.5 \
    --comment 'a comment' sealed
cat lossy lossy >twice
cat sealed lossy sealed >several
head -c 200000 /dev/zero | dd of=several bs=1000 seek=300 conv=notrunc 2>dd
"$xenalyze" --cut=part --time=0.2..0.4 lossy >out 2>err || fail "$(cat err)"
for trace in lossy sealed twice several part; do
    expect 0 "$xenalyze" index $trace
    same_counts $trace
done

rm lossy* twice* sealed* several* part*

# Any byte of an index may be wrong.
size=$(wc -c <mix.xti)
for at in 0 9 14 20 30 41 50 60 70 80 200 2000 $((size / 2)) $((size - 3000)) \
    $((size - 500)) $((size - 9)) $((size - 1))
do
    expect 0 "$xenalyze" index mix
    printf '\252' | dd of=mix.xti bs=1 seek=$at conv=notrunc 2>dd
    expect 0 "$xenalyze" latency --time=13.2..13.25 mix
    cmp out want >&2 || fail "byte $at of the index is wrong: other output"
done

# number OFFSET BYTES: a number in the header of the index
number() {
    od -An -tu"$2" -j"$1" -N"$2" mix.xti | tr -d ' '
}

# Any byte of the counts may be wrong: the checkpoints are used all the same.
expect 0 "$xenalyze" index mix
counts=$(number 56 8)
length=$(number 64 4)
[ "$length" -gt 1000 ] || fail "$length bytes of counts"
for at in 0 8 100 130 200 600 $((length / 2)) $((length - 1)); do
    expect 0 "$xenalyze" index mix
    printf '\252' | dd of=mix.xti bs=1 seek=$((counts + at)) conv=notrunc 2>dd
    for command in info count; do
        expect 0 "$xenalyze" $command mix
        cmp out want.$command >&2 || fail "byte $at of the counts: $command"
        [ ! -s err ] || fail "byte $at of the counts: $(cat err)"
    done
    cp mix.xti before
    expect 0 "$xenalyze" latency --time=13.2..13.25 mix
    cmp before mix.xti >&2 || fail "byte $at of the counts: a new index"
done
for size in 0 1 71 72 87 88 500; do
    expect 0 "$xenalyze" index mix
    cp mix.xti whole
    head -c $size whole >mix.xti
    for command in info count; do
        expect 0 "$xenalyze" $command mix
        cmp out want.$command >&2 || fail "an index of $size bytes: $command"
    done
    expect 0 "$xenalyze" latency --time=13.2..13.25 mix
    cmp out want >&2 || fail "an index of $size bytes: other output"
done

# Inputs without an index.
for path in - /dev/stdin; do
    code=0
    "$xenalyze" index $path <mix >out 2>err || code=$?
    [ $code -eq 1 ] || fail "an index of $path: exit code $code"
    expect_message 'an index is beside a file: give the name of the trace'
    [ ! -e $path.xti ] || fail "there is $path.xti"
done
if command -v zstd >/dev/null; then
    zstd -q mix -o mix.zst
    expect 1 "$xenalyze" index mix.zst
    expect_message 'only a file that is neither compressed nor of the other'
    rm mix.zst
fi
if command -v python3 >/dev/null; then
    head -c 30000 mix >short
    python3 -c 'import array, sys
a = array.array("I", open("short", "rb").read())
a.byteswap()
a.tofile(open("swapped", "wb"))'
    expect 1 "$xenalyze" index swapped
    expect_message 'neither compressed nor of the other byte order can have an'
fi
expect 1 "$xenalyze" index amd mix
expect 2 "$xenalyze" index --time=1..2 mix
expect_message '--index has the whole file: leave out --time'
: >empty
expect 1 "$xenalyze" index empty
expect_message 'empty is empty: capture a trace'
[ ! -e empty.xti ] || fail 'an index of nothing'
head -c 100000 /dev/urandom >noise
expect 1 "$xenalyze" index noise
[ ! -e noise.xti ] || fail 'an index of noise'

# Other files of the index's name: a report leaves them alone, and only regular
# files are replaced by an index.
ln mix named
echo precious >named.xti
expect 0 "$xenalyze" latency --time=13.2..13.25 named
[ "$(cat named.xti)" = precious ] || fail 'a report replaced another file'
rm named.xti
for kind in 'mkfifo' 'mkdir' 'ln -s mix' 'ln -s /dev/null'; do
    $kind named.xti
    expect 1 "$xenalyze" index named
    expect_message 'cannot write named.xti: it is '
    expect 0 "$xenalyze" latency --time=13.2..13.25 named
    sed 's/named/mix/g' out | cmp want - >&2 || fail "$kind: other output"
    rm -r named.xti
done
cmp mix named >&2 || fail 'the index replaced the trace'
rm named

# A full disk: one line, and the index that was there stays.
expect 0 "$xenalyze" index mix
cp mix.xti before
(
    trap '' XFSZ
    ulimit -f 1
    exec "$xenalyze" index mix
) >out 2>err && fail 'no error from a full disk'
grep -q '^xenalyze: cannot write mix.xti: ' err || fail "$(cat err)"
cmp mix.xti before >&2 || fail 'a failure damaged the index'
set -- *.xti.*
[ ! -e "$1" ] || fail "a failure left $1"

# A failure inside is an error, or the trace is read from its begin.
for kind in alloc open read mmap; do
    nr=1
    while [ $nr -lt 200 ]; do
        FAULT=$kind:$nr "$xenalyze" latency --time=13.2..13.25 mix >out 2>err
        case $? in
        0) cmp out want >&2 || fail "$kind $nr: another output" ;;
        1) [ "$(wc -l <err)" -eq 1 ] || fail "$kind $nr: $(cat err)" ;;
        *) fail "$kind $nr: it crashes" ;;
        esac
        for command in info count; do
            FAULT=$kind:$nr "$xenalyze" $command mix >out 2>err
            case $? in
            0) cmp out want.$command >&2 || fail "$command, $kind $nr" ;;
            1) [ "$(wc -l <err)" -eq 1 ] || fail "$kind $nr: $(cat err)" ;;
            *) fail "$command, $kind $nr: it crashes" ;;
            esac
        done
        FAULT=$kind:$nr "$xenalyze" index mix >out 2>err
        case $? in
        0) ;;
        1) [ "$(wc -l <err)" -eq 1 ] || fail "$kind $nr: $(cat err)" ;;
        *) fail "index, $kind $nr: it crashes" ;;
        esac
        nr=$((nr + 1 + nr / 2))
    done
done
set -- *.xti.*
[ ! -e "$1" ] || fail "a failure left $1"
