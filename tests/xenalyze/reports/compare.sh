#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xenalyze compare: the first row names the domain and the value that changed;
# equal hosts show no difference; lost records and missing events are no
# difference; wrong calls.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

# play NAME OPTION...: a trace of virtual time
play() {
    name=$1
    shift
    "$xensim" --virtual --boot tbuf_size=64 "$@" -o "$name" >/dev/null ||
        fail "$name cannot be simulated"
}

# without DOMAIN SCENARIO: cut a scenario at this domain
without() {
    awk -v end="[domain $1]" '$0 == end { exit } { print }' "$2"
}

# first WORDS: the first row of the table begins with these words
first() {
    row=$(sed -n '/^ domain /{n;p;}' out | tr -s ' ')
    case $row in
    " $1 "*) ;;
    *) fail "the first row is not $1" ;;
    esac
    [ "$(wc -L <out)" -le 80 ] || fail "more than 80 columns"
}

# has TEXT...: the output has each text
has() {
    for text; do
        grep -qF -e "$text" out || fail "no: $text"
    done
}

# --- changes -----------------------------------------------------------------

scenarios=$top_srcdir/xensim/scenarios
without render "$scenarios/noisy-neighbour.scenario" >alone.scenario
without batch "$scenarios/slow-disk.scenario" >fast.scenario
play alone --scenario alone.scenario -T 3
play noisy --scenario "$scenarios/noisy-neighbour.scenario" -T 3
play fast --scenario fast.scenario -T 2
play slow --scenario "$scenarios/slow-disk.scenario" -T 2

expect 0 "$xenalyze" compare alone noisy
first 'voice waiting for a pcpu'
has ' only in B: render' ' rows within noise; --all-rows prints them'
expect 0 "$xenalyze" compare noisy alone
first 'voice waiting for a pcpu'
has ' only in A: render'

expect 0 "$xenalyze" compare fast slow
first 'web1 I/O round trip, p50'
! grep -q 'not recorded' out || fail 'web1 has no VM exits in either trace'
expect 0 "$xenalyze" compare --domain web1 fast slow
first 'web1 I/O round trip, p50'
has ' web1/0 ' ' web1/1 '
! grep -q Domain-0 out || fail 'other domains than web1'
expect 0 "$xenalyze" compare --pcpu 1-2 fast slow
has ' pcpu 1 ' ' pcpu 2 ' ', 2 pcpus, '
! grep -q ' pcpu 0 ' out || fail 'pcpu 0 is not selected'
expect 0 "$xenalyze" compare --top=1 fast slow
has ' more rows; --top=0 prints all' ' cost: time per second that B takes more'
[ "$(sed -n '/^ domain /,$p' out | grep -c '/s$')" = 1 ] || fail 'not one row'

# Two spans of one trace: batch runs in one second only.
play burst -T 4 -f /dev/stdin <<'END'
cpus = 2
[domain Domain-0]
pin = 0
[domain web1]
kind = pvh
vcpus = 1
load = periodic
duty = 30
pin = 1
[domain batch]
kind = hvm
vcpus = 1
load = busy
pin = 1
start = 2s
END
expect 0 "$xenalyze" compare --time ..1.9 --against 2.1.. burst
first 'batch running'
cp out by-file
expect 0 "$xenalyze" compare --time=0..1.9 burst --against 2.1..4 burst
first 'batch running'
"$xenalyze" compare --time ..1.9 --against 2.1.. - <burst >out ||
    fail 'a pipe with two spans fails'
sed 's/standard input/burst/' out | cmp -s - by-file ||
    fail 'a pipe is compared differently'

# Each of both can be a pipe.
expect 0 "$xenalyze" compare fast slow
sed 1,5d out >by-file
for order in '- slow' 'fast -'; do
    input=fast
    [ "$order" = '- slow' ] || input=slow
    # shellcheck disable=SC2086 # two words
    "$xenalyze" compare $order <$input >out || fail "compare $order fails"
    sed 1,5d out | cmp -s - by-file || fail "compare $order differs"
done

# --- no changes --------------------------------------------------------------

