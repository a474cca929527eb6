#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Wrong calls of every program: exit code 2, one line on standard error with
# the remedy, nothing on standard output, no file written.  A bad input, or a
# call that does not fit this trace or this machine, gives exit code 1: scripts
# have to tell these from a wrong call.
. "$top_srcdir/tests/tools/lib.sh"

top=$(cd "$top_builddir" && pwd -P) || exit 99
mkdir "$tmp/work" && cd "$tmp/work" || exit 99
printf 'class c 0x00021000 "c"\n' >events
printf 'not a trace, but long enough to look like one\n' >text
: >"$tmp/nr"

path_of() {
    case $1 in
    xensim) echo "$top/xensim/xensim" ;;
    xentrace_setsize) echo "$top/tools/xentrace/$1" ;;
    xentrace_format) echo "$top/tools/xenalyze/$1" ;;
    *) echo "$top/tools/$1/$1" ;;
    esac
}

# program | exit code | word of the message | words on the command line
while IFS='|' read -r program code word words; do
    path=$(path_of "$program")
    [ -x "$path" ] || continue
    # shellcheck disable=SC2086 # several words
    expect "$code" timeout 60 "$path" $words
    expect_message "$word"
    grep -q "^$program: " "$tmp/err" || fail "$program $words: no name"
    [ ! -s "$tmp/out" ] || fail "$program $words: standard output"
    # shellcheck disable=SC2012 # names of our own
    [ "$(ls | tr '\n' ' ')" = 'events text ' ] ||
        fail "$program $words: left behind: $(ls)"
    echo "$program" >>"$tmp/nr"
