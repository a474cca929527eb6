#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each command prints what the options that it stands for print; a file of a
# command's name is a trace; --output writes the same text, or nothing at all.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
xenalyze_path=$(realpath "$xenalyze")
cd "$tmp" || exit 99
"$xensim" --virtual --cpus 2 -T 0.2 -o trace >/dev/null || fail 'xensim fails'

# same COMMAND = OPTIONS
same() {
    command=${1% = *} options=${1#* = }
    eval "'$xenalyze' $command" >by-command 2>err ||
        fail "$command: $(cat err)"
    eval "'$xenalyze' $options trace" >by-options 2>/dev/null
    cmp -s by-command by-options || fail "$command is not $options"
    [ -s by-command ] || fail "$command prints nothing"
}

nr=0
while read -r row; do
    same "$row" </dev/null
    nr=$((nr + 1))
done <<'END'
summary trace = --summary
why trace = --why
why d0 trace = --why d0
latency trace = --report-latency
latency --domain=1 trace = --report-latency --domain=1
--top=2 exits trace = --report-exits --report-storms --top=2
pcpus trace = --report-pcpu --style=table
pcpus --style=stock trace = --report-pcpu
wakeups trace = --report-wakeups
io trace = --report-io
compare --time=..0.1 --against=0.1.. trace = --compare --time=..0.1 --against=0.1..
over run trace = --interval-domain-total-time-all --style=table
over run --style stock trace = --interval-domain-total-time-all
over wait --every 100ms trace = --interval-domain-wait-time-all --interval=0.1
over run -i 50ms trace = --interval-domain-total-time-all --interval=50ms --style=table
over exits --domain=1 trace = --interval-domain-short-summary=1 --domain=1 --style=table
over interrupts --domain=1 trace = --interval-domain-guest-interrupt=1 --domain=1 --style=table
over grants --domain=1 trace = --interval-domain-grant-maps=1 --domain=1 --style=table
points runstate trace = --scatterplot-runstate
points pcpu trace = --scatterplot-pcpu
dump trace = --dump-all
dump 'sched_*' trace = --dump-all --event='sched_*'
dump sched --time=0.1.. trace = --dump-all --event=sched --time=0.1..
records sched trace = --records --event=sched
count trace = --count
info trace = --info --style=table
export json trace = --json
info --json trace = --info --json
export csv trace = --csv
END
[ "$nr" -eq 29 ] || fail "only $nr rows were tried"

# A vcpu before standard input needs no "-".
"$xenalyze" why d1 <trace >by-stdin || fail 'why VCPU of standard input fails'
expect 0 "$xenalyze" why d1 trace
cmp -s by-stdin out || fail 'why VCPU of standard input differs'
expect 1 "$xenalyze" why d1
expect_message 'cannot open d1'

"$xenalyze" dump sched <trace >by-command || fail 'dump of a pipe fails'
"$xenalyze" --dump-all --event=sched trace >by-options
cmp -s by-command by-options || fail 'dump EVENTS of standard input differs'

# Files of these names are traces, and so is a path.
mkdir names
cp trace names/summary
cp trace names/latency
(cd names && "$xenalyze" --count summary) >by-command 2>err
grep -q 'summary is read as a file.*write ./summary' err ||
    fail 'a file hides a command without a word'
"$xenalyze" --count trace >by-options
cmp -s by-command by-options || fail 'a file of the name summary is no trace'
(cd names && "$xenalyze" ./latency --report-pcpu) >by-command 2>err
[ ! -s err ] || fail './latency gives a warning'
cmp -s by-command by-options && fail 'the reports do not differ'
(cd names && "$xenalyze" latency --report-pcpu -qq) >by-command 2>err
[ ! -s err ] || fail 'a warning in spite of -qq'
"$xenalyze" --report-pcpu trace >by-options
cmp -s by-command by-options || fail 'a file of the name latency is no trace'

# Other arguments tell the command from a file, or a folder, of its name.
cp trace names/why
mkdir names/plot
(cd names && "$xenalyze" why d0 ../trace) >by-command ||
    fail 'a file of the name why hides the command'
"$xenalyze" --why d0 trace >by-options
cmp -s by-command by-options || fail 'why beside a file differs'
(cd names && "$xenalyze" plot pcpu ../trace && test -s pcpu.svg) >/dev/null ||
    fail 'a folder of the name plot hides the command'

# --output: the same bytes; an existing file survives an error.
"$xenalyze" latency trace >by-options
"$xenalyze" latency -o out.txt trace || fail '--output fails'
cmp -s out.txt by-options || fail '--output writes another text'
"$xenalyze" latency -o out.txt missing 2>err && fail 'a missing trace is read'
cmp -s out.txt by-options || fail 'a failed run changes the output file'
# A full disk: the file and the reason, and nothing under the file's name.
for output in latency 'export json' 'export perfetto' 'export collapsed' dump \
    'records --order=file' --dump-raw-reads count info why 'over run' \
    'compare trace' --info\ --csv; do
    # shellcheck disable=SC2086 # several words
    expect 1 "$xenalyze" $output -o /dev/full trace
    expect_message 'cannot write /dev/full: No space left on device'
done
# incomplete OUTPUT: it does not fit, and no part of it is left
incomplete() {
    # shellcheck disable=SC2016,SC2086 # for the inner shell; several words
    expect 1 sh -c 'cd full && ulimit -f 1 && trap "" XFSZ && exec "$@"' sh \
        "$xenalyze_path" $1 ../trace
    expect_message ": File too large"
    grep -q 'cannot write x' err || fail "$1: not the file's name"
    [ -z "$(ls full)" ] || fail "$1: left behind: $(ls full)"
}
mkdir full
for output in 'latency -o x' 'export json -o x' 'export perfetto -o x' \
    'dump -o x' '--dump-raw-reads -o x' 'plot runstate -o x.svg' \
    'plot runstate -o x.gp' '--export chrome:x'; do
    incomplete "$output"
done
for end in png pdf; do
    if has_cairo; then
        "$xenalyze" plot -o a.$end trace >said && [ -s a.$end ] ||
            fail "no a.$end"
        grep -qx "wrote a.$end" said || fail "plot does not say a.$end"
        incomplete "plot runstate -o x.$end"
    else
        expect 1 "$xenalyze" plot -o x.$end trace
        expect_message "cannot write x.$end: this program was built without"
    fi
done

# Pictures: by the end of the name, or KIND.svg.
for kind in timeline runstate runstate-time pcpu; do
    "$xenalyze" plot $kind trace >said || fail "plot $kind fails"
    grep -qx "wrote $kind.svg" said || fail "plot $kind does not say $kind.svg"
    [ -s $kind.svg ] || fail "plot $kind draws nothing"
done
if [ -c /dev/full ]; then
    expect 1 sh -c '"$1" plot pcpu trace >/dev/full' sh "$xenalyze"
    expect_message 'pcpu.svg is complete, but standard output fails'
fi
"$xenalyze" --plot by-options.svg trace
sed 's/by-options//' by-options.svg >a
cmp -s timeline.svg a || fail 'plot is not --plot'
"$xenalyze" plot runstate -o a.gp trace >said && grep -q plot a.gp ||
    fail 'no a.gp'
ls | grep -q part && fail 'temporary files are left'

# wrong WORD COMMAND...: a usage error of one line with the word
wrong() {
    word=$1
    shift
    expect 2 "$xenalyze" "$@"
    expect_message "$word"
    [ ! -s out ] || fail "$*: output"
}
# An option of another output is refused, and --output is heeded.
for words in 'export perfetto --csv' 'export collapsed --json' \
    'export json --csv' '--json export csv' '--export chrome:- --csv' \
    'plot --csv' 'plot --json' 'plot --plot x.svg' 'plot --gnuplot x.gp' \
    'latency --order file' '--json-schema --summary' '--json-schema --csv'; do
    # shellcheck disable=SC2086 # several words
    expect 2 "$xenalyze" $words trace
    [ ! -s out ] || fail "$words: something is printed"
    expect_message 'xenalyze: '
done
[ ! -e x.svg ] && [ ! -e x.gp ] || fail 'a picture in spite of the error'
expect 0 "$xenalyze" --json-schema
mv out schema
expect 0 "$xenalyze" --json-schema -o schema.json
[ ! -s out ] && cmp -s schema schema.json || fail '--json-schema ignores -o'
wrong 'is latency meant' latnecy trace
wrong 'is latency meant' latnecy
wrong 'lists the commands' nosuch trace
wrong 'give one command at a time' summary latency trace
wrong 'give one of run, wait, exits' over trace
wrong 'give one of run, wait, exits' over
wrong 'is wait meant? It is one of run' over waits trace
wrong 'over F: it is one of run' over F
wrong '--domain' over grants trace
wrong 'is irq meant? It is one of timeline' plot irqq trace
wrong 'plot nosuch: it is one of timeline' plot nosuch trace
wrong 'plot nosuch: it is one of timeline' plot nosuch
wrong 'vmexit-eip; or no such file' plot nosuch
wrong 'cr3; or no such file' over nosuch
wrong 'no such file; and as an event, nosuch.xt is invalid; expected names' \
    dump nosuch.xt
wrong 'no such file; and as an event, nosuch.xt is invalid; expected names' \
    records nosuch.xt trace
wrong 'no such file; and as an event, sched_wak is invalid; is sched_wake' \
    dump sched_wak
wrong 'points: give one of runstate' points trace
wrong 'it is one of runstate' points nosuch trace
wrong 'it is one of runstate' points timeline trace
wrong 'io=PORT' plot io trace
wrong 'io=x: x is no number' plot io=x trace
wrong 'takes no value' plot irq=3 trace
wrong 'it is one of json, csv' export xml trace
wrong 'give one of json, csv' export trace
wrong '.svg, .png, .pdf or .gp' plot -o a.bmp trace
wrong 'help latnecy: no such command; is latency meant' help latnecy
wrong 'help nosuch: no such command; xenalyze help lists' help nosuch
wrong 'given by --event' dump sched_wake --event hvm trace
wrong 'is sched_wake meant' dump sched_wak trace
wrong 'is hvm meant' records hvn trace
wrong 'is TRC_SCHED_WAKE meant' --event TRC_SCHED_WAK trace
expect 1 "$xenalyze" nosuch.xt trace
expect_message 'cannot open nosuch.xt'
expect 1 "$xenalyze" plot nosuch.xt
expect_message 'cannot open nosuch.xt'

[ "$("$xenalyze" --help | wc -l)" -le 30 ] || fail '--help exceeds 30 lines'
for c in $("$xenalyze" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\).*/\1/p')
do
    "$xenalyze" help "$c" >by-command || fail "help $c fails"
    "$xenalyze" "$c" --help >by-options
    cmp -s by-command by-options || fail "$c --help is not help $c"
    grep -q "^\.BI $c \"" "$top_srcdir/man/xenalyze.1" ||
        fail "xenalyze(1) does not explain $c"
done

# A page lists the options that the command accepts: each option of the list is
# accepted, and of those that select, no other one.
# value OPTION: an argument for the option
value() {
    case $1 in
    time) echo =0.05..0.15 ;;
    against) echo =0.15.. ;;
    domain | pcpu) echo =0 ;;
    vcpu) echo =d0v0 ;;
    event) echo =sched ;;
    top) echo =2 ;;
    sort) echo =total ;;
    order) echo =file ;;
    theme) echo =dark ;;
    every) echo =50ms ;;
    symbol-file) echo =symbols ;;
    output) echo =accepted.svg ;;
    esac
}
echo '1000 start' >symbols
while read -r command; do
    "$xenalyze" help ${command%% *} >page
    head -n 2 page | tail -n 1 | grep -q '[^?.][?.]$' ||
        fail "help $command: $(cat page)"
    sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' page >listed
    [ -s listed ] || fail "help ${command%% *} has no options"
    sort -u listed - <<'OPTIONS' >tried
