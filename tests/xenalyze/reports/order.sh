#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --sort orders the rows of tables without losing any; --top limits them.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

reports="--summary --report-pcpu --report-latency --report-exits"

# column HEADING FIELD: of the rows of a table
column() {
    awk -v heading="$1" -v field="$2" '
        /^---/ { here = index($0, heading); next }
        here && ++row[heading] > 1 { print $field + 0 }' out
}

# shellcheck disable=SC2086 # several words
for trace in intel amd; do
    expect 0 "$xenalyze" $reports --top 200 --sort name $trace
    sort out >all
    for key in total count mean p50 p95 p99 max; do
        expect 0 "$xenalyze" $reports --top 200 --sort $key $trace
        # Names in a line about waiting have another order, too.
        sort out | diff all - | grep '^[<>]' |
            grep -Ev '^.  ([^ ]+/[0-9]+ +(waited|by) |   )' >differ
        [ ! -s differ ] || fail "$trace: --sort $key: $(head -n 2 differ)"
    done
done

# joined: the tables of exits with words for fields, and times in picoseconds,
# as the text rounds to three digits
joined() {
    sed 's/: /:/; s/vector /vector/; s/ (write)/(write)/' out |
        sed -E 's/([0-9.]+) ns/\1e3/g; s/([0-9.]+) us/\1e6/g
                s/([0-9.]+) ms/\1e9/g; s/([0-9.]+) s/\1e12/g'
}

# by_key KEY TABLE FIELD: the rows of the table are in the order of the field
by_key() {
    expect 0 "$xenalyze" --report-exits --sort "$1" intel
    joined >words && mv words out
    column "$2" "$3" | awk '{ printf "%.0f\n", $1 }' >got
    [ "$(wc -l <got)" -gt 5 ] || fail "$2: no table"
    sort -rn got | cmp -s - got || fail "$2: not by $1: $(cat got)"
}

# field of a key in the tables of exits
for name in reason handler; do
    set -- mean:6 total:4
    [ $name = handler ] || set -- mean:7 total:5
    for key in count:3 "$@"; do
        by_key "${key%:*}" "--- VM exits by $name" "${key#*:}"
    done
    for key in p50:3 p95:4 p99:5 max:6; do
        by_key "${key%:*}" "Duration of VM exits by $name" "${key#*:}"
    done
done
expect 0 "$xenalyze" --report-exits --sort count amd
awk '/^---/ { here = /by domain/; n = 0 } here && n++ > 1 { print $2 }' out >got
[ "$(wc -l <got)" -gt 1 ] || fail "no table of domains"
sort -rn got | cmp -s - got || fail "domains are not by count"

# The most running vcpu comes first, and alone with --top=1.
expect 0 "$xenalyze" --json intel
most=$(sed -n '/^"vcpu_states":/,/^"vcpu_runnable":/s/.*"domain_name":"\([^"]*\)","vcpu":\([0-9]*\),.*"state":"running",.*"total_cycles":\([0-9]*\),.*/\3 \1\/\2/p' out |
    sort -rn | sed -n '1s/.* //p')
expect 0 "$xenalyze" --summary --top 1 intel
[ "$(sed -n '/^--- Where/,$s|^ \([^ ]*/[0-9]*\) .* [0-9.]*s$|\1|p' out)" = "$most" ] ||
    fail "$most runs most, and is not the one"
[ "$(grep -c '^|-- Domain' out)" = 1 ] && [ "$(grep -c '^-- v' out)" = 1 ] &&
    [ "$(grep -c '^ - cpu' out)" = 1 ] || fail "--top 1: more than one"

# Records of an event, too.
expect 0 "$xenalyze" --count --top 2 intel
[ "$(wc -l <out)" = 4 ] || fail "--count --top 2: $(cat out)"
sed -n 2,3p out | awk '{ print $1 }' | sort -c -rn ||
    fail "--count: not most first"
expect 0 "$xenalyze" --count --sort name intel
awk '$4 ~ /^[0-9a-f]*$/ && length($4) == 8 { print $4 }' out | sort -c ||
    fail "--count --sort name: not by id"
[ "$(wc -l <out)" -gt 20 ] || fail "--count --sort name: not all"

# By itself everything is there.
expect 0 "$xenalyze" --report-exits --sort total intel
[ "$(column "--- VM exits by handler" 4 | wc -l)" -gt 10 ] || fail "rows are missing"
