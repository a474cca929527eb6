# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lines of a truth as records.awk prints records.

function field(name,    at, text)
{
    at = index($0, "\"" name "\":")
    if ( !at )
        return ""
    text = substr($0, at + length(name) + 3)
    sub(/[,}].*/, "", text)
    gsub(/"/, "", text)
    return text
}

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
