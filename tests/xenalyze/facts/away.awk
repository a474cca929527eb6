# SPDX-License-Identifier: GPL-2.0-or-later
#
# Input: lines of told.awk, twice.  In the ground truth an exit lasts until the
# entry, but in xenalyze, as in stock, only until its vcpu is scheduled away and
# can run again.  This script cuts exits there, by the runstates of the truth,
# and adds how they ended: 0 by an entry, 1 preempted, 2 woken.
/^(runstate|still) / && NR == FNR {
    if ( $3 == "runnable" )
        can_run[$2, count[$2]++] = $4
    else if ( $3 != "running" )
        slept[$2, $5] = 1
}
NR == FNR { next }

# The first time not before `at` when this vcpu can run.
function next_run(who, at,    low, high, middle) {
    high = count[who]
    while ( low < high ) {
        middle = int((low + high) / 2)
        if ( can_run[who, middle] + 0 < at + 0 )
            low = middle + 1
        else
            high = middle
    }
    return low < count[who] ? can_run[who, low] : 0
}
$1 == "exit" {
    run = next_run($2, $3)
    end = run && run + 0 < $3 + $5 ? ($2, run) in slept ? 2 : 1 : 0
    $0 = $1 " " $2 " " $3 " " $4 " " (end ? run - $3 : $5) " " $6 " " end
}
{ print }
