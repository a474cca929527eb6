# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the lines of a ground truth in the format of trace-events.awk.

/"what":"runstate"/ {
    print "runstate", field("dom"), field("vcpu"), field("state"), field("to")
}
/"what":"wake"/ {
    print "wake", field("dom"), field("vcpu"), field("at")
}
/"what":"(exit|outside)"/ {
    print "exit", field("cpu"), field("reason"), field("at")
}
/"what":"exit"/ {
    printf "entry %s %.0f\n", field("entered"), \
           field("at") + field("cycles")
}