done <<'END'
xenalyze|2|--help lists them|--no-such-option text
xenalyze|2|is --summary meant|--sumary text
xenalyze|2|it comes before files: xenalyze latency text|why text latency
xenalyze|2|it comes before files: xenalyze why d1v0 text|why text d1v0
xenalyze|2|--help lists them|-l text
xenalyze|2|--summary or --sort|--s text
xenalyze|2|takes no argument|--summary=yes text
xenalyze|2|needs an argument N|--top
xenalyze|2|needs an argument FILE|--plot
xenalyze|2|--output: needs an argument FILE|--output= text
xenalyze|2|--plot: needs an argument FILE|--plot= text
xenalyze|2|--gnuplot: needs an argument FILE|--gnuplot= text
xenalyze|2|--cut: needs an argument FILE|--cut= text
xenalyze|2|--formats: needs an argument FILE|--formats= text
xenalyze|2|--symbol-file: needs an argument FILE|--symbol-file= text
xenalyze|2|needs a file|--export=html: text
xenalyze|2|needs a file|--export=ctf: text
xenalyze|2|0 to 10000|--top 10001 text
xenalyze|2|looks like 12|--top many text
xenalyze|2|0 to 10000|--top=-1 text
xenalyze|2|name, total|--sort size text
xenalyze|2|is total meant|--sort totl text
xenalyze|2|is summary meant|sumary text
xenalyze|2|lists the commands|nosuch text
xenalyze|2|is wait meant|over waits text
xenalyze|2|xenalyze latency text|text latency
xenalyze|2|xenalyze why web1 text|why text web1
xenalyze|2|run, wait, exits|over F
xenalyze|2|timeline, runstate|plot nosuch text
xenalyze|2|io=PORT|plot io text
xenalyze|2|.svg, .png, .pdf or .gp|plot -o x.bmp text
xenalyze|2|runstate, runstate-time|points nosuch text
xenalyze|2|json, csv|export xml text
xenalyze|2|help lists them|help nosuch
xenalyze|2|20ms|--interval 5x text
xenalyze|2|at least 1ns|--interval 0 text
xenalyze|2|2.4G|--cpu-hz fast text
xenalyze|2|4.17, master|--layout 4.16 text
xenalyze|2|time, file|--order random text
xenalyze|2|1 to 64|--threads 65 text
xenalyze|2|auto, always, never|--color blue text
xenalyze|2|2 to 4|--default-guest-paging-levels 5 text
xenalyze|2|up to 255|--with-interrupt-eip-enumeration 256 text
xenalyze|2|above 0|--histogram-interrupt-eip 240,0 text
xenalyze|2|one number|--scatterplot-io 1,2 text
xenalyze|2|no number|--interval-domain-total-time 1,x text
xenalyze|2|commas|--interval-domain-short-summary , text
xenalyze|2|bash, zsh, fish|--completion ksh
xenalyze|2|exclude|--json --csv text
xenalyze|2|another run|--json --dump-all text
xenalyze|2|another run|--csv --records text
xenalyze|2|--records|--follow --summary text
xenalyze|1|not a trace|--info text
xenalyze|1|No such file|nowhere
xenalyze|1|No such file|--symbol-file nowhere text
xentrace_format|2|usage:|
xentrace_format|2|usage:|one two
xentrace_format|2|looks like 12|-c fast text
xentrace_format|2|1 to 1000000|-c 0 text
xentrace_format|2|time, file|--order random text
xentrace_format|2|--help lists them|--bogus text
xentrace_format|1|No such file|nowhere
xentrace|2|is --evt-mask meant|--evt-msk all trace
xentrace|2|--help lists them|--no-such-option
xentrace|2|is xensim meant|--hypervisor xensin trace
xentrace|2|is hvm meant|-e hvn trace
xentrace|2|hvm, sched:min|-e nonsense trace
xentrace|2|not a class|-e hvm, trace
xentrace|2|is sched_wake meant|-e sched_wak trace
xentrace|2|0x8f000|-e 0x80000 trace
xentrace|2|needs an argument MASK|-e
xentrace|2|--socket: needs an argument PATH|--socket= trace
xentrace|2|needs an argument VMCORE|--from-dump= trace
xentrace|2|needs an argument XEN-SYMS|--from-dump text --symbols= trace
xentrace|2|usage:|one two
xentrace|2|1 to 3600000|-s 0 trace
xentrace|2|1 to 3600000|-s -1 trace
xentrace|2|looks like 12|-s -x trace
xentrace|2|65535|-S 65536 trace
xentrace|2|20ms|-T 5x trace
xentrace|2|64k|--rotate-size 4x trace
xentrace|2|at least 4k|--rotate-size 4095 trace
xentrace|2|file name|--rotate-size 1M
xentrace|2|do not combine|--rotate-size 1M -M 1M trace
xentrace|2|must be 0 or 4k to 64T|-M 1 trace
xentrace|2|xen, xensim|--hypervisor=kvm trace
xentrace|2|exit>5ms|--snapshot-on exit>soon trace
xentrace|2|20ms|--snapshot-on runnable>20 trace
xentrace|2|unit|--snapshot-on exit>5 trace
xentrace|2|lost>1000|--snapshot-on lost>many trace
xentrace|2|runnable>20ms|--snapshot-on runnable>long trace
xentrace|2|lost>N|--snapshot-on nosuch trace
xentrace|2|xen-trace-events(7)|--snapshot-on sched_wake:foo=1 trace
xentrace|2|FIELD=NUMBER|--snapshot-on sched_wake:dom trace
xentrace|2|file name|--snapshot-on lost>1
xentrace|2|use -M|--flight-recorder --snapshot-on lost>1 trace
xentrace|2|need -M|--snapshot-after 1s trace
xentrace|2|one of these|--keep 3 trace
xentrace|2|needs a file|--daemon
xentrace|2|xen, xensim|--daemon --hypervisor=kvm trace
xentrace|1|no xensim at nowhere|--socket=nowhere trace
xentrace|1|no xensim at nowhere|--daemon --socket=nowhere trace
xentrace_setsize|2|1 to 65535|0
xentrace_setsize|2|1 to 65535|many
xentrace_setsize|2|1 to 65535|65536
xentrace_setsize|2|usage:|1 2
xentrace_setsize|2|not both|--free 8
xentrace_setsize|2|xen, xensim|--hypervisor kvm
xentrace_setsize|2|--help lists them|--size 8
xentrace_setsize|1|no xensim at nowhere|--socket nowhere
tracetool|2|--help lists them|--bogus
tracetool|2|--format=|events out
tracetool|2|--help lists them|--format=q events out
tracetool|2|--list-backends|--format=h --backends=foo --group=x events out
tracetool|2|--backends=|--format=h --group=x events out
tracetool|2|--group=|--format=h --backends=nop events out
tracetool|2|usage:|--format=formats events
tracetool|2|C has them|--format=d --provider=a-b events -
tracetool|2|another output|--format=formats events ./events
tracetool|2|--binary|--format=stap --probe-prefix=x events -
tracetool|2|--target-type|--format=stap --binary=x events -
tracetool|2|--backends=|--check-backends
tracetool|1|No such file|--format=formats nowhere out
simpletrace|2|usage:|
simpletrace|2|--help lists them|--bogus text
simpletrace|2|text, log|--style xml text
simpletrace|2|auto, wall|--time never text
simpletrace|2|auto, all|--ids some text
simpletrace|2|20ms|--from x text
simpletrace|2|at least 1|--pid 0 text
simpletrace|2|remove text|--recover=out events text
simpletrace|2|needs an argument FILE|--recover
simpletrace|1|No such file|nowhere
xensim|2|--help lists them|--nonsense
xensim|2|--virtual needs --duration|--virtual
xensim|2|1 to 1024|--cpus 0
xensim|2|looks like 12|--cpus x
xensim|2|raise --cpus|--cpus 4 --online 5
xensim|2|intel, amd|--vendor via
xensim|2|credit2, null|--scheduler rtds
xensim|2|1M to 1T|--memory 1k
xensim|2|2.4G|--rate fast
xensim|2|tbuf_size=PAGES|--boot tbf=1 -- true
xensim|2|open descriptor|--ready-fd 77 -- true
xensim|2|needs --virtual|--output t -T 1
xensim|2|needs --duration|--virtual --output t
xensim|2|only one|--virtual --output t -T 1 -- true
xensim|2|needs --output|--drain 1s -- true
xensim|2|--wall-clock needs --output|--wall-clock 1s -- true
xensim|2|--host-name needs --output|--host-name web1 -- true
xensim|2|needs --tsc-skew|--tsc-jump 1s -- true
xensim|1|No such file|--scenario nowhere -- true
END

