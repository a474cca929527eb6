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
for n in 1 2 3 7; do
    fault "interrupted at call $n" 0 "" \
        "FAULT=interrupt:$n \"\$xentrace\" -T 0.2 trace"
    balance "interrupted at call $n" trace
done

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
mkfifo fifo
fault "a full FIFO" 0 "--rate 200k" \
    "{ sleep 0.5; cat; } <fifo >trace & \"\$xentrace\" -T 1 fifo; wait"
balance "a full FIFO" trace
fault "a closed pipe" 1 "" \
    "{ \"\$xentrace\" -T 20; echo \$? >by; } | head -c 5000 >trace
    (exit \$(cat by))"
"$addup" trace >events 2>damage || fail "a closed pipe: damage"
grep -q '^torn: trace at byte [0-9]' damage || fail "the torn end is not told"

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

# The rings: one that lies is given up, and the others are not.
fault "a ring that lies" 1 "" \
    "\"\$xentrace\" -T 1 trace &
    while [ ! -s trace ]; do sleep 0.02; done; \"\$liar\" 1; wait \$!"
grep -q 'ring of pcpu 1' said || fail "who lied is not told"
"$addup" trace >events 2>damage || fail "a ring that lies: damage"
[ "$(sed -n 's/^0 //p' events)" -gt 0 ] || fail "the other ring was not read"

# The hypervisor: what was read is there, and it is told who has gone.
mkdir run
rm -f trace
XENSIM_SOCKET=run/socket "$xensim" --cpus 2 2>/dev/null &
sim=$!
while [ ! -S run/socket ]; do sleep 0.02; done
"$xentrace" --socket run/socket -T 20 trace 2>said &
pid=$!
while ! "$xenalyze" --info trace 2>/dev/null | grep -q '^  records: [0-9]*: [1-9]'
do
    sleep 0.05
done
kill -9 $sim
wait $pid && fail "the hypervisor went, and all is well?"
grep -q 'xensim.*has ended' said || fail "it is not told who went"
"$addup" trace >events 2>damage && [ ! -s damage ] ||
    fail "the hypervisor went: damage"
"$xenalyze" --dump-all trace | grep -q 'meta_end.*hypervisor' ||
    fail "the file does not say why it ends"
echo "well: the hypervisor going away"
