#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the truth says and what is in the rings are the same, record for record
# and to the cycle, on both clocks: each change of runstate; each wake-up that
# was answered; each exit and the entry that ended it.
. "$top_srcdir/tests/truth/lib.sh"

# sorted KIND FILE
sorted() {
    grep "^$1 " "$2" | sort
}

# read_both TRACE INNER: what is in it, and what was told, of the same span
read_both() {
    od -An -v -tu4 -w4 "$1" |
        awk -v inner="$2" -f "$top_srcdir/tests/truth/records.awk" |
        sort -u >recorded
    awk -f "$top_srcdir/tests/truth/field.awk" \
        -f "$top_srcdir/tests/truth/lines.awk" truth | sort -u >told
    for file in recorded told; do
        awk '$1 == "span" { from = $2; to = $3 }
             NR != FNR && $NF > from && $NF < to' recorded $file >$file.span
    done
}

# same KIND WHAT: neither knows of one that the other does not
same() {
    sorted "$1" recorded.span >a
    sorted "$1" told.span >b
    [ -s a ] || fail "$2: no record of a $1"
    cmp -s a b || {
        diff a b | head -n 4 >&2
        fail "$2: one of a $1 is recorded (<), or told (>), only"
    }
    echo "$2: $1: $(wc -l <a)"
}

# within KIND WHAT: what is told is recorded
within() {
    sorted "$1" recorded >a
    sorted "$1" told.span >b
    [ -s b ] || fail "$2: nothing told of a $1"
    comm -13 a b >odd
    [ ! -s odd ] || {
        head -n 4 odd >&2
        fail "$2: a $1 is told that is not recorded"
    }
}

agree() {
    same runstate "$1"
    same exit "$1"
    within entry "$1"
    within wake "$1"
}

# known KIND: what is recorded is told
known() {
    sorted "$1" recorded >a
    sorted "$1" told >b
    [ -s a ] || fail "real: no record of a $1"
    comm -23 a b >odd
    [ ! -s odd ] || {
        head -n 4 odd >&2
        fail "real: a $1 is recorded that is not told"
    }
    echo "real, with losses: $1: $(wc -l <a)"
}

cp "$top_srcdir/xensim/scenarios/boot-storm.scenario" boot
cat >naps <<'END'
cpus = 2
[domain napper]
kind = pvh
vcpus = 2
load = quiet
period = 20ms
duty = 5
pause = 13ms
pause-for = 4ms
END
for options in '' '--hotplug 5ms --cpus 8' '--storm 3ms --nmis 2k' \
    '-f boot' '-f naps' '--scheduler null --cpus 6'; do
    # shellcheck disable=SC2086 # options are several words
    play -T 0.3 $options
    read_both trace
    agree "virtual $options"
    awk -f "$top_srcdir/tests/truth/field.awk" \
        -f "$top_srcdir/tests/truth/wakes.awk" truth >odd
    [ ! -s odd ] || fail "virtual $options: nothing ended by $(head -n 1 odd)"
done

# The clock of the machine; the interrupts are signals.  On a busy machine
# records are lost, and what is left is still the truth.
expect 0 "$xensim" --truth truth --rate 100k --interrupts 20k --nmis 3k -- \
    "$xentrace" -T 0.5 trace
read_both trace 1
if grep -q '"untold":[1-9]' truth; then
    echo "real: handlers had no room for all of their exits"
    known runstate
elif grep -q 'no record was lost' err; then
    agree "real"
else
    known runstate
    known exit
    known entry
fi

# Rings that are too small.
expect 0 "$xensim" --truth truth --rate 0 --interrupts 2k -- \
    "$xentrace" -S 1 -T 0.2 trace
read_both trace 1
known runstate