expect 0 "$xenalyze" compare noisy noisy
has 'No difference beyond noise' ' rows within noise' \
    ' a load of less than 300.0 ms is not seen; compare spans: --time=A..B'
expect 0 "$xenalyze" compare --all-rows noisy noisy
! grep -E ' (new|gone|[+-][0-9.]+ %) ' out | grep -v ' +0\.0 %' ||
    fail 'a trace differs from itself'

# By chance, one pair in twenty may show a difference; most show none.
shown=0 pairs=0
for seed in 1 3 5 7 9 11 13 15; do
    play a --scenario alone.scenario -T 1 --seed $seed
    play b --scenario alone.scenario -T 1 --seed $((seed + 1))
    expect 0 "$xenalyze" compare a b
    pairs=$((pairs + 1))
    grep -q 'No difference beyond noise' out || shown=$((shown + 1))
done
[ $shown -le 1 ] || fail "$shown of $pairs equal hosts differ"

# The length of a trace is no difference.
play long --scenario alone.scenario -T 6 --seed 9
expect 0 "$xenalyze" compare alone long
has 'No difference beyond noise'

# A ring that is too small: the losses are reported, and explain differences.
"$xensim" --virtual --boot tbuf_size=1 --storm 5ms --scenario alone.scenario \
    -T 3 -o lossy >/dev/null || fail 'lossy cannot be simulated'
"$xensim" --virtual --boot tbuf_size=64 --storm 5ms --scenario alone.scenario \
    -T 3 -o complete >/dev/null || fail 'complete cannot be simulated'
expect 0 "$xenalyze" compare complete lossy
has '; lost: nothing' 'lost: '
grep -q 'lost: [1-9][0-9]* records, [0-9.]* % of the time' out ||
    fail 'losses are not reported'
lost=$(sed -n 's/.*lost: \([1-9][0-9]*\) records,.*/\1/p' out)
"$xenalyze" info lossy | grep -qx "  lost: *$lost records" ||
    fail "$lost lost records, which are not those of info"
! sed -n '/^ domain /,$p' out | grep -E ' gone | -[0-9.]+ % +[+-]' ||
    fail 'lost records are called a difference'

# --- loads in a part of a trace ----------------------------------------------

