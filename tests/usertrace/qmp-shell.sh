#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# QEMU's own qmp-shell and its client library control a traced program: events
# that they switch on are on.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
qemu=$("$top_srcdir/tests/qemu/fetch-source") || skip "$qemu"
# the shell keeps its history at home
export HOME="$scratch" PYTHONDONTWRITEBYTECODE=1

make_sample log,simple || exit 1

# begin COMMAND...: start a program, and hold its input open
mkfifo hold
begin()
{
    "$@" <hold >out 2>errors &
    program=$!
    exec 9>hold
}

# listens PATH: wait for the socket; false: the program has ended
listens()
{
    until python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$1" 2>/dev/null; do
        kill -0 $program 2>/dev/null || return
        sleep 0.1
    done
}

begin ./sample -n 0 -p 1000 -T qmp=qmp
listens qmp || {
    grep -q jansson errors && skip "$(cat errors)"
    cat errors
    exit 1
}

talk()
{
    python3 "$qemu/scripts/qmp/qmp-shell" "$@" qmp >output 2>&1 ||
        fail "qmp-shell: exit $?"
}

# expect TEXT: somewhere in the output
expect()
{
    grep -qF -- "$1" output || { fail "missing: $1"; cat output; }
}

talk <<'END'
trace-event-set-state name=sample_re* enable=true
trace-event-get-state name=sample_request
trace-event-get-state name=sample_detail
trace-event-get-state name=nosuch
trace-event-set-state name=sample_done
usertrace-query-backends
quit
END
expect 'Connected to QEMU 7.2.0'
expect '"name": "sample_request", "vcpu": false, "state": "enabled"'
expect '"name": "sample_detail", "vcpu": false, "state": "unavailable"'
expect "unknown event \\\"nosuch\\\""
expect "Parameter 'enable' is missing"
expect '["log", "simple"]'

# A human client: the changes of the first client are still in force.
talk --hmp <<'END'
trace-event sample_idle on
info trace-events sample_*
END
expect 'sample_request : state 1'
expect 'sample_idle : state 1'
expect 'sample_done : state 0'

# Later events are in the file that was requested.
talk <<'END'
usertrace-file-set path=asked
usertrace-file-on
usertrace-query-file
END
expect '{"path": "asked", "open": true}'
tries=600
while [ -z "$("$simpletrace" -s csv -N sample_request asked | sed 1d)" ] &&
    [ $((tries -= 1)) -gt 0 ]; do
    sleep 0.1
    talk <<'END'
usertrace-file-flush
END
done
[ $tries -gt 0 ] || fail 'nothing was traced'
talk <<'END'
usertrace-file-off
usertrace-query-file
usertrace-query-counts
END
expect '{"path": "asked", "open": false}'
expect '"files": 1, "failed-writes": 0'

exec 9>&-
wait $program || fail "the program: exit $?"
[ ! -e qmp ] || fail 'the socket still exists'

# QMP is a separate library; a program traces without it, too.
mkdir alone && cp "$library/libusertrace.so.0" alone || exit 99
LD_LIBRARY_PATH=$scratch/alone ./sample -T qmp=qmp >output 2>&1 </dev/null
[ $? = 1 ] || fail 'a server opens without its library'
expect 'cannot load the library of QMP, which needs jansson: libusertrace-qmp.so.0'
LD_LIBRARY_PATH=$scratch/alone ./sample -e sample_begin </dev/null 2>output ||
    fail 'tracing needs QMP'
expect 'sample_begin name sample'

# The human monitor works on a socket or a terminal, without the library.
begin ./sample -n 0 -p 1000 -T hmp=people
listens people || fail "the program: $(cat errors)"
python3 - >output <<'END' || fail 'no prompt'
import socket
s = socket.socket(socket.AF_UNIX)
s.connect("people")
s.sendall(b"trace-event sample_done on\ninfo trace-events\n")
text = b""
while text.count(b"(qemu) ") < 3:
    text += s.recv(4096)
print(text.decode())
END
expect 'sample_done : state 1'
exec 9>&-
wait $program || fail "the program: exit $?"
printf 'trace-event sample_idle on\ninfo trace-events sample_idle\n' |
    ./sample -n 4000000000 -p 1000 -t 1 -T hmp=- >output 2>errors &
program=$!
tries=600
until grep -q 'sample_idle : state 1' output || [ $((tries -= 1)) -eq 0 ]; do
    sleep 0.1
done
kill $program
expect 'sample_idle : state 1'
exit $failed
