#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A selection that selects nothing is an error: one line that says why, exit
# code 1 (or 2 if no trace could have it), nothing on standard output, no file.
. "$top_srcdir/tests/tools/lib.sh"
cd "$tmp" || exit 99

compose=$top_builddir/tests/xenalyze/reports/compose

# A day after 1970, at 12:00 UTC, the clock read 3000000: 2 ms into the trace,
# at 1 GHz.  The host had booted 3 ms before.
"$compose" >trace <<'END' || fail 'no trace'
0 1000000 0x21101 0x10000
0 - 0x1f083 3000000 0 0 0 0xd9f68000 0x75de 0
0 1500000 0x21011 0x10000
0 1500000 0x21101 0x20000
0 5000000 0x21011 0x20000
0 5000000 0x21101 0x10000
0 9000000 0x21011 0x10000
END

modes='--dump-all
--dump-raw-process
--dump-raw-reads
--dump-no-processing
--records
--records --order=file
--count
--formats=FORMATS
--summary
--report-latency
--report-exits
--report-storms
--report-wakeups
--report-migrations
--report-timers
--json
--csv
--scatterplot-pcpu
--scatterplot-runstate
--interval-domain-total-time-all
--plot=no.svg
--plot=no.svg --scatterplot-runstate
--gnuplot=no.gp'

# refused CODE TEXT OPTION...: in every mode, from a file and from a stream
refused() {
    code=$1
    text=$2
    shift 2
    echo "$modes" | sed "s|FORMATS|$top_srcdir/formats|" >modes
    while read -r mode; do
        for input in trace -; do
            # shellcheck disable=SC2086 # several words
            "$xenalyze" --cpu-hz 1G $mode "$@" $input <trace >out 2>err
            got=$?
            [ $got -eq "$code" ] || fail "exit code $got: $mode $* $input"
            [ ! -s out ] || fail "output: $mode $* $input"
            [ $input = - ] || expect_message "$text"
            [ "$(wc -l <err)" -eq 1 ] || fail "not one line: $mode $* $input"
            for file in no.*; do
                [ ! -e "$file" ] || fail "a file: $mode $* $input"
            done
        done
    done <modes
}

TZ=UTC
export TZ
refused 1 'records are from 1000000c to 9000000c' --time ..0c
refused 1 'records are from 1000000c to 9000000c' --time 9000001c..
refused 1 'lasts 8.0 ms from 1970-01-02T11:59:59.998000 UTC' --time 10..20
refused 1 'lasts 8.0 ms from' --time 9:00..9:01
refused 1 'lasts 8.0 ms from' --time 1970-01-02T11:00..1970-01-02T11:01Z
refused 1 'lasts 8.0 ms from' --time 12:00:01..
refused 1 'lasts 8.0 ms from' --time 21:00:01+09:00..21:00:02+09:00
refused 2 'the end is before the begin' --time 3..2
refused 2 'the end is before the begin' --time 12:01..12:00
refused 2 'the end is before the begin' --time 7c..6c
refused 1 'selects nothing' --time 20..-1ms
refused 1 'which has 1-2' --domain 3
refused 1 'which has d1v0,d2v0' --vcpu d1v1
TZ=Asia/Tokyo
refused 1 'from 1970-01-02T20:59:59.998000+09:00' --time 12:00:00..12:00:01

# Runstates belong to no pcpu, so their points are printed for any --pcpu.
TZ=UTC
modes=$(echo "$modes" | grep -v scatterplot)
refused 1 'which has 0' --pcpu 1

# A moment has no time for a report to divide, but may have records.
for span in ..0 0..0 4ms..4ms 2ms..2ms -0..; do
    for mode in --summary --report-overview --report-latency --report-exits \
        --report-io --report-wakeups --why --json --csv \
        'over run' 'over wait' 'plot' 'plot runstate' 'compare trace'; do
        # shellcheck disable=SC2086 # several words
        expect 1 "$xenalyze" $mode --time=$span trace
        expect_message 'selects nothing'
        [ ! -s out ] || fail "$mode --time $span: output"
    done
done
expect 0 "$xenalyze" --cpu-hz 1G --dump-all --time 4ms..4ms trace
[ "$(wc -l <out)" -eq 2 ] || fail 'records of a moment are missing'
echo '0 1000000 0x21101 0x10000' | "$compose" >one
expect 0 "$xenalyze" --summary --time 0..1 one

# Lines of records: also if each option matches, but no record does.
modes='--dump-all
--records
--dump-raw-reads
--count'
refused 1 'which has sched_runstate_change' --event sched_wake
refused 1 'matches --time 2ms..3ms' --time 2ms..3ms
refused 1 'matches --time 5ms.. --domain 2 --event sched' \
    --time 5ms.. --domain 2 --event sched

