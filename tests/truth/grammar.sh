#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Played traces follow the same rules as traces of real Xen: those of
# grammar.awk. The rules are also checked on real traces, if there are any
# beside the tree.
. "$top_srcdir/tests/truth/lib.sh"

# check_rules WHAT TRACE
check_rules() {
    od -An -v -tu4 -w4 "$2" |
        awk -f "$top_srcdir/tests/truth/grammar.awk" >result
    grep -q '^checked [1-9][0-9][0-9]' result || fail "$1: nothing was checked"
    [ "$(wc -l <result)" -eq 1 ] || {
        head -n 4 result >&2
        fail "$1: violates a rule"
    }
    echo "$1: $(cat result)"
}

# Traces with all scheduling records, or none.
for name in boot2-all c2-pv1-mix-all c2b-all credit-2pv-all dom0-busy-sched \
    dom0-idle-all lost-S1-s300 master-idle-all null-real-sched \
    rtds-real-sched svm-pvh-hvm svm-pvh-sched; do
    trace=$top_srcdir/../shared/data/xen/$name/trace.bin
    [ ! -f "$trace" ] || check_rules "real, $name" "$trace"
done

for name in boot-storm noisy-neighbour overcommitted; do
    play -T 0.3 -f "$top_srcdir/xensim/scenarios/$name.scenario"
    check_rules "$name" trace
done
while read -r options; do
    # shellcheck disable=SC2086 # options are several words
    play -T 0.15 $options
    check_rules "$options" trace
done <<'END_OF_OPTIONS'
--cpus 4
--cpus 6 --scheduler null
--cpus 8 --hotplug 5ms
--cpus 8 --hotplug 5ms --scheduler null
--storm 3ms --nmis 2k
--vendor amd --nested --kind hvm
--vendor amd --layout master
--drain 50ms --boot tbuf_size=4
END_OF_OPTIONS

# The rules can fail: here no runstate change follows a SWITCH.
play -T 0.1 --boot 'tbuf_size=32 tevt_mask=0x28000'
od -An -v -tu4 -w4 trace | awk -f "$top_srcdir/tests/truth/grammar.awk" |
    grep -q 'breaks: switch' || fail "a violation was not detected"
