#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each option of stock's xenalyze works here, or is accepted for a behaviour
# that is the default; and latencies of interrupts between vcpus equal stock's.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

awk -f "$top_srcdir/tests/xenalyze/reports/shadow.awk" | compose shadow
echo "80000000 start" >symbols

n=0
while read -r option; do
    n=$((n + 1))
    # shellcheck disable=SC2086 # several words
    expect 0 "$xenalyze" --cpu-hz 1G $option shadow
    [ -s out ] || fail "$option prints nothing"
done <<'END'
--dump-all
-a
--dump-raw-reads
--dump-raw-process
--dump-no-processing
--dump-ipi-latency
--dump-show-power-states -a
--with-cr3-enumeration
--with-pio-enumeration
--with-mmio-enumeration
--with-interrupt-eip-enumeration 240
--scatterplot-interrupt-eip 240
--scatterplot-extint-cycles 240
--scatterplot-unpin-promote
--scatterplot-cr3-switch
--scatterplot-vmexit-eip
--scatterplot-runstate
--scatterplot-runstate-time
--histogram-interrupt-eip 240,0x1000
-i 0.00001 --interval-cr3-schedule-time 1,3
--interval-cr3-schedule-time-all
--interval-cr3-schedule-ordered
--interval-cr3-short-summary 1
--interval-domain-total-time 1
--interval-domain-total-time-all
--interval-domain-short-summary 1
--interval-domain-guest-interrupt 1
--interval-domain-grant-maps 1
--show-default-domain-summary
--mmio-enumeration-skip-vga=0
--sample-size 0
--sample-max 0
--summary
-s
--report-pcpu
--default-guest-paging-levels 4
--symbol-file symbols
--svm-mode
--progress
--tolerance 6
--tsc-loop-fatal
--dump-trace-volume-on-lost-record
-!
-" 0
-# 0
-$ 0
-%
-& 4
-' symbols
-(
-) 2G
-*
-+ 6
-,
END
expect 0 "$xenalyze" '- 1' shadow
mv out long
expect 0 "$xenalyze" --interval-domain-grant-maps 1 shadow
cmp -s long out || fail "a blank is not --interval-domain-grant-maps"
expect 0 "$xenalyze" -% '-)2G' shadow
mv out long
expect 0 "$xenalyze" --report-pcpu --cpu-hz 2G shadow
cmp -s long out || fail "signs are not --report-pcpu and --cpu-hz"
echo "$n options"
for option in pcpu rdtsc irq wake-to-halt io=112; do
    expect 0 "$xenalyze" --csv --scatterplot-$option shadow
done

# Incomplete data is reported, in the output or beside it; complete data is not.
play lossy --cpus 3 --kind pv --storm 5ms --boot tbuf_size=1
head -c -7 intel >damaged
for option in latency exits pcpu; do
    expect 0 "$xenalyze" --report-$option intel
    [ ! -s err ] || fail "--report-$option expect_message: $(cat err)"
    # PV guests have no VM exits.
    code=0
    [ $option = exits ] && code=1
    expect $code "$xenalyze" --report-$option lossy
    grep -q 'warning: lossy: [1-9][0-9]* records lost, ' err ||
        fail "--report-$option knows of no loss: $(cat err)"
    expect 0 "$xenalyze" --report-$option damaged
    grep -q 'warning: damaged: damaged (places: [1-9]' err ||
        fail "--report-$option knows of no damage: $(cat err)"
done
for what in "" --scatterplot-runstate --scatterplot-pcpu; do
    # shellcheck disable=SC2086 # may be nothing
    expect 0 "$xenalyze" $what --plot p.svg --gnuplot p.gp lossy
    [ ! -s err ] || fail "the picture shows losses, and warns: $(cat err)"
    grep -q 'lost</text>' p.svg || fail "the picture $what has no losses"
    grep -q 'lost"' p.gp || fail "the script $what has no losses"
done
expect 0 "$xenalyze" --report-latency --plot p.svg lossy
grep -q 'warning: lossy: ' err || fail "a picture hides losses from a report"
expect 0 "$xenalyze" --plot p.svg --scatterplot-pcpu intel
! grep -q 'lost</text>' p.svg || fail "a picture has losses that are none"
expect 0 "$xenalyze" --report-latency --summary lossy
[ ! -s err ] || fail "reported twice: $(cat err)"

# A terminal shows the progress; stock's option does, too. (A bare chroot may
# have no terminals.)
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    for option in --summary --scatterplot-runstate; do
        script -qec "'$xenalyze' $option intel >/dev/null" /dev/null \
            </dev/null >bar
        grep -q 'reading .* of [0-9.]* MB' bar || fail "$option: no bar"
        script -qec "'$xenalyze' --no-progress $option intel >/dev/null" \
            /dev/null </dev/null >bar
        ! grep -q reading bar || fail "$option --no-progress: a bar"
    done
fi

compose_ipis
expect 0 "$xenalyze" --cpu-hz 1G --dump-ipi-latency ipi
grep -qx ' \[vla\] d1v1 vec 253 ipis 1, latency 200 (0.000000200 s)' out ||
    fail "the interrupt took no 200 ns"

