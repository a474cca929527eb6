#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The version of Xen, which selects the layout of some records, follows from all
# of the trace: here from a record behind more than a megabyte of scheduling.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# late_proof RECLAIM PROOF: a zero reclaim, scheduling, and the proof
late_proof()
{
    awk -v reclaim="$1" -v proof="$2" 'BEGIN {
        print "0 1000000 0x21101 0x10000"
        print reclaim
        for ( i = 1; i <= 50000; i++ )
            print "0 + 0x22205 0x10000 0\n0 + 0x22205 0x10000 1"
        print proof
    }'
}

# equal WHAT LAYOUT OPTION...: the same as with --layout, and unlike the other
equal()
{
    what=$1
    layout=$2
    shift 2
    expect 0 "$xenalyze" "$@" --layout "$layout" trace
    cp out wanted
    expect 0 "$xenalyze" "$@" trace
    cmp -s out wanted || fail "$what differs from that of --layout $layout"
    [ "$layout" = 4.17 ] && layout=master || layout=4.17
    expect 0 "$xenalyze" "$@" --layout $layout trace
    ! cmp -s out wanted || fail "$what is the same in both layouts"
}

# 4.19: domain 1, order 9.  The proof is the id of an exit.
late_proof "0 - 0x10f011 5 0 6 0 1 9" "0 + 0x81003 0x78 0x1000" |
    compose trace
[ "$(wc -c <trace)" -gt 1700000 ] || fail "a small trace"
equal "the dump" master --dump-all
equal "the records" master --records
equal "a part" master --summary --pcpu 0

# 4.17: domain 1, order 0, an arbitrary word.  The proof has order 1.
late_proof "0 - 0x10f011 5 0 6 0 1 9" "0 - 0x10f005 5 0 0x10001 0" |
    compose trace
equal "the records" 4.17 --records
equal "the summary" 4.17 --summary --threads 2
equal "JSON" 4.17 --json
equal "a part" 4.17 --summary --pcpu 0
