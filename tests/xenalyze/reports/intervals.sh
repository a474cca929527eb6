#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Intervals equal stock's, to the digit, if nothing lasts beyond an interval;
# those of interrupts on any trace.  (Half of the interrupts here have the flag
# `fake`, and are counted by both.)
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

# A hundred milliseconds with three changes of the current vcpu in each
# interval: d1, d2 with exits, then idle.
awk 'BEGIN {
    d[0] = 65536; d[1] = 131072; d[2] = 32767 * 65536
    for ( ms = 0; ms < 100; ms++ ) {
        at = 1000000 * (1 + ms)
        for ( i = 0; i < 3; i++ ) {
            t = at + 300000 * i + (i ? ms * 1000 : 0)
            if ( ms || i )
                print 0, t, "0x21011", d[(i + 2) % 3]
            print 0, t, "0x21101", d[i]
            if ( i != 1 )
                continue
            print 0, t + 1000, "0x81002 12 0x1000"
            print "0 - 0x82013 0"
            print 0, t + 1000 * (2 + ms), "0x81001"
            print 0, t + 110000, "0x81002 1 0x1000"
            print "0 - 0x8200f", 240
            print "0 - 0x82004 48", ms % 2
            print 0, t + 112000 + 100 * ms, "0x81001"
        }
    }
}' | compose even

# Without the last interval, which stock does not print.
agree() {
    trace=$1
    shift
    "$stock" --cpu-hz 1000000000 "$@" "$trace" 2>/dev/null |
        grep '^[0-9]' >expected
    expect 0 "$xenalyze" --cpu-hz 1000000000 "$@" "$trace"
    grep '^[0-9]' out | head -n "$(wc -l <expected)" >got
    [ "$(wc -l <expected)" -gt 5 ] || fail "$*: stock prints too little"
    diff expected got >differ || {
        head -n 6 differ >&2
        fail "$*: not as stock"
    }
}

agree even -i 0.001 --interval-domain-total-time=1,2
agree even -i 0.001 --interval-domain-short-summary=2
agree even -i 0.001 --interval-domain-guest-interrupt=2
agree intel -i 0.1 --interval-domain-guest-interrupt=2
