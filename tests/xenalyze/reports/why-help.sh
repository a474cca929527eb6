#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The advice of --why: a command of the scheduler that the domain has, with the
# name of the domain as one word for a shell; and no command of a scheduler if
# the scheduler is unknown.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# pool NUMBER SCHEDULER: the pool of d1, of two pcpus; SCHEDULER is Xen's number
pool() {
    echo "0 - 0x1f08a $1 $2 2 1"
    echo "0 - 0x1f08b 0x00010001 0 0x100000 0 $1"
}

# named NAME: the name of d1
named() {
    printf '%s' "$1" | od -An -v -t x1 -w24 | awk '{ row[NR] = $0 }
        END {
            for ( i = 1; i <= NR; i++ )
            {
                n = split(row[i], byte, " ")
                printf "0 - 0x1f08c 0x%02x%02x0001", NR, i - 1
                for ( k = 1; k <= 24; k += 4 )
                {
                    word = ""
                    for ( j = 0; j < 4; j++ )
                        word = (k + j > n ? "00" : byte[k + j]) word
                    printf " 0x%s", word
                }
                print ""
            }
        }'
}

# capped SCHEDULER: d1v0 has no budget in 600 of 1000 us; credit writes none of
# its decisions, credit2 one at the end of the budget, RTDS at both ends
capped() {
    [ "$1" != credit ] || echo '0 - 0x1f091 1 5 256 40'
    awk -v scheduler="$1" 'BEGIN {
        for ( i = 1; i <= 50; i++ )
        {
            t = 1000000 * i
            state = scheduler == "rtds" ? 1 : 3
            print 0, t, "0x21" state "01 0x10000"
            if ( scheduler == "credit2" )
                print 0, t + 399000, "0x22203 0x10000 0 0 1"
            if ( scheduler == "rtds" )
                print 0, t + 399000, "0x22803 0x10000 0 0 1 0 0"
            print 0, t + 400000, "0x210" state "1 0x10000"
            print 0, t + 400000, "0x21101 0x7fff0000"
            if ( scheduler == "rtds" )
                print 0, t + 999000, "0x22804 0x10000 0 0 0 400000 0"
            print 0, t + 999500, "0x21011 0x7fff0000"
        }
    }'
}

# limited [EVENT]: d1v0 waits 6 of 10 ms for a vcpu that a rate limit protects
limited() {
    awk -v event="$1" 'BEGIN {
        for ( i = 1; i <= 50; i++ )
        {
            t = 10000000 * i
            print 0, t, "0x21101 0x90000"
            print 0, t + 1000000, "0x21211 0x10000"
            if ( event )
                print 0, t + 1001000, event, "0x90000 1000"
            print 0, t + 7000000, "0x21011 0x90000"
            print 0, t + 7000000, "0x21101 0x10000"
            print 0, t + 9990000, "0x21021 0x10000"
        }
    }'
}

# helps CAUSE ADVICE TRACE [SHORT]: the advice for the cause in the trace; in the
# text SHORT, since that has 80 columns
helps() {
    expect 0 "$xenalyze" --cpu-hz 1G why d1 "$3"
    [ "$(wc -L <out)" -le 80 ] || fail "$3: more than 80 columns: $(cat out)"
    grep -Fqx "                  helps: ${4:-$2}" out ||
        fail "$3: no \"${4:-$2}\": $(cat out)"
    expect 0 "$xenalyze" --cpu-hz 1G why --json d1 "$3"
    grep "\"cause\":\"$1\"" out | grep -Fq "\"helps\":\"$2\"" ||
        fail "$3: JSON has no \"$2\": $(grep '"helps"' out)"
}

{ pool 0 5; named web1; capped credit; } | compose cap5
helps cap 'a higher cap: xl sched-credit -d web1 -c N' cap5
{ pool 0 6; named web1; capped credit2; } | compose cap6
helps cap 'a higher cap: xl sched-credit2 -d web1 -c N' cap6
{ pool 0 8; named web1; capped rtds; } | compose cap8
helps cap 'budget: xl sched-rtds -d web1 -v all -p USEC -b USEC' cap8
# An unknown scheduler, by number or since there is no metadata: no command.
{ pool 0 77; named web1; capped rtds; } | compose cap77
helps cap 'a higher cap or budget for its domain' cap77
capped rtds | compose none
helps cap 'a higher cap or budget for its domain' none
# The weight of a domain names the scheduler, too.
capped credit | compose weight
helps cap 'a higher cap: xl sched-credit -d 1 -c N' weight

limit='a lower rate limit: xl sched-credit'
{ pool 0 5; limited 0x2200a; } | compose limit5
helps ratelimit "$limit -s -r USEC" limit5
{ pool 0 6; limited 0x22216; } | compose limit6
helps ratelimit "${limit}2 -s -r USEC" limit6
{ pool 12 6; limited 0x22216; } | compose pool12
helps ratelimit "${limit}2 -s -p 12 -r USEC" pool12
limited 0x22216 | compose limit
helps ratelimit 'a lower rate limit of its scheduler' limit
{ pool 0 8; limited ''; } | compose rival8
helps rival 'other pcpus or a smaller budget for the neighbour' rival8

# Names: quoted for a shell, or replaced by the id, which xl takes as well.
cap='a higher cap: xl sched-credit2'
while IFS='|' read -r name word short; do
    { pool 0 6; named "$name"; capped credit2; } | compose named
    helps cap "$cap -d $word -c N" named ${short:+"$cap -d $short -c N"}
done <<'END'
web.1_x-y|web.1_x-y
my web|'my web'
$HOME;#@|'$HOME;#@'
`reboot`|'`reboot`'
it's|1
--help|1
77|1
77a|77a
what?|1
a-name-of-24-characters-|a-name-of-24-characters-|1
a-name-of-more-than-twenty-four-characters|a-name-of-more-than-twenty-four-characters|1
END
