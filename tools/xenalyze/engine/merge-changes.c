/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways to the same order: the queues of a few pcpus merge on their way to
 * the scene; of more, all changes are sorted before the first one goes.
 */
#include "xenalyze/engine/merge-changes.h"

#include <errno.h>

#include "libxentrace/internal.h"

#define AHEAD 4u                /* changes, in which memory answers */

void settle_fini(struct settle *s)
{
    xt_slice_fini(&s->slice);
}

/*
 * Who changes soon: what is known of it comes while others change.  In line,
 * since a call does nothing that the compiler knows of, and would go.
 */
__attribute__((always_inline))
static inline void fetch(const struct change *soon, const struct change *later)
{
    __builtin_prefetch(later->vcpu);
    if ( soon->vcpu )
        vcpu_prefetch_state(soon->vcpu);
}

/* From when to when there are changes, and how many. */
struct span
{
    uint64_t begin, last;
    size_t nr;
};

/* --- a few ---------------------------------------------------------------- */

/* From the queue whose turn it is, all that is before any other. */
static void merge(struct settle *s, const struct span *span,
                  struct global *global)
{
    size_t next[XT_KMERGE_MAX] = { 0 };
    struct xt_kmerge turns;
    unsigned int who;
    uint64_t last;

    xt_kmerge_init(&turns, s->nr_queues, span->begin);
    for ( unsigned int i = 0; i < s->nr_queues; i++ )
        if ( s->queues[i]->nr )
            xt_kmerge_set_head(&turns, i, s->queues[i]->items[0].time);
    while ( xt_kmerge_next(&turns, &who, &last) )
    {
        const struct changes *q = s->queues[who];
        const struct change *c = q->items + next[who];
        const struct change *end = q->items + q->nr;

        do
        {
            if ( end - c > (ptrdiff_t)(2 * AHEAD) )
                fetch(c + AHEAD, c + 2 * AHEAD);
            global_apply(global, c++);
        }
        while ( c < end && c->time <= last );
        next[who] = c - q->items;
        if ( c < end )
            xt_kmerge_set_head(&turns, who, c->time);
        else
            xt_kmerge_end_run(&turns, who);
    }
}

/* --- many ----------------------------------------------------------------- */

static int make_room(struct xt_slice *s, size_t nr)
{
    if ( nr <= s->room )
        return 0;
    xt_slice_fini(s);
    return xt_slice_init(s, nr + nr / 2);
}

/* The changes of all queues, queue by queue. */
static void collect(struct settle *s, const struct span *span)
{
    struct xt_slice *slice = &s->slice;

    xt_slice_clear(slice);
    slice->begin = span->begin;
    slice->last = span->last;
    for ( unsigned int i = 0; i < s->nr_queues; i++ )
    {
        const struct changes *q = s->queues[i];

        xt_slice_begin_run(slice);
        for ( size_t k = 0; k < q->nr; k++ )
            slice->items[slice->nr++] = (struct xt_item){
                .time = q->items[k].time, .where = (uintptr_t)&q->items[k],
            };
    }
}

static inline const struct change *change_at(const struct xt_slice *s, size_t i)
{
    return (const struct change *)(uintptr_t)s->sorted[i].where;
}

static int sort(struct settle *s, const struct span *span,
                struct global *global)
{
    struct xt_slice *slice = &s->slice;
    int rc = make_room(slice, span->nr);

    if ( rc )
        return rc;
    collect(s, span);
    xt_slice_sort(slice);
    for ( size_t i = 0; i < span->nr; i++ )
    {
        if ( i + 2 * AHEAD < span->nr )
            fetch(change_at(slice, i + AHEAD),
                  change_at(slice, i + 2 * AHEAD));
        global_apply(global, change_at(slice, i));
    }
    return 0;
}

/* --- either --------------------------------------------------------------- */

static struct span span_of(const struct settle *s)
{
    struct span span = { .begin = UINT64_MAX };

    for ( unsigned int i = 0; i < s->nr_queues; i++ )
    {
        const struct changes *q = s->queues[i];

        if ( !q->nr )
            continue;
        if ( q->items[0].time < span.begin )
            span.begin = q->items[0].time;
        if ( q->items[q->nr - 1].time > span.last )
            span.last = q->items[q->nr - 1].time;
        span.nr += q->nr;
    }
    return span;
}

int settle_all(struct settle *s, struct global *global)
{
    const struct span span = span_of(s);
    int rc = 0;

    if ( span.nr && xt_kmerge_fits(s->nr_queues, span.begin, span.last) )
        merge(s, &span, global);
    else if ( span.nr )
        rc = sort(s, &span, global);
    for ( unsigned int i = 0; i < s->nr_queues; i++ )
        s->queues[i]->nr = 0;
    return rc;
}
