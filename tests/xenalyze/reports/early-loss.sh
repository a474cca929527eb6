#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A loss that began before the first time stamp: time 0 is its begin, in every
# output, as in stock's xenalyze.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# 2000: the first lost record; 5000: the record of the loss.  2.4 GHz.
{
    echo "0 5000 0x1f001 7 0 2000 0"
    echo "0 5090 0x21021 0x00000"
    echo "0 5100 0x21101 0x10000"
    echo "0 6000 0x21011 0x10000"
    echo "1 5050 0x21101 0x20000"
} | compose trace

# prints WHAT PATTERN OPTION...: a line of the output matches the pattern
prints() {
    what=$1
    pattern=$2
    shift 2
    expect 0 "$xenalyze" "$@"
    grep -Eq -- "$pattern" out || fail "$what: $(cat out)"
}

prints "the summary" '^  pcpu 0: no records for 0\.000001s from 0\.000000s$' \
    --summary trace
prints "the dump" '^ +0\.000001250 ' --dump-all trace
prints "a later record" '^ +0\.000001291 ' --dump-all trace
cp out dumped
expect 0 sh -c '"$1" --dump-all - <trace' sh "$xenalyze"
cmp -s out dumped || fail "the dump of a stream has other times"
for threads in 1 2; do
    prints "JSON" '"start_tsc":2000,"start_ns":0,"length_cycles":4000,' \
        --threads $threads --json trace
    prints "JSON's gap" '"start_tsc":2000,"start_ns":0,"length_cycles":3000,' \
        --threads $threads --json trace
done
prints "a scatterplot" '^0v0 0\.000001250 3$' --scatterplot-runstate trace
prints "a span of time" '^ +0\.000001291 ' --dump-all \
    --time 0.00000129..0.0000013 trace
prints "a span of a report" '"start_ns":1290,|"start_tsc":5096,' --json \
    --time 0.00000129..0.0000015 trace

# A loss after the first record of its pcpu moves nothing, whatever it says; nor
# does one that ends before it begins.
{
    echo "0 5000 0x21101 0x10000"
    echo "0 5500 0x1f001 7 0 2000 0"
    echo "1 5100 0x1f001 7 0 9000 0"
    echo "1 6000 0x21101 0x20000"
} | compose trace
prints "JSON" '"start_tsc":5000,"start_ns":0,"length_cycles":1000,' --json trace
prints "the dump" '^ +0\.000000208 ' --dump-all trace

# A loss after a VM exit in the same window begins where the record says.
for before in '0x81002 1 0x1000' '0x81001' '0x82000 1' '0x21002 0x10000'; do
    {
        echo "0 1000 0x21101 0x10000"
        echo "0 1500 0x81002 1 0x1000"
        echo "0 2000 0x81001"
        echo "0 3000 $before"
        echo "0 9000 0x1f001 7 0x10000 4000 0"
        echo "0 9500 0x81001"
        echo "1 1000 0x21101 0x20000"
        echo "1 9900 0x21002 0x20000"
    } | compose trace
    for threads in 1 2; do
        prints "JSON behind $before" '"lost_time_cycles":5000,' --json \
            --threads $threads trace
    done
done
