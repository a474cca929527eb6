/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LTTng-UST in the same harness: what user-space tracing costs today.  The
 * session that takes the events is started by tests/bench/ring; `1d` answers
 * only if there is one, or an event that goes nowhere would be measured.
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "tests/bench/lttng-event.h"

#include "tests/bench/pace.h"

#include <string.h>
#include <unistd.h>

static void emit(unsigned int calls)
{
    for ( unsigned int i = 0; i < calls; i++ )
    {
        __asm__ __volatile__ ( "" : "+r" (i) );
        lttng_ust_tracepoint(bench, two, i, i + 1);
    }
}

/* The session gets hold of us by a thread of LTTng's, some time after main. */
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

static bool measure(const char *name, unsigned int calls)
{
    if ( strcmp(name, "1d") || !is_traced() )
        return false;

    emit(calls / 4);
    pace_begin();
    emit(calls);
    pace_end();
    return true;
}

int main(void)
{
    return pace_serve(measure);
}
