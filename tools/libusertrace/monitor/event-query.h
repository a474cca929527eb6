/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which events somebody means by a name or a pattern, and perhaps a vcpu; the
 * same for people (hmp.c) and for programs.  Reasons are QEMU's, to the letter.
 */
#ifndef LIBUSERTRACE_MONITOR_EVENT_QUERY_H
#define LIBUSERTRACE_MONITOR_EVENT_QUERY_H

#include "common/err.h"
#include "libusertrace/trace/control-vcpu.h"

struct mon_query
{
    const char *name;           /* a pattern, if it has a "*" */
    bool has_vcpu;
    uint32_t vcpu;
};

struct mon_events
{
    TraceEvent **list;          /* in order of registration */
    size_t nr;
    bool has_vcpu;
    uint32_t vcpu;              /* by number: it can go at any time */
};

/*
 * Of a pattern with a vcpu these are only events of vcpus.  On failure there
 * is nothing to free.
 */
int mon_events_new(const struct mon_query *q, struct mon_events *found,
                   struct err *e);
void mon_events_free(struct mon_events *found);

/* One of a vcpu that has gone is off. */
bool mon_event_is_on(const struct mon_events *found, const TraceEvent *ev);

/*
 * All or, if one of them is compiled out, none; `anyway` leaves out those.
 * If the vcpu goes meanwhile, that is told as if it had never been.
 */
int mon_events_switch(const struct mon_events *found, bool on, bool anyway,
                      struct err *e);

#endif /* LIBUSERTRACE_MONITOR_EVENT_QUERY_H */
