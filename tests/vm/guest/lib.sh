# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common functions of the scripts in dom0 (busybox sh).  A script leaves traces
# in the shared folder and, for each, a line of arguments of check-trace in the
# file `checks`, which the host uses to check the trace.
#
# No step has a time limit that a busy machine may exceed: a capture lasts until
# the trace is large enough, and only a capture that never is fails.

wrong=0

# The argument behind the script's name and = in the row.  A suffix `,ours`
# replaces stock's xentrace by ours with --plain, which writes the same format.
argument=$(cat /share/argument)
case $argument in
*,ours) xentrace='/ours/xentrace --plain' ;;
*) xentrace=xentrace ;;
esac
argument=${argument%,ours}

# fails TEXT...: report a failure, and continue
fails()
{
    echo "wrong: $*"
    wrong=$((wrong + 1))
}

# allow_console PATTERN: allow a console message of Xen that this script
# provokes
allow_console()
{
    echo "^[(]XEN[)] $1" >>/share/console.ok
}

# until_true TENTHS COMMAND...: repeat the command until it succeeds, for at
# most so many tenths of a second
until_true()
{
    tenths=$1
    shift
    until "$@"; do
        [ "$tenths" -gt 0 ] || return 1
        tenths=$((tenths - 1))
        usleep 100000
    done
}

# begin_load [PAIRS]: run pairs of programs (default two) until end_load, to
# cause hypercalls, faults, timers, switches
begin_load()
{
    loads=
    pairs=${1:-2}
    while [ "$pairs" -gt 0 ]; do
        pairs=$((pairs - 1))
        ( while :; do
            j=0
            while [ $j -lt 300 ]; do j=$((j + 1)); done
            usleep 500
        done ) &
        loads="$loads $!"
        dd if=/dev/zero of=/dev/null bs=512 2>/dev/null &
        loads="$loads $!"
    done
}

end_load()
{
    # shellcheck disable=SC2086 # words are meant to split
    kill $loads
}

# no_xenalyze TRACE: stock's xenalyze cannot read the trace
no_xenalyze()
{
    echo "$1" >>/share/no-xenalyze
}

# lost_before TRACE: the trace may report losses from before xentrace started
lost_before()
{
    echo "$1" >>/share/lost-before
}

# --- traces ------------------------------------------------------------------

# use_ours: use our xentrace from now on, without --plain
use_ours()
{
    xentrace=/ours/xentrace
}

# begin_trace NAME ARGUMENT...: run xentrace until end_trace.  Its file cannot
# be in the shared folder, where writes from mapped pages of Xen fail.
begin_trace()
{
    trace=$1
    shift
    $xentrace "$@" "/tmp/$trace" >"/tmp/$trace.log" 2>&1 &
    tracer=$!
}

tracer_gone()
{
    ! kill -0 "$tracer" 2>/dev/null
}

# Stock's xentrace ignores the signal before it has a handler, so one signal is
# not enough.  Ours has the handler before it creates its file.
stop_tracer()
{
    until_true 600 test -e "/tmp/$trace"
    tracer_gone && fails "$trace: xentrace has gone"
    for _ in 1 2 3 4 5 6; do
        kill -INT "$tracer" 2>/dev/null
        until_true 100 tracer_gone && break
    done
    kill -9 "$tracer" 2>/dev/null && fails "$trace: xentrace is stuck"
    wait "$tracer" || fails "$trace: xentrace ended with $?"
}

# end_trace CHECK_ARGUMENT...
end_trace()
{
    stop_tracer
    keep_trace
    echo "$* $trace" >>/share/checks
}

keep_trace()
{
    cat "/tmp/$trace.log"
    cp "/tmp/$trace.log" "/share/$trace.log"
    mv "/tmp/$trace" "/share/$trace" || fails "$trace: no trace"
}

# end_described: end a trace that has the metadata of our xentrace
end_described()
{
    stop_tracer
    keep_trace
    echo "$trace" >>/share/with-notes
}

