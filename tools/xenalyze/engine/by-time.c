/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read all records in the order of time, in one thread: for input that cannot
 * be mapped.  Each record goes to its pcpu's machine, and its changes are
 * applied to the global machine at once.
 *
 * A LOST record comes at the end of a loss, but makes the records of all pcpus
 * since its beginning doubtful: losses are looked for in each batch, and a loss
 * that began earlier counts as beginning with the batch.  The last record of a
 * pcpu is known at the end of the stream only, so all pcpus end last.
 * (xenalyze copies streams to a file.)
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/readers.h"
#include "xenalyze/engine/engine-private.h"

/* A pcpu begins to lose records. */
struct loss_begin
{
    uint64_t time;
    unsigned int pcpu;
};

struct losses
{
    struct loss_begin *items;
    size_t nr, room, next;      /* next: the first that is not yet applied */
};

static int add_loss(struct losses *l, uint64_t time, unsigned int pcpu)
{
    struct loss_begin *items;
    size_t room;

    assert(l->nr <= l->room);
    if ( l->nr == l->room )
    {
        room = l->room ? 2 * l->room : 64;
        items = fault_realloc(l->items, room * sizeof(*items));
        if ( !items )
            return -ENOMEM;
        l->items = items;
        l->room = room;
    }
    l->items[l->nr++] = (struct loss_begin){ time, pcpu };
    return 0;
}

static uint64_t loss_time(const struct analysis *a, unsigned int pcpu,
                          const struct xt_record *r)
{
    return xt_trace_correct(a->trace, pcpu,
                            xt_field_load(r, XT_AT(lost_records, first_tsc)));
}

/* By time and pcpu. */
static int compare_losses(const void *a, const void *b)
{
    const struct loss_begin *x = a, *y = b;

    if ( x->time != y->time )
        return x->time < y->time ? -1 : 1;
    return x->pcpu < y->pcpu ? -1 : x->pcpu > y->pcpu;
}

/* --- a batch -------------------------------------------------------------- */

static int find_losses(struct analysis *a, struct losses *l,
                       const struct xt_batch *b)
{
    struct xt_record r;
    int rc = 0;

    l->nr = l->next = 0;
    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        if ( r.event == TRC_LOST_RECORDS )
            rc = add_loss(l, loss_time(a, xt_item_cpu(&b->items[i]), &r),
                          xt_item_cpu(&b->items[i]));
    }
    if ( l->nr )
        qsort(l->items, l->nr, sizeof(*l->items), compare_losses);
    return rc;
}

/* Begin the losses up to `time`, that of the next record. */
static int begin_losses(struct analysis *a, struct losses *l, uint64_t time)
{
    struct pcpu *p;
    int rc = 0;

    debug_assert(l->next <= l->nr);
    for ( ; !rc && l->next < l->nr && l->items[l->next].time <= time;
          l->next++ )
    {
        p = segment_pcpu(a, l->items[l->next].pcpu);
        if ( !p )
            return -ENOMEM;
        pcpu_begin_loss(p, l->items[l->next].time);
        rc = segment_changes(a, p);
    }
    return rc;
}

static int read_batch(struct analysis *a, struct losses *l,
                      const struct xt_batch *b)
{
    const struct xt_item *end = b->items + b->nr;
    struct xt_record r;
    struct pcpu *p;
    int rc = find_losses(a, l, b);

    for ( const struct xt_item *i = b->items; !rc && i < end; i++ )
    {
        xt_batch_record(b, i, &r);
        if ( i->time >= a->bound )
            span_reach(a, i->time);
        if ( l->next < l->nr )
            rc = begin_losses(a, l, i->time);
        p = segment_pcpu(a, xt_item_cpu(i));
        if ( rc || !p )
            return -ENOMEM;
        pcpu_record(p, &r, i->time);
        if ( p->changes.nr || p->changes.failed )
            rc = segment_changes(a, p);
    }
    arena_reset(&a->shards[0].scratch[0]);
    return rc;
}

/* End the remaining pcpus, in the order of their last records. */
static int end_pcpus(struct analysis *a)
{
    struct pcpu *next;
    int rc = 0;

    do
    {
        next = NULL;
        for ( unsigned int i = 0; i < a->nr_pcpus; i++ )
            if ( a->pcpus[i] && !a->pcpus[i]->ended &&
                 (!next || a->pcpus[i]->time < next->time) )
                next = a->pcpus[i];
        if ( next )
        {
            pcpu_end(next);
            assert(next->ended);
            rc = segment_changes(a, next);
        }
    }
    while ( next && !rc );
    return rc;
}

/* All records of a segment are read. */
static int finish_segment(struct analysis *a, struct err *e)
{
    int rc = end_pcpus(a);

    assert(e);
    return rc ? rc : segment_end(a, e);
}

static int read_segments(struct analysis *a, struct losses *l, struct err *e)
{
    struct xt_batch b;
    unsigned int segment = 0;
    bool open = false;
    int rc;

    while ( (rc = xt_trace_next_batch(a->trace, &b, e)) > 0 )
    {
        assert(b.nr && (!open || b.segment >= segment));
        if ( open && b.segment != segment )
        {
            rc = finish_segment(a, e);
            open = false;
        }
        else
            rc = 0;
        if ( !rc && !open )
            rc = segment_begin(a, xt_trace_origin(a->trace, &b), 0);
        open = true;
        segment = b.segment;
        rc = rc ? rc : read_batch(a, l, &b);
        if ( rc )
            return rc;
        segment_progress(a, b.items[b.nr - 1].time);
    }
    if ( !rc && !open )
        rc = segment_begin(a, 0, 0);
    return rc ? rc : finish_segment(a, e);
}

int analyze_by_time(struct analysis *a, struct err *e)
{
    struct losses losses = { 0 };
    int rc = read_segments(a, &losses, e);

    free(losses.items);
    return rc;
}
