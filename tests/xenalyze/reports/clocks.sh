#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Clocks of nearly idle pcpus differ, and there are too few wake-ups to correct
# them: reports say so, and no verdict blames a scheduler for waits that only
# the clocks make.  Reports on equal clocks have no word about them.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# idle NAME OPTION...
idle() {
    play "$@" --cpus 4 --no-cstates
}

# differ NAME: all reports name the clocks, and the warning is one line
differ() {
    for report in why latency '' summary; do
        # shellcheck disable=SC2086 # no word for the overview
        expect 0 "$xenalyze" $report "$1"
        expect_message 'the clocks of pcpus'
        case $report in
        why|latency) head -n 1 out ;;
        *) sed '1,/Data quality/d' out ;;
        esac | tr -s '\n ' '  ' |
            grep -q 'clocks[ :of]* pcpus [0-3] and [0-3] differ' ||
            fail "$1: report '$report' does not name the clocks"
    done
    expect 0 "$xenalyze" why "$1"
    head -n 1 out | grep -q ': waits below .* are not known\.$' ||
        fail "$1: $(head -n 1 out)"
    ! grep -q 'waits for\|helps:\|Nothing is wrong' out ||
        fail "$1: $(sed -n 2p out)"
    [ "$(wc -L <out)" -le 80 ] || fail "$1: more than 80 columns"
    expect 0 "$xenalyze" why --json "$1"
    grep -q '"verdict":"clocks"' out || fail "$1: no vcpu has doubtful waits"
    ! grep -q '"verdict":"idle"' out || fail "$1: a verdict in JSON"
    sed -n '/^"clock_differences"/,/]/p' out | grep -q '"error_ns":[1-9]' ||
        fail "$1: JSON lacks the error of the clocks"
    expect 0 "$xenalyze" compare "$1" "$1"
    [ "$(grep -c '^    The clocks of pcpus [0-3] and [0-3] differ' out)" = 2 ] ||
        fail "$1: compare does not name the clocks"
    expect 0 "$xenalyze" export html "$1"
    grep -q '"clock_error":\[[0-3],[0-3],[1-9]' out ||
        fail "$1: HTML lacks the error of the clocks"
    expect 0 "$xenalyze" why --json "$1"
    mv out json
    expect 0 "$xenalyze" why --json --threads 3 "$1"
    cmp -s out json || fail "$1: threads change the report"
}

few='--load quiet --rate 100 --domains 4 --vcpus 1 --dom0-vcpus 1'
some='--load periodic --rate 1k --domains 2 --vcpus 2'
# shellcheck disable=SC2086 # several words
{
    idle few --seed 1 --tsc-skew 20ms $few
    idle fewer --seed 5 --tsc-skew 20ms $few
    idle some1 --seed 1 --tsc-skew 1ms $some
    idle some20 --seed 2 --tsc-skew 20ms $some
    idle equal $few
    idle busy --load mix --hotplug 50ms --storm 20ms --boot tbuf_size=1
}
for trace in few fewer some1 some20; do
    differ $trace
done

# The error is below the length of a wait that matters.
# shellcheck disable=SC2086
idle near --seed 1 --tsc-skew 100us $some
expect 0 "$xenalyze" why near
head -n 1 out | grep -q '^The clocks of pcpus' || fail "near: $(head -n 1 out)"
sed -n 2p out | grep -q '^Nothing is wrong' || fail "near: $(sed -n 2p out)"

for trace in equal busy; do
    for report in why latency '' summary 'why --json' 'why --csv'; do
        # shellcheck disable=SC2086
        expect 0 "$xenalyze" $report $trace
        ! grep -q 'clocks of\|clocks:\|clock_diff' out err ||
            fail "$trace: $report: $(grep 'clock' out err)"
    done
    expect 0 "$xenalyze" compare $trace $trace
    ! grep -q 'clocks of' out err || fail "$trace: compare names clocks"
    expect 0 "$xenalyze" export html $trace
    grep -q '"clock_error":\[0,0,0\]' out || fail "$trace: HTML names clocks"
done
