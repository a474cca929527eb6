#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Domains are selected by name: in files, in streams, and for every kind of
# output.  A name that is not in the trace is one line, with the names that are.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

noisy=$top_srcdir/xensim/scenarios/noisy-neighbour.scenario
expect 0 "$xensim" --virtual -f "$noisy" -T 0.3 --output noisy

# same ID_OPTION NAME_OPTION OUTPUT...: both select the same
same() {
    by_id=$1
    by_name=$2
    shift 2
    # shellcheck disable=SC2086 # an option and its argument
    expect 0 "$xenalyze" "$@" $by_id noisy
    mv out expected
    [ -s expected ] || fail "$* $by_id: empty"
    # shellcheck disable=SC2086 # an option and its argument
    expect 0 "$xenalyze" "$@" $by_name noisy
    cmp out expected || fail "$* $by_name: not the output of $by_id"
    # shellcheck disable=SC2086 # an option and its argument
    "$xenalyze" "$@" $by_name - <noisy >out || fail "$* $by_name -: failed"
    cmp out expected || fail "$* $by_name: another output of a stream"
}

for output in --dump-all --records --count --report-latency --summary \
    --report-exits; do
    same '--domain 2' '--domain render' $output
    same '--vcpu d2v1,d1v0' '--vcpu render/1,voice/0' $output
done

# wrong CODE MESSAGE OPTION...: one line on standard error
wrong() {
    code=$1
    message=$2
    shift 2
    expect "$code" "$xenalyze" "$@" noisy
    [ -s out ] && fail "$*: output in spite of the error"
    [ "$(cat err)" = "xenalyze: $message" ] || {
        cat err >&2
        fail "$*: another message than '$message'"
    }
}

# A number is the id of a domain, with --vcpu and why as with --domain.
for word in 2 2/1; do
    expect 0 "$xenalyze" why "d$(echo $word | tr / v)" noisy
    mv out expected
    expect 0 "$xenalyze" why "$word" noisy
    cmp out expected || fail "why $word: not the output of the id"
done
same '--vcpu d2v1' '--vcpu 2/1' --summary

has='the trace has Domain-0, voice, render'
for output in --dump-all --summary; do
    wrong 1 "--domain: no domain is named vioce; did you mean voice? $has" \
        $output --domain vioce
    wrong 1 "--vcpu: no domain is named web; $has" $output --vcpu web/0
    wrong 2 '--domain: 2-1 is invalid; expected domains and ranges, such as 0,3-5,idle,web1' \
        $output --domain 2-1
    wrong 2 '--vcpu: render/x is invalid; expected vcpus, such as d1v0,d1v1,web1/0' \
        $output --vcpu render/x
done

# An empty selection: a range of vcpus, and their names.
wrong 1 '--vcpu d9v9 matches nothing in noisy, which has Domain-0/0-1,voice/0,render/0-3' \
    --summary --vcpu d9v9

for kind in total-time short-summary guest-interrupt grant-maps; do
    same "--interval-domain-$kind=2" "--interval-domain-$kind=render" --cpu-hz 2400000000
    wrong 1 "--interval-domain-$kind: no domain is named rendr; did you mean render? $has" \
        "--interval-domain-$kind=rendr"
done
same '--interval-domain-total-time=1,2' '--interval-domain-total-time=1,render' \
    --cpu-hz 2400000000

# --- reports show names ------------------------------------------------------

# shows PATTERN OPTION...: standard output has such a line
shows() {
    pattern=$1
    shift
    expect 0 "$xenalyze" "$@" noisy
    grep -qE -e "$pattern" out || fail "$*: no line '$pattern'"
}

# hides_ids OPTION...: no id of a vcpu is shown in place of its name
hides_ids() {
    expect 0 "$xenalyze" "$@" noisy
    grep -nE '(^|[ >"(])d[0-9]+v[0-9]+' out && fail "$*: ids of vcpus"
    grep -n 'd32767' out && fail "$*: an idle vcpu"
}

