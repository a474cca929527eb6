#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The affinity of vcpus in `info`: vcpus that are pinned alike share an entry.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# domain ID VCPUS, hard and soft DOMAIN VCPU MASK: lines for compose; vcpu
# 65535 is all that have no record of their own
domain() {
    echo "0 - 0x1f08b $(($1 | $2 << 16)) 0 0x100000 0 0"
}
affinity() {
    echo "0 - 0x1f08e $(($2 | $1 << 16)) $3 $4 0 0 0 0"
}
hard() {
    affinity "$1" "$2" 0 "$3"
}
soft() {
    affinity "$1" "$2" 1 "$3"
}
{
    for cpu in 0 1 2 3; do
        echo "0 - 0x1f089 $cpu 0 0 0 0 1"
    done
    domain 0 2
    hard 0 65535 0xf
    domain 1 4
    for vcpu in 0 1 2 3; do
        hard 1 $vcpu 3
    done
    hard 1 65535 0xf
    domain 2 6
    for vcpu in 0 1 2; do
        hard 2 $vcpu 3
    done
    hard 2 3 4
    hard 2 5 4
    hard 2 65535 0xf
    domain 3 1
    domain 4 2
    hard 4 65535 0xc
    soft 4 65535 8
    domain 5 3
    hard 5 0 3
    hard 5 1 3
    soft 5 1 2
    hard 5 65535 1
    domain 6 1
    hard 6 0 1
    domain 7 2
    hard 7 1 1
    domain 8 2
    hard 8 0 0xf
    hard 8 1 0xf
    echo '0 1000000 0x21101 0x10000'
    echo '0 9000000 0x21011 0x10000'
} | compose host
expect 0 "$xenalyze" --info host
grep -q '^domain .*uuid  *affinity (vcpus: pcpus)$' out || fail "no heading"
sed -n 's/^ *\(d[0-9]\) .*  -  *\([^ ].*\)$/\1 \2/p' out >got
diff - got <<'END' || fail "other affinities"
d0 any
d1 all: 0-1
d2 v0-v2: 0-1; v3: 2; v5: 2; others: all
d3 -
d4 all: 2-3 (prefers 3)
d5 v0: 0-1; v1: 0-1 (prefers 1); others: 0
d6 all: 0
d7 v1: 0
d8 any
END
