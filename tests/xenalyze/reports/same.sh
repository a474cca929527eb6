#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same report for any number of threads, from a file, a pipe, zstd, and zstd
# from a pipe, also with different clocks; and the states of each vcpu and
# domain add up to its total time.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

play skewed --cpus 3 --tsc-skew=100us
text="--summary --report-pcpu --report-latency --report-exits"

# agrees WORD...: the output with these words equals the report `one`
agrees() {
    expect 0 "$@"
    sed 's|"name":"[^"]*"|"name":"standard input"|' out | cmp -s - one ||
        fail "$trace: another report of $*"
}

# Without the program zstd, this input is skipped.
pack() {
    command -v zstd >/dev/null && zstd -q -f "$trace" -o packed.zst &&
        "$xenalyze" --info packed.zst >/dev/null 2>&1
}

# ways OPTION...: compare the report from all inputs
ways() {
    expect 0 "$xenalyze" --threads 1 "$@" "$trace"
    sed 's|"name":"[^"]*"|"name":"standard input"|' out >one
    agrees "$xenalyze" --threads 2 "$@" "$trace"
    agrees sh -c "cat '$trace' | '$xenalyze' --threads 8 $*"
    if [ "${trace%/*}" = "$trace" ] && pack; then
        agrees "$xenalyze" "$@" packed.zst
        agrees sh -c "cat packed.zst | '$xenalyze' $*"
    fi
}

for trace in $(traces) skewed; do
    ways --json
    # shellcheck disable=SC2086 # several words
    ways $text
    grep -q 'DOES NOT' one && fail "$trace: $(grep 'DOES NOT' one)"
    awk '/^---/ { here = /Where the time went/ }
         here && /^ [^ ]+ [0-9. ]+ [0-9.]+s$/ {
             sum = 0
             for ( i = 2; i < NF; i++ )
                 sum += $i
             rows += sum > 99.94 && sum < 100.06
             wrong += sum < 99.94 || sum > 100.06
         }
         END { exit wrong || rows <= 2 }' one || fail "$trace: no proof of time"
    expect 0 "$xenalyze" --time 0.5..0.6 --domain 0,1 --summary "$trace"
    grep -q 'DOES NOT' out && fail "$trace, in part: $(grep 'DOES NOT' out)"
    grep -q '^|-- Domain [2-9]' out && fail "$trace: a domain too many"
    [ "${trace%/*}" = "$trace" ] || continue
    grep -q '^ Domain-0/0 .* 0.10s$' out || fail "$trace: not that tenth"
done
exit 0
