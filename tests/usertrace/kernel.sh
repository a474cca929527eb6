#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With the real kernel: back end ftrace writes to a real tracefs, and perf finds
# the probes of back end dtrace, raises their semaphores, and sees as many
# events as the log, with their values.
#
# Needs root.  A tracefs is mounted in a private mount namespace, and ftrace
# gets an instance of its own there, so other tracing on this machine is not
# affected.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

if [ "${INSIDE-}" != yes ]; then
    [ "$(id -u)" = 0 ] || skip 'tracefs is for root'
    command -v unshare >/dev/null || skip 'unshare is not installed'
    unshare -m true 2>/dev/null || skip 'no mounts of our own here'
    cd / && rm -rf "$scratch"
    INSIDE=yes exec unshare -m sh "$here/kernel.sh"
fi

# The mount point where perf looks, too.
tracefs=/sys/kernel/tracing
mount -t tracefs tracefs $tracefs 2>err || skip "no tracefs: $(cat err)"
own=usertrace_$$
events= instance=

at_end()
{
    [ -z "$events" ] || perf probe -q -d "sdt_$own:*" 2>/dev/null
    [ -z "$instance" ] || rmdir "$instance" 2>/dev/null
    rm -rf "$scratch"
}
trap at_end EXIT

# --- ftrace ------------------------------------------------------------------
instance=$tracefs/instances/$own
mkdir "$instance" 2>err || skip "no instance: $(cat err)"
# Some sandboxes emulate a kernel with a tracefs that discards everything.
echo 'is anybody there' 2>err >"$instance/trace_marker" &&
    grep -q 'is anybody there' "$instance/trace" ||
    skip "this kernel does not trace: $(cat err)"
echo >"$instance/trace"
make_sample ftrace,log || exit 1
USERTRACE_TRACEFS=$instance \
    ./sample -t 1 -n 3 -e 'sample_*' -e -sample_vcpu 2>log || fail "exit $?"
sed -n 's/.*tracing_mark_write: //p' "$instance/trace" >got
[ -s log ] || fail 'the log is empty'
diff log got || fail 'the lines in the kernel differ from the log'

# --- probes ------------------------------------------------------------------
if ! command -v perf >/dev/null; then
    echo 'perf is not installed: it was not asked for the probes'
    exit $failed
fi
perf="perf --buildid-dir $scratch/buildid"
make_sample dtrace,log "--provider=$own" || exit 1
$perf buildid-cache --add "$scratch/sample" 2>err || fail "$(cat err)"
$perf list sdt 2>/dev/null | sed -n "s/^ *sdt_$own:\([a-z_]*\) .*/\1/p" >got
cat >wanted <<'END'
sample_begin
sample_done
sample_idle
sample_request
sample_signal
sample_text
sample_vcpu
END
diff wanted got || fail 'perf list prints other probes'

events=yes
for event in sample_done sample_request; do
    $perf probe -q "sdt_$own:$event" 2>err || {
        echo "the kernel takes no such probes: $(tail -n 1 err)"
        exit $failed
    }
done
$perf record -q -e "sdt_$own:*" -o data true 2>err || {
    echo "perf may not record here: $(tail -n 1 err)"
    exit $failed
}
$perf record -q -e "sdt_$own:*" -o data ./sample -t 1 -n 3 2>err ||
    fail "perf record: $(cat err)"
$perf script -i data 2>err |
    sed -n "s/.*sdt_$own:\(sample_[a-z]*\): ([^)]*) */\1 /p" |
    sed 's/^\(sample_request.*\) arg3=4096/\1/' >got
# perf omits arguments that are constants in the code, as arg3 may be.
cat >wanted <<'END'
sample_request arg1=0 arg2=0 arg4=0
sample_done arg1=0 arg2=0 arg3=-5
sample_request arg1=0 arg2=1 arg4=1
sample_done arg1=0 arg2=16 arg3=0
sample_request arg1=0 arg2=2 arg4=0
sample_done arg1=0 arg2=32 arg3=0
END
diff wanted got || fail 'perf recorded other events'
exit $failed
