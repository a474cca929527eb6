# SPDX-License-Identifier: GPL-2.0-or-later
#
# In virtual time a woken vcpu waited until its wake-up, within the duration of
# a few records.  Prints all other wake-ups. (Needs field.awk.)

/"what":"runstate".*"state":"(blocked|offline)"/ {
    vcpu = field("dom") " " field("vcpu")
    before[vcpu] = ended[vcpu]
    ended[vcpu] = field("to") + 0
}

function is_right(at, end)
{
    return end >= at && end < at + 3000
}

# A vcpu that was pinned anew before running has stopped twice.
/"what":"wake"/ {
    vcpu = field("dom") " " field("vcpu")
    at = field("at") + 0
    if ( !is_right(at, ended[vcpu]) && !is_right(at, before[vcpu]) )
        print
}
