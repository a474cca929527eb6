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
    head -n 1 out | grep -q ': waits may be wrong by .*\.$' ||
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
idle near --seed 1 --tsc-skew 20us $some
expect 0 "$xenalyze" why near
head -n 1 out | grep -q '^The clocks of pcpus' || fail "near: $(head -n 1 out)"
sed -n 2p out | grep -q '^Nothing is wrong' || fail "near: $(sed -n 2p out)"

# Records that seem to be in the wrong order may belong to different wake-ups:
# so neither is their distance a difference of clocks, nor a limit of errors.
# Without a word about clocks, waits are right but for a microsecond.
# clock_numbers: least difference and error of waits, in ns
clock_numbers() {
    expect 0 "$xenalyze" latency --json "$1"
    sed -n '/^"clock_differences"/,/]/p' out >differences
    least=$(sed -n 's/.*"least_ns":\([0-9]*\).*/\1/p' differences)
    error=$(sed -n 's/.*"error_ns":\([0-9]*\).*/\1/p' differences)
    max=$(sed -n '/^"waits":/,/^"wait_rivals":/p' out |
        sed -n 's/.*"max_ns":\([0-9]*\).*/\1/p' | sort -n | tail -n 1)
}

# true_numbers: greatest difference of clocks that do not drift, longest wait
true_numbers() {
    awk -F'[:,}]' '{ for ( i = 1; i < NF; i++ ) f[$i] = $(i + 1) / 2.4 }
        /"what":"clock"/ {
            x = f["\"offset\""]
            if ( !nr++ || x < low ) low = x
            if ( nr == 1 || x > high ) high = x
        }
        /"what":"wait"/ {
            x = f["\"to\""] - f["\"from\""]
            if ( x > max ) max = x
        }
        END { printf "%.0f %.0f\n", high - low, max }' truth
}

unplugged='--cpus 4 --vendor amd --nested --layout master --kind pvh --nmis 0'
unplugged="$unplugged --rate 1k --hotplug 30ms --domains 2 --vcpus 5"
far='--cpus 3 --cstate-exit 2ms --tsc-drift 100000 --dom0-vcpus 3'
while read -r seed clocks; do
    # shellcheck disable=SC2086
    play false --seed "$seed" --truth truth $clocks
    clock_numbers false
    # shellcheck disable=SC2046
    set -- $(true_numbers)
    error=${error:-1000}
    echo "$clocks: $((${least:-0})) or more, true $1; error $error, longest" \
        "wait $max, true $2"
    [ "${least:-0}" -le "$1" ] || fail "clocks differ by less than $least ns"
    [ "$((max - $2))" -le "$error" ] || fail "waits are wrong by more"
done <<END
13 -T 400ms --tsc-skew 1ms $unplugged
33 -T 900ms --tsc-skew 100ms $far
35 -T 900ms --tsc-skew 100ms $far
2 -T 300ms --tsc-skew 20ms --cpus 16 --domains 16
END

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
    grep -q '"clock_error":\[0,0,0,0,[0-9]*\]' out || fail "$trace: HTML names clocks"
done

# Without some of the pcpus, as from xentrace -c, states contradict each other,
# whatever the clocks are.
play whole --cpus 4 --domains 6 --load io
expect 0 "$xenalyze" cut --pcpu=1-2 -o half whole
for report in why latency '' summary; do
    # shellcheck disable=SC2086
    expect 0 "$xenalyze" $report half
    grep -q 'half: 2 of 4 pcpus have no records; waits may be wrong by' err ||
        fail "half: $report: $(cat err)"
    grep -q '2 of 4 pcpus have no records' out || fail "half: $report: $(cat out)"
    ! grep -q 'clocks of\|clocks:' out err || fail "half: $report names clocks"
done
expect 0 "$xenalyze" why half
head -n 1 out | grep -q '^2 of 4 pcpus have no records: waits may .*\.$' ||
    fail "half: $(head -n 1 out)"
! grep -q 'waits for\|helps:\|Nothing is wrong' out || fail "half: $(cat out)"
expect 0 "$xenalyze" why --json half
grep -q '"verdict":"pcpus"' out || fail 'half: JSON: no vcpu has doubtful waits'
! grep -q '"verdict":"clocks"' out || fail 'half: JSON blames clocks'
expect 0 "$xenalyze" export html half
grep -q '"clock_error":\[[0-3],[0-3],[1-9][0-9]*,2,4\]' out ||
    fail 'half: HTML lacks the number of pcpus'

# Records of other domains are missing: their vcpus are woken by the selected
# ones, but never run.
parts() {
    play whole "$@" --domains 4 --load io
    expect 0 "$xenalyze" cut --domain=0,1 -o part whole
    expect 0 "$xenalyze" latency part
}
parts --cpus 4 -T 3
! grep 'clocks of\|clocks:' out err || fail 'missing domains: clocks differ'
expect 0 "$xenalyze" summary part
grep -q 'contradictions: [0-9]\{4,\} runstate changes from another' out ||
    fail "no state contradicts: $(cat out)"
# True differences are found nevertheless, by vcpus that lack no record.
parts --cpus 4 -T 3 --tsc-skew 100us --tsc-jump 100ms
grep -q 'part: the clocks of pcpus' err || fail "part: clocks are equal: $(cat err)"