time
domain
vcpu
pcpu
event
OPTIONS
    while read -r option; do
        code=2
        grep -qx "$option" listed && code=0
        # The last option counts; a comparison needs two spans.
        time=
        [ "${command%% *}" = compare ] && time=--time=..0.1
        # shellcheck disable=SC2086 # several words
        "$xenalyze" $command $time --$option$(value $option) trace >out 2>err
        got=$?
        { [ $got -eq 2 ] && [ $code -eq 2 ]; } ||
            { [ $got -ne 2 ] && [ $code -eq 0 ]; } ||
            fail "$command --$option: exit code $got, but the page" \
                "$([ $code -eq 0 ] && echo lists || echo 'does not list') it"
    done <tried
done <<'END'
summary
why
latency
exits
pcpus
wakeups
io
compare --against=0.1..
over run
plot
points runstate
dump
records
count
info
cut
export json
END

# --top and --sort of a page have an effect.
for row in 'count --top=1' 'pcpus --top=1' 'info --top=1' 'why --top=1' \
    'count --sort=name'; do
    # shellcheck disable=SC2086 # several words
    expect 0 "$xenalyze" $row trace
    mv out limited
    expect 0 "$xenalyze" ${row%% *} trace
    cmp -s limited out && fail "$row has no effect"
done
echo "$nr commands"
