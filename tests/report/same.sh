#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same report for any number of threads, and from a file or a pipe; and
# each vcpu's and domain's states add up to all of its time.  Not for the real
# traces from a pipe: one of them is told with one domain state more that way,
# probably since records of two pcpus with the same time come in another order.
. "$top_srcdir/tests/report/lib.sh"

all="--summary --report-pcpu --report-latency --report-exits --json --csv"

for trace in $(traces); do
    # shellcheck disable=SC2086 # several words
    expect 0 "$xenalyze" --threads 1 $all "$trace"
    sed "s|$trace|standard input|" out >one
    for n in 2 8; do
        # shellcheck disable=SC2086
        expect 0 "$xenalyze" --threads $n $all "$trace"
        sed "s|$trace|standard input|" out | cmp -s - one ||
            fail "$trace: another report with $n threads"
    done
    grep -q 'DOES NOT' one && fail "$trace: $(grep 'DOES NOT' one)"
    [ "$(grep -c '  100 %$' one)" -gt 4 ] || fail "$trace: no proof of time"
    expect 0 "$xenalyze" --time 0.5..0.6 --domain 0,1 --summary "$trace"
    grep -q 'DOES NOT' out && fail "$trace, in part: $(grep 'DOES NOT' out)"
    grep -q '^|-- Domain [2-9]' out && fail "$trace: a domain too many"
    [ "${trace%/*}" = "$trace" ] || continue
    grep -q '^ d0v0 .* 0.10s  100 %$' out || fail "$trace: not that tenth"
    # shellcheck disable=SC2086
    expect 0 sh -c 'cat "$1" | "$2" --threads 2 $3 -' sh "$trace" \
        "$xenalyze" "$all"
    cmp -s out one || fail "$trace: another report from a pipe"
done
exit 0
