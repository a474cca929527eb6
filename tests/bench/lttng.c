/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LTTng-UST in the same harness, as a reference for user-space tracing.
 * tests/bench/ring starts the session that records the events; `1d` answers
 * only if there is a session, since otherwise a disabled event would be
 * measured.
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "tests/bench/lttng-event.h"

#include "tests/bench/pace.h"

#include <string.h>
#include <unistd.h>

static void emit_events(unsigned int calls)
{
    for ( unsigned int i = 0; i < calls; i++ )
    {
        __asm__ __volatile__ ( "" : "+r" (i) );
        lttng_ust_tracepoint(bench, two, i, i + 1);
    }
}

/* A thread of LTTng registers with the session some time after main starts. */
static bool is_traced(void)
{
    for ( unsigned int ms = 0; ms < 5000; ms++ )
    {
        if ( lttng_ust_tracepoint_enabled(bench, two) )
            return true;
        usleep(1000);
    }

    return false;
}

static bool measure_lttng(const char *name, unsigned int calls)
{
    if ( strcmp(name, "1d") || !is_traced() )
        return false;

    emit_events(calls / 4);
    pace_begin();
    emit_events(calls);
    pace_end();
    return true;
}

int main(void)
{
    return pace_serve(measure_lttng);
}
