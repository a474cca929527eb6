#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Any failed allocation results in one line of error and no crash; otherwise the
# result is complete.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

find_leaks
play --duration=10ms --seed=9
expect 0 "$facts" sums trace
mv out whole

# fails OPTION...: for the first request, the second, ... until all is well
fails() {
    failed=0
    nr=0
    while [ $((nr += 1)) -lt 300 ]; do
        FAULT=alloc:$nr "$facts" "$@" sums trace >out 2>err </dev/null
        case $? in
        0) cmp -s out whole || fail "$*, request $nr: an incomplete result"
           [ $((nr - last)) -lt 20 ] || break ;;
        1) expect_message "memory"
           failed=$((failed + 1))
           last=$nr ;;
        *) fail "$*, request $nr: it crashes" ;;
        esac
    done
    [ $failed -ge 10 ] || fail "$*: only $failed requests failed"
    echo "$*: $failed requests"
}

last=0
fails -t 1
last=0
fails -t 2
last=0
fails -o

# Reports on these facts: some of the allocations fail, or (--full) each of
# them.
reports_fail() {
    expect 0 "$xenalyze" --threads=2 "$@" trace
    mv out whole
    failed=0
    nr=1
    while :; do
        FAULT=alloc:$nr "$xenalyze" --threads=2 "$@" trace >out 2>err \
            </dev/null
        case $? in
        0) cmp -s out whole || fail "$*, request $nr: an incomplete result"
           [ $nr -lt 400 ] || break ;;
        1) expect_message "memory"
           failed=$((failed + 1)) ;;
        *) fail "$*, request $nr: it crashes" ;;
        esac
        if [ -n "${CHECK_FULL-}" ]; then
            nr=$((nr + 1))
        else
            nr=$((nr + 1 + nr / 8))
        fi
    done
    [ $failed -ge 10 ] || fail "$*: only $failed requests failed"
    echo "$*: $failed requests"
}

reports_fail --summary --report-pcpu --report-latency --report-exits --sort=p99
reports_fail --json --scatterplot-pcpu -i 0.001 --interval-domain-total-time-all
