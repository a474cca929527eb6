/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All sums are independent of the order of facts: threads count exits of the
 * same vcpu in series of their own, which are added up.
 */
#include "xenalyze/account/exit-storm.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/account/storm-private.h"
#include "xenalyze/account/vcpu-array.h"

/* --- facts ---------------------------------------------------------------- */

static struct storm_vcpu *get_storm_vcpu(struct exit_storms *s,
                                         const struct vcpu *v)
{
    return vcpu_array_get(&s->vcpus, &s->nr_vcpus, v, &s->arena,
                          sizeof(struct storm_vcpu),
                          _Alignof(struct storm_vcpu), &s->failed);
}

static inline uint64_t find_window(struct exit_storms *s, uint64_t time)
{
    if ( time - s->window_from < s->shortest && time >= s->window_from )
        return s->window;
    s->window = time > s->first ? (time - s->first) / s->shortest : 0;
    s->window_from = s->first + s->window * s->shortest;
    return s->window;
}

/* NULL: no memory. */
static inline struct storm_cell *count_storm_event(struct exit_storms *s,
                                                   const struct vcpu *v,
                                                   uint64_t key, uint64_t time,
                                                   uint64_t cycles)
{
    struct storm_series *x;

    if ( v != s->latest )
    {
        s->latest_own = get_storm_vcpu(s, v);
        s->latest = s->latest_own ? v : NULL;
    }
    x = s->latest_own ? storm_get_series(s, s->latest_own, key) : NULL;
    return x ? storm_add(s, x, find_window(s, time), 1, cycles) : NULL;
}

static uint64_t find_detail(const struct fact_handle *f)
{
    if ( f->kind == HANDLE_PIO )
        return storm_make_detail(STORM_PORT, f->at);
    if ( f->kind == HANDLE_MMIO )
        return storm_make_detail(STORM_MEMORY, f->at >> STORM_PAGE_BITS);
    if ( f->kind == HANDLE_INTERRUPT && f->has_value )
        return storm_make_detail(STORM_VECTOR, f->at);
    return storm_make_detail(STORM_EXIT, 0);
}

/* The handlers of an exit come just before the exit. */
static void storms_add_handle(void *state, const struct fact_handle *f)
{
    struct exit_storms *s = state;

    if ( f->kind == HANDLE_INJECT )
        count_storm_event(s, f->vcpu,
                          storm_make_detail(STORM_INJECTION, f->at & 0xff),
                          f->time, 0);
    if ( !f->exit || !f->main || s->has_detail )
        return;
    s->detail = find_detail(f);
    s->has_detail = true;
}

static void storms_add_exit(void *state, const struct fact_exit *f)
{
    struct exit_storms *s = state;
    uint64_t detail = s->has_detail ? s->detail
                                    : storm_make_detail(STORM_EXIT, 0);
    struct storm_cell *c;

    debug_assert(f->cause < EXIT_CAUSES);
    s->has_detail = false;
    c = count_storm_event(s, f->vcpu, storm_make_key(detail, f->cause),
                          f->start, f->cycles);
    if ( c )
        storm_sample(c, f->start * UINT64_C(0x9e3779b97f4a7c15) >> 32, f->rip);
}

/* The time off the pcpu is no time in Xen. */
static void storms_add_exit_block(void *state, const struct fact_exit_block *f)
{
    struct exit_storms *s = state;
    uint64_t detail = f->handle ? find_detail(f->handle)
                                : storm_make_detail(STORM_EXIT, 0);
    struct storm_vcpu *v = get_storm_vcpu(s, f->exit->vcpu);
    struct storm_series *x =
        v ? storm_get_series(s, v, storm_make_key(detail, f->exit->cause))
          : NULL;

    assert(f->cycles <= f->exit->cycles);
    if ( x )
        storm_add(s, x, find_window(s, f->exit->start), 0, -f->cycles);
}

static void storms_add_runstate(void *state, const struct fact_runstate *f)
{
    struct exit_storms *s = state;
    bool is_unknown = f->state == STATE_LOST;
    struct storm_vcpu *v;

    assert(f->from <= f->to);
    if ( vcpu_is_idle(f->vcpu) || (!is_unknown && f->state != STATE_RUNNING) )
        return;
    if ( !is_unknown && s->wants_pcpu && !s->wants_pcpu(s->filter, f->pcpu) )
        return;
    v = get_storm_vcpu(s, f->vcpu);
    if ( v )
        storm_add_span(s, &v->running, f->from, f->to, is_unknown);
}

