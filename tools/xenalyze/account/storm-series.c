/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of exits and interrupts by window, in series of which each has one
 * reason and detail.
 */
#include "xenalyze/account/storm-private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

/* --- keys ----------------------------------------------------------------- */

enum storm_kind storm_get_kind(uint64_t key)
{
    assert(key >> STORM_KIND_SHIFT < STORM_KINDS);
    return key >> STORM_KIND_SHIFT;
}

unsigned int storm_get_cause(uint64_t key)
{
    unsigned int cause = key >> STORM_DETAIL_BITS & 0xffff;

    assert(cause < EXIT_CAUSES);
    return cause;
}

uint64_t storm_get_detail(uint64_t key)
{
    return storm_get_kind(key) == STORM_MEMORY
           ? (key & STORM_DETAIL_MASK) << STORM_PAGE_BITS
           : key & STORM_DETAIL_MASK;
}

/* Is the series one of those that are limited in number? */
static bool has_detail(uint64_t key)
{
    return storm_get_kind(key) != STORM_EXIT &&
           storm_get_kind(key) != STORM_INJECTION;
}

static uint64_t make_cause_key(uint64_t key)
{
    return storm_make_key(storm_make_detail(STORM_EXIT, 0),
                          storm_get_cause(key));
}

/* --- series --------------------------------------------------------------- */

static void merge_sample(struct storm_cell *to, const struct storm_cell *from)
{
    if ( from->sampled )
        storm_sample(to, from->sampled - 1, from->rip);
}

void storm_coarsen(struct storm_series *x)
{
    uint16_t kept = 0;

    assert(x->nr <= STORM_WINDOWS);
    for ( uint16_t i = 0; i < x->nr; i++ )
    {
        struct storm_cell c = x->cells[i];

        c.window /= 2;
        if ( kept && x->cells[kept - 1].window == c.window )
        {
            x->cells[kept - 1].count += c.count;
            x->cells[kept - 1].cycles += c.cycles;
            merge_sample(&x->cells[kept - 1], &c);
        }
        else
            x->cells[kept++] = c;
    }
    x->nr = kept;
    x->shift++;
}

/* Make room for the shortest window `at`. */
static void coarsen_for_window(struct storm_series *x, uint64_t at)
{
    while ( at >> x->shift >= STORM_WINDOWS )
        storm_coarsen(x);
}

static bool grow_cells(struct exit_storms *s, struct storm_series *x)
{
    uint16_t room = x->room ? 2 * x->room : 1;
    struct storm_cell *larger;

    assert(x->nr == x->room && x->room < STORM_WINDOWS);
    larger = arena_array(&s->arena, room, sizeof(*larger), 8);
    if ( !larger )
    {
        s->failed = true;
        return false;
    }
    if ( x->nr )
        memcpy(larger, x->cells, x->nr * sizeof(*larger));
    x->cells = larger;
    x->room = room;
    return true;
}

/* Facts of a pcpu come in order, so the cell is usually among the last. */
struct storm_cell *storm_get_cell_slow(struct exit_storms *s,
                                       struct storm_series *x, uint64_t at)
{
    uint64_t window;
    uint16_t i = x->nr;

    coarsen_for_window(x, at);
    window = at >> x->shift;
    for ( i = x->nr; i && x->cells[i - 1].window > window; )
        i--;
    if ( !i || x->cells[i - 1].window != window )
    {
        if ( x->nr == x->room && !grow_cells(s, x) )
            return NULL;
        memmove(&x->cells[i + 1], &x->cells[i],
                (x->nr - i) * sizeof(x->cells[0]));
        x->cells[i++] = (struct storm_cell){ .window = window };
        x->nr++;
    }
    assert(x->nr <= STORM_WINDOWS);
    return &x->cells[i - 1];
}

void storm_add_span(struct exit_storms *s, struct storm_series *x,
                    uint64_t from, uint64_t to, bool is_unknown)
{
    uint64_t width;

    from = from > s->first ? from : s->first;
    if ( from >= to )
        return;
    coarsen_for_window(x, (to - 1 - s->first) / s->shortest);
    width = s->shortest << x->shift;
    while ( from < to )
    {
        uint64_t window = (from - s->first) / width;
        uint64_t part = width - (from - s->first) % width;

        part = part < to - from ? part : to - from;
        storm_add(s, x, window << x->shift, is_unknown, is_unknown ? 0 : part);
        from += part;
    }
}

