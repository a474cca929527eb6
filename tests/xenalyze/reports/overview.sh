#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The overview: one screen of 23 lines and 80 columns for any trace, the default
# on a terminal only, and the same numbers as the reports it is made of.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# fits FILE: 23 lines of 80 columns
fits() {
    lines=$(wc -l <"$1")
    columns=$(wc -L <"$1")
    [ "$lines" -le 23 ] || fail "$1: $lines lines"
    [ "$columns" -le 80 ] || fail "$1: $columns columns"
}

nr=0
while read -r name options; do
    # shellcheck disable=SC2086 # options are words
    "$xensim" --virtual $options -o "$name" >/dev/null || fail "xensim $options"
    "$xenalyze" --report-overview "$name" >"$name.txt" || fail "$name fails"
    fits "$name.txt"
    grep -q 'Where time went' "$name.txt" || fail "$name: no table of time"
    grep -q 'Data quality' "$name.txt" || fail "$name: no data quality"
    nr=$((nr + 1))
done <<'END'
small --cpus 4 -T 0.3
many-domains --cpus 16 --domains 60 -T 0.1
wide --cpus 256 -T 0.02
hvm --cpus 2 --kind hvm -T 0.2
amd --cpus 2 --kind hvm --vendor amd -T 0.2
lossy --cpus 16 --domains 60 --boot tbuf_size=1 --drain 50ms -T 0.3
END
[ "$nr" -eq 6 ] || fail "only $nr traces"
grep -q '^ records lost ' lossy.txt || fail 'lossy: nothing was lost'
[ "$(wc -l <lossy.txt)" -ge 21 ] || fail 'lossy: tables are missing'
grep -q 'and [0-9]* more domains' many-domains.txt || fail 'cut without a word'

# The column of busy pcpus adds up to the number of pcpus.
for name in small many-domains wide lossy; do
    pcpus=$(sed -n '1s/.*, \([0-9]*\) pcpus, .*/\1/p' $name.txt)
    awk -v pcpus="$pcpus" '/^$/ { on = 0 } /^Where time went/ { on = 1; next }
        on && $1 == "and" { sum += $5; next }
        on { sum += $1 == "idle" || $1 == "unknown" ? $2 : $3 }
        END { exit !(pcpus && sum > pcpus - 0.1 && sum < pcpus + 0.1) }' \
        $name.txt || fail "$name: not $pcpus pcpus: $(cat $name.txt)"
done

# A long name of a domain leaves room for a reason of an exit.
sed 's/^\[domain render\]/[domain render-farm-of-the-week]/' \
    "$top_srcdir/xensim/scenarios/noisy-neighbour.scenario" >named.scenario
"$xensim" --virtual --scenario named.scenario -T 0.3 -o named >/dev/null ||
    fail 'named cannot be simulated'
"$xenalyze" --report-overview named >named.txt || fail 'named fails'
fits named.txt
grep -q ' EXTERNAL_INTERRUPT ' named.txt || fail 'a reason of an exit is cut'

# The numbers of other reports.
records=$("$xenalyze" --summary small | sed -n 's|^ records: ||p')
[ -n "$records" ] && grep -q " $records records$" small.txt ||
    fail "not $records records"
"$xenalyze" --report-latency --top=3 small |
    sed -n '/^--- The longest waits/,$s/^ \([0-9.]* [^ ]* waited [^ ]* [^ ]* for pcpu [0-9]*\).*/\1/p' |
    sed 's/^\([0-9.]\{10\}\)[0-9]* /\1 /' >waits
[ "$(wc -l <waits)" -eq 3 ] || fail 'three longest waits are expected'
while read -r wait; do
    grep -qF " $wait" small.txt || fail "the wait $wait is missing"
done <waits

# Time without data is not time that a vcpu is blocked.
"$top_builddir/tests/xenalyze/reports/compose" >silent <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x22205 0x10000 0
1 1000000 0x21101 0x20000
1 10000000 0x22205 0x20000 0
END
"$xenalyze" --report-overview silent >silent.txt || fail 'silent: an error'
grep -q '^ d1 .* 0\.0%  *0\.0%  *0\.0% ' silent.txt ||
    fail "d1 runs, and then has no data: $(cat silent.txt)"

# A domain with a cap is parked, which is neither blocked nor a contradiction,
# and the reports agree on its times.
cat >cap.scenario <<'END'
cpus = 4
[domain Domain-0]
[domain capped]
kind = pv
vcpus = 2
load = busy
cap = 60
END
"$xensim" --virtual --scenario cap.scenario -T 1 -o cap >/dev/null ||
    fail 'cap cannot be simulated'