# guests DUTY [KEY]...: web1 with this duty, beside batch if there are keys
guests() {
    printf 'cpus = 4\n[domain Domain-0]\nvcpus = 2\npin = 2-3\n[domain web1]
kind = pvh\nvcpus = 2\nload = periodic\nperiod = 5ms\nduty = %s\npin = 0-1\n' "$1"
    shift
    [ $# -eq 0 ] || printf '[domain batch]\nkind = hvm\nvcpus = 4\nload = busy
pin = 0-1\n'
    for key; do
        echo "$key"
    done
}

while read -r duty from to seed; do
    guests $duty >scenario
    play calm --scenario scenario -T 6 --seed $((seed + 100))
    guests $duty "start = ${from}s" "end = ${to}s" >scenario
    play loaded --scenario scenario -T 6 --seed $seed
    expect 0 "$xenalyze" compare calm loaded
    grep -q '^ web1  *waiting for a pcpu .*ms/s$' out ||
        fail "duty $duty, $from..$to: waiting is noise"
    expect 0 "$xenalyze" compare loaded calm
    grep -q '^ web1  *waiting for a pcpu .*ms/s$' out ||
        fail "duty $duty, $from..$to: waiting less is noise"
done <<'END'
5 0 1 41
20 1.7 2.7 42
40 3 4 43
60 4.2 5.2 44
90 5 6 45
END

# Equal hosts have loads in a part of the time as well.
shown=0
for seed in 21 23 25 27 29 31; do
    noisy=$scenarios/noisy-neighbour.scenario
    play a --scenario "$noisy" -T 2 --seed $seed
    play b --scenario "$noisy" -T 2 --seed $((seed + 1))
    expect 0 "$xenalyze" compare a b
    grep -q 'No difference beyond noise' out || shown=$((shown + 1))
done
[ $shown -le 1 ] || fail "$shown of 6 equal hosts with bursts differ"

# --- programs ----------------------------------------------------------------

expect 0 "$xenalyze" compare --json fast slow
if command -v python3 >/dev/null; then
    python3 - out <<'END' || fail 'the JSON is wrong'
import json, sys
t = json.load(open(sys.argv[1]))["tables"]
assert [r["trace"] for r in t["compared_traces"]] == ["A", "B"]
assert t["compared_unmatched"] == [
    {"trace": "B", "domain": r["domain"], "label": "batch"}
    for r in t["compared_unmatched"]], t["compared_unmatched"]
rows = t["compared_values"]
changed = [r for r in rows if r["verdict"] == "changed"]
assert rows[:len(changed)] == changed and len(rows) > len(changed)
costs = [abs(r.get("cost", 0)) for r in changed]
assert costs == sorted(costs, reverse=True)
assert (changed[0]["label"], changed[0]["value"]) == ("web1", "io_trip_p50")
for r in changed:
    up = r["b"] > r["a"]
    assert r["shift_low"] > 0 if up else r["shift_high"] < 0, r
# The states of two vcpus add up to two pcpus.
for side in "ab":
    assert abs(sum(r[side] for r in rows if r.get("label") == "web1" and
                   r["unit"] == "ns/s") - 2e9) < 1e6
END
fi
expect 0 "$xenalyze" compare --csv fast slow
[ "$(grep -c '^table,' out)" = 3 ] || fail 'not three tables of CSV'
expect 0 "$xenalyze" compare -o report fast slow
sed 1,5d report | cmp -s - by-file || fail '--output writes another text'

# --- names and wrong calls ---------------------------------------------------

# The name of a file is bytes; a terminal gets none of its escape sequences.
name=$(printf 'a\033[31m\nb')
cp alone "$name"
expect 0 "$xenalyze" compare "$name" noisy
! grep -q "$(printf '\033')" out || fail 'an escape sequence is printed'
[ "$(wc -l <out)" -eq "$("$xenalyze" compare alone noisy | wc -l)" ] ||
    fail 'a name with a newline makes a line'

# wrong STATUS TEXT ARGUMENT...
wrong() {
    status=$1 text=$2
    shift 2
    expect "$status" "$xenalyze" "$@"
    expect_message "$text"
    [ ! -s out ] || fail "$*: something is printed"
}
wrong 2 'needs two traces, A B' compare
wrong 2 'needs two traces, A B' compare alone
wrong 2 'needs two traces, A B' compare --time 0..1 alone
wrong 2 'takes two traces' compare alone noisy fast
wrong 2 'only one of both' compare - -
wrong 2 'applies to --compare' --against 1..2 alone
wrong 2 'applies to --compare' --all-rows alone
wrong 2 'leave out other reports' compare --report-exits alone noisy
wrong 2 'leave out other reports' compare --count alone noisy
wrong 2 '--follow' compare --follow alone noisy
wrong 2 '--event' compare --event sched alone noisy
wrong 2 '--json and --csv' compare --json --csv alone noisy
wrong 2 '--against x: expected' compare --against x alone noisy
wrong 1 '--against 99..' compare --against 99.. alone noisy
wrong 1 '--time 99..' compare --time 99.. alone noisy
wrong 1 'missing' compare missing noisy
wrong 1 'missing' compare alone missing
wrong 1 'alone: --domain: no domain is named render' \
    compare --domain render alone noisy
echo nothing >text
wrong 1 'text is not a trace' compare alone text
wrong 1 'text is not a trace' compare text alone
: >empty
wrong 1 'empty is empty' compare alone empty

# No domain in common, by name; --domain selects one of each.
compose=$top_builddir/tests/xenalyze/reports/compose
"$compose" >one <<'END' || fail 'one cannot be composed'
0 1000000 0x21101 0x10000
0 2000000 0x21011 0x10000
END
"$compose" >two <<'END' || fail 'two cannot be composed'
0 1000000 0x21101 0x20000
0 2000000 0x21011 0x20000
END
wrong 1 'no domain in common: the first has d1, the second has d2' \
    compare one two
"$compose" >exits <<'END' || fail 'exits cannot be composed'
0 1000000 0x81002 1 0x1000
0 2000000 0x81001
END
wrong 1 'exits has no scheduler events' compare exits one
