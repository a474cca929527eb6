#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands that talk to running captures (status, stop, snapshot, mark), and
# their socket: several captures, dead ones, other users, hostile clients.
. "$top_srcdir/tests/tools/capture-lib.sh"

mkfifo ready
"$xensim" --cpus 2 --rate 1k --load quiet --domains 1 --interrupts 10 \
    --ready-fd 3 3>ready 2>sim.err &
sim=$!
trap 'kill $sim $one $two 2>/dev/null; wait; rm -rf "$tmp"' EXIT
one=$sim two=$sim
read -r _ <ready || fail "xensim does not start: $(cat sim.err)"

socket() { echo "$XENTRACE_CONTROL_DIR/$1.sock"; }

# wait_for COMMAND...: until it succeeds, for a minute at most
wait_for() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || fail "this never happens: $*"
        sleep 0.05
    done
}

# start OPTION...: a capture in the background, $! is its pid
start() {
    "$xentrace" "$@" 2>>capture.err &
    wait_for test -S "$(socket $!)"
}

# ended PID: the capture has ended with 0, and its socket is gone
ended() {
    wait "$1" || fail "the capture ends with $?"
    [ ! -e "$(socket "$1")" ] || fail "the socket is left behind"
}

# events_are N: the trace of the last whole() has N events
events_are() {
    grep -qE "^  records: [0-9]+: ${1:-none} events?," out ||
        fail "$1 events were printed, but there are: $(cat out)"
}

whole() {
    expect 0 "$xenalyze" --info "$1"
    grep -qx 'damage: none' out || fail "$1: damage"
}

# --- no capture, wrong calls -------------------------------------------------

for words in status stop snapshot 'mark text'; do
    # shellcheck disable=SC2086 # several words
    expect 1 "$xentrace" $words
    expect_message 'no xentrace of this user is running'
done
long=$(printf %1000s x | tr ' ' y)
while IFS='|' read -r reason words; do
    eval "set -- $words"
    expect 2 "$xentrace" "$@"
    expect_message "$reason"
done <<END
give a TEXT|mark
give a TEXT|mark ''
at most 1000 bytes|mark '${long}z'
at most 1000 bytes|snapshot '${long}z'
either --pid or FILE|stop --pid 5 trace
--pid is for|--pid 5 trace
one argument too many|status one two
is record meant?|recrod x
is flight meant?|flihgt x
is stop meant?|stpo one two
one argument too many|one two
one argument too many|recrod.bin x
one argument too many|./recrod x
is sched_wake meant?|-e shced_wake x
is sched meant?|-e hvm,shced x
is hvm:handler meant?|-e hvm:handlr x
is not a class of events|-e nothing_like_this x
END
expect 2 "$xentrace" mark "$(printf 'a\tb')"
expect_message 'control character'

# --- a memory buffer ---------------------------------------------------------

start -M 1M memory
one=$!
expect 0 "$xentrace" status
cp out status.txt
for line in "xentrace $one" "  output:     $PWD/memory" \
    '  hypervisor: xensim, .*, 2 pcpus' '  mode:       newest records in memory' \
    '  tracing:    on' '  since:      20..-..-.. ..:..:.. \(0:..\)' \
    '  records:    [0-9]+ in memory, 0 older overwritten' \
    '  bytes:      [0-9]+ \([0-9.]+ .?i?B of 1.0 MiB in memory\)' \
    '  lost:       0' \
    '  rings:      up to [0-9]+ % full' '  snapshots:  0'; do
    grep -qxE "$line" status.txt || fail "status lacks the line: $line"
done
expect 0 "$xentrace" mark 'in memory'
expect 0 "$xentrace" snapshot 'before the migration'
[ "$(cat out)" = "$PWD/memory.1" ] || fail "snapshot prints $(cat out)"
whole memory.1
grep -qx '  comment: before the migration' out || fail "no comment: $(cat out)"
grep -q '^  mark: .*in memory' out || fail "no mark in the snapshot"
grep -q '^  trigger:' out && fail "a request is no trigger"
grep -q 'wrote memory.1 (.*): before the migration' capture.err ||
    fail "no message of the capture"
