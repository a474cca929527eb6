#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces that make stock's xenalyze fail result in a full report here, with a
# message about the cause; gaps.txt has the traces.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

cases=$top_srcdir/tests/xenalyze/reports/gaps.txt

# case_number N: the lines of a case, without the first
case_number() {
    awk -v n="$1" '/^#/ { next } /^= / { i++; next } i == n' "$cases"
}

n=0
grep '^= ' "$cases" >names
while IFS= read -r line; do
    n=$((n + 1))
    name=${line#= }
    pattern=${name#*: }
    name=${name%%: *}
    case_number $n >lines
    options=$(head -n 1 lines)
    [ "$options" != - ] || options=
    { echo "0 + 0x21101 0x10000"; sed 1d lines; } | compose trace
    # shellcheck disable=SC2086 # several words, or none
    expect 0 "$xenalyze" $options --summary --report-pcpu --report-latency \
        --report-exits trace
    grep -q '^--- Data quality' out || fail "$name: no full report"
    ! grep 'DOES NOT' out || fail "$name: time does not add up"
    grep -Eq -- "$pattern" out || fail "$name: the report lacks $pattern"
    expect 0 "$xenalyze" --json trace
    expect 0 "$xenalyze" --dump-all trace
done <names
[ $n -gt 20 ] || fail "only $n cases"

# A symbol longer than stock's buffer; more pcpus than stock supports.
printf '1000 %0200d\n' 1 >symbols
seq 0 299 | awk '{ print $1, "+ 0x21101", 65536 + $1
                   print $1, "+ 0x21021", 65536 + $1 }' | compose trace
expect 0 "$xenalyze" --symbol-file symbols --summary --report-pcpu trace
grep -q '^Total active cpus: 300$' out || fail "not 300 pcpus"
grep -q '^-- v299 --$' out || fail "not 300 vcpus"
expect 0 "$xenalyze" --symbol-file symbols --dump-all trace
[ "$(wc -l <out)" = 600 ] || fail "not 600 lines"

# Options that make stock loop, or divide by 0, cause an error in one line.
for option in "--interval 0 --interval-domain-total-time-all" \
    "--histogram-interrupt-eip=1,0" "--cpu-hz 0"; do
    # shellcheck disable=SC2086
    expect 2 "$xenalyze" $option trace
    [ "$(wc -l <err)" = 1 ] || fail "$option: $(cat err)"
done
expect 0 "$xenalyze" --cpu-hz 900k --summary trace
echo "$n cases"
