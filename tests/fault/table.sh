#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Single faults.  After each, the file can be opened, each event is in the file
# or counted as lost, and Xen has stopped tracing.
. "$top_srcdir/tests/fault/lib.sh"

# fault WHAT STATUS XENSIM-OPTIONS SCRIPT: SCRIPT starts "$xentrace".
fault() {
    rm -f trace state messages
    # shellcheck disable=SC2086 # options are several words
    expect 0 "$xensim" --cpus 2 --report counts $3 -- sh -c "
        { $4
        } 2>messages
        echo \$? >status
        \"\$setsize\" >state"
    [ "$(cat status)" -eq "$2" ] || {
        cat messages >&2
        fail "$1: exit status $(cat status), not $2"
    }
    check_off "$1"
    echo "passed: $1"
}

# The disk: full, full for a moment, short writes.
for n in 2 5 12; do
    fault "full disk at write $n" 1 "--rate 100k" \
        "FAULT=write:$n+ \"\$xentrace\" -T 20 trace"
    grep -q 'No space left' messages || fail "the reason is not the disk"
    balance "full disk at write $n" trace
    [ ! -s damage ] || fail "a partial window was left in the file"
done
fault "a disk that is full for a moment" 1 "" \
    "FAULT=write:4 \"\$xentrace\" -T 20 trace"
balance "full for a moment" trace
"$xenalyze" --dump-all trace | grep -q 'meta_end.*output' ||
    fail "the file has no reason for its end"
fault "short writes" 0 "--rate 2k" \
    "FAULT=short-write:2+ \"\$xentrace\" -T 0.3 trace"
balance "short writes" trace
# A signal interrupts every wait of any thread; tests/unit/xentrace interrupts
# each single write.  SIGUSR2, number 12, kills a process that does not yet
# catch it.
mkfifo fifo
fault "interrupted all the time" 0 "--rate 100k" \
    "{ sleep 0.3; cat; } <fifo >trace &
    \"\$xentrace\" -S 4 --buffer 64k -T 0.5 fifo & pid=\$!
    until grep -q '^SigCgt:.*[89a-f]..\$' /proc/\$pid/status; do sleep 0.02; done
    \"\$signal_threads\" \$pid >times; wait \$pid; rc=\$?; wait; (exit \$rc)"
balance "interrupted all the time" trace
[ "$(cat times)" -gt 20 ] || fail "interrupted only $(cat times) times"

# Memory, descriptors, mappings: a capture fails or continues without, and
# tracing is disabled in any case.
cat >injected <<'END'
# inject KIND:N OPTION...
inject() {
    fault=$1
    shift
    FAULT=$fault "$xentrace" "$@" trace 2>messages
    [ $? -le 1 ] || { echo "$fault $*: crashed"; cat messages; }
    "$setsize" >state
    grep -q 'is off' state || grep -q 'size: 0x0$' state ||
        echo "$fault $*: Xen was left tracing"
}
for kind in alloc open mmap; do
    for n in 1 2 3 5 8 13 21 34; do
        inject $kind:$n -T 0.05
    done
done
# The labels of a snapshot's cause need memory, too.
n=0
while [ $n -lt 60 ]; do
    n=$((n + 3))
    inject alloc:$n -s 5 --snapshot-on sched_wake --snapshots 1 -T 0.5
done
END
expect 0 "$xensim" --cpus 2 -- sh injected
[ ! -s out ] || fail "out of memory, descriptors or mappings"
echo "passed: failed allocations, opens and mappings"

# The reader of the output: late, gone.
fault "a full pipe" 0 "--rate 200k" \
    "\"\$xentrace\" -S 8 --buffer 64k -T 1 | { sleep 0.7; cat; } >trace"
balance "a full pipe" trace
grep -q 'lost [1-9]' messages || fail "no record was lost"
fault "a full FIFO" 0 "--rate 200k" \
    "{ sleep 0.5; cat; } <fifo >trace & \"\$xentrace\" -T 1 fifo; wait"
balance "a full FIFO" trace
# The reader stops xentrace, drains the pipe, and exits, so all bytes that
# xentrace has written are in the file.
fault "a closed pipe" 1 "" \
    "\"\$xentrace\" -T 20 fifo & pid=\$!
    { head -c 5000; kill -STOP \$pid
      until ! grep -h '^State:' /proc/\$pid/task/*/status | grep -qv T; do
          sleep 0.02; done
      dd bs=64k iflag=nonblock 2>dd; exec </dev/null; kill -CONT \$pid; } <fifo >trace
    wait \$pid"
balance "a closed pipe" trace
[ -s unwritten ] || fail "the pipe has taken all events"

# The process: stopped, signals in any order.
fault "stopped for a while" 0 "--rate 100k" \
    "\"\$xentrace\" -S 2 -T 1 trace &
    while [ ! -s trace ]; do sleep 0.02; done; kill -STOP \$!; sleep 0.3
    kill -CONT \$!; wait \$!"
balance "stopped for a while" trace
for signals in "HUP TERM" "USR1 INT" "ALRM" "TERM HUP INT" "USR1 USR1 ALRM"; do
    fault "signals $signals" 0 "" "\"\$xentrace\" trace &
        while [ ! -s trace ]; do sleep 0.02; done
        for s in $signals; do kill -\$s \$! 2>/dev/null; done; wait \$!"
    balance "signals $signals" trace
done

# The rings: an invalid ring is given up, the others are read on.  The ring is
# large, so Xen's next record repairs prod, perhaps before xentrace has read it.
fault "a ring that lies" 1 "" \
    "\"\$xentrace\" -S 1024 -T 60 trace & pid=\$!
    while [ ! -s trace ]; do sleep 0.02; done
    until grep -q 'ring of pcpu 1' messages || ! kill -0 \$pid 2>/dev/null; do
        \"\$corrupt_prod\" 1; sleep 0.2
    done; kill -INT \$pid; wait \$pid; rc=\$?
    \"\$xentrace\" -X -T 0.1 rest 2>nothing; (exit \$rc)"
grep -q 'ring of pcpu 1' messages || fail "the message does not name the ring"
balance "a ring that lies, with what is left in it" trace rest
[ "$(sed -n 's/^0 //p' events)" -gt 0 ] || fail "the other ring was not read"

# The hypervisor: the rest of its rings is read, and the message names it.  A
# killed one leaves no counts.
for signal in TERM KILL; do
    rm -f trace counts socket
    XENSIM_SOCKET=socket "$xensim" --cpus 2 --report counts 2>/dev/null &
    sim=$!
    while [ ! -S socket ]; do sleep 0.02; done
    "$xentrace" --socket socket -T 20 trace 2>messages &
    pid=$!
    until "$xenalyze" --info trace 2>/dev/null | grep -q '^  records: [0-9]*: [1-9]'
    do
        sleep 0.05
    done
    kill -$signal $sim
    wait $pid && fail "xentrace succeeded without its hypervisor"
    wait $sim
    grep -q 'xensim.*has ended' messages || fail "the message does not name xensim"
    if [ $signal = TERM ]; then
        balance "the hypervisor going away" trace
    else
        "$sum_events" trace >events 2>damage
    fi
    [ ! -s damage ] || fail "the hypervisor went: damage"
    "$xenalyze" --dump-all trace | grep -q 'meta_end.*hypervisor' ||
        fail "the file has no reason for its end"
done
echo "passed: the hypervisor ends"
