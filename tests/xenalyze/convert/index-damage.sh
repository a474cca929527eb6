#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Indexes of traces that are damaged, torn, growing, or several captures: reports
# print the same with and without them.
. "$top_srcdir/tests/xenalyze/convert/index-lib.sh"

play_mix
expect 0 "$xenalyze" index mix
play_amd

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
traces='wrong missing zero'
! saves_time || traces=wrong
for trace in $traces; do
    expect 0 "$xenalyze" index $trace
    grep -qE "^$trace.xti: ([2-9]|[1-9][0-9]+) checkpoints, " out ||
        fail "$(cat out)"
    check_reports $trace 13.2..13.25
    for span in 11.9..12 12.7..12.7005 13.5..13.6 13.95.. 0.1..0.2; do
        for command in latency 'export json'; do
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
