#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file in the Fuchsia trace format, read by a decoder in Python: sizes and
# references of records, no vcpu in two places, and times, counts and names that
# equal those of --json.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

read_fxt() {
    expect 0 python3 "$viewers/read-fxt.py" "$@"
}

for trace in $(small_traces); do
    expect 0 "$xenalyze" export fxt "$trace" -o whole.fxt
    [ ! -s err ] || fail "$trace: $(cat err)"
    expect 0 "$xenalyze" --json "$trace"
    mv out whole.json
    expect 0 "$xenalyze" dump sched_runstate_change "$trace"
    mv out whole.lines
    read_fxt whole.fxt whole.json whole.lines
    [ "$trace" != mix ] || mv out mix.totals
    [ "$trace" != lossy ] || grep -q 'lost [1-9]' out || fail 'nothing is lost'
done
for count in runs wake-ups exits calls 'wake-ups' 'of preempted'; do
    grep -q "$count [1-9]" mix.totals || fail "no $count: $(cat mix.totals)"
done

# Neither threads nor the way that the trace comes change the records.
expect 0 "$xenalyze" --export fxt:one --summary mix
"$xenalyze" export fxt - <mix >two || fail 'standard input'
tail -c 10000 one >one.end
tail -c 10000 two | cmp - one.end || fail 'a stream differs'

# Every selection.
"$xenalyze" export fxt --vcpu d2v0 mix >part.fxt || fail 'a vcpu'
read_fxt part.fxt
grep -qx 'vcpus pvh2/0' out || fail "$(cat out)"
grep -q Domain-0 part.fxt && fail 'a waker that is not selected'
"$xenalyze" export fxt --domain 1 mix >part.fxt || fail 'a domain'
read_fxt part.fxt
grep -qx 'vcpus pv1/0 pv1/1' out || fail "$(cat out)"
"$xenalyze" export fxt --pcpu 1-2 mix >part.fxt || fail 'pcpus'
read_fxt part.fxt
grep -qx 'cpus 1 2' out || fail "$(cat out)"
"$xenalyze" export fxt --time 0.1..0.2 mix >part.fxt || fail 'a span'
read_fxt part.fxt
sed -n 's/^times \([0-9]*\) \([0-9]*\)$/\1 \2/p' out | {
    read -r first last
    [ "$first" -ge 100000000 ] && [ "$last" -lt 210000000 ]
} || fail "times are outside of --time: $(cat out)"

# A critical path is a thread with the times of its rows.
expect 0 "$xenalyze" --critical-path=d2v0 --json --export fxt:path.fxt mix
mv out path.json
expect 0 "$xenalyze" dump sched_runstate_change mix
mv out path.lines
read_fxt path.fxt path.json path.lines
grep -aq 'critical path of pvh2/0' path.fxt || fail 'no critical path'

# Two boots in one trace: the second follows the first.
cat mix mix >twice
expect 0 "$xenalyze" export fxt twice -o twice.fxt
read_fxt twice.fxt
sed -n 's/^runs \([0-9]*\).*/\1/p' out mix.totals | {
    read -r both
    read -r one
    [ "$both" -ge $((2 * one - 2)) ]
} || fail "the second boot is missing: $(cat out mix.totals)"

# Names of the trace and of domains are text; a long one is cut at a character.
expect 0 "$xenalyze" export fxt "$hostile" -o part.fxt
read_fxt part.fxt
grep -qF "provider 'a\"\\\\;<script>b\\ufffd[31m\\ufffd\\ufffd\\ufffd 1'" out ||
    fail "$(cat out)"
long=$(printf '\303\244%.0s' $(seq 126))
cp mix "x$long"
expect 0 "$xenalyze" export fxt "./x$long" -o part.fxt
read_fxt part.fxt
compose_names
expect 0 "$xenalyze" export fxt names -o part.fxt
read_fxt part.fxt
grep -qF '</script><!--/0' out || fail "$(cat out)"
