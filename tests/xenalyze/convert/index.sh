#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With the index of a trace, reports of a span read a small part of the trace,
# and info and count nothing of it; all print the same.
. "$top_srcdir/tests/xenalyze/convert/index-lib.sh"

play_mix
play_amd
run_xensim -T 14 --seed 7 --cpus 4 --kind mix --rate 5k --tsc-skew 300us \
    --output skewed
for trace in mix amd skewed; do
    expect 0 "$xenalyze" index $trace
    grep -qE "^$trace.xti: ([2-9]|[1-9][0-9]+) checkpoints, " out ||
        fail "$(cat out)"
    [ $trace = skewed ] || check_reports $trace 13.2..13.25
    same_counts $trace 'info --csv' 'info --cpu-hz=1G' --info count \
        'count --sort=name --top=3' 'count --domain=1' \
        '--info --summary --threads=1' \
        '--count --report-interrupts --threads=1' '--info --count --time=0.1..'
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
