/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways to the same order: the queues of few pcpus are merged while their
 * changes are applied; the changes of many pcpus are sorted first.
 */
#include "xenalyze/engine/merge-changes.h"

#include <assert.h>
#include <errno.h>

#include "common/debug.h"
#include "libxentrace/internal.h"

#define AHEAD 4u                /* changes applied while memory answers */

void change_merge_fini(struct change_merge *m)
{
    xt_slice_fini(&m->slice);
}

/*
 * Prefetch the vcpus of coming changes.  Inline, since the compiler would drop
 * the call of a function without effects.
 */
__attribute__((always_inline))
static inline void prefetch_changes(const struct change *soon,
                                    const struct change *later)
{
    __builtin_prefetch(later->vcpu);
    if ( soon->vcpu )
        vcpu_prefetch_state(soon->vcpu);
}

/* Times of the first and the last change of all queues, and their number. */
struct span
{
    uint64_t begin, last;
    size_t nr;
};

/* --- few queues ---------------------------------------------------------- */

/* Apply runs: changes of one queue that precede all other queues' changes. */
static void merge_queues(struct change_merge *m, const struct span *span,
                             struct global *global)
{
    size_t next[XT_KMERGE_MAX] = { 0 };
    struct xt_kmerge merge;
    unsigned int queue;
    uint64_t last;

    assert(m->nr_queues <= XT_KMERGE_MAX);
    xt_kmerge_init(&merge, m->nr_queues, span->begin);
    for ( unsigned int i = 0; i < m->nr_queues; i++ )
        if ( m->queues[i]->nr )
            xt_kmerge_set_head(&merge, i, m->queues[i]->items[0].time);
    while ( xt_kmerge_next(&merge, &queue, &last) )
    {
        const struct changes *q = m->queues[queue];
        const struct change *c = q->items + next[queue];
        const struct change *end = q->items + q->nr;

        debug_assert(c < end);
        do
        {
            if ( end - c > (ptrdiff_t)(2 * AHEAD) )
                prefetch_changes(c + AHEAD, c + 2 * AHEAD);
            global_apply(global, c++);
            debug_assert(c == end || c[-1].time <= c->time);
        }
        while ( c < end && c->time <= last );
        next[queue] = c - q->items;
        if ( c < end )
            xt_kmerge_set_head(&merge, queue, c->time);
        else
            xt_kmerge_end_run(&merge, queue);
    }
}

/* --- many queues --------------------------------------------------------- */

static int reserve_slice(struct xt_slice *s, size_t nr)
{
    if ( nr <= s->room )
        return 0;
    xt_slice_fini(s);
    return xt_slice_init(s, nr + nr / 2);
}

/* Gather the changes, queue by queue. */
static void collect_changes(struct change_merge *m, const struct span *span)
{
    struct xt_slice *slice = &m->slice;

    assert(span->nr <= slice->room);
    xt_slice_clear(slice);
    slice->begin = span->begin;
    slice->last = span->last;
    for ( unsigned int i = 0; i < m->nr_queues; i++ )
    {
        const struct changes *q = m->queues[i];

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

static int sort_changes(struct change_merge *m, const struct span *span,
                            struct global *global)
{
    struct xt_slice *slice = &m->slice;
    int rc = reserve_slice(slice, span->nr);

    if ( rc )
        return rc;
    collect_changes(m, span);
    xt_slice_sort(slice);
    debug_assert(slice->nr == span->nr);
    for ( size_t i = 0; i < span->nr; i++ )
    {
        if ( i + 2 * AHEAD < span->nr )
            prefetch_changes(change_at(slice, i + AHEAD),
                             change_at(slice, i + 2 * AHEAD));
        global_apply(global, change_at(slice, i));
    }
    return 0;
}

/* --- any number ---------------------------------------------------------- */

static struct span measure_queues(const struct change_merge *m)
{
    struct span span = { .begin = UINT64_MAX };

    for ( unsigned int i = 0; i < m->nr_queues; i++ )
    {
        const struct changes *q = m->queues[i];

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

int change_merge_apply(struct change_merge *m, struct global *global)
{
    const struct span span = measure_queues(m);
    int rc = 0;

    debug_assert(!span.nr || span.begin <= span.last);
    if ( span.nr && xt_kmerge_fits(m->nr_queues, span.begin, span.last) )
        merge_queues(m, &span, global);
    else if ( span.nr )
        rc = sort_changes(m, &span, global);
    for ( unsigned int i = 0; i < m->nr_queues; i++ )
        m->queues[i]->nr = 0;
    return rc;
}
