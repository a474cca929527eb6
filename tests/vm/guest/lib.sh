# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the scripts in dom0 (busybox sh) share.  A script leaves traces in the
# shared folder, and in the file `checks`, a line a trace, the arguments of
# check-trace with which the host shall judge it.

wrong=0

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

# Something to trace, until end_load: hypercalls, faults, timers, switches.
begin_load()
{
    loads=
    for _ in 1 2; do
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

# begin_trace NAME ARGUMENT...: xentrace, until end_trace.  It cannot write
# into the shared folder itself: not from pages that it mapped of Xen.
begin_trace()
{
    trace=$1
    shift
    xentrace "$@" "/tmp/$trace" >"/tmp/$trace.log" 2>&1 &
    tracer=$!
}

# end_trace CHECK_ARGUMENT...
end_trace()
{
    kill -INT $tracer 2>/dev/null || fails "$trace: xentrace has gone"
    tries=0
    while kill -0 $tracer 2>/dev/null && [ $tries -lt 600 ]; do
        usleep 100000
        tries=$((tries + 1))
    done
    kill -9 $tracer 2>/dev/null && fails "$trace: xentrace is stuck"
    wait $tracer || fails "$trace: xentrace ended with $?"
    cat "/tmp/$trace.log"
    mv "/tmp/$trace" "/share/$trace" || fails "$trace: no trace"
    echo "$* $trace" >>/share/checks
}

# take NAME SECONDS "CHECK_ARGUMENTS" XENTRACE_ARGUMENT...
take()
{
    name=$1
    how_long=$2
    expected=$3
    shift 3
    begin_trace "$name" "$@"
    sleep "$how_long"
    # shellcheck disable=SC2086
    end_trace $expected
}

# Which scheduler runs, for the host to compare: a wrong name on Xen's command
# line is not an error, Xen takes another.
tell_scheduler()
{
    timeout 60 xl info 2>/dev/null |
        sed -n 's/^xen_scheduler *: //p' >/share/scheduler
}
