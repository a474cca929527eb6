#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# QEMU's own simpletrace.py reads the files of the simple back end: the same
# events as the log, in the same order, with their values, and losses.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
qemu=$("$top_srcdir/tests/qemu/fetch-source") || skip "$qemu"

read_it()
{
    python3 "$qemu/scripts/simpletrace.py" "$example/sample.trace-events" "$1"
}

make_sample log,simple || exit 1
./sample -t 1 -n 50 -e 'sample_*' -f trace 2>log || fail "exit $?"
read_it trace >text || fail 'simpletrace.py does not read our file'
cut -d ' ' -f 1 log >log.names
cut -d ' ' -f 1 text >text.names
diff log.names text.names || fail 'names or order differ'
cat >wanted <<'END'
sample_request PID worker=0x0 sector=0x1 bytes=0x1000 write=0x1
sample_done PID worker=0x0 request=0x10 rc=0x0
sample_text PID text=b'all "done", \xc3\xbcber'
sample_text PID text=b''
sample_done PID worker=0x0 request=0x0 rc=0xfffffffffffffffb
sample_signal PID number=0xe
END
sed 's/ [-0-9.]* pid=[0-9]*/ PID/' text >plain
while IFS= read -r line; do
    grep -qxF "$line" plain || fail "missing: $line"
done <wanted

# Many events from many threads: each is read, or counted as lost.
requests=50000
./sample -t 4 -n $requests -e sample_request -f trace 2>/dev/null ||
    fail "exit $?"
read_it trace | awk -v wanted=$((4 * requests)) '
    /^sample_request / { events++ }
    /^Dropped_Event / { sub(/.*=0x/, ""); dropped += hex($0) }
    function hex(text,    i, n)
    {
        for ( i = 1; i <= length(text); i++ )
            n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
        return n
    }
    END {
        print events " events, " dropped + 0 " dropped"
        exit events + dropped != wanted
    }' || fail "not $((4 * requests))"

# One file per process.  TSan ends the child when a thread of it gets the id of
# the parent's thread that writes events.
case $cflags in
*-fsanitize=thread*) exit $failed ;;
esac
./sample -t 1 -n 5 -e sample_done -f trace -F 2>/dev/null || fail "exit $?"
[ "$(read_it trace | grep -c sample_done)" = 10 ] || fail 'file of the parent'
[ "$(read_it trace-* | grep -c sample_done)" = 5 ] || fail 'file of the child'
exit $failed
