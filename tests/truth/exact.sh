#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the truth says and what is in the rings are the same, record for record
# and to the cycle, in virtual time: each change of runstate; each wake-up that
# was answered; each exit and the entry that ended it.
. "$top_srcdir/tests/truth/lib.sh"

# sorted KIND FILE
sorted() {
    grep "^$1 " "$2" | sort
}

# read_both TRACE: what is in it, and what was told, of the same span of time
read_both() {
    od -An -v -tu4 -w4 "$1" | awk -f "$top_srcdir/tests/truth/records.awk" |
        sort -u >recorded
    awk -f "$top_srcdir/tests/truth/lines.awk" truth | sort -u >told
    awk '{ print $NF }' recorded | sort -n | sed -n '1p;$p' >span
    for file in recorded told; do
        awk 'NR == FNR { at[NR] = $1; next }
             $NF > at[1] && $NF < at[2]' span $file >$file.span
    done
}

# same KIND WHAT: neither knows of one that the other does not
same() {
    sorted "$1" recorded.span >a
    sorted "$1" told.span >b
    [ -s a ] || fail "$2: no record of a $1"
    cmp -s a b || {
        diff a b | head -n 4 >&2
        fail "$2: another $1 is recorded than told"
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
    read_both trace
    same runstate "$1"
    same exit "$1"
    within entry "$1"
    within wake "$1"
}

for options in '' '--hotplug 5ms --cpus 8' '--storm 3ms --nmis 2k' \
    '-f boot' '--scheduler null --cpus 6'; do
    cp "$top_srcdir/xensim/scenarios/boot-storm.scenario" boot
    # shellcheck disable=SC2086 # options are several words
    play -T 0.3 $options
    agree "virtual $options"
done
