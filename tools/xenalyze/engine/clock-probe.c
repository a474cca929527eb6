/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes: short parts of a trace, read for their changes of runstates only.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/readers.h"
#include "xenalyze/engine/clock-probe.h"

/* --- reading -------------------------------------------------------------- */

#define KNOWN_BITS 9u

/* The last known state of some vcpus: a direct-mapped cache. */
struct known_state
{
    uint32_t vcpu;
    uint16_t pcpu;
    uint8_t state;
    bool valid;
};

int clock_probe_init(struct clock_probe *p)
{
    *p = (struct clock_probe){ .nr = 0 };
    p->events = fault_malloc(CLOCK_EVENTS * sizeof(*p->events));
    return p->events ? 0 : -ENOMEM;
}

void clock_probe_fini(struct clock_probe *p)
{
    free(p->events);
    *p = (struct clock_probe){ .nr = 0 };
}

static void add_change(struct clock_probe *p, struct known_state *known,
                      const struct xt_record *r, const struct xt_item *item)
{
    struct clock_event *event = &p->events[p->nr];
    uint32_t vcpu = xt_record_word(r, 0);
    struct known_state *k = &known[vcpu * UINT32_C(0x9e3779b1) >>
                                   (32 - KNOWN_BITS)];

    debug_assert(p->nr < CLOCK_EVENTS);
    if ( !r->words || xt_vcpu_key_is_idle(vcpu) )
        return;
    *event = (struct clock_event){
        .time = item->time, .vcpu = vcpu, .pcpu = xt_item_cpu(item),
        .old = xt_id_sched_runstate_change_from(r->event),
        .new = xt_id_sched_runstate_change_to(r->event),
    };
    if ( k->valid && k->vcpu == vcpu )
    {
        p->order.contradictions += k->state != event->old;
        p->order.pairs += k->pcpu != event->pcpu;
    }
    *k = (struct known_state){ vcpu, event->pcpu, event->new, true };
    p->nr++;
}

int clock_probe_read(struct clock_probe *p, struct xt_trace *trace,
                     uint64_t from, uint64_t until, uint32_t records,
                     struct err *e)
{
    struct known_state known[1u << KNOWN_BITS] = { { .vcpu = 0 } };
    struct xt_record r;
    struct xt_batch b;
    int rc = xt_trace_seek(trace, from, e);

    assert(from < until);
    p->nr = 0;
    p->order = (struct clock_order){ .pairs = 0 };
    while ( !rc && records )
    {
        rc = xt_trace_next_batch(trace, &b, e);
        if ( rc <= 0 || b.segment )
            return rc < 0 ? rc : 0;
        rc = 0;
        for ( size_t i = 0; i < b.nr && records && p->nr < CLOCK_EVENTS; i++ )
        {
            if ( b.items[i].time >= until )
                return 0;
            records--;
            xt_batch_record(&b, &b.items[i], &r);
            /* Changes may be missing, so later records prove no order. */
            if ( r.event == TRC_LOST_RECORDS )
                memset(known, 0, sizeof(known));
            else if ( xt_is_sched_runstate_change(r.event) )
                add_change(p, known, &r, &b.items[i]);
        }
        if ( p->nr == CLOCK_EVENTS )
            break;
    }
    return rc;
}

/* --- order ---------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
    const struct clock_event *x = a, *y = b;

    if ( x->vcpu != y->vcpu )
        return x->vcpu < y->vcpu ? -1 : 1;
    if ( x->time != y->time )
        return x->time < y->time ? -1 : 1;
    return (x->pcpu > y->pcpu) - (x->pcpu < y->pcpu);
}

void clock_probe_sort(struct clock_probe *p)
{
    assert(p->nr <= CLOCK_EVENTS);
    if ( p->nr )
        qsort(p->events, p->nr, sizeof(*p->events), compare_events);
}
