#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program that was written for QEMU's generated headers compiles with ours.
# The program calls the trace point of each of QEMU's events and queries its
# state in every way.  It is compiled with the headers of QEMU's tracetool (and
# QEMU's trace/control.h) and with our headers; warnings are errors.  A tenth of
# the events; all with CHECK_FULL.
#
# The prototypes in the program are copied from QEMU's header, so a different
# type in our header is a warning.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"
# shellcheck source=tests/qemu/glue.sh
. "$top_srcdir/tests/qemu/glue.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
all=$("$top_srcdir/tests/qemu/fetch") || skip "$all"
qemu=$("$top_srcdir/tests/qemu/fetch-source") || skip "$qemu"

# vcpu events need QEMU's CPUState.
every=10
[ -z "${CHECK_FULL-}" ] || every=1
grep -vE '^[[:space:]]*(#|$|vcpu )' "$all" |
    awk -v every=$every 'NR % every == 0' >events
[ "$(wc -l <events)" -gt 400 ] || fail 'QEMU has thousands of events'

glue_begin "$qemu" glue || exit 99
mkdir theirs ours
python3 "$qemu/scripts/tracetool.py" --format=h --backends=log,simple \
    --group=all events theirs/trace-all.h || exit 99
"$tracetool" --format=h --backends=log,simple --group=all events \
    ours/trace-all.h || exit 1

# With back end log, QEMU's header includes the header of its log.
mkdir -p glue/qemu && cat >glue/qemu/log-for-trace.h <<'END'
#define LOG_TRACE (1 << 15)
extern int message_with_timestamp;
int qemu_loglevel_mask(int mask);
void qemu_log(const char *format, ...);
int qemu_get_thread_id(void);
END

{
    cat <<'END'
#include "qemu/osdep.h"
#include "trace-all.h"
#include "trace/control.h"
unsigned int asked;
void control(const char *pattern);
void control(const char *pattern)
{
    TraceEventIter iter;
    TraceEvent *ev;

    trace_event_iter_init_pattern(&iter, pattern);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
    {
        const char *name = trace_event_get_name(ev);

        if ( trace_event_get_state_static(ev) &&
             !trace_event_get_state_dynamic(ev) && !trace_event_is_vcpu(ev) &&
             !trace_event_is_pattern(name) && trace_event_name(name) == ev )
            trace_event_set_state_dynamic(ev, true);
        asked += trace_event_get_id(ev) + trace_event_get_vcpu_id(ev) +
                 (ev->vcpu_id != TRACE_VCPU_EVENT_NONE) + *ev->dstate;
    }
    trace_event_iter_init_all(&iter);
    trace_event_iter_init_group(&iter, 0);
    if ( !trace_init_backends() )
        return;
    trace_init_file();
    trace_list_events(stdout);
    trace_enable_events(pattern);
    trace_opt_parse(pattern);
    asked += trace_events_enabled_count + trace_get_vcpu_event_count();
}
END
    sed -n 's/^static inline void trace_\([A-Za-z0-9_]*\)(\(.*\))$/\1\t\2/p' \
        theirs/trace-all.h | awk -F '\t' '{
            upper = toupper($1)
            call = ""
            n = $2 == "void" ? 0 : split($2, args, /, */)
            for ( i = 1; i <= n; i++ ) {
                sub(/.*[^A-Za-z0-9_]/, "", args[i])
                call = call (i > 1 ? ", " : "") args[i]
            }
            printf "void use_%s(%s);\nvoid use_%s(%s)\n{\n", $1, $2, $1, $2
            printf "    if ( trace_event_get_state(TRACE_%s) )\n", upper
            print  "        asked++;"
            printf "    if ( trace_event_get_state_backends(TRACE_%s) )\n", upper
            printf "        trace_%s(%s);\n", $1, call
            printf "    asked += TRACE_%s_ENABLED + TRACE_%s_BACKEND_DSTATE() +\n", \
                upper, upper
            printf "             _TRACE_%s_DSTATE + _TRACE_%s_EVENT.id;\n}\n", \
                upper, upper
        }'
} >program.c
[ "$(grep -c '^void use_.*)$' program.c)" = "$(wc -l <events)" ] ||
    fail 'not all events are used'

# compiles HEADERS FLAG...: compile the program; warnings are errors
compiles()
{
    headers=$1
    shift
    $cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only "$@" \
        program.c 2>errors || { head -n 20 errors; fail "with $headers"; }
}

compiles "QEMU's headers" -Wno-unused-parameter -Itheirs -Iglue
mkdir -p bare/qemu && cp glue/qemu/osdep.h bare/qemu/
compiles 'our headers' -Iours -Ibare "-I$top_srcdir/tools" \
    "-I$top_srcdir/tools/libusertrace"
exit $failed
