# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compute from the ground truth the counts and sums of stock's xenalyze: lines
# "dom vcpu state count cycles", and for a vcpu running at the end "open", the
# maximum time to be added.
#
# Stock's account of a vcpu starts when the vcpu first runs, and a new interval
# starts when the scheduler picks the vcpu again.  Open intervals are closed at
# the last record of the pcpu.
#
#     awk -v end=CYCLES -f field.awk -f truth-sums.awk truth

/"what":"(runstate|still)"/ {
    vcpu = field("dom") " " field("vcpu")
    state = field("state")
    if ( state == "running" && vcpu in seen )
        counted[vcpu]
    seen[vcpu]
}

/"what":"runstate"/ && vcpu in counted {
    count[vcpu " " state] += 1 + field("continued")
    sum[vcpu " " state] += field("to") - field("from")
}

/"what":"still"/ && state == "running" && vcpu in counted {
    count[vcpu " running"] += 1 + field("continued")
    open[vcpu " running"] = end - field("from")
}

END {
    for ( i in count )
        printf "%s %d %d %d\n", i, count[i], sum[i], open[i]
}
