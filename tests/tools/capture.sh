#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# From the hypervisor to the report: each event emitted by the workload is in
# the trace or was lost, on every pcpu.  The few records emitted while tracing
# was being enabled or disabled are unsure.  The losses are those reported by
# xentrace at the end, and those in the trace.
. "$top_srcdir/tests/tools/capture-lib.sh"

capture "a typical load" --cpus 4 -- -T 1
[ "$(trace_counts | wc -l)" -eq 4 ] || fail "not four pcpus"

# The hypervisor's domains are in the metadata with their names.
expect 0 "$xenalyze" --records --event meta_domain_name trace
grep -q ' d0 0/1: Domain-0$' out || fail "Domain-0 has no name"
[ "$(grep -c ' meta_domain_name ' out)" -gt 1 ] || fail "no name of a guest"

capture "only the scheduler" --cpus 3 --rate 100k -- -e sched -T 1
grep -qE '^sched ' report || fail "no scheduler events"
grep -qE '^hvm ' report && fail "HVM events outside the mask"

capture "one pcpu of four" --cpus 4 -- -c 2 -T 1
[ "$(trace_counts | cut -d' ' -f1)" = 2 ] || fail "other pcpus than 2"

capture "pcpu hotplug" --cpus 4 --online 2 --hotplug 100ms -- -T 2
[ "$(trace_counts | wc -l)" -gt 2 ] || fail "no pcpu came online"

# The masks of a run are put back at its end, also after SIGINT.
expect 0 "$xensim" --cpus 2 -- sh -c '
    rm -f trace; "$1" -e hvm:handler -c 1 trace &
    while [ ! -s trace ]; do sleep 0.02; done; kill -INT $!; wait $!
    "$1" -T 0.3 trace' sh "$xentrace"
grep -q 'mask' err && fail "a mask was left: $(cat err)"
expect 0 "$xenalyze" --info trace
grep -qE '^sched ' out || fail "the event mask was left"

# Single events are selected by the mask of their class; --keep-masks keeps it.
expect 0 "$xensim" --cpus 2 -- sh -c '
    "$1" -t 3 -e sched_wake -c 1 --keep-masks -T 0.2 trace &&
    "$1" -T 0.2 trace' sh "$xentrace"
grep -q 'selects these events is 0x28000' err || fail "no message about the mask"
grep -q 'event mask is 0x28000, and -e is not given' err || fail "no message about the event mask"
grep -q 'leaves 1 of 2 pcpus out' err || fail "no message about the pcpu mask"
# A mask may be that of the boot: no message names an earlier run.
expect 0 "$xensim" --cpus 2 --boot 'tbuf_size=8 tevt_mask=0x2f000' -- \
    "$xentrace" -T 0.1 trace
grep -q 'event mask is 0x2f000' err || fail "no message about the mask of the boot"
grep -q 'earlier run' err && fail "there was no earlier run: $(cat err)"

# Through a pipe.
expect 0 "$xensim" --cpus 2 --seed 7 --report counts -- \
    sh -c '"$1" -T 1 | "$2" --info - >report' sh "$xentrace" "$xenalyze"
cp err messages
agree "a pipe"

# More data than rings and buffer hold, while the pipe is not read at first.
expect 0 "$xensim" --cpus 2 --seed 7 --rate 0 --report counts -- \
    sh -c '"$1" -S 1 --buffer 64k -T 3 | { sleep 1; cat; } >trace' sh "$xentrace"
cp err messages
expect 0 "$xenalyze" --info trace
cp out report
agree "a late reader"
grep -qE '^  lost: +[1-9]' report || fail "no record was lost"

# Capture until SIGINT.
expect 0 "$xensim" --cpus 2 --seed 7 --report counts -- \
    sh -c 'rm -f trace; "$1" trace & while [ ! -s trace ]; do sleep 0.02; done
        sleep 1; kill -INT $!; wait $!' sh "$xentrace"
cp err messages
expect 0 "$xenalyze" --info trace
cp out report
agree "a signal"

# A full disk: one line, status 1.
expect 1 "$xensim" --cpus 2 --rate 200k -- \
    sh -c 'FAULT=write:2+ exec "$1" -T 30 trace' sh "$xentrace"
grep -q 'No space left' err || fail "the reason is not the disk"
