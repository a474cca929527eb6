#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reports without the events that they need: an error names these events and
# the option that captures them, and no picture is written.
. "$top_srcdir/tests/tools/lib.sh"
cd "$tmp" || exit 99

compose=$top_builddir/tests/xenalyze/reports/compose
"$compose" >guest <<'END' || fail 'no trace of a guest'
0 1000000 0x81002 44 0x1000
0 1000500 0x81001
END
"$compose" >sched <<'END' || fail 'no trace of the scheduler'
0 1000000 0x21101 0x10000
0 2000000 0x21011 0x10000
END

# The option, the trace that lacks its events, and the class that has them; "+":
# the trace has other classes that the option needs.
while read -r plot trace class; do
    case $class in
    +*) class=${class#+} message="which lacks $class; add -e $class to" ;;
    *) message="capture them with xentrace -e $class" ;;
    esac
    expect 1 "$xenalyze" --scatterplot-"$plot" $trace
    expect_message "$message"
    [ ! -s out ] || fail "$plot: points of nothing"
    for file in --plot=no.svg --gnuplot=no.gp; do
        expect 1 "$xenalyze" "$file" --scatterplot-"$plot" $trace
        expect_message "$message"
        [ ! -e "${file#*=}" ] || fail "$plot: $file is drawn"
    done
    # A class that xentrace knows.
    for word in $(echo "$class" | tr , ' '); do
        "$top_builddir/tools/xentrace/xentrace" -e "$word" \
            --socket=nowhere no.xt 2>err
        grep -q 'no xensim' err || fail "-e $word: $(cat err)"
    done
    # A document has an empty table.
    expect 0 "$xenalyze" --json --scatterplot-"$plot" $trace
done <<'END'
runstate guest sched:min
runstate-time guest sched:min
pcpu guest sched:min
rdtsc sched hvm
irq sched hw:irq
interrupt-eip=251 sched hvm
extint-cycles=251 sched hvm
io=0x70 sched hvm
unpin-promote sched hvm,shadow
cr3-switch sched hvm
wake-to-halt sched +hvm
vmexit-eip sched hvm:entryexit
END
expect 1 "$xenalyze" --plot=no.svg guest
expect_message 'capture them with xentrace -e sched:min'
[ ! -e no.svg ] || fail 'a timeline of nothing is drawn'
expect 1 "$xenalyze" --scatterplot-pcpu --time 2ms.. --cpu-hz 1G sched
expect_message 'selects nothing'
expect 1 "$xenalyze" --scatterplot-rdtsc --vcpu d1v0 sched
expect_message 'in the selection of sched'

# Classes that were traced are no remedy: by metadata, or by the records.
"$compose" >handlers <<'END' || fail 'no trace of handlers'
0 1000000 0x81002 44 0x1000
0 1000400 0x8200a 0
0 1000500 0x81001
END
expect 1 "$xenalyze" --scatterplot-io=0x70 handlers
expect_message 'no accesses to that I/O port in handlers; hvm was traced, so'
expect 1 "$xenalyze" --scatterplot-wake-to-halt handlers
expect_message 'which lacks sched:min; add -e sched:min to'
if [ -x "$xensim" ]; then
    for mask in all sched hvm:entryexit; do
        "$xensim" --cpus 1 --kind pv -- "$xentrace" -e $mask -T 0.1 only-$mask \
            >log 2>&1 || fail "xentrace: $(cat log)"
    done
    expect 1 "$xenalyze" plot rdtsc only-all
    expect_message 'no RDTSC exits in only-all; hvm was traced, so there were none'
    expect 1 "$xenalyze" plot wake-to-halt only-all
    expect_message 'sched:min,hvm were traced, so there were none'
    expect 1 "$xenalyze" plot wake-to-halt only-sched
    expect_message 'no interrupts that wake a guest in only-sched, which lacks hvm;'
    expect 1 "$xenalyze" plot rdtsc only-hvm:entryexit
    expect_message 'capture them with xentrace -e hvm'
fi

