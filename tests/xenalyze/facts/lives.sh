#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Domains that live for 10 ms.  The last records of a destroyed domain may be
# those of other pcpus, behind the record of its destruction: they begin no
# other life.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

awk 'BEGIN {
    for ( i = 0; i < 25; i++ )
        printf "[domain s%d]\nkind = pv\nvcpus = 3\nload = io,busy\n" \
               "start = %dms\nend = %dms\n", i, 2 + 5 * i, 12 + 5 * i
}' >scenario

# check_lives: no vcpu is known for longer than its domain lived
check_lives() {
    expect 0 "$xenalyze" --summary trace
    sed -n 's/.*"domain","dom":\([0-9]*\),"event":"\(create\|destroy\)".*"at":\([0-9]*\).*/\2 \1 \3/p' \
        truth >lives
    awk '
        $1 == "create" { from[$2] = $3 }
        $1 == "destroy" { life[$2] = ($3 - from[$2]) / 2.4e9 }
        match($1, /^s[0-9]+\//) && $NF ~ /s$/ && NF == 8 {
            dom = substr($1, 2, RLENGTH - 2) + 1    # d1 is s0
            if ( dom in life && $NF + 0 > life[dom] + 0.006 )
                printf "%s is known for %s, lived %.3f s\n", $1, $NF, life[dom]
            seen += dom in life
        }
        END { if ( seen < 30 ) print "only " seen " vcpus" }' lives out >wrong
    [ ! -s wrong ] || fail "$what: $(cat wrong)"
}

what="lives"
play --cpus 4 --seed 2 -f scenario -T 0.2
check_lives
