#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# QEMU's own qmp-shell, and the client library below it, control a program of
# ours; what they switched on is then on.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
qemu=$("$top_srcdir/tests/qemu/fetch-source") || skip "$qemu"
# the shell keeps its history at home
export HOME="$scratch" PYTHONDONTWRITEBYTECODE=1

# shellcheck disable=SC2034 # make_sample reads it
source=$here/monitor.c
make_sample log,simple || exit 1
mkfifo hold ready
./sample <hold >ready 2>errors &
program=$!
exec 9>hold
read -r line <ready || line=
if [ "$line" != ready ]; then
    wait $program
    [ $? = 77 ] && skip "$(cat errors)"
    fail "the program: $(cat errors)"
    exit 1
fi

talk()
{
    python3 "$qemu/scripts/qmp/qmp-shell" "$@" qmp >said 2>&1 ||
        fail "qmp-shell: exit $?"
}

# expect TEXT: somewhere in what it said
expect()
{
    grep -qF -- "$1" said || { fail "missing: $1"; cat said; }
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

# Another client, of people: what the first one did is still so.
talk --hmp <<'END'
trace-event sample_idle on
info trace-events sample_*
END
expect 'sample_request : state 1'
expect 'sample_idle : state 1'
expect 'sample_done : state 0'

exec 9>&-
wait $program || fail "the program: exit $?"
[ ! -e qmp ] || fail 'the socket is left behind'

# QMP is a library of its own; without it a program traces all the same.
mkdir alone && cp "$library/libusertrace.so.0" alone || exit 99
LD_LIBRARY_PATH=$scratch/alone ./sample </dev/null >said 2>&1
[ $? = 77 ] || fail 'a server without its library'
expect 'QMP is a library of its own, which needs jansson: libusertrace-qmp.so.0'
exit $failed
