#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reports are limited to the selected vcpu, time or pcpu, or print a message if
# they cannot be.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

play --duration=300ms --seed=9
report="$xenalyze --summary --report-latency"

# known REPORT: the rows of time accounts, with durations
known() {
    awk '/^---/ { here = /Where the time went/ }
         here && /^ [^ ]+\/[0-9]+ / && / [0-9.]+s$/ {
             sum = 0
             for ( i = 2; i < NF; i++ )
                 sum += $i
             if ( sum > 99.95 && sum < 100.05 )
                 print $1, $NF
         }' "$1"
}

expect 0 $report trace
known out >all
[ "$(wc -l <all)" -gt 3 ] || fail "that are not many vcpus"
vcpu=$(sed -n '2s/ .*//p' all)

expect 0 $report --vcpu "$vcpu" --time 0.1..0.2 trace
mv out mapped
known mapped >some
[ "$(cat some)" = "$vcpu 0.10s" ] ||
    fail "of $vcpu, for 0.1 s, it knows: $(cat some)"

expect 0 sh -c "cat trace | $report --vcpu $vcpu --time 0.1..0.2"
cmp -s out mapped || fail "the report of a stream differs"

expect 0 "$xenalyze" --report-pcpu --pcpu 1 trace
[ "$(grep -c '^pcpu' out)" = 1 ] && grep -q '^pcpu 1$' out ||
    fail "not pcpu 1 alone"

expect 2 "$xenalyze" --summary --event sched_wake trace
grep -q -- '--event: a report needs all events' err ||
    fail "the message does not explain --event: $(cat err)"

# Seconds are only as good as the speed of the clock.
expect 0 "$xensim" --cpus 1 -- "$xentrace" --plain -e sched -T 0.1 plain
expect 0 "$xenalyze" --summary plain
grep -q '^ clock: the TSC frequency is assumed' out ||
    fail "no message about the guess"
expect 0 "$xenalyze" --summary --cpu-hz 2.4G plain
! grep -q '^ clock: ' out || fail "a guess, although the frequency is given"
expect 0 "$xenalyze" --summary trace
! grep -q '^ clock: ' out || fail "a guess, although the frequency is given"

# --verbose reports how reliable the order is.
expect 0 "$xenalyze" --verbose --dump-all trace
grep -q 'order in time is exact$' err || fail "a file: $(cat err)"
expect 0 sh -c "cat trace | $xenalyze --verbose --dump-all"
grep -q ' passes: [1-9][0-9]*, .* late records: 0$' err ||
    fail "a stream: $(cat err)"

# All records are counted in the order of the file, those of a span in that of
# time.
expect 0 "$xenalyze" count trace
mv out counts
expect 0 "$xenalyze" count trace --time 0..1h
cmp -s out counts || fail "counts depend on the order"
expect 0 sh -c "cat trace | $xenalyze count -"
cmp -s out counts || fail "counts of a stream differ"

# Metadata without a time before the first time stamp does not start time.
{
    printf '\003\360\001\040\0\0\0\0\010\0\0\0'
    printf '\023\040\010\020\0\0\0\0'
    cat trace
} >noted
expect 0 "$xenalyze" --summary noted
known out | cmp -s - all || fail "a note moved the beginning"
expect 0 sh -c "cat noted | $xenalyze --summary"
known out | cmp -s - all || fail "of a stream, a note moved the beginning"
