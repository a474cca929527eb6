# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records of a trace in the terms of the ground truth, from `od -An -v -tu4
# -w4`:
#
#     runstate DOM VCPU STATE TSC     end of this state
#     wake DOM VCPU TSC
#     exit CPU REASON TSC
#     entry CPU TSC
#     span TSC TSC
#
# The span is that of the whole trace.  With -v inner=1 it is the time in which
# all pcpus were traced, as tracing starts and stops on one after the other.

function next_word(    word) {
    getline word
    return word + 0
}

BEGIN {
    split("running runnable blocked offline", states, " ")
    CPU_CHANGE = 126979         # 0x1f003
    RUNSTATE = 135169           # 0x21001, and the states
    WAKE = 163844               # 0x28004
    ENTRY = 528385              # 0x81001
    EXIT64 = 528642             # 0x81102
}

{
    header = $1
    id = header % 268435456
    words = int(header / 268435456) % 8
    if ( header >= 2147483648 ) {
        low = next_word()
        tsc = sprintf("%.0f", next_word() * 4294967296 + low)
        if ( !(cpu in first) )
            first[cpu] = tsc
        last[cpu] = tsc
    }
    for ( i = 0; i < words; i++ )
        word[i] = next_word()

    minor = id % 4096
    if ( id == CPU_CHANGE )
        cpu = word[0]
    else if ( int(id / 4096) == 33 && minor % 16 == 1 )
        print "runstate", int(word[0] / 65536), word[0] % 65536, \
              states[int(minor / 256) % 4 + 1], tsc
    else if ( id == WAKE )
        print "wake", word[0], word[1], tsc
    else if ( id == EXIT64 )
        print "exit", cpu, word[0], tsc
    else if ( id == ENTRY )
        print "entry", cpu, tsc
}

# The later (or earlier) of two times; `a` may be empty.
function choose(a, b, later) {
    return a == "" || (later ? b - a > 0 : b - a < 0) ? b : a
}

END {
    for ( cpu in first ) {
        from = choose(from, first[cpu], inner)
        to = choose(to, last[cpu], !inner)
    }
    print "span", from, to
}
