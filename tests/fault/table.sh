#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One fault after the other.  After each, the file can be opened, each event is
# in it or is counted, and Xen does not trace any more.
. "$top_srcdir/tests/fault/lib.sh"

# fault WHAT STATUS XENSIM-OPTIONS SCRIPT: the script starts "$xentrace".
fault() {
    rm -f trace state said
    # shellcheck disable=SC2086 # options are several words
    expect 0 "$xensim" --cpus 2 --report books $3 -- sh -c "
        { $4
        } 2>said
        echo \$? >status
        \"\$setsize\" >state"
    [ "$(cat status)" -eq "$2" ] || {
        cat said >&2
        fail "$1: exit status $(cat status), not $2"
    }
    off "$1"
    echo "well: $1"
}

# The disk: full, and slow of comprehension.
for n in 2 5 12; do
    fault "full disk at write $n" 1 "--rate 100k" \
        "FAULT=write:$n+ \"\$xentrace\" -T 20 trace"
    grep -q 'No space left' said || fail "the reason is not the disk"
    balance "full disk at write $n" trace
    [ ! -s damage ] || fail "half a window was left behind"
done
fault "a disk that is full for a moment" 1 "" \
    "FAULT=write:4 \"\$xentrace\" -T 20 trace"
balance "full for a moment" trace
"$xenalyze" --dump-all trace | grep -q 'meta_end.*output' ||
    fail "the file does not say why it ends"
fault "short writes" 0 "--rate 2k" \
    "FAULT=short-write:2+ \"\$xentrace\" -T 0.3 trace"
balance "short writes" trace
# Whatever a thread waits for, a signal ends the wait; that each single write may
# be interrupted, tests/unit/xentrace shows.  SIGUSR2, number 12, kills those who
# do not catch it yet.
mkfifo fifo
fault "interrupted all the time" 0 "--rate 100k" \
    "{ sleep 0.3; cat; } <fifo >trace &
    \"\$xentrace\" -S 4 --buffer 64k -T 0.5 fifo & pid=\$!
    until grep -q '^SigCgt:.*[89a-f]..\$' /proc/\$pid/status; do sleep 0.02; done
    \"\$pester\" \$pid >times; wait \$pid; rc=\$?; wait; (exit \$rc)"
balance "interrupted all the time" trace
[ "$(cat times)" -gt 20 ] || fail "interrupted only $(cat times) times"

# Memory, descriptors, mappings: a capture fails or does without, and Xen is
# told to stop in any case.
cat >each <<'END'
for kind in alloc open mmap; do
    for n in 1 2 3 5 8 13 21 34; do
        FAULT=$kind:$n "$xentrace" -T 0.05 trace 2>said
        [ $? -le 1 ] || { echo "$kind:$n: crashed"; cat said; }
        "$setsize" >state
        grep -q 'is off' state || grep -q 'size: 0x0$' state ||
            echo "$kind:$n: Xen was left tracing"
    done
done
END
expect 0 "$xensim" --cpus 2 -- sh each
[ ! -s out ] || fail "out of memory, descriptors or mappings"
echo "well: nothing to be had"

# The reader: late, gone.
fault "a full pipe" 0 "--rate 200k" \
    "\"\$xentrace\" -S 8 --buffer 64k -T 1 | { sleep 0.7; cat; } >trace"
balance "a full pipe" trace
grep -q 'lost [1-9]' said || fail "nothing was lost that had to be"
fault "a full FIFO" 0 "--rate 200k" \
    "{ sleep 0.5; cat; } <fifo >trace & \"\$xentrace\" -T 1 fifo; wait"
balance "a full FIFO" trace
# Who reads, stops it, takes what is still in the pipe, and goes: so all that was
# taken from us is there.
fault "a closed pipe" 1 "" \
    "\"\$xentrace\" -T 20 fifo & pid=\$!
    { head -c 5000; kill -STOP \$pid
      until ! grep -h '^State:' /proc/\$pid/task/*/status | grep -qv T; do
          sleep 0.02; done
      dd bs=64k iflag=nonblock 2>dd; exec </dev/null; kill -CONT \$pid; } <fifo >trace
    wait \$pid"
balance "a closed pipe" trace
[ -s unwritten ] || fail "nothing was left that the pipe did not take"

# The process: stopped, asked in any order.
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

# The rings: one that lies is given up, and the others are not.  It is large, for
# Xen's next record to mend it.
fault "a ring that lies" 1 "" \
    "\"\$xentrace\" -S 1024 -T 0.5 trace &
    while [ ! -s trace ]; do sleep 0.02; done; \"\$liar\" 1; wait \$!; rc=\$?
    \"\$xentrace\" -X -T 0.1 rest 2>nothing; (exit \$rc)"
grep -q 'ring of pcpu 1' said || fail "who lied is not told"
balance "a ring that lies, with what is left in it" trace rest
[ "$(sed -n 's/^0 //p' events)" -gt 0 ] || fail "the other ring was not read"

# The hypervisor: what it has left in its rings is taken, and it is told who has
# gone.  One that is killed takes its books with it.
for signal in TERM KILL; do
    rm -f trace books socket
    XENSIM_SOCKET=socket "$xensim" --cpus 2 --report books 2>/dev/null &
    sim=$!
    while [ ! -S socket ]; do sleep 0.02; done
    "$xentrace" --socket socket -T 20 trace 2>said &
    pid=$!
    until "$xenalyze" --info trace 2>/dev/null | grep -q '^  records: [0-9]*: [1-9]'
    do
        sleep 0.05
    done
    kill -$signal $sim
    wait $pid && fail "the hypervisor went, and all is well?"
    wait $sim
    grep -q 'xensim.*has ended' said || fail "it is not told who went"
    if [ $signal = TERM ]; then
        balance "the hypervisor going away" trace
    else
        "$addup" trace >events 2>damage
    fi
    [ ! -s damage ] || fail "the hypervisor went: damage"
    "$xenalyze" --dump-all trace | grep -q 'meta_end.*hypervisor' ||
        fail "the file does not say why it ends"
done
echo "well: the hypervisor going away"
