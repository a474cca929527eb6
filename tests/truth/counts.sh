#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The records emitted by each pcpu are exactly the records in the trace plus the
# lost records, in every simulation.
. "$top_srcdir/tests/truth/lib.sh"

while read -r options; do
    # shellcheck disable=SC2086 # options are several words
    play -T 0.2 $options
    balance "$options" trace
    echo "$options: $(awk '{ n += $2 } END { print n }' counts.txt) records"
done <<'END'
--cpus 4
--cpus 1 --domains 3
--cpus 6 --scheduler null
--cpus 3 --vendor amd --layout master --nested
--cpus 2 --rate 0 -T 0.05
--cpus 8 --hotplug 5ms
--cpus 8 --hotplug 5ms --park --scheduler null
--cpus 9 --online 3 --hotplug 3ms --runq-cpus 2
--cpus 4 --storm 2ms --interrupts 20k --nmis 5k
--cpus 4 --tsc-skew 1ms --tsc-drift 5000 --tsc-jump 10ms
--cpus 4 --scatter --boot tbuf_size=3
--cpus 300 -T 0.02
END

# With an event mask the trace has the selected events only.
play -T 0.2 --cpus 3 --boot 'tbuf_size=8 tevt_mask=0x2f000'
balance "mask" trace
grep -qE '^(hvm|pv|hw) ' out && fail "events outside the mask"

# Rings too small for the time between two drains.
play -T 0.2 --cpus 3 --drain 50ms --boot tbuf_size=2
balance "losses" trace
awk '{ n += $4 } END { exit !n }' counts.txt || fail "nothing was lost"

# The ground truth has the same counts.
sed -nE 's/.*"books","cpu":([0-9]+),"emitted":([0-9]+),"unsure":([0-9]+),"lost":([0-9]+).*/\1 \2 \3 \4/p' \
    truth >truth.txt
cmp truth.txt counts.txt || fail "the ground truth has other counts than the report"
