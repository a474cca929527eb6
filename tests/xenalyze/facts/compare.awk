# SPDX-License-Identifier: GPL-2.0-or-later
#
# Input: lines of stock.awk, then of the program `facts`.  Prints stock's lines
# that facts lacks or has with a different count or average, and lines of facts
# that stock should print but does not.
{ at = match($0, /: [0-9]+ [0-9]+$/); what = substr($0, 1, at - 1)
  split(substr($0, at + 2), number, " ") }
NR == FNR { times[what] = number[1]; average[what] = number[2]; next }
what in times {
    seen[what] = 1
    # Stock counts a loss twice: at its begin and at its end.
    if ( what ~ /^volume .* gen$/ )
        right = number[2] <= average[what] && average[what] <= 2 * number[2]
    else if ( what ~ /^volume/ )
        right = number[2] == average[what]
    # Where another pcpu begins to lose, stock begins to count anew.
    else if ( what ~ / lost$/ )
        right = number[1] <= times[what] && \
                number[2] >= times[what] * average[what] && \
                number[2] < times[what] * (average[what] + 1)
    else
        right = number[1] == times[what] && \
                (!number[1] || int(number[2] / number[1]) == average[what])
    if ( right )
        next
    print what ": " number[1] " times, on average " \
          (number[1] ? int(number[2] / number[1]) : 0) "; stock says " \
          times[what] ", " average[what]
    next
}
what ~ /^d[0-9]+(v[0-9]+)? (running|runnable|blocked|offline|lost|exit|pv|full|partial|concurrency_hazard)/ && \
what !~ /waits|open exits/ && what !~ /^d32768/ { print what ": " number[1] " times; stock has none" }
END { for ( what in times ) if ( !(what in seen) ) print what ": stock says " times[what] ", " average[what] "; none here" }