expect 0 "$xentrace" snapshot
[ "$(cat out)" = "$PWD/memory.2" ] || fail "snapshot prints $(cat out)"
whole memory.2
grep -q '^  comment:' out && fail "a comment of another snapshot"
# Signals work as before.
kill -USR1 "$one"
wait_for grep -q 'wrote memory.3 (.*): SIGUSR1' capture.err
expect 0 "$xentrace" status --pid "$one"
grep -qx "  snapshots:  3, the newest is $PWD/memory.3" out ||
    fail "status: $(cat out)"
expect 0 "$xentrace" stop
grep -qE "^$PWD/memory: [0-9.]+ .?i?B, [0-9]+ events?, 0 lost$" out ||
    fail "stop prints $(cat out)"
printed=$(sed -n 's/.*, \([0-9]*\) events*,.*/\1/p' out)
whole memory # complete before stop returns
events_are "$printed"
ended "$one"

# Without a name for the snapshot, or metadata for its comment.
"$xentrace" -M 1M >nameless 2>>capture.err &
one=$!
wait_for test -S "$(socket $one)"
expect 1 "$xentrace" snapshot
expect_message 'the output is no file'
expect 0 "$xentrace" status
grep -qx '  output:     standard output' out || fail "status: $(cat out)"
expect 0 "$xentrace" stop
ended "$one"
start -M 1M --plain plain
one=$!
expect 1 "$xentrace" snapshot text
expect_message '--plain'
expect 1 "$xentrace" mark text
expect_message '--plain'
expect 0 "$xentrace" snapshot
whole plain.1
expect 0 "$xentrace" stop
ended "$one"

# --- other modes -------------------------------------------------------------

start --snapshot-on 'runnable>1h' --snapshot-on 'exit>1h' triggered
one=$!
expect 0 "$xentrace" status triggered
grep -qx '  trigger:    exit>1h' out || fail "no trigger: $(cat out)"
expect 0 "$xentrace" stop triggered
ended "$one"

start flight -S 4 recorder
one=$!
expect 0 "$xentrace" status
for line in "  mode:       flight recorder in Xen's rings" '  tracing:    on' \
    "  records:    in Xen's rings, not counted before a snapshot" \
    "  bytes:      up to [1-9][0-9]+ \([0-9.]+ KiB in Xen's rings\)"; do
    grep -qxE "$line" out || fail "status lacks the line: $line: $(cat out)"
done
grep -q '^  rings:' out && fail "the fill level of hidden rings: $(cat out)"
expect 0 "$xentrace" mark 'in the recorder'
for n in 1 2; do
    sleep 0.2
    expect 0 "$xentrace" snapshot "number $n"
    whole recorder.$n
    grep -qx "  comment: number $n" out || fail "no comment $n"
done
expect 0 "$xenalyze" --info recorder.1
grep -q '^  mark: .*in the recorder' out || fail "no mark: $(cat out)"
expect 0 "$xentrace" stop
printed=$(sed -n 's/.*, \([0-9]*\) events*,.*/\1/p' out)
ended "$one"
whole recorder
events_are "$printed"
grep -q "older events that Xen overwrote in its rings are not counted" \
    capture.err || fail "no word on the rings: $(cat capture.err)"

# Events overwritten in memory are counted apart from those of the file.
start -M 4096 tiny
one=$!
grow() {
    "$xentrace" status tiny >grown &&
        grep -qE '^  records:    [0-9]+ in memory, [1-9][0-9]* older overwritten$' grown
}
wait_for grow
expect 0 "$xentrace" stop tiny
grep -qE ' [0-9]+ events?, 0 lost, [1-9][0-9]* older overwritten in memory$' out ||
    fail "stop prints $(cat out)"
printed=$(sed -n 's/.*, \([0-9]*\) events*,.*/\1/p' out)
ended "$one"
whole tiny
events_are "$printed"

start --rotate-size 64k rotated
one=$!
wait_for test -e rotated.2
expect 0 "$xentrace" stop rotated
grep -qE "^$PWD/rotated.[0-9]+, the last of [0-9]+ files: " out ||
    fail "stop prints $(cat out)"
last=$(sed 's/,.*//' out)
whole "$last"
[ ! -e "${last%.*}.$((${last##*.} + 1))" ] || fail "$last is not the last file"
ended "$one"

# The daemon can be reached as soon as its caller goes on.
expect 0 "$xentrace" --daemon daemon
expect 0 "$xentrace" status
expect 0 "$xentrace" stop
whole daemon
expect 1 "$xentrace" status