# Scatterplots with points are drawn.
expect 0 "$xenalyze" --plot=yes.svg sched
expect 0 "$xenalyze" --plot=yes.svg --scatterplot-vmexit-eip guest

# Without scheduler events the vcpus are unknown.
needs='scheduler events: vcpus are unknown; capture with xentrace -e sched:min,hvm'
expect 0 "$xenalyze" --summary guest
grep -qx " no $needs" out || fail 'the summary does not say it'
expect 0 "$xenalyze" --report-exits guest
expect_message "no $needs"
for report in pcpu storms io timers interrupts; do
    expect 0 "$xenalyze" --report-$report guest
    expect_message "no $needs"
    expect 0 "$xenalyze" --report-$report sched
    [ ! -s err ] || fail "$report: a message about scheduler events"
done

# refused TRACE MESSAGE OPTION...: nothing but an error; a document is empty
refused() {
    trace=$1
    message=$2
    shift 2
    expect 1 "$xenalyze" "$@" "$trace"
    expect_message "$trace has no $message"
    [ ! -s out ] || fail "$*: a report of nothing"
    expect 0 "$xenalyze" --json "$@" "$trace"
}

for report in latency wakeups migrations; do
    refused guest 'scheduler events; capture with xentrace -e sched:min' \
        --report-$report
    expect 0 "$xenalyze" --report-$report sched
    [ ! -s err ] || fail "$report: a message about scheduler events"
done
refused sched 'VM exits of HVM or PVH guests; capture with xentrace -e hvm' --report-exits
refused sched 'VM exits of HVM or PVH guests; capture with xentrace -e hvm' \
    --report-exits --report-storms
expect 1 "$xenalyze" over run guest
expect_message 'guest has no changes of runstates; capture with xentrace -e sched:min'
[ ! -s out ] || fail 'over run: the reason is there twice'
expect 0 "$xenalyze" --summary --report-latency guest
expect_message 'warning: guest has no scheduler events'
[ -s out ] || fail 'no summary beside an empty report'

# A class that was traced is no remedy: nothing happened.
if [ -x "$xensim" ]; then
    expect 0 "$xenalyze" exits only-all
    grep -q '^ No VM exits: only HVM and PVH guests have them' out ||
        fail "$(cat out)"
fi

# Without scheduler events no vcpu can be selected, whatever its name is.
{
    name_domain 1 web3
    printf '%s\n' '0 1000000 0x81002 44 0x1000' '0 1000500 0x81001'
} | "$compose" >named || fail 'no trace of a guest with a name'
for option in --domain=web3 --vcpu=web3/0; do
    for report in latency exits; do
        expect 1 "$xenalyze" $report $option named
        expect_message 'has no scheduler events: vcpus are unknown; capture with xentrace -e sched:min'
    done
done
expect 0 "$xenalyze" --summary sched
! grep -q "$needs" out || fail 'the summary misses scheduler events'

# --interval has an effect, or is refused.
expect 2 "$xenalyze" --interval 5 --summary sched
expect_message '--interval needs an interval report'
expect 0 "$xenalyze" --cpu-hz 1G --interval-domain-total-time-all sched
mv out default
expect 0 "$xenalyze" --cpu-hz 1G -i 1 --interval-domain-total-time-all sched
cmp -s out default || fail 'the default of --interval is not 1 s'
expect 0 "$xenalyze" --cpu-hz 1G -i 0.0002 --interval-domain-total-time-all sched
[ "$(wc -l <out)" -gt "$(wc -l <default)" ] || fail '-i has no effect'

# An empty span is no lack of the trace.
"$compose" >both <<'END' || fail 'no trace of both'
0 1000000 0x21101 0x10000
0 1000000 0x81002 44 0x1000
0 1000500 0x81001
0 9000000 0x21011 0x10000
END
expect 0 "$xenalyze" exits --time=5000000c.. both
grep -q '^ No VM exits' out || fail "$(cat out)"
expect 0 "$xenalyze" latency --time=5000000c..6000000c both
