# SPDX-License-Identifier: GPL-2.0-or-later
#
# From a truth what stock's xenalyze counts and adds up: lines "dom vcpu state
# count cycles", and for what runs at the end "open" with the most that may
# come on top.
#
# Stock begins with a vcpu when that first begins to run, and begins a new
# interval when the scheduler chooses the vcpu again.  It closes what is open
# when a pcpu's records end.
#
#     awk -v end=CYCLES -f field.awk -f sums.awk truth

/"what":"(runstate|still)"/ {
    who = field("dom") " " field("vcpu")
    state = field("state")
    if ( state == "running" && who in seen )
        known[who]
    seen[who]
}

/"what":"runstate"/ && who in known {
    count[who " " state] += 1 + field("continued")
    sum[who " " state] += field("to") - field("from")
}

/"what":"still"/ && state == "running" && who in known {
    count[who " running"] += 1 + field("continued")
    open[who " running"] = end - field("from")
}

END {
    for ( i in count )
        printf "%s %d %d %d\n", i, count[i], sum[i], open[i]
}
