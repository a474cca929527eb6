#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A vcpu that keeps its pcpu for the whole trace has no record of the scheduler.
# The collector asks at the begin which vcpus run, and where.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# snapshot TSC: the line of d1v0, which runs on pcpu 1 at that time
snapshot() {
    echo "0 - 0x1f08d 0x10000 1 0 0 0 $1 0"
}

# dedicated MASK EXTRA...: dom0 on pcpu 0 comes and goes; pcpu 1 has records of a
# PV guest from 1,500 to 1,000,000 and, before these, lines of the caller's
dedicated() {
    echo "0 - 0x1f084 900 0 $1 1 3 0 0"
    shift
    printf '%s\n' "$@"
    dom0_runs
    for t in 1500 1800 4000 600000 1000000; do
        echo "1 $t 0x201106 0x1000 0"
    done
}

# expect_busy PCPU PERCENT [TRACE]: busy for so much of the pcpu's own records
expect_busy() {
    for threads in 1 3; do
        expect 0 "$xenalyze" pcpus --csv --threads $threads "${3-trace}"
        got=$(awk -F , -v pcpu="$1" '
            $1 == "table" { for ( i = 1; i <= NF; i++ ) at[$i] = i; next }
            $1 == "pcpus" && $(at["pcpu"]) == pcpu {
                busy = $(at["running_time_cycles"])
                printf "%.0f", 100 * busy / $(at["time_cycles"])
            }' out)
        [ "$got" = "$2" ] || fail "pcpu $1 is busy for $got %, not $2 %"
    done
}

dedicated 0x0ffff000 "$(snapshot 2000)" | compose trace
expect_busy 1 100
expect 0 "$xenalyze" why d1v0 trace
grep -q 'Of .* ran 100.0%' out || fail "no verdict on d1v0"

# a stream is read by time
expect 0 sh -c '"$1" pcpus --csv - <trace' sh "$xenalyze"
sed 's/^trace,"[^"]*"/trace/' out >streamed
expect 0 "$xenalyze" pcpus --csv trace
sed 's/^trace,"[^"]*"/trace/' out | cmp -s - streamed ||
    fail "a stream gives another result"

# Exits of the vcpu are its own from the snapshot on.
{
    echo "0 - 0x1f084 900 0 0x0ffff000 1 3 0 0"
    snapshot 2000
    echo "0 1000 0x21211 0"
    for t in 1500 3000 4000 5000; do
        echo "1 $t 0x81002 12 0x1000"
        echo "1 $((t + 100)) 0x81001"
    done
} | compose hvm
expect 0 "$xenalyze" exits --csv hvm
awk -F , '$1 == "table" { delete at; for ( i = 1; i <= NF; i++ ) at[$i] = i; next }
    $1 == "exits" && $(at["domain"]) == 1 { n += $(at["events"]) }
    END { exit n != 3 }' out || fail "the exits are not those of d1v0"

# Nothing is known without a snapshot; if the capture left out the scheduler; if
# the trace begins later, or too long before; if the vcpu did not run.
dedicated 0x0ffff000 | compose trace
expect_busy 1 0
dedicated 0x0020f000 "$(snapshot 2000)" | compose trace
expect_busy 1 0
dedicated 0x0ffff000 "$(snapshot 990)" | compose trace
expect_busy 1 0
dedicated 0x0ffff000 "$(snapshot 4000000001)" | compose trace
expect_busy 1 0
dedicated 0x0ffff000 "0 - 0x1f08d 0x10000 1 2 0 0 2000 0" | compose trace
expect_busy 1 0

# Absurd numbers of pcpus and times.
for pcpu in 0xffffffff 0x7fffffff 65536; do
    dedicated 0x0ffff000 "0 - 0x1f08d 0x10000 $pcpu 0 0 0 2000 0" |
        compose trace
    expect_busy 1 0
done
dedicated 0x0ffff000 "0 - 0x1f08d 0x10000 1 0 0 0 0xffffffff 0xffffffff" |
    compose trace
expect_busy 1 0

# A record of the scheduler up to the snapshot is newer, or as good: d1v0 has left
# at 1,600, or another vcpu has come.
dedicated 0x0ffff000 "$(snapshot 2000)" '1 1600 0x21021 0x10000' |
    sort -s -k 1,1n -k 2,2n | compose trace
expect_busy 1 0
dedicated 0x0ffff000 "$(snapshot 2000)" '1 1600 0x21101 0x20000' |
    sort -s -k 1,1n -k 2,2n | compose trace
expect 1 "$xenalyze" why d1v0 trace
expect_message "no records of this vcpu"
