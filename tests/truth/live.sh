#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The virtual clock waits for the real xentrace, so a slow one loses nothing,
# and with a seed each pcpu has the same records as without xentrace.
. "$top_srcdir/tests/truth/lib.sh"

expect 0 "$xensim" --virtual --cpus 3 -T 1 --truth truth --report counts -- \
    "$xentrace" trace
grep -q 'no record was lost' err || fail "something was lost"
balance "live" trace
[ "$(wc -c <trace)" -gt 1000000 ] || fail "the trace is shorter than a second"

# The clock starts with tracing, so the trace is complete.
expect 0 "$xensim" --virtual --cpus 3 -T 1 --truth truth --report counts -- \
    sh -c 'sleep 0.3; exec "$1" -e sched trace' sh "$xentrace"
balance "late" trace

# xensim does not wait forever for a command that never traces.
expect 3 "$xensim" --virtual --cpus 3 -T 1 -- sh -c 'exit 3'

# A command that ends early ends the simulation.
expect 0 "$xensim" --virtual --cpus 2 -T 1h --report counts -- \
    "$xentrace" -T 0.3 trace
counts >counts.txt
[ -s counts.txt ] || fail "no counts after an early end"
