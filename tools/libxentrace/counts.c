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

/* The offset in the input of a record with a time stamp. */
static uint64_t get_offset(const struct xt_window *w, const struct xt_record *r)
{
    const size_t header = 4 + 8;

    assert(r->has_tsc);
    return w->at + XT_WINDOW_HEADER + (r->payload - header - w->bytes);
}

/* Note the first step back in time of a window. */
static void note_backward(const struct xt_window *w, const struct xt_record *r,
                          bool *goes_backward, struct xt_damage *damage)
{
    if ( !*goes_backward )
        xt_damage_add(damage, XT_DAMAGE_BACKWARD, get_offset(w, r), 0);
    *goes_backward = true;
}

/* Note the first time stamp after a far step. */
static void add_latest(struct xt_count *n, const struct xt_window *w,
                       const struct xt_record *r, uint64_t first)
{
    bool was_near = !n->latest.nr_far;

    xt_latest_add(&n->latest, first, r->tsc);
    if ( n->latest.nr_step == 1 || (was_near && n->latest.nr_far) )
        n->far_at = get_offset(w, r);
}

/* The latest time of a pcpu before window `w`. */
static struct xt_latest get_latest(const struct xt_count *before,
                                   const struct xt_window *w)
{
    struct xt_latest l = before->latest;
    uint64_t time;

    if ( xt_window_time(w, &time) )
        xt_latest_begin(&l, time);
    return l;
}

/* Have all times of the pcpu, up to that of the newest record, risen? */
static bool times_rise(const struct xt_count *n)
{
    return n->tsc.known && n->tsc.last == n->latest.time &&
           xt_latest_is_steady(&n->latest);
}

/*
 * The loop for the common case: records of Xen, in order of time, without a far
 * step, and with enough bytes left in the window for any record.  Returns the
 * address of the first other record.
 */
static const unsigned char *count_common_records(struct xt_event_counts *events,
                                                 struct xt_count *n,
                                                 const unsigned char *at,
                                                 const unsigned char *end)
{
    unsigned int records = 0, timed = 0;
    uint64_t last = n->tsc.last;

    for ( ; (size_t)(end - at) >= XT_RECORD_MAX_BYTES; records++ )
    {
        uint32_t header = xt_load32(at), event = TRC_HD_TO_EVENT(header);
        bool has_tsc = header & TRC_HD_CYCLE_FLAG;
        uint64_t tsc = has_tsc ? xt_load64(at + 4) : last;

        if ( !xt_event_is_of_xen(event) || tsc - last > XT_FAR_STEP ||
             xt_event_counts_add(events, event) )
            break;
        last = tsc;
        timed += has_tsc;
        at += xt_record_size(header);
    }
    n->records += records;
    n->tsc.last = last;
    xt_latest_add_near(&n->latest, timed, last);
    return at;
}

/* `before`: the counts of the pcpu in earlier windows. */
static int count_window_records(struct xt_counts *c, const struct xt_window *w,
                                const struct xt_count *before,
                                struct xt_count *n, struct xt_damage *damage)
{
    uint64_t latest = before->tsc.known && !w->displaced ? before->tsc.last
                                                         : 0;
    uint64_t first = before->tsc.known ? before->tsc.first : 0;
    bool begins_early = false, goes_backward = false, has_begun = false;
    struct xt_records records;
    struct xt_record r;

    n->latest = get_latest(before, w);
    n->far_at = before->far_at;
    first = first ? first : n->latest.time;
    xt_records_init(&records, w, damage);
    while ( xt_records_next(&records, &r) )
    {
        n->records++;
        span_add(&n->tsc, &r);
        if ( xt_record_is_timed(&r) )
            add_latest(n, w, &r, first);
        /* Another capture may begin with the window (see captures.c). */
        if ( n->tsc.known && n->tsc.last < latest )
            note_backward(w, &r, has_begun ? &goes_backward : &begins_early,
                          damage);
        has_begun |= n->tsc.known;
        latest = n->tsc.known ? n->tsc.last : latest;
        if ( is_gen(&r) )
            count_special(n, &r);
        if ( (is_gen(&r) && xt_losses_add(&c->losses, &r)) ||
             xt_event_counts_add(&c->events, r.event) )
            return -ENOMEM;
        if ( times_rise(n) )
        {
            records.at = count_common_records(&c->events, n, records.at,
                                              records.end);
            latest = n->tsc.last;
        }
    }
    n->windows = 1;
    n->bytes = records.at - w->bytes;
    xt_latest_end_window(&n->latest, w, records.at);
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

/*
 * Time stamps behind the horizon, or a first one after all others, are damaged.
 * The last record in the file is not the latest one if a block of the file is
 * displaced.
 */
static void correct_span(struct xt_count *n, uint64_t horizon,
                         struct xt_damage *damage)
{
    assert(n->tsc.known);
    if ( n->tsc.last > horizon )
    {
        n->tsc.last = n->latest.time;
        xt_damage_add(damage, XT_DAMAGE_BACKWARD, n->far_at, 0);
    }
    else if ( n->latest.time > n->tsc.last && n->latest.time <= horizon )
        n->tsc.last = n->latest.time;
    if ( n->tsc.first > horizon )
        n->tsc.first = n->tsc.last;
}

static int correct_spans(struct xt_counts *c)
{
    struct xt_latest *l = fault_calloc(c->nr_cpus + 1, sizeof(*l));
    uint64_t first = UINT64_MAX, horizon = 0;
    int rc = l ? 0 : -ENOMEM;

    for ( size_t i = 0; !rc && i < c->nr_cpus; i++ )
    {
        const struct xt_count *n = &c->cpus[i];

        l[i] = n->latest;
        if ( n->tsc.known && n->tsc.first < first )
            first = n->tsc.first;
    }
    rc = rc ? rc : xt_latest_find_horizon(l, c->nr_cpus, first, &horizon);
    for ( size_t i = 0; !rc && i < c->nr_cpus; i++ )
        if ( c->cpus[i].tsc.known )
            correct_span(&c->cpus[i], horizon, &c->damage);
    free(l);
    return rc;
}

static void span_append(struct xt_span *to, const struct xt_span *next,
                        bool displaced)
{
    assert(to != next);
    if ( !next->known )
        return;
    if ( !to->known || (displaced && next->first < to->first) )
        to->first = next->first;
    to->known = true;
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
    const struct xt_count none = { 0 };
    const struct xt_count *before = w->cpu < c->nr_cpus ? &c->cpus[w->cpu]
                                                        : &none;
    struct xt_count n = { 0 }, *cpu;

    if ( count_window_records(c, w, before, &n, damage) ||
         (c->losses.nr_cpus && !get_cpu_count(c, c->losses.nr_cpus - 1)) )
        return -ENOMEM;
    cpu = get_cpu_count(c, w->cpu);
    if ( !cpu )
        return -ENOMEM;
    count_add(cpu, &n);
    span_append(&cpu->tsc, &n.tsc, w->displaced);
    cpu->latest = n.latest;
    cpu->far_at = n.far_at;
    return 0;
}

int xt_counts_finish(struct xt_counts *c, uint64_t size,
                     const struct xt_damage *damage)
{
    assert(!c->total.windows);
    c->size = size;
    c->damage = *damage;
    if ( correct_spans(c) )
        return -ENOMEM;
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
    return 0;
}

void xt_counts_fini(struct xt_counts *c)
{
    xt_event_counts_fini(&c->events);
    xt_losses_fini(&c->losses);
    free(c->cpus);
    *c = (struct xt_counts){ 0 };
}