/* --- series of vcpus ------------------------------------------------------ */

void storm_merge_series(struct exit_storms *s, struct storm_series *to,
                        const struct storm_series *from)
{
    assert(to != from);
    while ( to->shift < from->shift )
        storm_coarsen(to);
    for ( uint16_t i = 0; i < from->nr; i++ )
    {
        const struct storm_cell *c = &from->cells[i];
        struct storm_cell *own = storm_add(s, to,
                                           (uint64_t)c->window << from->shift,
                                           c->count, c->cycles);

        if ( own )
            merge_sample(own, c);
    }
}

void storm_fold_vcpu(struct exit_storms *s, struct storm_vcpu *v)
{
    struct storm_series **at = &v->all, *x, *details = NULL, *cause;

    v->is_folded = true;
    memset(v->cache, 0, sizeof(v->cache));
    while ( (x = *at) )
        if ( has_detail(x->key) )
        {
            *at = x->next;
            x->next = details;
            details = x;
        }
        else
            at = &x->next;
    for ( x = details; x; x = x->next )
    {
        cause = storm_get_series(s, v, make_cause_key(x->key));
        if ( cause )
            storm_merge_series(s, cause, x);
    }
    assert(v->is_folded);
    v->nr_details = 0;
}

static struct storm_series *new_series(struct exit_storms *s,
                                       struct storm_vcpu *v, uint64_t key)
{
    struct storm_series *x = arena_new(&s->arena, struct storm_series);

    assert(v->nr_details <= STORM_DETAILS);
    s->failed |= !x;
    if ( !x )
        return NULL;
    x->key = key;
    x->next = v->all;
    v->all = x;
    v->nr_details += has_detail(key);
    *storm_cache_slot(v, key) = x;
    return x;
}

struct storm_series *storm_get_series_slow(struct exit_storms *s,
                                           struct storm_vcpu *v, uint64_t key)
{
    if ( has_detail(key) && v->is_folded )
        return storm_get_series(s, v, make_cause_key(key));
    for ( struct storm_series *x = v->all; x; x = x->next )
        if ( x->key == key )
            return *storm_cache_slot(v, key) = x;
    if ( !has_detail(key) || v->nr_details < STORM_DETAILS )
        return new_series(s, v, key);
    storm_fold_vcpu(s, v);
    assert(v->is_folded);
    return storm_get_series(s, v, make_cause_key(key));
}

/* --- places in the guest -------------------------------------------------- */

struct place_sample { uint64_t rip, exits; };

static int compare_samples(const void *a, const void *b)
{
    const struct place_sample *x = a, *y = b;

    return x->rip < y->rip ? -1 : x->rip > y->rip;
}

/* The samples in the windows, in any order; returns their number. */
static size_t collect_samples(const struct storm_series *x, unsigned int cause,
                              uint32_t begin, uint32_t last,
                              struct place_sample *samples)
{
    size_t n = 0;

    assert(begin <= last);
    for ( ; x; x = x->next )
        for ( uint16_t i = 0; storm_get_cause(x->key) == cause && i < x->nr;
              i++ )
        {
            const struct storm_cell *c = &x->cells[i];

            if ( c->window < begin || c->window > last || !c->sampled )
                continue;
            if ( samples )
                samples[n] = (struct place_sample){ c->rip, c->count };
            n++;
        }
    return n;
}

bool storm_find_place(const struct storm_series *x, unsigned int cause,
                      uint32_t begin, uint32_t last, struct storm_place *place)
{
    size_t n = collect_samples(x, cause, begin, last, NULL);
    struct place_sample *samples = fault_calloc(n + 1, sizeof(*samples));
    uint64_t exits = 0;
    uint32_t same = 0;

    *place = (struct storm_place){ .all = 0 };
    if ( !samples )
        return false;
    collect_samples(x, cause, begin, last, samples);
    qsort(samples, n, sizeof(*samples), compare_samples);
    for ( size_t i = 0; i < n; i++ )
    {
        if ( i && samples[i].rip != samples[i - 1].rip )
            exits = same = 0;
        exits += samples[i].exits;
        same++;
        place->all += samples[i].exits;
        if ( exits > place->exits )
        {
            place->exits = exits;
            place->rip = samples[i].rip;
            place->samples = same;
        }
    }
    free(samples);
    return true;
}
