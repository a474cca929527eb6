#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events of programs in text: of the log back end, and of ftrace with both of
# its clocks.  The lines are made from a trace of the simple back end, so all
# have the times of that trace.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

play xen --kind hvm --cpus 3 --programs programs
expect 0 "$xenalyze" --records xen programs
awk '$1 == "-"' out >events
nr=$(wc -l <events)
[ "$nr" -gt 100 ] || fail "only $nr events"

# make_text FORM: lines of this form; the clock of the simulation has 2.4 GHz,
# and begins at 2^40 cycles and 2026-01-01.
make_text() {
    awk -v form="$1" '{
        cycles = $2 - 1099511627776
        us = int(cycles / 2400)
        name = $3; pid = $4; sub(/.*\//, "", pid)
        args = $0; sub(/.*qemu\/[0-9]* /, "", args)
        if ( form == "log" )
            printf "%d@%d.%06d:%s %s\n", pid, 1767225600 + int(us / 1000000),
                us % 1000000, name, args
        if ( form == "mono" )
            printf "   qemu-dm-%d  [00%d] d..2. %6d.%06d: %s: %s\n", pid,
                NR % 3, int(us / 1000000), us % 1000000, name, args
        if ( form == "tsc" )
            printf "          <...>-%-5d [001] %.0f: %-20s %s\n", pid, $2,
                name ":", args
    }' events
}

# judge FILE MOST: the same events, at most MOST cycles earlier
judge() {
    expect 0 "$xenalyze" --records xen "$1"
    awk '$1 == "-"' out >got
    [ "$(wc -l <got)" -eq "$nr" ] || fail "$1: not $nr events"
    paste -d '|' got events | awk -v most="$2" -F '|' '{
        split($1, a, " "); split($2, b, " ")
        if ( b[2] - a[2] > most || a[2] - b[2] > 3 || a[3] != b[3] )
            { print; bad = 1 }
    } END { exit bad || !NR }' || fail "$1: other times or names"
    sed 's/.*[0-9] \(port\|0x\|sector\)/\1/' got >args
    sed 's/.*[0-9] \(port\|0x\|sector\)/\1/' events | cmp -s - args ||
        fail "$1: other arguments"
}

# A log has microseconds; the time stamps of ftrace are exact.
make_text log >log
judge log 2400
[ -s err ] && fail 'a message about a log, whose clock is the wall clock'
{ echo 'cpus=3'; make_text mono; } >mono
judge mono 2400
expect_message 'assuming that mono is from the same boot'
{ echo '# tracer: nop'; echo '#'; make_text tsc; } >tsc
judge tsc 0

# Several files at once: each event three times.
expect 0 "$xenalyze" dump xen log programs tsc
[ "$(grep -c '^\*' out)" -eq $((3 * nr)) ] || fail 'not all events of 3 files'
grep -q ' log/1001 dma_start ' out || fail 'no label of the log'
grep -q ' <...>/1001 dma_start ' out || fail 'no name of the task'

# The report splits by events of any of these.
expect 0 "$xenalyze" io xen log
grep -q 'through log/1001:' out || fail 'no device model in the log'

# Lost events come before the next event, or behind the last one.
awk 'NR == 10 { print "CPU:1 [123 EVENTS DROPPED]"
                print "CPU:0 [LOST 7 EVENTS]" }
     NR == 30 { print "CPU:1 [EVENTS DROPPED]" }
     NR == 50 { print "CPU:x [9 EVENTS DROPPED]" }
     { print }
     END { print "CPU:2 [11 EVENTS DROPPED]" }' tsc >lossy
expect 0 "$xenalyze" dump xen lossy
grep -q 'lossy: the program lost 142 events' err || fail 'not 142 lost events'
grep -q 'lossy: skipped .* damaged bytes in 1 places' err ||
    fail 'a wrong line is not counted'
[ "$(grep -c '^[*]' out)" -eq "$nr" ] || fail 'events of the text are missing'
[ "$(grep -c '^! .* lost [0-9]* event' out)" -eq 3 ] || fail 'not all losses are lines'

# Lines that are no events are counted; a file of such lines is no trace.
sed '20s/.*/a line of a library/; 40s/@/ at /' log >mixed
expect 0 "$xenalyze" dump xen mixed
expect_message 'damaged bytes in 2 places'
echo 'no event' >text
expect 1 "$xenalyze" dump xen text

# Hostile numbers, escapes and lengths.
{
    head -n 3 log
    echo '99999999999999999999@1.000001:name'
    echo '1@99999999999999999999.000001:name'
    echo '1@18446744073709551615.5:name'
    echo '1@1.:name'
    echo '1@1.5:'
    printf '1@1767225600.5:na\033[31mme %s\n' "$(head -c 5000 /dev/zero |
        tr '\0' x)"
    printf '1@1767225600.5:\000\n'
    printf '1@1767225600.5:last'
} >hostile
expect 0 "$xenalyze" dump xen hostile
grep -q 'na?\[31mme xxx' out || fail 'an escape is not cleaned'
grep -q ' last$' out || fail 'no event in a last line without an end'

# Declarations that cannot be read are an error, also if no file needs them.
printf 'event(int a "%%d"\n' >bad-events
printf 'event(int a) "%%d"\n' >good-events
for traces in xen 'xen mixed'; do
    # shellcheck disable=SC2086 # several words
    expect 1 "$xenalyze" --program-events=nofile dump $traces
    expect_message 'cannot open nofile'
    [ ! -s out ] || fail "$traces: output"
    # shellcheck disable=SC2086
    expect 1 "$xenalyze" --program-events=bad-events summary $traces
    expect_message 'bad-events:1:'
    # shellcheck disable=SC2086
    expect 0 "$xenalyze" --program-events=good-events summary $traces
done
