# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What tests of whole captures share: what the workload says it emitted, what
# is in the trace, what was lost.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# Of the report: cpu, emitted, unsure.
books() {
    sed -nE 's/.*"cpu": ([0-9]+), "emitted": ([0-9]+), "unsure": ([0-9]+).*/\1 \2 \3/p' \
        books
}

# Of the pcpu table: cpu, events, lost.
counts() {
    sed -nE 's/^ +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+)  .*/\1 \3 \4/p' report
}

# lost CPU: what xentrace said that was lost there.
lost() {
    lost=$(sed -n "s/^xentrace: warning: pcpu $1 lost \([0-9]*\) .*/\1/p" said)
    echo "${lost:-0}"
}

# agree WHAT: the books, the counts and what was said go together.
agree() {
    books >books.txt
    counts >counts.txt
    [ -s books.txt ] || fail "$1: no books"
    while read -r cpu emitted unsure; do
        events=$(sed -n "s/^$cpu \([0-9]*\) .*/\1/p" counts.txt)
        noted=$(sed -n "s/^$cpu [0-9]* //p" counts.txt)
        seen=$((${events:-0} + $(lost "$cpu")))
        if [ $seen -lt "$emitted" ] || [ $seen -gt $((emitted + unsure)) ]
        then
            fail "$1: pcpu $cpu emitted $emitted (and $unsure unsure);" \
                "there are ${events:-0}, and $(lost "$cpu") lost"
        fi
        [ "${noted:-0}" -le "$(lost "$cpu")" ] ||
            fail "$1: pcpu $cpu lost $(lost "$cpu"), but notes $noted"
    done <books.txt
}

# capture WHAT XENSIM-OPTIONS -- XENTRACE-OPTIONS
capture() {
    what=$1
    shift
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # options are several words
    expect 0 "$xensim" --seed 7 --report books $options -- \
        "$xentrace" "$@" trace
    cp err said
    expect 0 "$xenalyze" --info trace
    cp out report
    grep -qx 'damage: none' report || fail "$what: damage"
    agree "$what"
}