# A name in two parts: "a domain of more than twenty-four".
compose named <<'END'
0 1000000 0x21101 0x10000
0 - 0x1f08c 0x02000001 0x6f642061 0x6e69616d 0x20666f20 0x65726f6d 0x61687420 0x7774206e
0 - 0x1f08c 0x02010001 0x79746e65 0x756f662d 0x72 0 0 0
0 9000000 0x21011 0x10000
END
expect 0 "$xenalyze" --summary named
grep -qx ' d1 is a domain of more than twenty-four' out ||
    fail "it has no name: $(grep ' is ' out)"
expect 0 "$xenalyze" --json named
grep -q '"domain":1,"name":"a domain of more than twenty-four"' out ||
    fail "it has no name in JSON"
expect 0 "$xenalyze" --summary --domain 1 --time 0.001.. named
grep -qx ' d1 is a domain of more than twenty-four' out ||
    fail "a part of the trace has no name: $(grep ' is ' out)"

# Page tables of three levels are only in their own map.
compose mapped <<'END'
0 1000000 0x21101 0x10000
0 1000100 0x81002 0 0x1000
0 - 0x82001 7 0xc0700000
0 1000500 0x81001
END
for n in 2 3 4; do
    expect 0 "$xenalyze" --summary --default-guest-paging-levels $n mapped
    grep -q '^     emulate  *1 ' out && echo $n
done >levels
[ "$(cat levels)" = 3 ] || fail "--default-guest-paging-levels: $(cat levels)"

# A day after 1970 the clock read 3000000: 2 ms into the trace, at 1 GHz.
compose dated <<'END'
0 1000000 0x21101 0x10000
0 - 0x1f083 3000000 0 0 0 0x914f0000 0x4e94 0
0 9000000 0x21011 0x10000
END
expect 0 env TZ=UTC "$xenalyze" --cpu-hz 1G --summary dated
grep -qx ' trace start (t=0): 1970-01-01T23:59:59.998000 UTC' out ||
    fail "when it began: $(grep 'trace start' out)"
compose exiting <<'END'
0 1000000 0x21101 0x10000
0 - 0x1f083 3000000 0 0 0 0x914f0000 0x4e94 0
0 2000000 0x81002 44 0x1000
0 2000500 0x81001
0 9000000 0x21011 0x10000
END
expect 0 env TZ=UTC "$xenalyze" --cpu-hz 1G --report-exits exiting
grep -qx ' trace start (t=0): 1970-01-01T23:59:59.998000 UTC' out ||
    fail "when exits began: $(grep 'trace start' out)"
expect 0 "$xenalyze" --cpu-hz 1G --summary --time 0.002.. dated
[ ! -s err ] || fail "a time that is there: $(cat err)"

# A filter for an absent vcpu causes a message with the present ones.
absent() {
    option=$1
    there=$2
    shift 2
    for output in --summary --report-latency --json --scatterplot-pcpu \
        --plot=no.svg --dump-all --records "--count --event=sched" \
        --dump-raw-reads "--records --order=file" \
        --formats="$top_srcdir/formats"; do
        # shellcheck disable=SC2086 # several words
        expect 1 "$xenalyze" $output $option named
        [ ! -s out ] || fail "$output $option: something is printed"
        expect_message "$option matches nothing in named, which has $there"
    done
    [ ! -e no.svg ] || fail "$option: an empty picture"
}
absent "--domain 0,2-9" 1
absent "--vcpu d1v1,d2v0" d1v0
absent "--pcpu 1-7" 0
expect 1 "$xenalyze" --summary --domain 0 intel --vcpu d1v0
expect_message "no vcpu matches both"
mkfifo pipe
cat intel >pipe &
expect 1 "$xenalyze" --dump-all --domain 77 pipe
wait
expect_message "--summary lists its domains"

# A named pipe is opened once: opening it again would end its writer.
{ cat intel >pipe && echo whole >wrote; } &
expect 0 "$xenalyze" --count pipe
wait
[ "$(cat wrote)" = whole ] || fail "the writer of a pipe is broken"

# Impossible times of day do not overflow.
compose odd <<'END'
0 1000000 0x21101 0x10000
0 - 0x1f083 0xfffffff0 0xffffffff 0 0 0 0x80000000 0
0 9000000 0x21011 0x10000
END
expect 0 "$xenalyze" --summary odd
expect 0 "$xenalyze" --json odd
for time in 2148-02-29T12:00:03.. 12:00:03..12:00:05; do
    expect 1 "$xenalyze" --summary --time $time odd
    expect_message "--time $time selects nothing of odd"
done
expect 2 "$xenalyze" --summary --time 4648-02-29T12:00:03.. odd
expect_message "--time 4648-02-29T12:00:03..: there is no such date"

# --cpu-hz in place of a known frequency is used, and a warning says so.
expect 0 "$xenalyze" --cpu-hz 2G info intel
expect_message 'warning: intel has a TSC frequency of 2400 MHz, but --cpu-hz gives 2000 MHz, which is used'
expect 0 "$xenalyze" --cpu-hz 2G compare --time 0..0.4 --against 0.5..0.9 intel
expect_message 'which is used'
for args in '2400M intel' '2G shadow'; do
    # shellcheck disable=SC2086 # a frequency and a trace
    expect 0 "$xenalyze" --info --cpu-hz $args
    [ ! -s err ] || fail "--cpu-hz $args: $(cat err)"
done
