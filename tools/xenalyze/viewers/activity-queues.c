/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A value is shown when it differs from the one before.
 */
#include "xenalyze/viewers/activity-queues.h"

#include <assert.h>

#include "common/debug.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"
#include "xenalyze/viewers/activity.h"

#define QUEUE_LOAD TRC_SCHED_CLASS_EVT(CSCHED2, 12)

/* Hundredths; a load that no Xen has counts as the largest one. */
static uint32_t get_average(const struct xt_rec_csched2_update_runq_load *r)
{
    uint64_t whole = r->avgload >> r->shift, part;

    if ( whole >= UINT32_MAX / 100 )
        return UINT32_MAX;
    part = r->avgload - (whole << r->shift);
    if ( r->shift > 32 )
        part >>= r->shift - 32;
    return whole * 100 +
           (part * 100 >> (r->shift > 32 ? 32 : r->shift));
}

static void show_queue(struct activity_queues *q, uint32_t number,
                       uint64_t time, uint32_t nr, uint32_t average)
{
    struct activities *a = q->activities;
    struct activity_queue_state *s = &q->queues[number];
    const struct activity_queue out = {
        .queue = number, .time = time, .nr = nr, .average = average,
        .is_first = !s->is_shown,
        .has_nr = !s->is_shown || nr != s->nr,
        .has_average = !s->is_shown || average != s->average,
    };

    debug_assert(number < q->nr);
    *s = (struct activity_queue_state){ true, nr, average };
    if ( out.has_nr || out.has_average )
        a->ops->queue(a->state, &out);
}

static enum fact_event_need queues_need_event(uint32_t event)
{
    return event == QUEUE_LOAD ? NEED_EVENT : NEED_NO_EVENT;
}

static void queues_add_event(void *state, const struct fact_event *f)
{
    struct activity_queues *q = state;
    const struct xt_rec_csched2_update_runq_load *r;

    if ( f->record->event != QUEUE_LOAD )
        return;
    r = xt_view_csched2_update_runq_load(f->record);
    if ( !r || r->shift >= 64 )
        return;
    if ( r->runq >= q->nr )
        q->nr = r->runq + 1u;
    show_queue(q, r->runq, activities_get_time(q->activities, f->time),
               r->load, get_average(r));
}

/* No vcpu is in a queue behind the last record. */
static int queues_end(void *state, const struct fact_end *f, struct err *e)
{
    struct activity_queues *q = state;

    (void)e;
    for ( uint32_t i = 0; i < q->nr; i++ )
        if ( q->queues[i].is_shown )
            show_queue(q, i, activities_get_time(q->activities, f->last), 0, 0);
    return 0;
}

void activity_queues_init(struct activity_queues *q, struct activities *a)
{
    assert(a->ops->queue);
    *q = (struct activity_queues){ .activities = a };
}

static unsigned int count_pools(const struct xt_host *h, uint32_t scheduler)
{
    const struct xt_meta *m = NULL;
    unsigned int nr = 0;

    while ( (m = xt_host_next(h, TRC_META_POOL, m)) )
        nr += m->pool.scheduler == scheduler;
    return nr;
}

bool activity_queues_get_sink(struct activity_queues *q, struct sink *sink)
{
    static const struct sink_ops ops = {
        .name = "run queues", .ordered = true, .no_rivals = true,
        .event = queues_add_event, .end = queues_end,
        .needs_event = queues_need_event,
    };
    const struct viewer_options *o = q->activities->options;

    *sink = (struct sink){ &ops, q };
    return !o->names || count_pools(&o->names->host, XT_SCHEDULER_CREDIT2) < 2;
}
