/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wait is a fact at its end, and its vcpu wakes others only afterwards.  So
 * the wait of a waker is always known when the wait of the woken vcpu ends.
 */
#include "xenalyze/account/wakeup-chain.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/grow.h"

#define INDEX_BITS 21u          /* three indices fit into a key */
#define INDEX_MASK ((1u << INDEX_BITS) - 1)

void wakeup_chains_init(struct wakeup_chains *c)
{
    stats_pool_init(&c->pool);
}

void wakeup_chains_fini(struct wakeup_chains *c)
{
    free(c->vcpus);
    stats_pool_fini(&c->pool);
}

static bool add_wakeup_vcpu(struct wakeup_chains *c, const struct vcpu *v)
{
    if ( !grow_to_index(&c->vcpus, &c->nr_vcpus, v->index,
                        sizeof(*c->vcpus)) )
    {
        c->failed = true;
        return false;
    }
    c->vcpus[v->index].domain = v->domain->id;
    c->vcpus[v->index].id = v->id;
    return true;
}

/* The waker was woken shortly before. */
static void add_chain(struct wakeup_chains *c, uint32_t waker,
                      const struct fact_wait *f)
{
    const struct wakeup_vcpu *w = &c->vcpus[waker];
    uint32_t woken = f->vcpu->index;
    uint64_t key = (uint64_t)w->waker << 2 * INDEX_BITS |
                   (uint64_t)waker << INDEX_BITS | woken;

    debug_assert(w->woken <= f->to);
    if ( (w->waker | waker | woken) > INDEX_MASK )
    {
        c->ignored++;
        return;
    }
    stats_map_add(&c->lengths, &c->pool, key, f->to - w->woken, w->woken);
    stats_map_add(&c->waits, &c->pool, key, f->to - f->from + w->waited,
                  w->woken);
}

static bool is_chain(const struct wakeup_chains *c,
                     const struct wakeup_vcpu *waker,
                     const struct fact_wait *f)
{
    return waker->has_waker && waker->ran <= f->woken &&
           f->woken - waker->woken <= c->limit;
}

static void wakeup_chains_wait(void *state, const struct fact_wait *f)
{
    struct wakeup_chains *c = state;
    bool has_waker = f->waker && !vcpu_is_idle(f->waker);
    struct wakeup_vcpu *own;

    if ( f->why != WHY_WAKE || !add_wakeup_vcpu(c, f->vcpu) ||
         (has_waker && !add_wakeup_vcpu(c, f->waker)) )
        return;
    own = &c->vcpus[f->vcpu->index];
    if ( has_waker && is_chain(c, &c->vcpus[f->waker->index], f) )
        add_chain(c, f->waker->index, f);
    own->has_waker = has_waker;
    own->waker = has_waker ? f->waker->index : 0;
    own->woken = f->woken;
    own->ran = f->to;
    own->waited = f->to - f->from;
}

static void wakeup_chains_begin(void *state, const struct fact_begin *f)
{
    struct wakeup_chains *c = state;

    if ( f->segment )
        return;
    c->clock = *f->clock;
    c->limit = xt_clock_cycles(&c->clock, WAKEUP_CHAIN_NS);
}

/* Times of the next segment cannot be compared. */
static int wakeup_chains_end(void *state, const struct fact_end *f,
                             struct err *e)
{
    struct wakeup_chains *c = state;

    (void)f;
    for ( uint32_t i = 0; i < c->nr_vcpus; i++ )
        c->vcpus[i].has_waker = false;
    return wakeup_chains_have_failed(c)
           ? err_sys(e, -ENOMEM, "cannot keep chains of wake-ups") : 0;
}

struct sink wakeup_chains_sink(struct wakeup_chains *c)
{
    static const struct sink_ops ops = {
        .name = "wakeup chains", .no_rivals = true,
        .begin = wakeup_chains_begin, .end = wakeup_chains_end,
        .wait = wakeup_chains_wait,
    };

    return (struct sink){ &ops, c };
}

void wakeup_chain_find(const struct wakeup_chains *c, uint64_t key,
                       const struct wakeup_vcpu *vcpus[WAKEUP_CHAIN_VCPUS])
{
    for ( unsigned int i = 0; i < WAKEUP_CHAIN_VCPUS; i++ )
    {
        uint32_t index = key >> (WAKEUP_CHAIN_VCPUS - 1 - i) * INDEX_BITS &
                         INDEX_MASK;

        assert(index < c->nr_vcpus);
        vcpus[i] = &c->vcpus[index];
    }
}

/* --- order ---------------------------------------------------------------- */

/*
 * The index of a vcpu depends on the order in which threads find the vcpus, so
 * chains are sorted by the ranks of their vcpus.
 */
struct ranked
{
    uint64_t order;
    uint32_t index;
    struct stats_row *row;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->order < y->order ? -1 : x->order > y->order;
}

static struct ranked *new_ranked(struct wakeup_chains *c, size_t n)
{
    struct ranked *all = arena_array(&c->pool.arena, n, sizeof(*all),
                                     _Alignof(struct ranked));

    c->failed |= !all;
    return all;
}

static bool rank_vcpus(struct wakeup_chains *c)
{
    struct ranked *all = new_ranked(c, c->nr_vcpus);

    for ( uint32_t i = 0; all && i < c->nr_vcpus; i++ )
        all[i] = (struct ranked){
            (uint64_t)c->vcpus[i].domain << 16 | c->vcpus[i].id, i, NULL };
    if ( !all )
        return false;
    qsort(all, c->nr_vcpus, sizeof(*all), compare_ranked);
    for ( uint32_t i = 0; i < c->nr_vcpus; i++ )
        c->vcpus[all[i].index].rank = i;
    return true;
}

static uint64_t rank_chain(const struct wakeup_chains *c, uint64_t key)
{
    const struct wakeup_vcpu *vcpus[WAKEUP_CHAIN_VCPUS];
    uint64_t order = 0;

    wakeup_chain_find(c, key, vcpus);
    for ( unsigned int i = 0; i < WAKEUP_CHAIN_VCPUS; i++ )
        order = order << INDEX_BITS | (vcpus[i]->rank & INDEX_MASK);
    return order;
}

struct stats_row **wakeup_chains_sort(struct wakeup_chains *c)
{
    struct stats_row **rows = stats_map_by_key(&c->lengths, &c->pool);
    size_t n = c->lengths.used;
    struct ranked *all;

    if ( !rows || !rank_vcpus(c) )
        return NULL;
    all = new_ranked(c, n);
    for ( size_t i = 0; all && i < n; i++ )
        all[i] = (struct ranked){ rank_chain(c, rows[i]->key), i, rows[i] };
    if ( !all )
        return NULL;
    qsort(all, n, sizeof(*all), compare_ranked);
    for ( size_t i = 0; i < n; i++ )
        rows[i] = all[i].row;
    return rows;
}