/* --- shards and segments -------------------------------------------------- */

void exit_storms_init(struct exit_storms *s)
{
    assert(!s->vcpus && !s->search);
    arena_init(&s->arena, 0);
}

void exit_storms_fini(struct exit_storms *s)
{
    assert(s->nr_storms <= STORMS_MAX);
    free(s->vcpus);
    free(s->search);
    free(s->phases);
    free(s->marks);
    arena_fini(&s->arena);
}

void exit_storms_select_pcpus(struct exit_storms *s,
                              bool (*wants)(const void *filter,
                                            unsigned int pcpu),
                              const void *filter)
{
    assert(!s->vcpus);
    s->wants_pcpu = wants;
    s->filter = filter;
}

static int clone_storms(void **shard, const void *state)
{
    const struct exit_storms *s = state;
    struct exit_storms *other = *shard = fault_calloc(1, sizeof(*other));

    if ( !other )
        return -ENOMEM;
    exit_storms_init(other);
    other->first = other->window_from = s->first;
    other->shortest = s->shortest;
    assert(other->shortest);
    return 0;
}

static void merge_storm_vcpu(struct exit_storms *to, uint32_t index,
                             const struct storm_vcpu *from)
{
    const struct domain d = { .id = from->domain };
    const struct vcpu name = { .index = index, .id = from->id,
                               .domain = (struct domain *)&d };
    struct storm_vcpu *v = get_storm_vcpu(to, &name);

    assert(!from->running.nr);          /* global: not in a shard */
    if ( v && from->is_folded && !v->is_folded )
        storm_fold_vcpu(to, v);
    for ( const struct storm_series *x = v ? from->all : NULL; x; x = x->next )
    {
        struct storm_series *own = storm_get_series(to, v, x->key);

        if ( own )
            storm_merge_series(to, own, x);
    }
}

static int merge_storms(void *state, void *shard)
{
    struct exit_storms *to = state, *from = shard;

    assert(to != from);
    for ( uint32_t i = 0; i < from->nr_vcpus; i++ )
        if ( from->vcpus[i] )
            merge_storm_vcpu(to, i, from->vcpus[i]);
    to->failed |= from->failed;
    exit_storms_fini(from);
    free(from);
    return to->failed ? -ENOMEM : 0;
}

static void begin_storms(void *state, const struct fact_begin *f)
{
    struct exit_storms *s = state;

    if ( !f->segment )
        s->clock = *f->clock;
    s->first = s->window_from = f->first;
    s->window = 0;
    s->shortest = xt_clock_cycles(f->clock, STORM_WINDOW_NS);
    s->shortest += !s->shortest;
    assert(!s->has_detail && !s->latest);
}

/* Times of the next segment cannot be compared. */
static void forget_segment(struct exit_storms *s)
{
    assert(s->nr_storms <= STORMS_MAX);
    if ( s->nr_vcpus )
        memset(s->vcpus, 0, s->nr_vcpus * sizeof(s->vcpus[0]));
    arena_reset(&s->arena);
    s->latest = NULL;
    s->latest_own = NULL;
    s->has_detail = false;
}

static int end_storms(void *state, const struct fact_end *f, struct err *e)
{
    struct exit_storms *s = state;

    assert(s->shortest);
    if ( !s->search )
        s->search = fault_calloc(STORM_WINDOWS, sizeof(*s->search));
    s->failed |= !s->search;
    if ( !s->failed )
        storm_search_segment(s, f->last);
    forget_segment(s);
    return s->failed ? err_sys(e, -ENOMEM, "cannot search for storms") : 0;
}

struct sink exit_storms_sink(struct exit_storms *s)
{
    static const struct sink_ops ops = {
        .name = "exit storms", .clone = clone_storms, .merge = merge_storms,
        .begin = begin_storms, .end = end_storms,
        .runstate = storms_add_runstate, .exit_block = storms_add_exit_block,
        .exit = storms_add_exit, .handle = storms_add_handle,
    };

    assert(s->nr_storms == 0);
    return (struct sink){ &ops, s };
}

uint64_t storm_per_second(const struct exit_storms *s,
                          const struct exit_storm *storm)
{
    assert(storm->running);
    return (uint64_t)((double)storm->events *
                      (double)xt_clock_hz(&s->clock) /
                      (double)storm->running + .5);
}
