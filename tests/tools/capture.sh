#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# From the hypervisor to the report: what the workload says it emitted is in
# the trace or was lost, record for record, on every pcpu.  The workload is
# unsure of the few records that it emitted while tracing was being switched:
# they may be there or not.  How many were lost is what xentrace says at the
# end; the trace itself cannot know of a loss when a ring was full to the
# last, so there it is at most that.
. "$top_srcdir/tests/tools/capture-lib.sh"

capture "a usual load" --cpus 4 -- -T 1
[ "$(counts | wc -l)" -eq 4 ] || fail "not four pcpus"

capture "only the scheduler" --cpus 3 --rate 100k -- -e sched -T 1
grep -qE '^sched ' report || fail "no scheduler events"
grep -qE '^hvm ' report && fail "HVM events that nobody wanted"

capture "one pcpu of four" --cpus 4 -- -c 2 -T 1
[ "$(counts | cut -d' ' -f1)" = 2 ] || fail "other pcpus than 2"

capture "pcpus that come and go" --cpus 4 --online 2 --hotplug 100ms -- -T 2
[ "$(counts | wc -l)" -gt 2 ] || fail "no pcpu came later"

# Of single events, the mask that has them; the next run finds it there.
expect 0 "$xensim" --cpus 2 -- sh -c '
    "$1" -t 3 -e sched_wake -c 1 -T 0.2 trace && "$1" -T 0.2 trace
' sh "$xentrace"
grep -q 'selects these events is 0x28000' err || fail "no word of the mask"
grep -q 'event mask is 0x28000 since' err || fail "the event mask is unnoticed"
grep -q 'leaves 1 of 2 pcpus out' err || fail "the pcpu mask is unnoticed"

# Through a pipe.
expect 0 "$xensim" --cpus 2 --seed 7 --report books -- \
    sh -c '"$1" -T 1 | "$2" --info - >report' sh "$xentrace" "$xenalyze"
cp err said
agree "a pipe"

# More than rings and buffer hold: nobody reads the pipe at first.
expect 0 "$xensim" --cpus 2 --seed 7 --rate 0 --report books -- \
    sh -c '"$1" -S 1 --buffer 64k -T 3 | { sleep 1; cat; } >trace' sh "$xentrace"
cp err said
expect 0 "$xenalyze" --info trace
cp out report
agree "a reader who is late"
grep -qE '^  lost: +[1-9]' report || fail "nothing was lost that had to be"

# Until somebody says stop.
expect 0 "$xensim" --cpus 2 --seed 7 --report books -- \
    sh -c '"$1" trace & sleep 1; kill -INT $!; wait $!' sh "$xentrace"
cp err said
expect 0 "$xenalyze" --info trace
cp out report
agree "a signal"

# A full disk: one line, status 1.
expect 1 "$xensim" --cpus 2 --rate 200k -- \
    sh -c 'FAULT=write:2+ exec "$1" -T 30 trace' sh "$xentrace"
grep -q 'No space left' err || fail "the reason is not the disk"
