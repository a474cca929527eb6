#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The back ends that print: log, syslog and ftrace print the same lines in one
# run of the sample.  A folder replaces the kernel's tracefs (kernel.sh uses a
# real one), and a function of this test replaces the C library's syslog().
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

cat >syslog.c <<'END'
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>
void syslog(int priority, const char *format, ...)
{
    FILE *out = fopen("syslog", "a");
    va_list args;

    va_start(args, format);
    fprintf(out, "<%d>", priority);
    vfprintf(out, format, args);
    fputc('\n', out);
    va_end(args);
    fclose(out);
}
END
make_sample log,syslog,ftrace syslog.c || exit 1

# Lines with an address are removed.
plain()
{
    sed 's/cpu=0x[0-9a-f]*/cpu=ADDRESS/'
}

mkdir tracefs
: >tracefs/tracing_on
: >tracefs/trace_marker
USERTRACE_TRACEFS=$scratch/tracefs ./sample -t 1 -n 2 -e 'sample_*' \
    -e -sample_signal 2>log || fail "exit $?"
plain <log >got
cat >wanted <<'END'
sample_begin name sample threads 1
sample_vcpu cpu=ADDRESS reason 17
sample_request worker 0 sector 0x0 bytes 4096 write 0
sample_done worker 0 request (nil) rc -5
sample_request worker 0 sector 0x1 bytes 4096 write 1
sample_done worker 0 request 0x10 rc 0
sample_idle nothing to do
sample_text 'all "done", über'
sample_text '(null)'
END
diff wanted got || fail 'the log differs'
cmp log tracefs/trace_marker || fail 'the lines of ftrace differ'
[ "$(cat tracefs/tracing_on)" = 1 ] || fail 'tracing_on is not 1'
sed 's/^/<6>/' log | cmp - syslog || fail 'the lines of syslog differ'

# --- errors ------------------------------------------------------------------
if USERTRACE_TRACEFS=$scratch/none ./sample -e sample_idle 2>err; then
    fail 'runs without a tracefs'
fi
grep -q "Could not open ftrace 'tracing_on' file: No such file" err ||
    fail "no reason: $(cat err)"
grep -q 'failed to initialize ftrace tracing backend' err ||
    fail "no final message: $(cat err)"

USERTRACE_TRACEFS=$scratch/tracefs ./sample -e nosuch -e sample_detail \
    -e 'nosuch*' 2>err
cat >wanted <<'END'
sample: warning: trace event 'nosuch' does not exist
sample: warning: trace event 'sample_detail' is not traceable
END
diff wanted err || fail 'the warnings about names differ'
exit $failed
