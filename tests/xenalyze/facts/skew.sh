#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With different clocks of pcpus, records are sorted by corrected times: hardly
# any runstate begins with another state than the last one ended with, and
# waits are as long as they were.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

odd() {
    expect 0 "$facts" "$@" sums trace
    awk -F'[: ]+' '/^strange: runstate changes/ { n += $(NF - 1) }
                   END { print n + 0 }' out
}

# Short traces, and many pcpus: each pair of pcpus has few wake-ups in common.
# Skews longer than the periods of vcpus: many wrong offsets look right.
while read -r most options; do
    # shellcheck disable=SC2086
    play $options
    n=$(odd)
    m=$(odd -S)
    echo "$options: $n, and $m as a stream, where clocks cannot be compared first"
    [ "$n" -le "$most" ] || fail "$options: $n runstates out of order"
    [ "$m" -gt 20 ] || fail "$options: there was nothing to put right"
done <<END
10 --duration=2 --seed=11 --tsc-skew=5us
10 --duration=2 --seed=11 --tsc-skew=100us
10 --duration=2 --seed=11 --tsc-skew=500us
10 --duration=200ms --seed=2 --tsc-skew=1ms
10 --duration=200ms --seed=6 --tsc-skew=1ms
10 --duration=100ms --seed=1 --tsc-skew=20ms
10 --duration=1 --seed=3 --tsc-skew=300ms
10 --duration=2 --seed=4 --tsc-drift=500000
10 --duration=2 --seed=5 --tsc-skew=20ms --tsc-drift=50000
10 --duration=300ms --seed=1 --tsc-skew=1ms --cpus=16 --domains=16
100 --duration=200ms --seed=1 --tsc-skew=1ms --cpus=64 --domains=64
END

# The sum of all waits, and the longest wait, in ns
true_waits() {
    awk -F'[:,}]' '/^{"what":"wait"/ {
            for ( i = 1; i < NF; i++ )
                if ( $i == "\"from\"" )
                    from = $(i + 1)
                else if ( $i == "\"to\"" )
                    wait = ($(i + 1) - from) / 2.4
            sum += wait
            if ( wait > max )
                max = wait
        }
        END { printf "%.0f %.0f\n", sum, max }' truth
}

waits() {
    expect 0 "$xenalyze" latency --json "$@" trace
    awk -F'[:,}]' '/^"waits":/ { on = 1 }
        /^"wait_rivals":/ { on = 0 }
        on {
            for ( i = 1; i < NF; i++ )
                if ( $i == "\"total_ns\"" )
                    sum += $(i + 1)
                else if ( $i == "\"max_ns\"" && $(i + 1) > max )
                    max = $(i + 1)
        }
        END { printf "%.0f %.0f\n", sum, max }' out
}

# Pcpus of the null scheduler run their vcpus at once: nearly all waits that
# wrong clocks pretend are far longer than the real ones.
small='--cpus=4 --domains=2 --vcpus=1 --dom0-vcpus=2 --rate=1k --interrupts=50'
while read -r clocks; do
    # shellcheck disable=SC2086
    play --duration=2 --no-cstates --scheduler=null $small $clocks
    true_waits >truth.waits
    waits >out.waits
    waits --threads=3 >threads.waits
    echo "$clocks: sum and maximum $(cat out.waits), true $(cat truth.waits)"
    cmp -s out.waits threads.waits || fail "$clocks: depends on threads"
    paste -d ' ' out.waits truth.waits |
        awk '{ exit !($1 < 1.1 * $3 && $1 > 0.9 * $3 && $2 < 3 * $4) }' ||
        fail "$clocks: wrong waits"
done <<END
--tsc-skew=10us
--tsc-skew=1ms
--tsc-skew=20ms
--tsc-drift=50000
END

# A pcpu that goes offline with a full ring never reports its loss: that is no
# evidence about clocks, and the pcpu's vcpu does not run on.  Nothing says that
# records are missing if the ring fills up anew once the pcpu is back.
amd='--cpus=4 --vendor=amd --layout=master'
while read -r options; do
    # shellcheck disable=SC2086
    play $options
    expect 0 "$xenalyze" why trace
    ! grep 'clocks of pcpus' out err ||
        fail "$options: an unreported loss is blamed on clocks"
done <<END
--duration=400ms --seed=1 --cpus=16 --hotplug=5ms --drain=15ms --boot tbuf_size=2
--duration=400ms --seed=3 --cpus=16 --hotplug=5ms --drain=15ms --boot tbuf_size=2
--duration=400ms --seed=7 --cpus=16 --hotplug=5ms --drain=15ms --boot tbuf_size=2
--duration=6 --seed=738747 $amd --rate=5000 --boot tbuf_size=64 --kind=hvm --load=mix --hotplug=150ms --domains=2 --nmis=100 --drain=3s --ratelimit=0
END

# The begin of a trace of equal clocks, without the records of most pcpus from
# the first or second round on: some wrong clocks contradict a little less, and
# are not taken for the right ones.  The length of the trace tells.
many='--cpus=128 --domains=96'
play --duration=2 --seed=1 $many --boot 'tbuf_size=128 tevt_mask=0x21000'
mv trace whole
for bytes in 1000000 2000000 4000000; do
    head -c $bytes whole >trace
    expect 0 "$facts" sums trace
    length=$(sed -n 's/^records: //p' out)
    expect 0 "$facts" -S sums trace
    echo "$bytes bytes of $many: $length records and cycles"
    [ "$length" = "$(sed -n 's/^records: //p' out)" ] ||
        fail "$bytes bytes: clocks were corrected"
done