# A second capture in the file has times of its own.
for seed in 1 2; do
    expect 0 "$xensim" --virtual -T 1 -o part$seed --seed $seed
done
cat part1 part2 >both
for mode in --dump-all --count --summary --why --json; do
    expect 1 "$xenalyze" $mode --time 10.. both
    expect_message 'UTC (the first of its captures)'
    expect 1 "$xenalyze" $mode --time 9000001c..9000002c both
    expect_message 'c (the first of its captures)'
done

# The whole, or a part.
TZ=Asia/Tokyo
for span in .. 0..1 21:00..21:01 12:00Z..12:00:01Z 4ms..1 ..-1us \
    '11:59:59.999 UTC..'; do
    for mode in --summary --dump-all --count "--plot=x.svg"; do
        expect 0 "$xenalyze" --cpu-hz 1G --time "$span" $mode trace
        [ ! -s err ] || fail "--time $span: a message"
    done
done

# Volumes are those of the span; of a domain's selection, those of all domains.
expect 0 "$xenalyze" --cpu-hz 1G --summary --time 0..1ms trace
in_span=$(count_events --cpu-hz 1G --time 0..1ms trace)
grep -qx " records: $in_span" out || fail "records of a span: $(cat out)"
[ "$in_span" -lt 7 ] || fail 'the span has all records'
! grep -q ' of all domains$' out || fail 'volumes of a span'
expect 0 "$xenalyze" --cpu-hz 1G --summary --domain 1 trace
grep -qx ' of all domains' out || fail 'volumes of a domain'
grep -qx ' records: 7 of all domains' out || fail 'records of a domain'
expect 0 "$xenalyze" --cpu-hz 1G --summary trace
grep -qx ' records: 7' out || fail 'records of the trace'
! grep -q 'of all domains' out || fail 'volumes of the whole trace'

# --info is about the whole file; --event alone is for a dump.
expect 2 "$xenalyze" --info --time 0..1 trace
expect_message 'leave out --time'
expect 0 "$xenalyze" --info --summary --time 0..1 trace
expect 0 "$xenalyze" --event sched trace
mv out short
expect 0 "$xenalyze" --dump-all --event sched trace
cmp -s out short || fail '--event does not imply --dump-all'
expect 2 "$xenalyze" --summary --event sched trace
expect_message '--event'

# The first word of each line of the dump, as it is there, selects this line.
{
    awk -f "$top_srcdir/tests/xenalyze/reports/shadow.awk"
    printf '0 %s\n' '90000000 0x21101 0x10000' \
        '- 0x22216 0x10000 1000' '- 0x201004 1 2 3' '- 0x8200f 1 2' \
        '- 0x82009 1 2 3 4 5 6 7'
} | "$compose" >words || fail 'no trace'
expect 0 "$xenalyze" --dump-all --color never words
awk '{ for ( i = 1; i < NF; i++ )
           if ( $i ~ /^d[0-9?]+v[0-9?]+$/ ) { print $(i + 1); next } }' out |
    sort -u >names
while read -r name; do
    expect 0 "$xenalyze" dump "$name" words
    grep -qF " $name" out || fail "$name selects other lines"
done <names
for name in 'page_fault[' csched2:ratelimit, fixup:unsync '82009(8:2:9)'; do
    grep -qxF "$name" names || fail "the dump has no $name"
done
expect 2 "$xenalyze" --event 'sched_wake,,' words
expect 2 "$xenalyze" --event , words
expect 2 "$xenalyze" --domain 1, words

# --pcpu selects points: of a scatterplot of pcpus the values, of runstates the
# pcpus of the records.
"$compose" >moves <<'END' || fail 'no trace'
0 1000000 0x21101 0x10000
0 2000000 0x21011 0x10000
1 3000000 0x21101 0x10000
1 4000000 0x21021 0x10000
0 5000000 0x21201 0x10000
END
# points PLOT PCPU LINES: the lines with the time in ms
points() {
    expect 0 "$xenalyze" --cpu-hz 1G "--scatterplot-$1" --pcpu "$2" moves
    awk '{ printf "%s@%d ", $NF, $(NF - 1) * 1000 + 0.5 }' out >got
    [ "$(cat got)" = "$3 " ] || fail "$1 --pcpu $2: $(cat got)"
}
points pcpu 0 '0@2 0@4'
points pcpu 1 '1@2 1@4'
points pcpu 0,1 '0@2 1@2 1@4 0@4'
points runstate-time 1 '0.001000000@2 0.001000000@3'
points runstate 1 '2@2 3@2 3@3 0@3'
