#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kill xentrace at random moments, many times, on one hypervisor.  All files can
# be opened, at most their end is torn, and together they have each emitted
# event: records that a killed xentrace had read but not written remain in the
# ring for the next one.  The watchdog disables tracing.
. "$top_srcdir/tests/fault/lib.sh"

times=100
[ -z "${CHECK_FULL-}" ] || times=1000
seed=${SEED-$$}

# Large rings, which do not fill even on a slow machine: losses in the ring are
# counted, but not records overwritten after forced consumption.
cat >play <<'END'
awk -v seed="$2" -v n="$1" 'BEGIN {
    srand(seed)
    for (i = 1; i <= n; i++) printf "%d %.3f\n", i, 0.005 + 0.05 * rand()
}' | while read -r i time; do
    # Every second xentrace writes byte by byte, so its file ends torn.
    fault=
    [ $((i % 2)) -eq 0 ] || fault=short-write:2+
    FAULT=$fault "$xentrace" -S 4096 trace.$i 2>messages.$i &
    # Every fourth is killed at once, perhaps before its start.  The others are
    # killed only after their first write, however slow the machine is, or else
    # no end would be torn and the rings would fill.
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
"$xentrace" -T 0.1 trace.last 2>messages
END

expect 0 "$xensim" --cpus 2 --rate 10k --report counts -- \
    sh play "$times" "$seed"
check_off "$times kills, SEED=$seed"
files=
for i in $(seq "$times"); do
    [ ! -e "trace.$i" ] || files="$files trace.$i"
done
# shellcheck disable=SC2086 # several files
balance "$times kills, SEED=$seed" $files trace.last
grep -q '^torn' damage || fail "no file ended torn: nothing was tested"
echo "$times kills, $(grep -c '^torn' damage) torn ends, SEED=$seed: no event is missing"
