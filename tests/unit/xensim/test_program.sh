#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xensim from its user's view: rejected arguments, ways to end, and leftovers.
#
# Text in single quotes is for the inner shell.
# shellcheck disable=SC2016
set -u

xensim=${top_builddir:?}/xensim/xensim
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
TMPDIR=$tmp/tmp
mkdir "$TMPDIR"
export TMPDIR
unset XENSIM_SOCKET
failed=0

fail()
{
    echo "FAIL: $*"
    failed=1
}

# nothing_left WHAT: check that xensim has left no file
nothing_left()
{
    left=$(find "$tmp" -path "$TMPDIR" -o -name out -o -name err -o \
               -type d -o -print; ls "$TMPDIR" 2>/dev/null)
    [ -z "$left" ] || fail "$1: left behind: $left"
}

# refuses PATTERN ARGUMENT...: exit code 1, and one line with the pattern
refuses()
{
    refuses_with 1 "$@"
}

# rejects PATTERN ARGUMENT...: the same for a wrong call, exit code 2
rejects()
{
    refuses_with 2 "$@"
}

# refuses_with CODE PATTERN ARGUMENT...
refuses_with()
{
    expected=$1 pattern=$2
    shift 2
    timeout 20 "$xensim" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
    [ "$rc" -eq "$expected" ] || fail "$*: exit code $rc, not $expected"
    [ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "$*: not one line:" \
        "$(cat "$tmp/err")"
    grep -q "^xensim: .*$pattern" "$tmp/err" ||
        fail "$*: says: $(cat "$tmp/err")"
    [ ! -s "$tmp/out" ] || fail "$*: writes to stdout"
    nothing_left "$*"
}

# gives CODE ARGUMENT...: check the exit code
gives()
{
    expected=$1
    shift
    timeout 20 "$xensim" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
    [ "$rc" -eq "$expected" ] ||
        fail "$*: exit code $rc, not $expected: $(cat "$tmp/err")"
    nothing_left "$*"
}

# --- bad input ---------------------------------------------------------------

rejects 'cpus' --cpus 0 -- true
rejects 'cpus' --cpus 1000000 -- true
rejects 'online 5.*only 4' --cpus 4 --online 5 -- true
rejects 'boot.*tbf_size=4' --boot 'tbf_size=4' -- true
rejects 'boot.*tbuf_size=x' --boot 'tbuf_size=x' -- true
rejects 'ready-fd 77' --ready-fd 77 -- true
refuses 'cannot write .*nowhere/report: No such file' --report "$tmp/nowhere/report" -- true
refuses 'socket path' --socket "$tmp/$(printf %0150d 0)" -- true
refuses 'nowhere' --socket "$tmp/nowhere/s" -- true
refuses 'cannot run no-such-program' -- no-such-program
rejects 'nonsense' --nonsense
rejects 'timer-slack needs --virtual' --timer-slack 1ms
rejects 'output needs --virtual' --output "$tmp/t" -T 1
rejects 'output needs --duration' --virtual --output "$tmp/t"
rejects 'output and a COMMAND' --virtual --output "$tmp/t" -T 1 -- true
rejects 'tevt_mask=MASK has no effect.*add tbuf_size=PAGES' --virtual -T 1 \
    --output "$tmp/t" --boot tevt_mask=0x2f000
rejects 'tevt_mask=0 has no effect' --boot 'tbuf_size=1 tevt_mask=0' -- true
rejects 'nested needs --vendor=amd' --nested -- true
for option in output truth report scenario socket; do
    rejects "$option: needs an argument" --virtual -T 1ms --$option=
done
for option in --truth --report; do
    rejects "$option .*/t is also the file of --output" --virtual -T 1ms \
        --output "$tmp/t" $option "$tmp/./t"
done
rejects 'report t is also the file of --truth' --truth "./t" --report t -- true
refuses 'cannot write .*nowhere/t: No such file' --virtual --output "$tmp/nowhere/t" -T 1
for option in --output '--output /dev/null --truth' \
    '--output /dev/null --report'; do
    # shellcheck disable=SC2086 # several words
    refuses "/dev/full: No space left on device" --virtual -T 10ms \
        $option /dev/full
done
refuses 'cannot write .*nowhere/t: No such file' --truth "$tmp/nowhere/t" -- true
rejects 'drain needs --output' --virtual --drain 1s -- true
rejects 'tsc-jump needs --tsc-skew' --tsc-jump 1s -- true
rejects 'scheduler' --scheduler rtds -- true
refuses 'no rings' --virtual --output "$tmp/t" -T 1 --memory 1M --cpus 64
for option in storm drain hotplug tsc-jump; do
    rejects "--$option: must be 0, or at least 10us" --virtual -T 1ms \
        --output "$tmp/t" --tsc-skew 1ms --$option 1ns
    rejects "--$option 1001h: must be 0 to 1000h" --virtual -T 1ms \
        --output "$tmp/t" --tsc-skew 1ms --$option 1001h
done
rejects 'duration 1001h' -T 1001h -- true

# A scenario: the pattern | lines of a domain
scenario=$tmp/tmp/scenario
while IFS='|' read -r pattern lines; do
    printf 'cpus = 2\n[domain a]\n%b\n' "$lines" >"$scenario"
    timeout 20 "$xensim" -f "$scenario" -- true >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] || fail "scenario $lines: not refused"
    grep -q "^xensim: $scenario:[0-9]*: .*$pattern" "$tmp/err" ||
        fail "scenario $lines: says: $(cat "$tmp/err")"
    [ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "scenario $lines: not one line"
done <<'END'
copies 0: must be 1 to|copies = 0
vcpus -1: must be 1 to|vcpus = -1
weight 65536: must be 1 to|weight = 65536
cap 0: must be 1 to|cap = 0
period 1ns: must be 10us to|period = 1ns
duty 101: must be 1 to|duty = 101
not pcpus|pin = -1
yes or no|guest-events = 0
yes or no|emulated-tsc = perhaps
start 1001h: must be 0 to|start = 1001h
stagger 99999999999s: must be 0 to|stagger = 99999999999s
end is not after start$|start = 5ms\nend = 5ms
end is not after start of the last copy|copies = 3\nstagger = 1ms\nend = 2ms
rename is not after start|start = 1\nrename = 1ms\nnew-name = b
reweigh is not after start|start = 1\nreweigh = 1ms\nnew-weight = 9
repin is not after start|start = 1\nrepin = 1ms\nnew-pin = 0
pause 1ns: must be 10us to|pause = 1ns\npause-for = 1ms
pause-for 0: must be 10us to|pause = 1ms\npause-for = 0
pause and pause-for come together|pause-for = 1ms
exit-storm and exit-storm-for come together|kind = hvm\nexit-storm = 1ms
kinds pvh and hvm|exit-storm = 1ms\nexit-storm-for = 1ms
spins and apic-timer are for domains|spins = yes
spins and apic-timer are for domains|kind = pv\napic-timer = yes
END
echo 'cpus = 2' >"$scenario"
timeout 20 "$xensim" -f "$scenario" --virtual -T 1ms --output "$scenario" \
    2>"$tmp/err"
[ $? -eq 2 ] || fail 'a trace in place of the scenario: not refused'
grep -q 'is also the file of --scenario' "$tmp/err" ||
    fail "a trace in place of the scenario: says: $(cat "$tmp/err")"
rm -f "$scenario"
refuses_there=$TMPDIR
TMPDIR=/nowhere
refuses "cannot make a directory" -- true
TMPDIR=$refuses_there
: >"$tmp/file"
timeout 20 "$xensim" --socket "$tmp/file" -- true 2>"$tmp/err"
[ $? -eq 1 ] || fail 'a plain file in the way: not refused'
grep -q 'not a socket' "$tmp/err" || fail "plain file: $(cat "$tmp/err")"
[ -f "$tmp/file" ] || fail 'a plain file in the way: removed'
rm -f "$tmp/file"

# --- with a command ----------------------------------------------------------

gives 0 -- true
gives 7 -- sh -c 'exit 7'
gives 143 -- sh -c 'kill -TERM $$'
gives 0 -- sh -c 'test -S "$XENSIM_SOCKET"'
gives 0 --socket "$tmp/s" -- sh -c 'test "$XENSIM_SOCKET" = "$1"' - "$tmp/s"
gives 0 --cpus 64 --hotplug 1ms --interrupts 10k --nmis 10k -- sleep 0.3
gives 143 --duration 50ms -- sleep 20
gives 0 --duration 50ms --socket "$tmp/s"
gives 0 -- sh -c 'timeout 20 "$0" --version | grep -q xensim' "$xensim"
gives 0 --virtual -- true
gives 7 --virtual -- sh -c 'exit 7'
gives 0 --virtual --duration 10ms --socket "$tmp/s"
# Storms choose among all pcpus, and some were never online, or are not now.
gives 0 --virtual -T 50ms --output /dev/null --storm 1ms -c 2 --online 1
gives 0 --virtual -T 50ms --output /dev/null --storm 1ms -c 6 --online 3 \
    --hotplug 1ms

# A vcpu with its budget back waits for a pcpu, and is paused or moved; a pause
# is planned for a time at which the domain is gone.
for load in io busy; do
    printf '%s\n' 'cpus = 2' '[domain g]' 'kind = pv' 'vcpus = 2' \
        "load = $load" 'cap = 25' 'pause = 10ms' 'pause-for = 5ms' \
        'repin = 40ms' 'new-pin = 1' 'end = 500ms' >"$scenario"
    timeout 20 "$xensim" -f "$scenario" --virtual -T 2s --seed 3 \
        --output /dev/null --truth "$tmp/truth" || fail "$load: a cap and pauses"
    grep -q '"event":"destroy","name":"g"' "$tmp/truth" ||
        fail "$load: the domain does not end"
done
printf '%s\n' 'cpus = 1' '[domain g]' 'kind = pv' 'vcpus = 2' 'load = io' \
    'cap = 25' 'pause = 10ms' 'pause-for = 5ms' >"$scenario"
timeout 20 "$xensim" -f "$scenario" --virtual -T 1s --output /dev/null ||
    fail 'a cap and pauses, on one pcpu'
rm -f "$scenario" "$tmp/truth"

# A second xensim beside the first, and one with the same socket.
gives 0 -- sh -c 'timeout 20 "$0" -- true' "$xensim"
gives 0 -- sh -c '
    timeout 20 "$0" 2>&1 | grep -q "another xensim" &&
    test -S "$XENSIM_SOCKET"' "$xensim"

# --- without a command -------------------------------------------------------

for signal in TERM INT HUP; do
    mkfifo "$tmp/ready"
    "$xensim" --socket "$tmp/s" --report "$tmp/report" --ready-fd 3 \
        3>"$tmp/ready" 2>"$tmp/err" &
    pid=$!
    read -r _ <"$tmp/ready"
    [ -S "$tmp/s" ] || fail "SIG$signal: ready, but no socket"
    [ "$(stat -c %a "$tmp/s")" = 600 ] || fail 'the socket is not private'
    # A shell without job control makes background jobs ignore SIGINT; xensim
    # handles it all the same.
    kill -s "$signal" "$pid"
    wait "$pid"
    rc=$?
    [ "$rc" -eq 0 ] || fail "SIG$signal: exit code $rc: $(cat "$tmp/err")"
    grep -q '"emitted"' "$tmp/report" || fail "SIG$signal: no report"
    rm -f "$tmp/ready" "$tmp/report"
    nothing_left "SIG$signal"
done

# So it ends while it creates domains, with the trace so far.
timeout -k 30 1 "$xensim" --virtual -T 1 --domains 1023 --vcpus 128 \
    --output "$tmp/trace" 2>"$tmp/err"
rc=$?
[ "$rc" -eq 124 ] || fail "virtual time: a signal is ignored: $rc"
[ -s "$tmp/trace" ] || fail 'virtual time: no trace after a signal'
rm -f "$tmp/trace"
nothing_left 'virtual time, a signal'

# A killed xensim leaves its socket; the next one replaces it.
mkfifo "$tmp/ready"
"$xensim" --socket "$tmp/s" --ready-fd 3 3>"$tmp/ready" 2>"$tmp/err" &
pid=$!
read -r _ <"$tmp/ready"
kill -s KILL "$pid"
wait "$pid" 2>/dev/null
rm -f "$tmp/ready"
[ -S "$tmp/s" ] || fail 'killed: the socket should still be there'
gives 0 --socket "$tmp/s" -- true

# An output that is not a regular file is written in place.
mkfifo "$tmp/fifo"
cat "$tmp/fifo" >"$tmp/out" &
timeout 20 "$xensim" --virtual --output "$tmp/fifo" -T 10ms ||
    fail '--output to a pipe'
wait
[ -p "$tmp/fifo" ] || fail 'a pipe was replaced'
[ -s "$tmp/out" ] || fail 'nothing came through the pipe'
rm -f "$tmp/fifo"

# An existing report is kept if there is no new one.
echo old >"$tmp/report"
timeout 20 "$xensim" --report "$tmp/report" --boot x -- true 2>/dev/null
grep -q old "$tmp/report" || fail 'a failed start has eaten the old report'
rm -f "$tmp/report"

exit $failed