# take_described NAME TENTHS XENTRACE_ARGUMENT...
take_described()
{
    usecs=$(($2 * 100000))
    name=$1
    shift 2
    begin_trace "$name" "$@"
    usleep $usecs
    end_described
}

# keep_described NAME...: keep further files of our xentrace in /tmp
keep_described()
{
    for name; do
        mv "/tmp/$name" /share/ || fails "$name: no trace"
        echo "$name" >>/share/with-notes
    done
}

# known TRACE alone|rivals|... DOMAIN...: conclusions that our xenalyze has to
# draw from the trace, as defined in judge/known; unknown: those it must not
# draw
known()
{
    echo "$*" >>/share/known
}

unknown()
{
    echo "$*" >>/share/unknown
}

# has_bytes FILE N
has_bytes()
{
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ]
}

# take NAME TENTHS "CHECK_ARGUMENTS" XENTRACE_ARGUMENT...: capture for at least
# this time, and until the trace has the records required by -n of check-trace
take()
{
    name=$1
    usecs=$(($2 * 100000))
    expected=$3
    shift 3
    records=$(echo " $expected " | sed -n 's/.* -n \([0-9]*\) .*/\1/p')
    begin_trace "$name" "$@"
    usleep $usecs
    # a record has about 20 bytes; the header of a window has 12
    until_true 600 has_bytes "/tmp/$name" $((${records:-1} * 24 + 24)) ||
        echo "$name: few records"
    # shellcheck disable=SC2086
    end_trace $expected
}

# losses: print the number of lost records of each pcpu since the boot, by our
# Xen
losses()
{
    /tmp/control state | grep -o 'lost [0-9]*'
}

# loses: records have been lost since $before was read
loses()
{
    [ "$(losses)" != "$before" ]
}

# take_overflow XENTRACE_ARGUMENT...: capture under load, and stop xentrace until
# records are lost
take_overflow()
{
    cp /share/control /tmp/
    begin_trace overflow "$@"
    until_true 600 has_bytes /tmp/overflow 100 || fails "overflow: no records"
    kill -STOP "$tracer"
    before=$(losses)
    until_true 1200 loses || fails "overflow: nothing is lost"
    kill -CONT "$tracer"
    # The losses are written with the next records.
    until_true 600 has_bytes /tmp/overflow 10000 ||
        fails "overflow: few records"
    end_trace -p 1 -l
}

# maybe NAME TENTHS "CHECK_ARGUMENTS" XENTRACE_ARGUMENT...: capture a trace that
# may be empty
maybe()
{
    name=$1
    usecs=$(($2 * 100000))
    expected=$3
    shift 3
    begin_trace "$name" "$@"
    usleep $usecs
    # shellcheck disable=SC2086
    end_trace -n 0 $expected
}

# --- Xen ---------------------------------------------------------------------

# Store the scheduler's name for the host to check: Xen silently ignores a wrong
# name on its command line.
store_scheduler()
{
    timeout 60 xl info 2>/dev/null |
        sed -n 's/^xen_scheduler *: //p' >/share/scheduler
}

# store_description TRACE: store what xl knows of the host, for the host to
# compare with the metadata of a trace.
store_description()
{
    timeout 60 xl info >/share/xl-info || fails "no xl info"
    timeout 60 xl list -v >/share/xl-list || fails "no xl list"
    timeout 60 xl vcpu-list >/share/xl-vcpus || fails "no xl vcpu-list"
    echo "$1" >>/share/described
}

# --- guests ------------------------------------------------------------------

