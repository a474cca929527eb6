/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files that find storms: exit-storm.c (facts), storm-series.c
 * (counts by window), storm-search.c (the search).
 */
#ifndef XENALYZE_ACCOUNT_STORM_PRIVATE_H
#define XENALYZE_ACCOUNT_STORM_PRIVATE_H

#include "common/compiler.h"
#include "common/debug.h"
#include "xenalyze/account/exit-storm.h"

/* --- keys of series ------------------------------------------------------- */

#define STORM_DETAIL_BITS 40u
#define STORM_KIND_SHIFT 56u
#define STORM_DETAIL_MASK ((UINT64_C(1) << STORM_DETAIL_BITS) - 1)
#define STORM_PAGE_BITS 12u

_Static_assert(EXIT_CAUSES <= 1u << (STORM_KIND_SHIFT - STORM_DETAIL_BITS),
               "a cause fits");

static inline uint64_t storm_make_detail(enum storm_kind kind, uint64_t detail)
{
    debug_assert(kind < STORM_KINDS);
    return (uint64_t)kind << STORM_KIND_SHIFT | (detail & STORM_DETAIL_MASK);
}

static inline uint64_t storm_make_key(uint64_t detail, unsigned int cause)
{
    debug_assert(cause < EXIT_CAUSES);
    return detail | (uint64_t)cause << STORM_DETAIL_BITS;
}

/* --- storm-series.c ------------------------------------------------------- */

/* The windows get twice the length. */
void storm_coarsen(struct storm_series *x);

/* Find or create the cell of a window.  NULL: no memory. */
COLD
struct storm_cell *storm_get_cell_slow(struct exit_storms *s,
                                       struct storm_series *x, uint64_t at);

/* `at`: number of the shortest window.  Cycles may be subtracted, modulo. */
static inline struct storm_cell *storm_add(struct exit_storms *s,
                                           struct storm_series *x, uint64_t at,
                                           uint64_t count, uint64_t cycles)
{
    struct storm_cell *c = x->nr ? &x->cells[x->nr - 1] : NULL;

    if ( !c || c->window != at >> x->shift )
        c = storm_get_cell_slow(s, x, at);
    if ( c )
    {
        c->count += count;
        c->cycles += cycles;
    }
    return c;
}

/* The smallest hash is the sample, so the order of exits does not matter. */
static inline void storm_sample(struct storm_cell *c, uint64_t hash,
                                uint64_t rip)
{
    if ( hash < c->sampled - 1 || (hash == c->sampled - 1 && rip < c->rip) )
    {
        c->sampled = hash + 1;
        c->rip = rip;
    }
}

/* Add the parts of a span to their windows. */
void storm_add_span(struct exit_storms *s, struct storm_series *x,
                    uint64_t from, uint64_t to, bool is_unknown);

/* Both have the same length of windows afterwards. */
void storm_merge_series(struct exit_storms *s, struct storm_series *to,
                        const struct storm_series *from);

/* Add all series with a detail to those of their causes. */
void storm_fold_vcpu(struct exit_storms *s, struct storm_vcpu *v);

static inline struct storm_series **storm_cache_slot(struct storm_vcpu *v,
                                                     uint64_t key)
{
    return &v->cache[(key ^ key >> STORM_DETAIL_BITS ^
                      key >> STORM_KIND_SHIFT) % STORM_CACHE];
}

COLD
struct storm_series *storm_get_series_slow(struct exit_storms *s,
                                           struct storm_vcpu *v, uint64_t key);

/* Find or create.  NULL: no memory. */
static inline struct storm_series *storm_get_series(struct exit_storms *s,
                                                    struct storm_vcpu *v,
                                                    uint64_t key)
{
    struct storm_series *x = *storm_cache_slot(v, key);

    return x && x->key == key ? x : storm_get_series_slow(s, v, key);
}

/*
 * Exits of the series from x on whose cause is `cause`, in the windows from
 * `begin` to `last`: where in the guest are most?  False: no memory.
 */
bool storm_find_place(const struct storm_series *x, unsigned int cause,
                      uint32_t begin, uint32_t last, struct storm_place *place);

/* --- storm-search.c ------------------------------------------------------- */

/* Find the storms of a segment that ends at `last`. */
void storm_search_segment(struct exit_storms *s, uint64_t last);

/* --- exit-phase.c --------------------------------------------------------- */

/* Find the phases of a segment; all series have windows of `width`. */
void exit_phases_search(struct exit_storms *s, uint64_t width,
                        uint32_t nr_windows, uint64_t last);

#endif /* XENALYZE_ACCOUNT_STORM_PRIVATE_H */
