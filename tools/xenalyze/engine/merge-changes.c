/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways to the same order: few pcpus are merged during the application of
 * their changes; changes of many pcpus are sorted first.  To sort those of few
 * pcpus by another thread saves that one 3 ns a change and costs 10.
 */
#include "xenalyze/engine/merge-changes.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/internal.h"

#define AHEAD 4u                /* changes applied while memory answers */

static void remove_queues(struct change_merge *m)
{
    m->nr_queues = 0;
    m->nr = 0;
    m->is_sorted = false;
    m->begin = UINT64_MAX;
    m->last = 0;
}

int change_merge_init(struct change_merge *m, unsigned int nr_queues)
{
    *m = (struct change_merge){ .room = nr_queues };
    remove_queues(m);
    m->queues = fault_calloc(nr_queues ? nr_queues : 1, sizeof(*m->queues));
    return m->queues ? 0 : -ENOMEM;
}

void change_merge_fini(struct change_merge *m)
{
    free(m->queues);
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

/* --- few queues ----------------------------------------------------------- */

/* Apply runs: changes of one queue that precede all other queues' changes. */
static void merge_queues(const struct change_merge *m, struct global *global)
{
    size_t next[XT_KMERGE_MAX] = { 0 };
    struct xt_kmerge merge;
    unsigned int queue;
    uint64_t last;

    assert(m->nr_queues <= XT_KMERGE_MAX);
    xt_kmerge_init(&merge, m->nr_queues, m->begin);
    for ( unsigned int i = 0; i < m->nr_queues; i++ )
        if ( m->queues[i].nr )
            xt_kmerge_set_head(&merge, i, m->queues[i].items[0].time);
    while ( xt_kmerge_next(&merge, &queue, &last) )
    {
        const struct change_queue *q = &m->queues[queue];
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

/* --- many queues ---------------------------------------------------------- */

static int reserve_slice(struct xt_slice *s, size_t nr)
{
    if ( nr <= s->room )
        return 0;
    xt_slice_fini(s);
    return xt_slice_init(s, nr + nr / 2);
}

/* Gather the changes, queue by queue. */
static void collect_changes(const struct change_merge *m,
                            struct xt_slice *slice)
{
    assert(m->nr <= slice->room);
    xt_slice_clear(slice);
    slice->begin = m->begin;
    slice->last = m->last;
    for ( unsigned int i = 0; i < m->nr_queues; i++ )
    {
        const struct change_queue *q = &m->queues[i];

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

static void apply_sorted(const struct xt_slice *slice, struct global *global)
{
    for ( size_t i = 0; i < slice->nr; i++ )
    {
        if ( i + 2 * AHEAD < slice->nr )
            prefetch_changes(change_at(slice, i + AHEAD),
                             change_at(slice, i + 2 * AHEAD));
        global_apply(global, change_at(slice, i));
    }
}

/* --- any number ----------------------------------------------------------- */

void change_merge_add(struct change_merge *m, const struct changes *queue)
{
    assert(m->nr_queues < m->room && !m->is_sorted);
    m->queues[m->nr_queues++] =
        (struct change_queue){ queue->items, queue->nr };
    if ( !queue->nr )
        return;
    if ( queue->items[0].time < m->begin )
        m->begin = queue->items[0].time;
    if ( queue->items[queue->nr - 1].time > m->last )
        m->last = queue->items[queue->nr - 1].time;
    m->nr += queue->nr;
    debug_assert(m->begin <= m->last);
}

static bool has_few_queues(const struct change_merge *m)
{
    return xt_kmerge_fits(m->nr_queues, m->begin, m->last);
}

static int sort_changes(struct change_merge *m)
{
    int rc = reserve_slice(&m->slice, m->nr);

    if ( rc )
        return rc;
    collect_changes(m, &m->slice);
    xt_slice_sort(&m->slice);
    debug_assert(m->slice.nr == m->nr);
    m->is_sorted = true;
    return 0;
}

int change_merge_prepare(struct change_merge *m)
{
    return !m->nr || m->is_sorted || has_few_queues(m) ? 0 : sort_changes(m);
}

int change_merge_apply(struct change_merge *m, struct global *global)
{
    int rc = change_merge_prepare(m);

    if ( m->is_sorted )
        apply_sorted(&m->slice, global);
    else if ( !rc && m->nr )
        merge_queues(m, global);
    remove_queues(m);
    return rc;
}
