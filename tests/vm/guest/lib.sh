# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the scripts in dom0 (busybox sh) share.  A script leaves traces in the
# shared folder, and in the file `checks`, a line a trace, the arguments of
# check-trace with which the host shall judge it.
#
# Nothing here is given a time that a busy machine may miss: a trace is taken
# until there is enough of it, and only who never gets there fails.

wrong=0

# What the row says behind the script's name and =; with `,ours` at its end, our
# xentrace takes the place of stock's, and writes what stock's would.
argument=$(cat /share/argument)
case $argument in
*,ours) xentrace='/ours/xentrace --plain' ;;
*) xentrace=xentrace ;;
esac
argument=${argument%,ours}

# fails TEXT...: is said, and the script goes on
fails()
{
    echo "wrong: $*"
    wrong=$((wrong + 1))
}

# may_say PATTERN: what Xen says because this script provokes it
may_say()
{
    echo "^[(]XEN[)] $1" >>/share/console.ok
}

# until_true TENTHS COMMAND...: ask again and again, for so many tenths of a
# second
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

# Something to trace, until end_load: hypercalls, faults, timers, switches.
# begin_load [PAIRS]: of programs, two if not given
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

# no_xenalyze TRACE: stock's is no help with it
no_xenalyze()
{
    echo "$1" >>/share/no-xenalyze
}

# lost_before TRACE: it may note losses from before there was an xentrace
lost_before()
{
    echo "$1" >>/share/lost-before
}

# --- traces ------------------------------------------------------------------

# use_ours: our xentrace from now on, without --plain
use_ours()
{
    xentrace=/ours/xentrace
}

# begin_trace NAME ARGUMENT...: xentrace, until end_trace.  It cannot write
# into the shared folder itself: not from pages that it mapped of Xen.
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

# Until it has a handler for the signal, it ignores it: once is not enough.  Ours
# has it before it makes its file.
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

# end_described: a trace with what our xentrace adds
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

# keep_described NAME...: what our xentrace left in /tmp beside its trace
keep_described()
{
    for name; do
        mv "/tmp/$name" /share/ || fails "$name: no trace"
        echo "$name" >>/share/with-notes
    done
}

# known TRACE alone|rivals|exits DOMAIN...: what our xenalyze shall find in it,
# in the words of judge/known.  unknown: what it shall not
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

# take NAME TENTHS "CHECK_ARGUMENTS" XENTRACE_ARGUMENT...: for so long at
# least, and until there is what -n of check-trace asks for
take()
{
    name=$1
    usecs=$(($2 * 100000))
    expected=$3
    shift 3
    records=$(echo " $expected " | sed -n 's/.* -n \([0-9]*\) .*/\1/p')
    begin_trace "$name" "$@"
    usleep $usecs
    # a record has 20 bytes, more or less; a window's head is 12
    until_true 600 has_bytes "/tmp/$name" $((${records:-1} * 24 + 24)) ||
        echo "$name: few records"
    # shellcheck disable=SC2086
    end_trace $expected
}

# maybe NAME TENTHS "CHECK_ARGUMENTS" XENTRACE_ARGUMENT...: a trace that may
# be empty
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

# Which scheduler runs, for the host to compare: a wrong name on Xen's command
# line is not an error, Xen takes another.
tell_scheduler()
{
    timeout 60 xl info 2>/dev/null |
        sed -n 's/^xen_scheduler *: //p' >/share/scheduler
}

# --- guests ------------------------------------------------------------------

begin_xenstore()
{
    may_say 'HVM ?d?[0-9v]+ (save|restore): [A-Z_ 0-9]+'
    may_say 'd[0-9]+v[0-9]+: upcall vector [0-9a-f]+'
    timeout 60 xenstored --pid-file /run/xen/xenstored.pid </dev/null ||
        fails "no xenstored"
    timeout 60 xen-init-dom0 >/dev/null || fails "no xen-init-dom0"
    timeout 60 xenconsoled --pid-file=/run/xen/xenconsoled.pid --log=guest \
        --log-dir=/var/log/xen/console || fails "no xenconsoled"
}

# guest NAME TYPE ARGUMENT...: a line of its configuration an argument; it runs
# when this returns, as domain $domid
guest()
{
    name=$1
    {
        echo "name = '$1'"
        echo "type = '$2'"
        echo "kernel = '/guest/vmlinux'"
        echo "ramdisk = '/guest/guest.cpio'"
        echo "cmdline = 'console=hvc0 quiet rdinit=/init guest-event=$2'"
        echo "memory = 224"
        echo "on_crash = 'preserve'"
        echo "on_reboot = 'preserve'"
        shift 2
        for line; do echo "$line"; done
    } >"/tmp/$name.cfg"
    timeout 300 xl create "/tmp/$name.cfg" || fails "$name: no guest"
    # shellcheck disable=SC2034 # for who calls
    domid=$(timeout 60 xl domid "$name")
    until_true 1800 grep -qs '\[guest\] runs' \
        "/var/log/xen/console/guest-$name.log" || {
        fails "$name: does not run"
        tail "/var/log/xen/console/guest-$name.log"
        # without it, what follows would only wait for records
        exit 1
    }
}

# A guest that crashed is still there, in that state.
end_guest()
{
    if timeout 60 xl list "$1" | grep -q ' [-a-z]*c[-a-z]* *[0-9.]*$'; then
        fails "$1: has crashed"
        tail -n 15 "/var/log/xen/console/guest-$1.log"
    fi
    timeout 120 xl destroy "$1" || fails "$1: does not go"
}