# --- marks -------------------------------------------------------------------

start marked
one=$!
expect 0 "$xentrace" mark 'backup of web1 begins'
expect 0 "$xentrace" mark "$long" marked
expect 1 "$xentrace" snapshot
expect_message 'all records are in the file'
expect 0 "$xentrace" stop
ended "$one"
whole marked
cp out info.txt
[ "$(grep -cE '^  mark: +0\.[0-9]{9} s, ..:..:..: ' info.txt)" -eq 2 ] ||
    fail "two marks with a moment are not there"
grep -q "^  mark: .*$long\$" info.txt || fail "the long mark is cut"
expect 0 "$xenalyze" records marked
grep -q 'meta_text  *mark 0/1: backup of web1 begins$' out ||
    fail "records do not show the mark"
expect 0 "$xenalyze" dump marked
# The first mark has no time if no record with a time stamp precedes it.
grep -q ' meta_text mark 0/1: backup of web1 begins$' out ||
    fail "dump does not show the mark"

# An output that fails: stop fails, too.
FAULT=write:2+
export FAULT
start -M 1M broken
one=$!
unset FAULT
expect 1 "$xentrace" stop
expect_message "cannot write to broken: No space left on device"
wait "$one" && fail "a full disk is no failure"

# --- several captures --------------------------------------------------------

mkdir elsewhere
start -X first
one=$!
start -X --share-rings elsewhere/second
two=$!
expect 0 "$xentrace" status
grep -qx "xentrace $one" out && grep -qx "xentrace $two" out ||
    fail "status does not list both"
for words in stop snapshot 'mark text'; do
    # shellcheck disable=SC2086 # several words
    expect 1 "$xentrace" $words
    expect_message 'several are running'
    for word in "$one" "$two" first second; do
        expect_message "$word"
    done
done
expect 1 "$xentrace" stop --pid 1
expect_message '--pid 1: no such xentrace'
expect 1 "$xentrace" stop third
expect_message 'third: no xentrace writes there'
expect 0 "$xentrace" mark 'for the first' --pid "$one"
(cd elsewhere && expect 0 "$xentrace" mark 'for the second' second) || exit 1

# A capture that does not answer does not hide the other one.
kill -STOP "$two"
expect 0 "$xentrace" status
grep -q "does not answer" out || fail "status: $(cat out)"
grep -qx "  output:     $PWD/first" out || fail "the other one is missing"
expect 1 "$xentrace" stop --pid "$two"
expect_message "capture $two does not answer"
kill -CONT "$two"
expect 0 "$xentrace" stop "$PWD/elsewhere/../elsewhere/second"
ended "$two"
expect 0 "$xentrace" stop
ended "$one"
expect 0 "$xenalyze" --info first
grep -q '^  mark: .*for the first' out || fail "the first has no mark"
expect 0 "$xenalyze" --info elsewhere/second
grep -q '^  mark: .*for the second' out || fail "the second has no mark"

# --- the socket --------------------------------------------------------------

"$xentrace" --no-control -T 60 silent 2>>capture.err &
one=$!
wait_for test -s silent
expect 1 "$xentrace" status
expect_message 'no xentrace'
kill "$one"
wait "$one" || fail "--no-control: $?"

# A directory that cannot be used is a warning.
expect 0 env XENTRACE_CONTROL_DIR=/dev/null/dir "$xentrace" -T 0.1 warned
grep -q 'warning: no control socket' err || fail "no warning: $(cat err)"
mkdir -m 777 shared
expect 0 env XENTRACE_CONTROL_DIR="$tmp/shared" "$xentrace" -T 0.1 warned
grep -q 'not a directory that only you can write to' err || fail "$(cat err)"
expect 1 env XENTRACE_CONTROL_DIR="$tmp/shared" "$xentrace" status
expect_message 'not a directory that only you can write to'

# A dead process leaves its socket, which the next command removes; other files
# stay.
start -X killed
one=$!
kill -KILL "$one"
wait "$one" 2>/dev/null
[ -S "$(socket "$one")" ] || fail "no stale socket"
echo text >"$XENTRACE_CONTROL_DIR/4711.sock"
expect 1 "$xentrace" status --pid "$one"
[ ! -e "$(socket "$one")" ] || fail "the stale socket is still there"
[ -s "$XENTRACE_CONTROL_DIR/4711.sock" ] || fail "a file was removed"
rm "$XENTRACE_CONTROL_DIR/4711.sock"

