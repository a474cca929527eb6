# SPDX-License-Identifier: GPL-2.0-or-later
#
# Convert the summary of stock's xenalyze to lines of the program `facts`:
# "name: count average".
function states(who, line,    n, f)
{
    n = index(line, ":")
    f = substr(line, n + 1)
    split(f, word, " ")
    line = substr(line, 1, n - 1)
    sub(/^ +/, "", line)
    if ( line ~ /^(wake|preempt|other)$/ )
        line = "runnable " line
    print who " " line ": " word[1] " " word[3]
}
/^ - cpu / { cpu = $3; next }
/^ [+a-z0-9-]+ *: +[0-9]+$/ {
    name = $1
    sub(/^\+-/, "", name)
    sub(/:.*/, "", name)
    print "volume " cpu " " name ": 0 " $NF
    next
}
/^\|-- Domain/ { d = "d" $3; v = ""; next }
/^\|-- Default/ { d = "d32768"; v = ""; next }
/^-- v/ { v = $2; part = ""; next }
/^ Runstates:/ { part = "states"; next }
/^ cpu affinity/ { part = "affinity"; next }
/^Exit reasons/ { part = "exits"; next }
/^PV events/ { part = "pv"; next }
/^[A-Z]/ || /^ (Grant|Populate)/ { part = "" }
part == "states" && /: +[0-9]+ / { states(v == "" ? d : d v, $0); next }
part == "exits" && /^ [A-Za-z0-9_]+ / {
    print d v " exit " $1 ": " $2 " " $5
    next
}
part == "pv" && /^  [a-z]/ {
    n = $NF
    sub(/^  /, "")
    sub(/ +[0-9]+$/, "")
    print d v " pv " $0 ": " n " 0"
    next
}
part == "pv" && /^    .*\[[ 0-9]+\]:? / {
    n = $NF
    number = $0
    sub(/.*\[ */, "", number)
    sub(/\].*/, "", number)
    print d v (/\]:/ ? " hypercall " : " trap ") number ": " n " 0"
}
