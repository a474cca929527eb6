#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same seed is the same play, byte for byte; another one is another; and
# what is traced changes nothing in what happens.
. "$top_srcdir/tests/truth/lib.sh"

# differs A B WHAT
differs() {
    cmp -s "$1" "$2" && fail "$3"
}

for options in '--cpus 4' '--cpus 12 --hotplug 5ms --storm 7ms' \
    '--cpus 4 --scheduler null --tsc-skew 1ms --tsc-jump 20ms'; do
    # shellcheck disable=SC2086 # options are several words
    play -T 0.2 --seed 5 $options
    mv trace trace.1
    mv truth truth.1
    # shellcheck disable=SC2086
    play -T 0.2 --seed 5 $options
    cmp trace trace.1 || fail "$options: another trace"
    cmp truth truth.1 || fail "$options: another truth"
    # shellcheck disable=SC2086
    play -T 0.2 --seed 6 $options
    differs trace trace.1 "$options: another seed, and the same trace"
    differs truth truth.1 "$options: another seed, and the same truth"
done

# All but the books, which are about what is traced.
happened() {
    grep -v '"what":"books"' "$1"
}
play -T 0.2 --seed 5
happened truth >all
mv trace trace.1
play -T 0.2 --seed 5 --boot 'tbuf_size=32 tevt_mask=0x21000'
happened truth >few
differs trace trace.1 "the mask chose nothing"
cmp all few || fail "what is traced changes what happens"