# Calls that are checked with an open trace, or on a running machine.
if [ -x "$xensim" ]; then
    "$xensim" --virtual --cpus 2 -T 50ms --output trace || fail 'no trace'
    while IFS='|' read -r word words; do
        # shellcheck disable=SC2086 # several words
        expect 2 "$xenalyze" $words trace
        expect_message "$word"
        [ ! -s "$tmp/out" ] || fail "xenalyze $words: standard output"
        echo "$words" >>"$tmp/nr"
    done <<'END'
A..B|--time 5
1.5, 3ms|--time a..b
0,3-5,idle|--domain 1,,2
d1v0,d1v1|--vcpu 1
0,4-7|--pcpu 3-1
is sched_wake meant|--count --event sched_wak
sched_*|--count --event nosuch
.svg|--plot x.gif --scatterplot-irq
one of them|--plot x.svg --scatterplot-irq --scatterplot-rdtsc
needs a picture|--theme dark
END
    # Commands follow a trace only if they print before its end.
    "$xenalyze" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' \
        >"$tmp/commands"
    while read -r command; do
        echo "$command" >>"$tmp/nr"
        case $command in
        dump | records)
            expect 0 sh -c 'cat trace | "$@" --follow -' sh "$xenalyze" \
                "$command"
            [ -s "$tmp/out" ] || fail "$command --follow: no records"
            continue ;;
        compare) word=trace ;;
        over) word=run ;;
        points) word=irq ;;
        export) word=json ;;
        *) word= ;;
        esac
        expect 2 timeout 60 "$xenalyze" "$command" ${word:+"$word"} --follow \
            trace
        expect_message 'leave out --follow'
        [ ! -s "$tmp/out" ] || fail "$command --follow: standard output"
    done <"$tmp/commands"
    expect 2 timeout 60 "$xenalyze" --dump-all --records --follow trace
    expect_message 'nothing else'
    [ "$(wc -l <"$tmp/commands")" -ge 17 ] || fail 'commands are missing'
    while IFS='|' read -r code word words; do
        # shellcheck disable=SC2086 # several words
        expect "$code" "$xensim" --cpus 2 -- "$xentrace" $words new
        expect_message "$word"
        [ ! -e new ] || fail "xentrace $words: a trace"
        echo "$words" >>"$tmp/nr"
    done <<'END'
2|0,2-5|-c 0,
2|runs backwards|-c 1-0
2|hexadecimal|-c 0xg
2|hexadecimal|--daemon -c 0xg
1|last pcpu here is 1|-c 9
1|last pcpu here is 1|--daemon -c 9
1|none of the 2|-c 0x4
END
fi
[ "$(wc -l <"$tmp/nr")" -ge 64 ] || fail "only $(wc -l <"$tmp/nr") calls"
echo "$(wc -l <"$tmp/nr") calls"