"$xenalyze" --report-overview cap >cap.txt || fail 'cap fails'
fits cap.txt
grep -q 'contradictions: 0$' cap.txt || fail "cap: $(cat cap.txt)"
"$xenalyze" --summary cap >cap.summary || fail 'cap: no summary'
# The first vcpu is explained; the row of the domain is the mean of both.
"$xenalyze" why capped/0 cap >cap.why || fail 'cap: no reason'
"$xenalyze" over wait -i 100s cap >cap.over || fail 'cap: no times of waits'
awk '
    # near(A, B): two shares that are the same but for rounding
    function near(a, b) { return a - b < 0.11 && b - a < 0.11 }
    { gsub(/%/, "") }
    FILENAME == "cap.txt" && $1 == "capped" {
        waiting = $4; blocked = $5; offline = $6
    }
    FILENAME == "cap.summary" && $1 ~ /^capped\/[01]$/ {
        w += $3 / 2; b += $4 / 2; o += $5 / 2
        if ( $1 == "capped/0" )
            parked = $5
    }
    FILENAME == "cap.why" && match($0, /parked [0-9.]+/) {
        why = substr($0, RSTART + 7, RLENGTH - 7)
    }
    FILENAME == "cap.over" && $1 == "time" {
        for ( i = 2; i <= NF; i++ )
            if ( $i == "capped" )
                column = i
    }
    FILENAME == "cap.over" && $1 ~ /^0/ { over = $column }
    END {
        exit !(offline > 50 && near(waiting, w) && near(blocked, b) &&
               near(offline, o) && near(why, parked) &&
               column && near(over / 2, w))
    }' cap.txt cap.summary cap.why cap.over ||
    fail "cap: $(cat cap.txt cap.why cap.over; grep capped cap.summary)"

# Lost records are in the overview, and not in a warning as well.
"$top_builddir/tests/xenalyze/reports/compose" >lost <<'END'
0 1000000 0x21101 0x10000
0 2000000 0x1f001 7 0 1500000 0
0 3000000 0x21011 0x10000
END
"$xenalyze" --report-overview lost >lost.txt 2>lost.err || fail 'lost: an error'
grep -q '^ lost records: 7, 25\.0% of the time of all pcpus;' lost.txt ||
    fail "lost: $(cat lost.txt)"
grep -qx ' records lost                 0\.25' lost.txt || fail 'lost: no row'
grep -qE '^ d1 .* 0\.25 +0\.0% +0\.0% +0\.0% +75\.0% ' lost.txt ||
    fail "lost: d1 is unknown after its first quarter: $(cat lost.txt)"
[ ! -s lost.err ] || fail "lost: a warning, too: $(cat lost.err)"

# A time stamp far ahead: the sums of vcpus exceed 64 bits, and no share 100 %.
{
    for v in 0 1 2 3; do
        echo "$v 1000000 0x21101 $((65536 + v))"
        echo "$v 2000000 0x21011 $((65536 + v))"
    done
    echo '3 0x7fffffffffffff00 0x21101 0x10003'
} | "$top_builddir/tests/xenalyze/reports/compose" >far
"$xenalyze" --report-overview far >far.txt 2>far.err || fail 'far: an error'
awk '{ for ( i = 1; i <= NF; i++ ) if ( $i ~ /%$/ && $i + 0 > 100 ) exit 1 }' \
    far.txt || fail "far: $(cat far.txt)"
grep -qE '^ d1 +4 .* (9[0-9]|100)\.[0-9]%' far.txt ||
    fail "far: no share of d1: $(cat far.txt)"

# With --time, the records are the events of the span, without fillers and
# metadata; with --domain, those of all domains.
"$xenalyze" --report-overview --time 0.1..0.2 small >part.txt ||
    fail '--time fails'
in_span=$(count_events --time 0.1..0.2 small)
[ "$in_span" -lt "$records" ] || fail 'the span has all records'
head -n 1 part.txt |
    grep -qx "small: 0\.10 s, 4 pcpus, $in_span records" ||
    fail "--time: $(head -n 1 part.txt)"
"$xenalyze" --report-overview --domain 1 small >part.txt ||
    fail '--domain fails'
head -n 1 part.txt | grep -q " selected from $records records$" ||
    fail "--domain: $(head -n 1 part.txt)"

# The default: on a terminal the overview, in a pipe the summary.
"$xenalyze" small >piped
"$xenalyze" --summary small >summary
cmp -s piped summary || fail 'the default of a pipe is not the summary'
"$xenalyze" -o file small && cmp -s file summary ||
    fail 'the default of --output is not the summary'
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "PAGER=cat '$xenalyze' --no-progress small" /dev/null \
        </dev/null | tr -d '\r' >terminal
    cmp -s terminal small.txt || fail 'the default of a terminal is another'
    "$xenalyze" --report-latency small >by-pipe
    script -qec "PAGER=cat '$xenalyze' --no-progress latency small" /dev/null \
        </dev/null | tr -d '\r' >terminal
    cmp -s terminal by-pipe || fail 'a terminal changes what was asked for'
fi
echo "$nr traces"

# One of a kind has no plural.
"$top_builddir/tests/xenalyze/reports/compose" >single <<'END'
0 1000000 0x21101 0x10000
0 1500000 0x21021 0x10000
0 1500000 0x21101 0x7fff0000
0 2000000 0x1f001 1 0x1 1600000 0
0 2500000 0x21211 0x10000
0 3000000 0x21011 0x7fff0000
0 3000000 0x21101 0x10000
0 9000000 0x21021 0x10000
END
for report in summary overview info why report-io; do
    "$xenalyze" --${report#report-} single >out 2>err ||
        "$xenalyze" --report-${report#report-} single >out 2>err
    grep -E '(^|[^0-9.])1 (waits|events|losses|fillers|windows|records|bytes|domains|places|times|gaps|pcpus) ' \
        out err && fail "$report: one of many"
done
"$xenalyze" info single >out
grep -q ' in 1 window$' out && grep -q ' 1 loss, 0 fillers, ' out ||
    fail "info: $(cat out)"
{ cat single; printf x; } >tail
"$xenalyze" info tail >out 2>err
grep -q ' 1 byte skipped' out err || fail "a byte: $(cat out err)"

