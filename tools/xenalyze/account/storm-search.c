/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for storms, at the end of a segment.
 */
#include "xenalyze/account/storm-private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/grow.h"

struct storm_search
{
    struct exit_storms *s;
    const struct storm_vcpu *vcpu;
    const struct storm_series *series;
    uint64_t width, last;       /* a window; the segment's end */
    uint64_t least;             /* events */
    uint32_t nr;                /* windows up to the end */
    double typical;             /* events per cycle of running */
};

static bool is_idle_window(const struct storm_search *o, uint32_t i)
{
    const struct storm_window *w = &o->s->search[i];

    assert(i < o->nr);
    return !w->is_unknown && w->running < o->width / 20;
}

static bool has_rate(const struct storm_search *o, uint32_t i)
{
    assert(i < o->nr);
    return !o->s->search[i].is_unknown && !is_idle_window(o, i);
}

static bool is_storm_window(const struct storm_search *o, uint32_t i)
{
    const struct storm_window *w = &o->s->search[i];

    return has_rate(o, i) && w->count >= o->least &&
           (double)w->count >= STORM_TIMES * o->typical * (double)w->running;
}

static int compare_rates(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* False: too few windows have a rate. */
static bool find_typical(struct storm_search *o)
{
    double rates[STORM_WINDOWS];
    uint32_t n = 0;

    assert(o->nr <= STORM_WINDOWS);
    for ( uint32_t i = 0; i < o->nr; i++ )
        if ( has_rate(o, i) )
            rates[n++] = (double)o->s->search[i].count /
                         (double)o->s->search[i].running;
    qsort(rates, n, sizeof(rates[0]), compare_rates);
    if ( n >= STORM_TYPICAL )
        o->typical = rates[n / 2];
    return n >= STORM_TYPICAL;
}

/* The last window of a storm that begins with this window. */
static uint32_t find_storm_end(const struct storm_search *o, uint32_t begin)
{
    uint32_t last = begin;

    assert(is_storm_window(o, begin));
    for ( uint32_t i = begin + 1; i < o->nr && i - last <= STORM_BRIDGE + 1;
          i++ )
        if ( is_storm_window(o, i) )
            last = i;
        else if ( !is_idle_window(o, i) )
            break;
    return last;
}

/* The greatest cost first; all storms differ. */
static int compare_storms(const struct exit_storm *a,
                          const struct exit_storm *b)
{
    const uint64_t keys[][2] = {
        { b->cycles, a->cycles }, { b->events, a->events },
        { a->from, b->from }, { a->domain, b->domain }, { a->vcpu, b->vcpu },
        { a->key, b->key },
    };

    for ( size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++ )
        if ( keys[i][0] != keys[i][1] )
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void keep_storm(struct exit_storms *s, const struct exit_storm *storm)
{
    uint32_t at = s->nr_storms;

    assert(storm->from <= storm->to && at <= STORMS_MAX);
    s->all_storms++;
    while ( at && compare_storms(storm, &s->storms[at - 1]) < 0 )
        at--;
    if ( at == STORMS_MAX )
        return;
    s->nr_storms -= s->nr_storms == STORMS_MAX;
    memmove(&s->storms[at + 1], &s->storms[at],
            (s->nr_storms - at) * sizeof(s->storms[0]));
    s->storms[at] = *storm;
    s->nr_storms++;
}

static void add_storm(const struct storm_search *o, uint32_t begin,
                      uint32_t last)
{
    const struct storm_window *w = o->s->search;
    double hz = (double)xt_clock_hz(&o->s->clock);
    struct storm_series one;
    struct exit_storm storm = {
        .domain = o->vcpu->domain, .vcpu = o->vcpu->id, .key = o->series->key,
        .from = o->s->first + begin * o->width,
        .to = last + 1 == o->nr ? o->last
                                : o->s->first + (last + 1) * o->width,
        .typical = (uint64_t)(o->typical * hz + .5),
        .cut_before = begin && w[begin - 1].is_unknown,
        .cut_after = last + 1 < o->nr && w[last + 1].is_unknown,
    };

    assert(begin <= last && last < o->nr);
    for ( uint32_t i = begin; i <= last; i++ )
    {
        storm.events += w[i].count;
        storm.cycles += w[i].cycles;
        storm.running += w[i].running;
    }
    if ( storm_get_kind(storm.key) != STORM_INJECTION &&
         storm.cycles < storm.running / 100 * STORM_PERCENT )
        return;
    one = *o->series;
    one.next = NULL;
    o->s->failed |= !storm_find_place(&one, storm_get_cause(storm.key), begin,
                                      last, &storm.place);
    keep_storm(o->s, &storm);
}

static bool has_dense_cell(const struct storm_search *o)
{
    for ( uint16_t i = 0; i < o->series->nr; i++ )
        if ( o->series->cells[i].count >= o->least )
            return true;
    return false;
}

static void search_series(struct storm_search *o)
{
    const struct storm_series *x = o->series;

    if ( !has_dense_cell(o) )
        return;
    for ( uint32_t i = 0; i < o->nr; i++ )
        o->s->search[i].count = o->s->search[i].cycles = 0;
    for ( uint16_t i = 0; i < x->nr; i++ )
    {
        assert(x->cells[i].window < STORM_WINDOWS);
        o->s->search[x->cells[i].window].count = x->cells[i].count;
        o->s->search[x->cells[i].window].cycles = x->cells[i].cycles;
    }
    if ( !find_typical(o) )
        return;
    for ( uint32_t i = 0; i < o->nr; i++ )
        if ( is_storm_window(o, i) )
        {
            uint32_t last = find_storm_end(o, i);

            add_storm(o, i, last);
            i = last;
        }
}

static void mark_vcpu(const struct storm_search *o, uint32_t index,
                      uint32_t rates)
{
    struct exit_storms *s = o->s;
    struct storm_marks *m;

    if ( !grow_to_index(&s->marks, &s->nr_marks, index, sizeof(*m)) )
    {
        s->failed = true;
        return;
    }
    m = &s->marks[index];
    m->is_folded |= o->vcpu->is_folded;
    m->is_brief |= rates && rates < STORM_TYPICAL;
    m->is_searched |= rates >= STORM_TYPICAL;
}

/* A vcpu of several segments counts once. */
static void count_marks(struct exit_storms *s)
{
    s->nr_brief = s->nr_folded = 0;
    for ( uint32_t i = 0; i < s->nr_marks; i++ )
    {
        s->nr_brief += s->marks[i].is_brief && !s->marks[i].is_searched;
        s->nr_folded += s->marks[i].is_folded;
    }
}

static void count_windows(const struct storm_search *o, uint32_t index)
{
    uint32_t rates = 0, unknown = 0;

    for ( uint32_t i = 0; i < o->nr; i++ )
    {
        rates += has_rate(o, i);
        unknown += o->s->search[i].is_unknown;
    }
    assert(rates + unknown <= o->nr);
    o->s->nr_windows += rates + unknown;
    o->s->nr_unknown += unknown;
    mark_vcpu(o, index, rates);
}

static void search_vcpu(struct storm_search *o, uint32_t index)
{
    const struct storm_series *x = &o->vcpu->running;

    memset(o->s->search, 0, STORM_WINDOWS * sizeof(*o->s->search));
    for ( uint16_t i = 0; i < x->nr; i++ )
    {
        struct storm_window *w = &o->s->search[x->cells[i].window];

        w->running = x->cells[i].cycles;
        w->is_unknown = x->cells[i].count;
    }
    assert(o->nr <= STORM_WINDOWS);
    count_windows(o, index);
    for ( o->series = o->vcpu->all; o->series; o->series = o->series->next )
        search_series(o);
}

static void coarsen_vcpu(struct storm_vcpu *v, uint8_t shift)
{
    assert(v->running.shift <= shift);
    while ( v->running.shift < shift )
        storm_coarsen(&v->running);
    for ( struct storm_series *x = v->all; x; x = x->next )
        while ( x->shift < shift )
            storm_coarsen(x);
}

/* All series get windows of the same length. */
static uint8_t find_shift(const struct exit_storms *s, uint64_t last)
{
    uint8_t shift = 0;

    while ( last > s->first &&
            (last - s->first) / s->shortest >> shift >= STORM_WINDOWS )
        shift++;
    for ( uint32_t i = 0; i < s->nr_vcpus; i++ )
    {
        const struct storm_vcpu *v = s->vcpus[i];

        if ( v && v->running.shift > shift )
            shift = v->running.shift;
        for ( const struct storm_series *x = v ? v->all : NULL; x; x = x->next )
            shift = x->shift > shift ? x->shift : shift;
    }
    assert(shift < 64);
    return shift;
}

void storm_search_segment(struct exit_storms *s, uint64_t last)
{
    uint8_t shift = find_shift(s, last);
    struct storm_search o = { .s = s, .width = s->shortest << shift,
                              .last = last };
    uint64_t per_window = STORM_PER_SECOND *
                          ((uint64_t)STORM_WINDOW_NS << shift) / 1000000000u;

    s->width = o.width;
    if ( last <= s->first )
        return;
    o.nr = (uint32_t)((last - 1 - s->first) / o.width) + 1;
    o.least = per_window > STORM_EVENTS ? per_window : STORM_EVENTS;
    assert(o.nr <= STORM_WINDOWS);
    for ( uint32_t i = 0; i < s->nr_vcpus; i++ )
    {
        if ( !s->vcpus[i] )
            continue;
        o.vcpu = s->vcpus[i];
        s->has_events |= o.vcpu->all != NULL;
        coarsen_vcpu(s->vcpus[i], shift);
        search_vcpu(&o, i);
    }
    count_marks(s);
    exit_phases_search(s, o.width, o.nr, last);
}
