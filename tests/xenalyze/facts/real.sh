#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Also on traces of real Xen, the state machines agree with stock's xenalyze,
# except for the differences listed here: trace, difference, reason.  An unused
# row is a failure, too.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

excused='
boot2-all|d0 partial run: 148 times|two vcpus run from the start, which stock counts twice
c2-cpumask1|d0v0 runnable|it ran on a pcpu without records meanwhile
c2-cpumask1|d0v1 runnable|it ran on a pcpu without records meanwhile
c2-cpumask1|d1v0 runnable|it ran on a pcpu without records meanwhile
c2-cpumask1|d1v1 runnable|it ran on a pcpu without records meanwhile
lost-S1-s300|d1v0 lost:|stock begins to count a loss anew when another pcpu loses
lost-S1-s300|d32767 lost:|a loss that the end of the trace ends is not counted
lost-S1-s300|d32767v0 lost:|a loss that the end of the trace ends is not counted'

data=$top_srcdir/../shared/data/xen
[ -d "$data" ] || skip "there are no real traces beside the tree"
stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

# differences TRACE: print the differences; stock's lines are in theirs
differences() {
    option=
    case $1 in svm*) option=--svm-mode ;; esac
    # Stock gives up on some traces; its output until then counts.
    # shellcheck disable=SC2086
    "$stock" --cpu-hz 1000000000 $option --summary "$data/$1/trace.bin" \
        >said 2>noise
    awk -f "$analysis/stock.awk" said >theirs
    [ -s theirs ] || return
    expect 0 "$facts" sums "$data/$1/trace.bin"
    awk -f "$analysis/compare.awk" theirs out
}

lines=0
: >needed
for dir in "$data"/*/; do
    name=$(basename "$dir")
    [ -f "$dir/trace.bin" ] || continue
    differences "$name" >differ
    lines=$((lines + $(wc -l <theirs)))
    while read -r line; do
        echo "$excused" | awk -F '|' -v name="$name" -v line="$line" '
            $1 == name && index(line, $2) == 1 { print $1 "|" $2; found = 1 }
            END { exit !found }' >>needed || fail "$name: $line"
    done <differ
done
[ $lines -gt 1000 ] || fail "stock prints too few lines: $lines"
for row in $(echo "$excused" | sed '1d; s/ /_/g'); do
    grep -qxF "$(echo "${row%|*}" | sed 's/_/ /g')" needed ||
        fail "nothing needs the row $row"
done
echo "$lines lines of stock's"
