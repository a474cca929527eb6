# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk -f mutate.awk -v name=MUTANT table trace.c: print trace.c with the changes
# of one mutant.  Each text has to occur exactly once, or the exit code is 2.

# The table comes first.
FNR == NR {
    if ( $1 == "mutant" )
        mine = $2 == name
    if ( mine && /^[-+]( |$)/ ) {
        sign = substr($0, 1, 1)
        if ( sign == "-" && last != "-" )
            pairs++
        text = substr($0, 3)
        if ( sign == "-" )
            old[pairs] = last == "-" ? old[pairs] "\n" text : text
        else
            new[pairs] = last == "+" ? new[pairs] "\n" text : text
        last = sign
    }
    next
}

{ all = all $0 "\n" }

function complain(what, text)
{
    print name ": " what ": " text >"/dev/stderr"
    failed = 2
}

END {
    if ( !pairs )
        complain("not in the table", "")
    for ( i = 1; i <= pairs; i++ ) {
        at = index(all, old[i])
        if ( !at ) {
            complain("trace.c does not have", old[i])
            continue
        }
        rest = substr(all, at + length(old[i]))
        if ( index(rest, old[i]) )
            complain("trace.c has more than once", old[i])
        all = substr(all, 1, at - 1) new[i] rest
    }
    printf "%s", all
    exit failed
}
