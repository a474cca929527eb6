# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a truth of virtual time: who was woken had waited until then, up to a few
# records' time.  What is not so is printed.  (To be read behind field.awk.)

/"what":"runstate".*"state":"(blocked|offline)"/ {
    who = field("dom") " " field("vcpu")
    before[who] = ended[who]
    ended[who] = field("to") + 0
}

function is_right(at, end)
{
    return end >= at && end < at + 3000
}

# One who was pinned anew before he ran has stopped twice.
/"what":"wake"/ {
    who = field("dom") " " field("vcpu")
    at = field("at") + 0
    if ( !is_right(at, ended[who]) && !is_right(at, before[who]) )
        print
}
