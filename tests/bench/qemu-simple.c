/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A replacement of QEMU's trace/control.c, which needs the rest of QEMU: finds
 * and enables events, and starts trace/simple.c.  The trace points, the ring
 * and the writer thread are QEMU's own.
 */
#include "tests/bench/qemu-simple.h"

int trace_events_enabled_count;
static bool has_thread;         /* without, QEMU's flush waits forever */
static TraceEvent **group;

void trace_event_register_group(TraceEvent **events)
{
    for ( uint32_t id = 0; events[id]; id++ )
        events[id]->id = id;
    group = events;
}

void trace_event_iter_init_all(TraceEventIter *iter)
{
    *iter = (TraceEventIter){ .event = 0 };
}

void trace_event_iter_init_group(TraceEventIter *iter, size_t group_id)
{
    *iter = (TraceEventIter){ .group_id = group_id };
}

TraceEvent *trace_event_iter_next(TraceEventIter *iter)
{
    return group[iter->event] ? group[iter->event++] : NULL;
}

void trace_enable_events(const char *line_buf)
{
    for ( size_t i = 0; group[i]; i++ )
        if ( !strcmp(group[i]->name, line_buf) )
        {
            *group[i]->dstate = 1;
            trace_events_enabled_count++;
        }
}

bool trace_init_backends(void)
{
    has_thread = st_init();
    return has_thread;
}

bool usertrace_has_backend(const char *name)
{
    return has_thread && !strcmp(name, "simple");
}

bool qemu_simple_is_on(void)
{
    return trace_events_enabled_count == 1;
}
