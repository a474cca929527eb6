#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same seed gives the same simulation, byte for byte, another seed a
# different one, and the trace mask does not influence the simulation.
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
    differs trace trace.1 "$options: another seed has the same trace"
    differs truth truth.1 "$options: another seed has the same truth"
done

# All lines but the counts, which depend on the mask.
events_only() {
    grep -v '"what":"books"' "$1"
}
play -T 0.2 --seed 5
events_only truth >all
mv trace trace.1
play -T 0.2 --seed 5 --boot 'tbuf_size=32 tevt_mask=0x21000'
events_only truth >few
differs trace trace.1 "the mask has no effect"
cmp all few || fail "the mask influences the simulation"

# The wall clock of the trace starts with the simulation.
start=$(sed -nE 's/.*"what":"machine".*"at":([0-9]+)\}$/\1/p' truth)
expect 0 "$xenalyze" --records trace
grep -q "meta_clock .* tsc $start is .* wall clock 1767225600000000000 ns" out ||
    fail "the clock is not that of the start, $start: $(grep meta_clock out)"
