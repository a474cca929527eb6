# SPDX-License-Identifier: GPL-2.0-or-later
#
# Split the lines of a dump: number of the pcpu @ mark @ time @ column @ vcpu @
# text.  Lines without a record (stock mixes messages in) are dropped.
function part(line,    mark, time, rest, at, column)
{
    mark = substr(line, 1, 1)
    if ( !index("] !", mark) )
        return
    rest = substr(line, 2)
    if ( match(rest, /^ *[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9] /) )
        time = substr(rest, 1, RLENGTH - 1)
    else if ( match(rest, /^               /) )
        time = ""
    else
        return
    rest = substr(rest, RLENGTH + 1)
    if ( !match(rest, /^[-x|l. 0-9]*x[-|l. 0-9]* d[0-9?]+v[0-9?]+ /) )
        return
    # The column ends before the vcpu.
    column = substr(rest, 1, RLENGTH - 1)
    at = match(column, / d[0-9?]+v[0-9?]+$/)
    sub(/^ */, "", time)
    print index(column, "x") - 1 "@" mark "@" time "@" \
          substr(column, 1, at - 1) "@" substr(column, at + 1) "@" \
          substr(rest, length(column) + 2)
}
{ part($0) }