shows '^ voice/0 +[0-9]+ ' --report-latency
shows '^ [0-9.]+ (voice|render)/[0-3] waited ' --report-latency
shows '^ .*while it ran (voice|render)/' --report-latency
shows '^ render: 0 [0-9.]+%' --report-latency
shows '^ render +HLT ' --report-exits
shows '^ voice/0: [0-9.]+% in the guest' --report-exits
shows '^ (interrupt|render/[0-3]) +voice/0 ' --report-wakeups
shows '^ render/3 +[0-9.]+ .* [0-9.]+s$' --summary
shows '^ render +[0-9.]+ .* [0-9.]+s$' --summary
for output in --report-latency --report-wakeups --report-exits; do
    hides_ids "$output"
done
expect 0 "$xenalyze" --plot pcpus.svg noisy
grep -q '>voice/0<' pcpus.svg || fail "no name in the picture"
grep -q '>d1v0<' pcpus.svg && fail "an id in the picture"
expect 0 "$xenalyze" --gnuplot pcpus.gp noisy
grep -q 'title "voice/0"' pcpus.gp || fail "no name in the script"
shows '"domain":1,"domain_name":"voice","vcpu":0,' --json
shows '^table,domain,domain_name,vcpu,' --csv
shows '^vcpu_states,1,"voice",0,' --csv

# Stock's lines have ids.
shows '^\|-- Domain 1 --\|' --summary
shows ' d1v0 ' --dump-all
shows '^1v0 ' --scatterplot-runstate

# --- hostile names -----------------------------------------------------------

# The vcpus of five domains run on pcpu 0 in turn.
{
    name_domain 1 'a\033[31m\007red'
    name_domain 2 'b"`<&>\\$(id)'
    name_domain 3 twin
    name_domain 4 twin
    name_domain 5 d3v0
    awk 'BEGIN {
        for ( i = 0; i < 50; i++ ) {
            t = 1000000 + 10000 * i
            if ( i )
                print "0 " t " 0x21011 " (1 + (i - 1) % 5) * 65536
            print "0 " t + 100 " 0x21101 " (1 + i % 5) * 65536
        }
    }'
} | compose noisy

for output in --report-latency --report-wakeups --summary --json --csv; do
    expect 0 "$xenalyze" $output noisy
    LC_ALL=C tr -d '\n -~' <out >bytes
    [ -s bytes ] && fail "$output: bytes that are not printable"
done
expect 0 "$xenalyze" --report-latency noisy
for name in 'a\?\[31m\?red/0' 'b"`<&>\\x5c\$\(~2/0' 'twin#3/0' 'twin#4/0' \
    'd3v0#5/0'; do
    grep -qE "^ $name +[0-9]" out || {
        cat out >&2
        fail "no row '$name'"
    }
done
shows '^ [0-9.]+ twin#[34]/0 waited ' --report-latency --top=50
shows '^    .*b"`<&>\\x5c\$\(id\)/0 ' --report-latency --top=50
for picture in runstate.svg runstate.gp; do
    option=--plot
    [ "$picture" = runstate.gp ] && option=--gnuplot
    expect 0 "$xenalyze" $option $picture --scatterplot-runstate noisy
    grep -q 'twin#3/0' $picture || fail "$picture: no name"
    LC_ALL=C tr -d '\n -~' <$picture >bytes
    [ -s bytes ] && fail "$picture: bytes that are not printable"
done
grep -q 'b"`<' runstate.svg && fail "runstate.svg: a '<' in a text"
grep -q '`' runstate.gp && fail "runstate.gp: a command of the shell"
grep -q '"b\\042\\140<&>' runstate.gp || fail "runstate.gp: no escaped name"
shows '"domain":2,"domain_name":"b\\u0022`<&>\\u005c\$\(id\)"' --json
shows ',2,"b""`<&>\\\$\(id\)",' --csv

# Completion has a name per line; lists have commas, terminals control bytes.
expect 0 "$xenalyze" --complete-values=domain noisy
grep -q '^[^ ]*[$]' out || fail 'a name with a dollar sign is missing'
LC_ALL=C grep -q '[,[:cntrl:]]' out && fail 'a name that cannot be completed'

