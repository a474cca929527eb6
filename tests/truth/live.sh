#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A virtual clock waits for the real xentrace: nothing is lost, however slow
# that is, and with a seed each pcpu's records are the same as without it.
. "$top_srcdir/tests/truth/lib.sh"

expect 0 "$xensim" --virtual --cpus 3 -T 1 --truth truth --report books -- \
    "$xentrace" trace
grep -q 'no record was lost' err || fail "something was lost"
balance "live" trace
[ "$(wc -c <trace)" -gt 1000000 ] || fail "that is not a second's worth"

# The clock stands until somebody traces: so all of it is in the trace.
expect 0 "$xensim" --virtual --cpus 3 -T 1 --truth truth --report books -- \
    sh -c 'sleep 0.3; exec "$1" -e sched trace' sh "$xentrace"
balance "late" trace

# One who does not want to trace is not waited for for ever.
expect 3 "$xensim" --virtual --cpus 3 -T 1 -- sh -c 'exit 3'

# And one who ends before the time.
expect 0 "$xensim" --virtual --cpus 2 -T 1h --report books -- \
    "$xentrace" -T 0.3 trace
books >books.txt
[ -s books.txt ] || fail "no books of an early end"
