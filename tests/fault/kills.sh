#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Killed at any moment, again and again, on one hypervisor.  All files can be
# opened, at most their end is torn, and all of them together have each event
# that was emitted: what a killed one had taken and not written was still in
# the ring for the next one.  And the watchdog has told Xen to stop.
. "$top_srcdir/tests/fault/lib.sh"

times=100
[ -z "${CHECK_FULL-}" ] || times=1000
seed=${SEED-$$}

# Rings that a slow machine does not fill meanwhile; what Xen loses is
# counted, but what a ring was pressed to give away is not.
cat >play <<'END'
awk -v seed="$2" -v n="$1" 'BEGIN {
    srand(seed)
    for (i = 1; i <= n; i++) printf "%d %.3f\n", i, 0.005 + 0.05 * rand()
}' | while read -r i time; do
    # Every other one gets its bytes written one by one: its end is torn.
    fault=
    [ $((i % 2)) -eq 0 ] || fault=short-write:2+
    FAULT=$fault "$xentrace" -S 4096 trace.$i 2>said.$i &
    # Every fourth is killed when it may not have begun.  Of the others each
    # gets to where it writes, however long that takes here: else no end would
    # be torn, and the rings would fill.
    n=0
    while [ $((i % 4)) -ne 0 ] && [ ! -s trace.$i ] && [ $n -lt 500 ]; do
        n=$((n + 1))
        sleep 0.01
    done
    sleep "$time"
    kill -9 $!
    wait $! 2>/dev/null
done
n=0
until "$setsize" >state && grep -q 'is off' state; do
    n=$((n + 1))
    [ $n -lt 100 ] || break
    sleep 0.1
done
"$xentrace" -T 0.1 trace.last 2>said
END

expect 0 "$xensim" --cpus 2 --rate 10k --report books -- \
    sh play "$times" "$seed"
off "$times kills, SEED=$seed"
files=
for i in $(seq "$times"); do
    [ ! -e "trace.$i" ] || files="$files trace.$i"
done
# shellcheck disable=SC2086 # they are several
balance "$times kills, SEED=$seed" $files trace.last
grep -q '^torn' damage || fail "no end was torn: nothing was tried"
echo "$times kills, $(grep -c '^torn' damage) torn ends, SEED=$seed: nothing is missing"
