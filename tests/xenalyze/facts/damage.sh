#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The analysis terminates on any input, with the same result for any number of
# threads: random bytes of a trace are changed, and the trace is cut somewhere.
# (Builds with sanitizers detect more than crashes.)
#
#   SEED=N selects other changes; ROUNDS=N sets their number.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

play --duration=20ms --seed=12 --vendor=amd --nested
cp trace whole
size=$(wc -c <whole)
[ "$size" -gt 50000 ] || fail "the trace is too short"

# awk's srand is the time in seconds: use our own generator and print its seed
state=${SEED-1}
random() {
    state=$(((state * 1103515245 + 12345) & 0x7fffffff))
    value=$(((state >> 8) % $1))
}

damage() {
    cp whole trace
    random 60
    for _ in $(seq 0 $value); do
        random 256
        byte=$(printf '\\%03o' $value)
        random "$size"
        # shellcheck disable=SC2059
        printf "$byte" | dd of=trace bs=1 seek=$value conv=notrunc 2>dd.log
    done
    random 4
    [ $value -ne 0 ] || {
        random "$size"
        head -c $value whole >trace
    }
}

for round in $(seq "${ROUNDS-25}"); do
    damage
    for how in "-t 1" "-t 3" "-o" "-S"; do
        # shellcheck disable=SC2086
        "$facts" $how sums trace >out 2>err </dev/null ||
            fail "round $round, $how: it does not come to its end"
        [ "$how" != "-t 1" ] || mv out one
        [ "$how" != "-t 3" ] || cmp -s one out ||
            fail "round $round: threads differ"
    done
done
echo "$round damaged traces"