command -v python3 >/dev/null || skip "there is no python3 for hostile clients"

# --- hostile clients ---------------------------------------------------------

cat >client.py <<'END'
import os, socket, sys, time

PATH, MODE = sys.argv[1:3]

def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(PATH)
    s.settimeout(20)
    return s

def answer(request):
    s = connect()
    s.send(request)
    return s.recv(9000).decode()

def silent():
    """Clients that send nothing, in all places and the whole backlog."""
    return [connect() for _ in range(24)]

def many():
    for _ in range(10000):
        connect().close()

def large():
    """A gigabyte, or as much as the collector accepts."""
    s = connect()
    try:
        for _ in range(16384):
            s.send(bytes(65536))
    except OSError:
        pass

def deaf():
    """Requests, and nobody who reads the answers."""
    for _ in range(500):
        s = connect()
        s.send(b"status")
        s.close()
    held = [connect() for _ in range(4)]
    for s in held:
        s.send(b"status")
    return held

def wrong():
    for request in (b"x", b"status\0", b"stop2", b"mark", b"mark \n",
                    b"mark a\x1b[2J", b"snapshot " + b"y" * 1001,
                    b"y" * 60000, b" stop", b"STOP", os.urandom(100)):
        try:
            text = answer(request)
        except OSError:
            text = "error\n"
        if not text.startswith("error\n") and not request.startswith(b"status"):
            sys.exit("%r: %r" % (request[:20], text))
    connect().send(b"")

def refused():
    """A peer of another user gets no answer."""
    try:
        text = answer(b"status")
    except OSError as error:
        text = ""
    sys.exit("an answer" if text else 0)

kept = globals()[MODE]()
if kept:
    open("held", "w").close()
    time.sleep(60)
END

memory() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$one/status"; }
files() { find "/proc/$one/fd" -type l | wc -l; }

start attacked
one=$!
wait_for test -s attacked
expect 0 "$xentrace" status
before=$(memory) open=$(files)
for mode in many large deaf wrong silent; do
    timeout 300 python3 client.py "$(socket "$one")" $mode >hostile 2>&1 &
    two=$!
    case $mode in
    deaf | silent) wait_for test -e held ;;
    *) wait "$two" || fail "$mode: $(cat hostile)" ;;
    esac
    # Another client gets an answer, sooner or later.
    wait_for "$xentrace" -q mark "after $mode" --pid "$one" >out 2>err
    kill "$two" 2>/dev/null
    wait "$two" 2>/dev/null
    rm -f held
done
# The last clients are closed when their time is up.
all_closed() { [ "$(files)" -eq "$open" ]; }
wait_for all_closed
expect 0 "$xentrace" status
[ "$(memory)" -lt $((before + 8192)) ] ||
    fail "hostile clients have taken $(memory) kB, from $before"
expect 0 "$xentrace" stop
ended "$one"
grep -q ', 0 lost$' out || fail "records were lost: $(cat out)"
whole attacked
cp out info.txt
grep -q '^  lost:    0 records' info.txt || fail "records were lost"
for mode in many large deaf wrong silent; do
    grep -q "^  mark: .*after $mode" info.txt || fail "no mark after $mode"
done

# Another user.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null &&
    setpriv --reuid 65534 --clear-groups "$xentrace" --version >out 2>&1; then
    start private
    one=$!
    chmod 755 "$tmp" "$XENTRACE_CONTROL_DIR"
    chmod 644 client.py
    as_other="setpriv --reuid 65534 --clear-groups"
    # shellcheck disable=SC2086 # a command with arguments
    expect 1 $as_other "$xentrace" status
    expect_message 'not a directory that only you can write to'
    chmod 666 "$(socket "$one")"
    # python3 may be a program in a folder of root.
    for python in python3 /usr/bin/python3; do
        # shellcheck disable=SC2086
        ! $as_other $python -c pass 2>out ||
            expect 0 $as_other $python client.py "$(socket "$one")" refused
    done
    expect 0 "$xentrace" stop
    ended "$one"
fi

kill $sim
wait $sim
echo "passed"
