/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events selected by name or pattern, and optionally a vcpu; shared by the
 * human monitor and QMP.  Error texts equal QEMU's.
 */
#ifndef LIBUSERTRACE_MONITOR_EVENT_QUERY_H
#define LIBUSERTRACE_MONITOR_EVENT_QUERY_H

#include "common/err.h"
#include "libusertrace/trace/control-vcpu.h"

struct mon_query
{
    const char *name;           /* a pattern, if it contains a "*" */
    bool has_vcpu;
    uint32_t vcpu;
};

struct mon_events
{
    TraceEvent **list;          /* in order of registration */
    size_t nr;
    bool has_vcpu;
    uint32_t vcpu;              /* an index: the vcpu may go at any time */
};

/*
 * A pattern with a vcpu selects vcpu events only.  On failure there is nothing
 * to free.
 */
int mon_events_new(const struct mon_query *q, struct mon_events *found,
                   struct err *e);
void mon_events_free(struct mon_events *found);

/* An event of a vcpu that has gone is off. */
bool mon_event_is_on(const struct mon_events *found, const TraceEvent *ev);

/*
 * Switch all events or, if one of them is not compiled in, none; `anyway`
 * skips such events instead.  A vcpu that goes meanwhile is the same error as
 * an unknown vcpu.
 */
int mon_events_switch(const struct mon_events *found, bool on, bool anyway,
                      struct err *e);

#endif /* LIBUSERTRACE_MONITOR_EVENT_QUERY_H */
