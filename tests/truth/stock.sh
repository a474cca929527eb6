#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock's xenalyze reads what is played without a word of complaint, and its
# sums of runstates are those of the truth.
. "$top_srcdir/tests/truth/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

# Its words for: this should not be.
wrong='Strange|WARNING|FATAL|ERROR|skew|Unexpected|unexpected|Not processing|HVM evt'

# analyze WHAT OPTION...: with stock's
analyze() {
    what=$1
    shift
    "$stock" "$@" --summary trace >said 2>noise ||
        fail "$what: stock gives up: $(tail -n 1 noise)"
    if grep -E "$wrong" said noise >complaints; then
        head -n 5 complaints >&2
        fail "$what: stock complains"
    fi
}

# sums WHAT: count and average of each runstate of each vcpu.  It prints whole
# cycles of an average; what is open at the end it closes at the last record.
sums() {
    awk -v end="$end" -f "$top_srcdir/tests/truth/field.awk" \
        -f "$top_srcdir/tests/truth/sums.awk" truth >ours.txt
    awk -f "$top_srcdir/tests/truth/printed.awk" said >theirs.txt
    awk '
        NR == FNR { count[$1, $2, $3] = $4; avg[$1, $2, $3] = $5; next }
        {
            n = count[$1, $2, $3] + 0
            low = $5
            high = $5 + $6
            got = n * avg[$1, $2, $3]
            seen++
            # Nothing is open if the last record is that it began to run.
            right = n == $4 || ($6 && n == $4 - 1)
            if ( right && got <= high && got + n > low )
                next
            print "d" $1 "v" $2 " " $3 ": " $4 " times, " low " to " high \
                  " cycles; stock says " n " times, " got
            bad = 1
        }
        END { exit bad || seen < 10 }' theirs.txt ours.txt >differ || {
        head -n 5 differ >&2
        fail "$1: stock has other runstates"
    }
    cut -d' ' -f1-3 ours.txt | sort >ours.who
    cut -d' ' -f1-3 theirs.txt | sort >theirs.who
    cmp -s ours.who theirs.who || {
        diff ours.who theirs.who | head -n 5 >&2
        fail "$1: stock has other vcpus"
    }
    echo "$1: $(wc -l <ours.txt) sums agree"
}

# The virtual clock begins at 2^40; a pcpu may be a little ahead of it.
end=$((1099511627776 + 2400000 * 501))
while read -r options; do
    # shellcheck disable=SC2086 # options are several words
    play -T 0.5 $options
    analyze "$options"
    sums "$options"
done <<'END'
--cpus 4
--cpus 1 --domains 2
--cpus 6 --scheduler null
--cpus 4 --storm 5ms --interrupts 5k --nmis 500
--cpus 16 --runq-cpus 4 --seed 9
--cpus 4 --no-cstates --kind hvm --load io
--cpus 4 --kind pvh --load periodic
END

# Domains that come and go, pauses, pins; pcpus that come and go.
for name in overcommitted noisy-neighbour boot-storm; do
    play -T 0.5 -f "$top_srcdir/xensim/scenarios/$name.scenario"
    analyze $name
    sums $name
done
cat >move.scenario <<'END'
runq-cpus = 2
[domain mover]
copies = 2
vcpus = 3
load = busy,io,periodic
pin = 0-1
repin = 150ms
new-pin = 2-3
END
for scheduler in credit2 null; do
    play -T 0.5 -f move.scenario --scheduler $scheduler
    analyze "move, $scheduler"
    sums "move, $scheduler"
done
play -T 0.5 --cpus 8 --hotplug 10ms
analyze "hotplug"

# AMD's, with what 4.17's misses in any trace of AMD's: a handler of an exit
# that leaves no record.
play -T 0.5 --vendor amd
"$stock" --svm-mode --summary trace >said 2>noise || fail "AMD: stock gives up"
grep -E "$wrong" said noise | grep -vE 'missing a handler|HVM evt' &&
    fail "AMD: stock complains"
sums "AMD"

# It would notice.
play -T 0.5 --tsc-skew 1ms
"$stock" --summary trace >said 2>noise
grep -qE 'skew|Strange|FATAL' said noise || fail "skewed clocks go unnoticed"
