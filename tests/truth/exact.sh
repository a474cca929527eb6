#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ground truth and trace agree record for record and to the cycle, on both
# clocks: each runstate change, each effective wake-up, each VM exit, and the
# VM entry that ended the exit.
. "$top_srcdir/tests/truth/lib.sh"

# sorted KIND FILE
sorted() {
    grep "^$1 " "$2" | sort
}

# read_both TRACE INNER: list the events of both sides, and those of one span
read_both() {
    od -An -v -tu4 -w4 "$1" |
        awk -v inner="$2" -f "$top_srcdir/tests/truth/trace-events.awk" |
        sort -u >recorded
    awk -f "$top_srcdir/tests/truth/field.awk" \
        -f "$top_srcdir/tests/truth/truth-events.awk" truth | sort -u >expected
    for file in recorded expected; do
        awk '$1 == "span" { from = $2; to = $3 }
             NR != FNR && $NF > from && $NF < to' recorded $file >$file.span
    done
}

# check_same KIND WHAT: both sides have the same events in the span
check_same() {
    sorted "$1" recorded.span >a
    sorted "$1" expected.span >b
    [ -s a ] || fail "$2: no record of a $1"
    cmp -s a b || {
        diff a b | head -n 4 >&2
        fail "$2: a $1 is only recorded (<), or only in the truth (>)"
    }
    echo "$2: $1: $(wc -l <a)"
}

# check_expected KIND WHAT: all events of the truth are recorded
check_expected() {
    sorted "$1" recorded >a
    sorted "$1" expected.span >b
    [ -s b ] || fail "$2: the truth has no $1"
    comm -13 a b >wrong
    [ ! -s wrong ] || {
        head -n 4 wrong >&2
        fail "$2: a $1 of the truth is not recorded"
    }
}

compare_all() {
    check_same runstate "$1"
    check_same exit "$1"
    check_expected entry "$1"
    check_expected wake "$1"
}

# check_recorded KIND: all recorded events are in the truth
check_recorded() {
    sorted "$1" recorded >a
    sorted "$1" expected >b
    [ -s a ] || fail "real: no record of a $1"
    comm -23 a b >wrong
    [ ! -s wrong ] || {
        head -n 4 wrong >&2
        fail "real: a recorded $1 is not in the truth"
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
    compare_all "virtual $options"
    awk -f "$top_srcdir/tests/truth/field.awk" \
        -f "$top_srcdir/tests/truth/wakes.awk" truth >wrong
    [ ! -s wrong ] || fail "virtual $options: nothing ended by $(head -n 1 wrong)"
done

# The machine's clock, with signals as interrupts.  On a busy machine records
# are lost, and the remaining ones still have to agree.
expect 0 "$xensim" --truth truth --rate 100k --interrupts 20k --nmis 3k -- \
    "$xentrace" -T 0.5 trace
read_both trace 1
if grep -q '"untold":[1-9]' truth; then
    echo "real: exits were missed by handlers, only runstates are compared"
    check_recorded runstate
elif grep -q 'no record was lost' err; then
    compare_all "real"
else
    check_recorded runstate
    check_recorded exit
    check_recorded entry
fi

# Rings that are too small.
expect 0 "$xensim" --truth truth --rate 0 --interrupts 2k -- \
    "$xentrace" -S 1 -T 0.2 trace
read_both trace 1
check_recorded runstate
