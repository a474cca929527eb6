#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events of programs among the records of a trace: each event once, at its time;
# filters; files of another boot, damaged and hostile files.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

simpletrace=$top_builddir/tools/simpletrace/simpletrace
play xen --kind hvm --cpus 3 --programs programs --truth truth

# --- each event, at its time ---------------------------------------------------

"$simpletrace" programs >events || fail 'simpletrace cannot read the events'
nr=$(wc -l <events)
[ "$nr" -gt 100 ] || fail "only $nr events"
expect 0 "$xenalyze" dump xen
mv out alone
for threads in 1 2 5; do
    expect 0 "$xenalyze" dump --threads=$threads xen programs
    [ -s err ] && fail 'a message'
    [ "$threads" -eq 1 ] || cmp -s out both ||
        fail "$threads threads print other lines"
    mv out both
done
grep -v '^\*' both | cmp -s - alone || fail 'lines of records differ'
[ "$(grep -c '^\*' both)" -eq "$nr" ] || fail "not $nr events"

# The times of all lines rise, and the texts are those of simpletrace.
sed -n 's/^.  *\([0-9]*\.[0-9]*\) .*/\1/p' both | sort -nc ||
    fail 'lines are not in the order of time'
sed -n 's|^\* *[0-9.]* *qemu/\(.*\)|\1|p' both >got
cut -d ' ' -f 3- events | cmp -s - got || fail 'events have other texts'

# The order of names of programs and files does not matter.
expect 0 "$xenalyze" dump programs xen
cmp -s out both || fail 'the order of files matters'

# Time stamps of --records: the true times of the events.
expect 0 "$xenalyze" --records xen programs
awk '$1 == "-" { print $2, $3 }' out >got
sed -n 's/.*"program".*"event":"\(.*\)","at":\([0-9]*\).*/\2 \1/p' truth |
    sort -n >want
[ "$(wc -l <got)" -eq "$nr" ] || fail "--records: not $nr events"
paste got want | awk '
    { apart = $1 - $3; if ( apart < 0 ) apart = -apart }
    apart > 3 || $2 != $4 { print; bad = 1 }
    END { exit bad || !NR }' || fail 'time stamps are not the true ones'

# --- filters -------------------------------------------------------------------

expect 0 "$xenalyze" dump --event 'dma_*' xen programs
[ "$(grep -c ' dma_start ' out)" -eq "$(grep -c ' dma_start ' both)" ] ||
    fail '--event: events are missing'
[ "$(grep -vc ' dma_start ' out)" -eq 0 ] || fail '--event: other lines'
expect 0 "$xenalyze" dump --event 'dma_start,runstate_change' xen programs
grep -q ' runstate_change ' out || fail '--event: no records'
expect 0 "$xenalyze" dump --event hvm xen programs
grep -q '^\*' out && fail '--event: events of programs in a class of Xen'
expect 2 "$xenalyze" dump --event no_such_name xen programs
expect_message 'no_such_name is invalid'
expect 2 "$xenalyze" dump --event no_such_name xen

expect 0 "$xenalyze" dump --time 0.2..0.3 xen programs
sed -n 's/^\* *\([0-9.]*\) .*/\1/p' out >got
sed -n 's/^\* *\([0-9.]*\) .*/\1/p' both |
    awk '$1 >= 0.2 && $1 <= 0.3' >want
[ -s want ] || fail 'no event in the span'
cmp -s got want || fail '--time selects other events'

expect 2 "$xenalyze" --records --order=file xen programs
expect_message 'order of time only'

# --- files of another boot -----------------------------------------------------

expect 2 "$xenalyze" dump programs
expect_message 'name a trace of Xen beside it'
expect 0 "$xenalyze" exits xen programs
expect_message 'no place for events of programs'

play other --kind hvm --cpus 3 --seed 4 --programs others
expect 1 "$xenalyze" dump xen others
expect_message 'boot id differs'

# Without a boot id, the wall clock decides.
LC_ALL=C sed 's/ boot [0-9a-f-]* / /; s/pid 1000 host xensim/& its boot has no number at all for now/' \
    programs >nameless
expect 0 "$xenalyze" dump xen nameless
expect_message 'assuming that nameless'
LC_ALL=C sed 's/0 1767225600000000000/0 1767229600000000000/' nameless >later
expect 1 "$xenalyze" dump xen later
expect_message 'the wall clock differs'

# --- damage, losses, hostile files ---------------------------------------------

size=$(wc -c <programs)
head -c $((size - 7)) programs >cut
expect 0 "$xenalyze" dump xen cut
[ "$(grep -c '^\*' out)" -eq $((nr - 1)) ] || fail 'a cut file: other events'

{ head -c $((size / 2)) programs; head -c 999 /dev/zero; \
    tail -c +$((size / 2 + 1)) programs; } >torn
expect 0 "$xenalyze" dump xen torn
expect_message 'damaged bytes'

# An event of losses: 41 events.
{
    cat programs
    printf '\001\000\000\000\000\000\000\000'
    printf '\376\377\377\377\377\377\377\377'
    printf '\000\312\232\073\000\000\000\000\040\000\000\000\350\003\000\000'
    printf '\051\000\000\000\000\000\000\000'
} >lossy
expect 0 "$xenalyze" dump --time 0..1.1 xen lossy
expect_message 'the program lost 41 events'

for n in 24 40 100 200; do
    head -c $n programs >short
    expect 0 "$xenalyze" dump xen short
    [ "$(wc -l <err)" -ge 1 ] || fail "no message about $n bytes"
done

# Faults: one line, and exit code 1; no crash.
for fault in alloc read open; do
    n=1
    while [ $n -le 40 ]; do
        FAULT=$fault:$n "$xenalyze" dump --threads=1 xen programs >out 2>err
        code=$?
        [ $code -le 1 ] || fail "FAULT=$fault:$n: exit code $code"
        [ $code -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] ||
            fail "FAULT=$fault:$n: not one line"
        n=$((n + 3))
    done
done
