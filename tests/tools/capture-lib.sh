# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common functions of the tests of whole captures, to compare emitted, recorded
# and lost events.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# emitted_counts: CPU EMITTED UNSURE, from the report of xensim
emitted_counts() {
    sed -nE 's/.*"cpu": ([0-9]+), "emitted": ([0-9]+), "unsure": ([0-9]+).*/\1 \2 \3/p' \
        counts
}

# trace_counts: CPU EVENTS LOST, from the table of pcpus
trace_counts() {
    sed -nE 's/^ +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+)  .*/\1 \3 \4/p' report
}

# lost CPU: the losses reported by xentrace
lost() {
    lost=$(sed -n "s/^xentrace: warning: pcpu $1 lost \([0-9]*\) .*/\1/p" messages)
    echo "${lost:-0}"
}

# agree WHAT: emitted = recorded + lost, for each pcpu
agree() {
    emitted_counts >emitted.txt
    trace_counts >events.txt
    [ -s emitted.txt ] || fail "$1: no counts"
    while read -r cpu emitted unsure; do
        events=$(sed -n "s/^$cpu \([0-9]*\) .*/\1/p" events.txt)
        noted=$(sed -n "s/^$cpu [0-9]* //p" events.txt)
        seen=$((${events:-0} + $(lost "$cpu")))
        if [ $seen -lt "$emitted" ] || [ $seen -gt $((emitted + unsure)) ]
        then
            fail "$1: pcpu $cpu emitted $emitted (and $unsure unsure);" \
                "there are ${events:-0}, and $(lost "$cpu") lost"
        fi
        [ "${noted:-0}" -eq "$(lost "$cpu")" ] ||
            fail "$1: pcpu $cpu lost $(lost "$cpu"), but the trace has $noted"
    done <emitted.txt
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
    expect 0 "$xensim" --seed 7 --report counts $options -- \
        "$xentrace" "$@" trace
    cp err messages
    expect 0 "$xenalyze" --info trace
    cp out report
    grep -qx 'damage: none' report || fail "$what: damage"
    agree "$what"
}