# A name selects both twins, and a label one of them.
expect 0 "$xenalyze" --report-latency --domain twin noisy
[ "$(grep -c '^ twin#[34]/0 .*us ' out)" -ge 2 ] || fail "twin: not both"
expect 0 "$xenalyze" --report-latency --vcpu 'twin#4/0' noisy
grep -q '^ twin#3/0 ' out && fail "twin#4/0: the other one as well"
wrong 1 '--domain: no domain is named twn; the trace has a?[31m?red, b"`<&>\x5c$(id), twin#3, twin#4, d3v0#5' \
    --summary --domain twn

# An error about a selection lists names.
wrong 1 '--domain 77 matches nothing in noisy, which has a?[31m?red,b"`<&>\x5c$(id),twin#3,twin#4,d3v0#5' \
    --summary --domain 77

# --- names in UTF-8 ----------------------------------------------------------

{
    name_domain 1 'größe'
    name_domain 2 '東京'
    name_domain 3 'a\0303b\0033[1m\0302\0233\0342\0200\0256'
    name_domain 4 web
    for id in 1 2 3 4; do
        echo "0 ${id}000000 0x21101 $((id << 16))"
        echo "0 ${id}900000 0x21011 $((id << 16))"
    done
} | compose letters
expect 0 "$xenalyze" --cpu-hz 1G --summary letters
sed -n 's/^ d[1-4] is //p' out >names
printf '%s\n' 'größe' '東京' 'a?b?[1m?????' web >expected
cmp -s names expected || fail "names: $(cat names)"
sed -nE 's/^( [^ ]+\/0 +) .*/\1/p' out >columns
python3 - columns <<'END' || fail "columns: $(cat columns)"
import sys, unicodedata
widths = {sum(2 if unicodedata.east_asian_width(c) == "W" else 1
              for c in line.rstrip("\n")) for line in open(sys.argv[1])}
assert len(widths) == 1, widths
END
expect 0 "$xenalyze" --json letters
python3 - out <<'END' || fail 'names in JSON'
import json, sys
names = [r["name"] for r in json.load(open(sys.argv[1]))["tables"]["domains"]]
assert names == ["größe", "東京", "a?b?[1m?????", "web"], names
END
for output in --csv '--export chrome:-' '--export perfetto:-'; do
    # shellcheck disable=SC2086 # two words
    expect 0 "$xenalyze" $output letters
    grep -q 東京 out || fail "$output: no name"
done
expect 0 "$xenalyze" plot runstate -o letters.svg letters
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' letters.svg ||
    fail 'no XML'
grep -q 'größe' letters.svg || fail 'no name in the picture'
for option in --domain=größe --vcpu=東京/0; do
    expect 0 "$xenalyze" --summary $option letters
done

# --- long names --------------------------------------------------------------

long=guest-with-a-long-customer-name
cat >long.scenario <<END
cpus = 2
[domain Domain-0]
vcpus = 1
[domain web]
vcpus = 1
[domain $long]
vcpus = 2
END
expect 0 "$xensim" --virtual -f long.scenario -T 0.1 --output noisy

# The names of domains are whole where cut ones are looked up.
expect 0 "$xenalyze" --summary noisy
grep -qE "(^| )d2 is $long$" out || fail "the summary lacks the whole name"
expect 0 "$xenalyze" info noisy
grep -qE "^ *d2  [0-9a-f-]{36}  $long\$" out || fail "info lacks the whole name"

# A name that is cut to any length, with its id, is the domain.
for word in 'guest~2' 'guest-with~2' "$long"; do
    same '--domain 2' "--domain $word" --summary
    same '--vcpu d2v1' "--vcpu $word/1" --summary
    same '--interval-domain-total-time=2' \
        "--interval-domain-total-time=$word" --cpu-hz 2400000000
    expect 0 "$xenalyze" why d2v1 noisy
    mv out expected
    expect 0 "$xenalyze" why "$word/1" noisy
    cmp out expected || fail "why $word/1: not the output of d2v1"
done
has="the trace has Domain-0, web, guest-with-a-long-custom~2"
wrong 1 "--domain: no domain is named guest-with~1; $has" \
    --summary --domain 'guest-with~1'
wrong 1 "--vcpu: no domain is named guests~2; $has" --summary --vcpu 'guests~2/0'
