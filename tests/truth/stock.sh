#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock's xenalyze reads simulated traces without warnings, and its runstate
# totals agree with the ground truth.
. "$top_srcdir/tests/truth/lib.sh"

stock=$("$top_srcdir/tests/truth/fetch") || {
    [ $? -eq 77 ] && skip "${stock##*
}"
    fail "fetch: $stock"
}

# Stock's messages about inconsistent traces.
inconsistent='Strange|WARNING|FATAL|ERROR|skew|Unexpected|unexpected|Not processing|HVM evt'

# A read that a device model answers is traced behind the answer, when the exit
# has ended for stock.
expected='exit 1e(IO_INSTRUCTION) missing a handler'

# analyze WHAT OPTION...: print stock's summary to the file summary
analyze() {
    what=$1
    shift
    "$stock" "$@" --summary trace >summary 2>warnings ||
        fail "$what: stock gives up: $(tail -n 1 warnings)"
    if grep -E "$inconsistent" summary warnings |
        grep -vF "$expected" >matches; then
        head -n 5 matches >&2
        fail "$what: stock reports an inconsistency"
    fi
}

# sums WHAT: compare count and average of each runstate of each vcpu.  Stock
# rounds averages to cycles, and closes open intervals at the last record.
sums() {
    awk -v end="$end" -f "$top_srcdir/tests/truth/field.awk" \
        -f "$top_srcdir/tests/truth/truth-sums.awk" truth >ours.txt
    awk -f "$top_srcdir/tests/truth/stock-sums.awk" summary >theirs.txt
    awk '
        NR == FNR { count[$1, $2, $3] = $4; avg[$1, $2, $3] = $5; next }
        {
            n = count[$1, $2, $3] + 0
            low = $5
            high = $5 + $6
            got = n * avg[$1, $2, $3]
            seen++
            # No interval is open if the last record starts one.
            right = n == $4 || ($6 && n == $4 - 1)
            if ( right && got <= high && got + n > low )
                next
            print "d" $1 "v" $2 " " $3 ": " $4 " times, " low " to " high \
                  " cycles; stock says " n " times, " got
            bad = 1
        }
        END { exit bad || seen < 10 }' theirs.txt ours.txt >differ || {
        head -n 5 differ >&2
        fail "$1: stock's runstates differ"
    }
    cut -d' ' -f1-3 ours.txt | sort >ours.vcpus
    cut -d' ' -f1-3 theirs.txt | sort >theirs.vcpus
    cmp -s ours.vcpus theirs.vcpus || {
        diff ours.vcpus theirs.vcpus | head -n 5 >&2
        fail "$1: stock's vcpus differ"
    }
    echo "$1: $(wc -l <ours.txt) sums agree"
}

# The virtual clock starts at 2^40; a pcpu may be slightly ahead.
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

# Domains created and destroyed, pauses, pinning, hotplug of pcpus.
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

# AMD.  Stock 4.17 misses one handler in any trace of AMD: that of an exit
# without a handler record.
play -T 0.5 --vendor amd
"$stock" --svm-mode --summary trace >summary 2>warnings || fail "AMD: stock gives up"
grep -E "$inconsistent" summary warnings | grep -vE 'missing a handler|HVM evt' &&
    fail "AMD: stock reports an inconsistency"
sums "AMD"

# The check can fail: skewed clocks are detected.
play -T 0.5 --tsc-skew 1ms
"$stock" --summary trace >summary 2>warnings
grep -qE 'skew|Strange|FATAL' summary warnings || fail "skewed clocks are not detected"
