#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A vcpu that waits for a pcpu for the whole trace has no record, nor has one
# that is paused.  The collector asks for the state of each vcpu at the begin.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# state DOM VCPU STATE TSC: the line with the state of a vcpu; states as in Xen
state() {
    echo "0 - 0x1f08d $(($1 << 16 | $2)) 0 $3 0 0 $4 0"
}

# domain DOM FLAGS: the line with a domain of two vcpus
domain() {
    echo "0 - 0x1f08b $(($1 | 2 << 16)) $2 0 0 0"
}

# trace_with LINE...: compose `trace`: a capture from 900 on in which d0v0 comes
# and goes, with these lines of metadata
trace_with() {
    {
        echo "0 - 0x1f084 900 0 0x0ffff000 1 2 0 0"
        printf '%s\n' "$@"
        dom0_runs
    } | compose trace
}

runnable=1 blocked=2 offline=3
paused=0x40 dying=0x80 shut_down=0x100

expect_line() {
    for threads in 1 3; do
        expect 0 "$xenalyze" why --threads $threads trace
        grep -qxF " $1" out || fail "the verdict has no line '$1'"
    done
}

expect_no_line() {
    expect 0 "$xenalyze" why trace
    ! grep -q 'No record' out || fail "the verdict has a line: $1"
}

trace_with "$(domain 1 0)" "$(state 0 0 0 1200)" "$(state 1 0 $blocked 1200)" \
    "$(state 1 1 $runnable 1300)"
expect_line "No record of d1v1: waiting for a pcpu, or paused, at the begin."
grep -q "^Nothing is wrong with vcpus that have records: d0v0 " out ||
    fail "the headline counts d1v1 as well"
expect 0 sh -c '"$1" why - <trace' sh "$xenalyze"
grep -q 'No record of d1v1:' out || fail "a stream has no such line"

# with the request
expect 1 "$xenalyze" why d1v1 trace
expect_message "--why d1v1: trace has no records of this vcpu; when tracing \
began, d1v1 waited for a pcpu, or was paused"
expect 1 "$xenalyze" why d1 trace
expect_message "--why d1: trace has no records of this domain; when tracing \
began, d1v1 waited for a pcpu, or was paused"
expect 1 "$xenalyze" why d1v0 trace
expect_message "no records of this vcpu; when tracing began, d1v0 was blocked"
expect 1 "$xenalyze" why d1v2 trace
expect_message "no records of this vcpu; xenalyze summary lists all"
expect 0 "$xenalyze" why d0v0 trace
! grep -q 'No record' out || fail "d1v1 is none of the vcpus asked for"

expect 0 "$xenalyze" why --json trace
python3 - out <<'END2' || fail "the table differs"
import json, sys
rows = json.load(open(sys.argv[1]))["tables"]["why_silent"]
assert rows == [{"domain": 1, "vcpu": 0, "state": "blocked"},
                {"domain": 1, "vcpu": 1, "state": "waiting"}], rows
END2

trace_with "$(domain 1 0)" "$(state 1 0 $runnable 1200)" "$(domain 2 0)" \
    "$(state 2 0 $runnable 1300)" "$(state 2 1 $runnable 1400)"
expect_line "No record of d1v0 and 2 more: waiting for a pcpu, or paused, at \
the begin."

# A vcpu with records is known by these.
trace_with "$(state 0 0 $runnable 1200)"
expect_no_line "d0v0 has records"

# Nothing could run, and the metadata tells.
for flag in $paused $dying $shut_down; do
    trace_with "$(domain 1 $flag)" "$(state 1 0 $runnable 1200)"
    expect_no_line "d1 had the flag $flag"
    expect 1 "$xenalyze" why d1v0 trace
    expect_message "when tracing began, d1v0 was paused with its domain"
done
trace_with "$(state 1 0 $offline 1200)"
expect_no_line "d1v0 was offline"
expect 1 "$xenalyze" why d1v0 trace
expect_message "when tracing began, d1v0 was offline"

# The state is of another capture, or its domain is another one.
trace_with "$(state 1 0 $runnable 800)"
expect_no_line "the state is older than the capture"
trace_with "$(state 1 0 $runnable 4000000000)"
expect_no_line "the state is much younger than the begin"
trace_with "$(state 1 0 $runnable 1200)" "$(domain 1 0)"
expect_no_line "the domain is newer than the state"
expect 1 "$xenalyze" why d1v0 trace
expect_message "no records of this vcpu; xenalyze summary lists all"

# Absurd states.
for state in 0 4 0xffffffff; do
    trace_with "$(state 1 0 $state 1200)"
    expect_no_line "there is no state $state"
done

# The first record comes after the question, but soon.
trace_with "$(state 1 0 $runnable 950)"
expect_line "No record of d1v0: waiting for a pcpu, or paused, at the begin."
