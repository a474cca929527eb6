/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * New groups of events can be registered concurrently (by dlopen(), say), so a
 * selection is a list: all checks and then all changes apply to the same
 * events.
 */
#include "libusertrace/monitor/event-query.h"

#include <assert.h>
#include <errno.h>

#include "common/fault.h"

static bool query_matches(const struct mon_query *q, const TraceEvent *ev)
{
    return !q->has_vcpu || trace_event_is_vcpu(ev);
}

static size_t count_matches(const struct mon_query *q)
{
    TraceEventIter iter;
    TraceEvent *ev;
    size_t nr = 0;

    trace_event_iter_init_pattern(&iter, q->name);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        nr += query_matches(q, ev);
    return nr;
}

static int find_by_pattern(const struct mon_query *q, struct mon_events *found,
                           struct err *e)
{
    size_t room = count_matches(q);
    TraceEventIter iter;
    TraceEvent *ev;

    assert(!found->list);
    found->list = fault_calloc(room + 1, sizeof(*found->list));
    if ( !found->list )
        return err_sys(e, -ENOMEM, "trace events");
    trace_event_iter_init_pattern(&iter, q->name);
    while ( found->nr < room && (ev = trace_event_iter_next(&iter)) != NULL )
        if ( query_matches(q, ev) )
            found->list[found->nr++] = ev;
    return 0;
}

static int find_by_name(const struct mon_query *q, struct mon_events *found,
                        struct err *e)
{
    TraceEvent *ev = trace_event_name(q->name);

    assert(!found->list);
    if ( !ev )
        return err_set(e, -ENOENT, "unknown event \"%.200s\"", q->name);
    if ( !query_matches(q, ev) )
        return err_set(e, -EINVAL, "event \"%.200s\" is not vCPU-specific",
                       q->name);
    found->list = fault_calloc(1, sizeof(*found->list));
    if ( !found->list )
        return err_sys(e, -ENOMEM, "trace events");
    found->list[found->nr++] = ev;
    return 0;
}

static int report_invalid_vcpu(uint32_t index, struct err *e)
{
    return err_set(e, -EINVAL, "invalid vCPU index %u", index);
}

int mon_events_new(const struct mon_query *q, struct mon_events *found,
                   struct err *e)
{
    assert(q->name);
    *found = (struct mon_events){ .has_vcpu = q->has_vcpu, .vcpu = q->vcpu };
    if ( q->has_vcpu && !usertrace_vcpu(q->vcpu) )
        return report_invalid_vcpu(q->vcpu, e);
    return trace_event_is_pattern(q->name) ? find_by_pattern(q, found, e)
                                           : find_by_name(q, found, e);
}

void mon_events_free(struct mon_events *found)
{
    fault_free(found->list);
}

bool mon_event_is_on(const struct mon_events *found, const TraceEvent *ev)
{
    assert(!found->has_vcpu || trace_event_is_vcpu(ev));
    return found->has_vcpu ? usertrace_vcpu_get_state(found->vcpu, ev) > 0
                           : trace_event_get_state_dynamic(ev);
}

static int switch_event(const struct mon_events *found, TraceEvent *ev, bool on,
                        struct err *e)
{
    assert(ev->sstate);
    if ( !found->has_vcpu )
        trace_event_set_state_dynamic(ev, on);
    else if ( usertrace_vcpu_set_state(found->vcpu, ev, on) )
        return report_invalid_vcpu(found->vcpu, e);
    return 0;
}

int mon_events_switch(const struct mon_events *found, bool on, bool anyway,
                      struct err *e)
{
    int rc = 0;
    size_t i;

    for ( i = 0; !anyway && i < found->nr; i++ )
        if ( !found->list[i]->sstate )
            return err_set(e, -EPERM, "event \"%.200s\" is disabled",
                           found->list[i]->name);
    for ( i = 0; !rc && i < found->nr; i++ )
        if ( found->list[i]->sstate )
            rc = switch_event(found, found->list[i], on, e);
    return rc;
}