begin_xenstore()
{
    allow_console 'HVM ?d?[0-9v]+ (save|restore): [A-Z_ 0-9]+'
    allow_console 'd[0-9]+v[0-9]+: upcall vector [0-9a-f]+'
    timeout 60 xenstored --pid-file /run/xen/xenstored.pid </dev/null ||
        fails "no xenstored"
    timeout 60 xen-init-dom0 >/dev/null || fails "no xen-init-dom0"
    timeout 60 xenconsoled --pid-file=/run/xen/xenconsoled.pid --log=guest \
        --log-dir=/var/log/xen/console || fails "no xenconsoled"
}

# state_of NAME: the letters of xl's list
state_of()
{
    timeout 60 xl list "$1" | awk 'NR > 1 { print $5 }'
}

# starts NAME: wait until the guest runs; fail if it has died
starts()
{
    for _ in $(seq 1200); do
        until_true 5 grep -qs '\[guest\] runs' \
            "/var/log/xen/console/guest-$1.log" && return 0
        case $(state_of "$1") in *[sc]*) return 1 ;; esac
    done
    return 1
}

# triple_faulted NAME: the processor shut the guest down
triple_faulted()
{
    id=$(timeout 60 xl domid "$1")
    timeout 60 xl dmesg | grep -q "d${id}v[0-9]* Triple fault"
}

# allow_triple_fault: allow Xen's messages about it, with the registers
allow_triple_fault()
{
    allow_console 'd[0-9]+v[0-9]+ Triple fault'
    allow_console '([*]+ Dumping Dom|-+[[] Xen-|CPU: |RIP: |RFLAGS: )'
    allow_console '(r[a-z0-9]+|cr3|fsb|ds): '
}

# emulation_fails TEXT...: end the script; the cell is booted again
emulation_fails()
{
    echo "$*" >/share/emulation
    exit 1
}

# Further words for the command line of guests: guest-ports=FIRST,NUMBER makes a
# PVH guest read these ports of an emulated device, and do nothing else
guest_words=

# guest NAME TYPE LINE...: create a guest with these lines of configuration;
# returns when the guest is running, as domain $domid.  The emulated SVM makes a
# few starts end in a triple fault, with every Xen (see README.md): these starts
# are repeated.
guest()
{
    name=$1
    type=$2
    {
        echo "name = '$1'"
        echo "type = '$2'"
        echo "kernel = '/guest/vmlinux'"
        echo "ramdisk = '/guest/guest.cpio'"
        echo "cmdline = 'console=hvc0 quiet rdinit=/init" \
            "guest-event=$2 $guest_words'"
        echo "memory = 224"
        echo "on_crash = 'preserve'"
        echo "on_reboot = 'preserve'"
        shift 2
        for line; do echo "$line"; done
    } >"/tmp/$name.cfg"
    for attempt in 1 2 3 4; do
        timeout 300 xl create "/tmp/$name.cfg" || fails "$name: no guest"
        # shellcheck disable=SC2034 # for the caller
        domid=$(timeout 60 xl domid "$name")
        echo "$domid $type" >>/share/types
        ! starts "$name" || return 0
        triple_faulted "$name" || break
        echo "$name: triple fault at start $attempt"
        [ "$attempt" -lt 4 ] || emulation_fails "$name: each start is a triple fault"
        allow_triple_fault
        timeout 120 xl destroy "$name" || fails "$name: cannot be destroyed"
        rm -f "/var/log/xen/console/guest-$name.log"
    done
    fails "$name: does not run"
    tail "/var/log/xen/console/guest-$name.log"
    timeout 60 xl list
    # the following steps would only wait for records
    exit 1
}

# A guest that has died still exists, in that state; a paused one cannot die.
end_guest()
{
    timeout 60 xl pause "$1"
    case $(state_of "$1") in
    *s*)
        ! triple_faulted "$1" ||
            emulation_fails "$1: triple fault of a running guest"
        fails "$1: has shut down"
        ;;
    *c*)
        fails "$1: has crashed"
        tail -n 15 "/var/log/xen/console/guest-$1.log"
        ;;
    esac
    timeout 120 xl destroy "$1" || fails "$1: cannot be destroyed"
}
