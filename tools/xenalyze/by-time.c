/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All records in the order of time, one thread: for what is no file that can
 * be mapped, and for sinks that want it so.  Each pcpu's machine gets its
 * records, and what these change is seen by the scene at once.
 *
 * A loss is known when it is over, from the LOST record; but it began earlier,
 * and others' records since then are to be doubted.  So a file is looked
 * through for losses first; of a stream they are found in the batch at hand,
 * and one that began before it is taken to begin with it.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/analysis.h"

struct loss
{
    uint64_t time;
    unsigned int pcpu;
};

struct losses
{
    struct loss *items;
    size_t nr, room, next;      /* next: the first that has not begun */
};

static int add_loss(struct losses *l, const struct xt_record *r,
                    unsigned int pcpu)
{
    struct loss *items;
    size_t room;

    if ( l->nr == l->room )
    {
        room = l->room ? 2 * l->room : 64;
        items = fault_realloc(l->items, room * sizeof(*items));
        if ( !items )
            return -ENOMEM;
        l->items = items;
        l->room = room;
    }
    l->items[l->nr++] = (struct loss){ xt_load64(r->payload + 8), pcpu };
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct loss *x = a, *y = b;

    if ( x->time != y->time )
        return x->time < y->time ? -1 : 1;
    return x->pcpu < y->pcpu ? -1 : x->pcpu > y->pcpu;
}

static int find_losses(struct losses *l, const struct xt_batch *b)
{
    struct xt_record r;
    int rc = 0;

    l->nr = l->next = 0;
    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        if ( r.event == TRC_LOST_RECORDS )
            rc = add_loss(l, &r, xt_item_cpu(&b->items[i]));
    }
    qsort(l->items, l->nr, sizeof(*l->items), by_time);
    return rc;
}

static int begin_losses(struct analysis *a, struct losses *l, uint64_t time)
{
    struct pcpu *p;
    int rc = 0;

    for ( ; !rc && l->next < l->nr && l->items[l->next].time <= time;
          l->next++ )
    {
        p = segment_pcpu(a, l->items[l->next].pcpu);
        if ( !p )
            return -ENOMEM;
        pcpu_loss_begins(p, l->items[l->next].time);
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
    int rc = find_losses(l, b);

    for ( const struct xt_item *i = b->items; !rc && i < end; i++ )
    {
        xt_batch_record(b, i, &r);
        if ( l->next < l->nr )
            rc = begin_losses(a, l, i->time);
        p = segment_pcpu(a, xt_item_cpu(i));
        if ( rc || !p )
            return -ENOMEM;
        pcpu_record(p, &r, i->time);
        if ( p->changes.nr || p->changes.failed )
            rc = segment_changes(a, p);
    }
    arena_reset(&a->shards[0].scratch);
    return rc;
}

/* Who ran when a pcpu's records end, earliest end first. */
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
            rc = segment_changes(a, next);
        }
    }
    while ( next && !rc );
    return rc;
}

static int read_segments(struct analysis *a, struct losses *l, struct err *e)
{
    struct xt_batch b;
    unsigned int segment = 0;
    bool open = false;
    int rc;

    while ( (rc = xt_trace_next_batch(a->trace, &b, e)) > 0 )
    {
        if ( open && b.segment != segment )
        {
            rc = end_pcpus(a);
            rc = rc ? rc : segment_end(a, e);
            open = false;
        }
        else
            rc = 0;
        if ( !rc && !open )
            rc = segment_begin(a, b.items[0].time, 0);
        open = true;
        segment = b.segment;
        rc = rc ? rc : read_batch(a, l, &b);
        if ( rc )
            return rc;
    }
    if ( !rc && !open )
        rc = segment_begin(a, 0, 0);
    if ( !rc )
        rc = end_pcpus(a);
    return rc ? rc : segment_end(a, e);
}

int analyze_by_time(struct analysis *a, struct err *e)
{
    struct losses losses = { 0 };
    int rc = read_segments(a, &losses, e);

    free(losses.items);
    return rc;
}
