/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting.  The counts of a window are in a struct on the stack, and are added
 * to those of its pcpu at its end: the inner loop shares nothing but the event
 * counts.
 */
#include "libxentrace/counts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "libxentrace/meta-event.h"
#include "libxentrace/readers.h"
#include "libxentrace/window.h"

/* The two kinds of records that a ring adds, and those of the collector. */
static void count_special(struct xt_count *c, const struct xt_record *r)
{
    if ( r->event == TRC_LOST_RECORDS )
    {
        c->losses++;
        c->lost += xt_field_load(r, XT_AT(lost_records, lost));
    }
    else if ( r->event == TRC_TRACE_WRAP_BUFFER )
        c->wraps++;
    else if ( xt_event_is_meta(r->event) )
        c->metas++;
}

static bool is_gen(const struct xt_record *r)
{
    return r->event >> TRC_CLS_SHIFT == TRC_GEN >> TRC_CLS_SHIFT;
}

static void span_add(struct xt_span *s, const struct xt_record *r)
{
    /* The time stamp of a filler record is stale data from the ring. */
    if ( !r->has_tsc || r->event == TRC_TRACE_WRAP_BUFFER )
        return;
    if ( !s->known )
        *s = (struct xt_span){ .known = true, .first = r->tsc };
    s->last = r->tsc;
}

/* Note the first step back in time of a window. */
static void note_backward(const struct xt_window *w, const struct xt_record *r,
                          bool *goes_backward, struct xt_damage *damage)
{
    size_t header = 4 + 8;      /* a timed record before its payload */

    if ( !*goes_backward )
        xt_damage_add(damage, XT_DAMAGE_BACKWARD,
                      w->at + XT_WINDOW_HEADER +
                      (r->payload - header - w->bytes), 0);
    *goes_backward = true;
}

/* `before`: the time stamps of the pcpu in earlier windows. */
static int count_window_records(struct xt_counts *c, const struct xt_window *w,
                                const struct xt_span *before,
                                struct xt_count *n, struct xt_damage *damage)
{
    uint64_t latest = before->known ? before->last : 0;
    bool goes_backward = false;
    struct xt_records records;
    struct xt_record r;

    xt_records_init(&records, w, damage);
    while ( xt_records_next(&records, &r) )
    {
        n->records++;
        span_add(&n->tsc, &r);
        if ( n->tsc.known && n->tsc.last < latest )
            note_backward(w, &r, &goes_backward, damage);
        latest = n->tsc.known ? n->tsc.last : latest;
        if ( is_gen(&r) )
            count_special(n, &r);
        if ( (is_gen(&r) && xt_losses_add(&c->losses, &r)) ||
             xt_event_counts_add(&c->events, r.event) )
            return -ENOMEM;
    }
    n->windows = 1;
    n->bytes = records.at - w->bytes;
    return 0;
}

static void count_add(struct xt_count *to, const struct xt_count *n)
{
    to->records += n->records;
    to->windows += n->windows;
    to->bytes += n->bytes;
    to->losses += n->losses;
    to->lost += n->lost;
    to->wraps += n->wraps;
    to->metas += n->metas;
}

static void span_append(struct xt_span *to, const struct xt_span *next)
{
    if ( !next->known )
        return;
    if ( !to->known )
        *to = *next;
    to->last = next->last;
}

static void span_cover(struct xt_span *to, const struct xt_span *s)
{
    if ( !s->known )
        return;
    if ( !to->known )
        *to = *s;
    if ( s->first < to->first )
        to->first = s->first;
    if ( s->last > to->last )
        to->last = s->last;
}

/* The counts of a pcpu, which may be a new one.  NULL without memory. */
static struct xt_count *get_cpu_count(struct xt_counts *c, unsigned int cpu)
{
    assert(cpu < XT_MAX_CPUS);
    if ( cpu >= c->nr_cpus )
    {
        size_t nr = cpu < 2 * c->nr_cpus ? 2 * c->nr_cpus : cpu + 1;
        struct xt_count *cpus = fault_realloc(c->cpus, nr * sizeof(*cpus));

        if ( !cpus )
            return NULL;
        for ( size_t i = c->nr_cpus; i < nr; i++ )
            cpus[i] = (struct xt_count){ 0 };
        c->cpus = cpus;
        c->nr_cpus = nr;
    }
    return &c->cpus[cpu];
}

int xt_counts_init(struct xt_counts *c)
{
    *c = (struct xt_counts){ .size = 0 };
    return xt_event_counts_init(&c->events);
}

int xt_counts_add_window(struct xt_counts *c, const struct xt_window *w,
                         struct xt_damage *damage)
{
    const struct xt_span none = { .known = false };
    const struct xt_span *before = w->cpu < c->nr_cpus ? &c->cpus[w->cpu].tsc
                                                       : &none;
    struct xt_count n = { 0 }, *cpu;

    if ( count_window_records(c, w, before, &n, damage) ||
         (c->losses.nr_cpus && !get_cpu_count(c, c->losses.nr_cpus - 1)) )
        return -ENOMEM;
    cpu = get_cpu_count(c, w->cpu);
    if ( !cpu )
        return -ENOMEM;
    count_add(cpu, &n);
    span_append(&cpu->tsc, &n.tsc);
    return 0;
}

void xt_counts_finish(struct xt_counts *c, uint64_t size,
                      const struct xt_damage *damage)
{
    assert(!c->total.windows);
    c->size = size;
    c->damage = *damage;
    for ( size_t i = 0; i < c->nr_cpus; i++ )
    {
        c->cpus[i].lost += xt_losses_get_unreported(&c->losses, i,
                                                    c->cpus[i].lost);
        count_add(&c->total, &c->cpus[i]);
        span_cover(&c->total.tsc, &c->cpus[i].tsc);
    }
    xt_event_counts_sort(&c->events);
    assert(c->total.bytes + c->total.windows * XT_WINDOW_HEADER +
           xt_damage_bytes(&c->damage) == size);
}

void xt_counts_fini(struct xt_counts *c)
{
    xt_event_counts_fini(&c->events);
    xt_losses_fini(&c->losses);
    free(c->cpus);
    *c = (struct xt_counts){ 0 };
}
