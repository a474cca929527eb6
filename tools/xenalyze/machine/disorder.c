/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdlib.h>

#include "xenalyze/machine/disorder.h"

#define FEW_SWAPS 3u            /* fewer have no direction */
#define RARE_SWAPS 1024u        /* records of the scheduler per swap */
#define MANY_RECORDS 4096u      /* clocks that differ swap more than a few */

/* The swaps of two pcpus in either direction, the longest lags first. */
struct swap_group
{
    const struct swap *swaps;
    unsigned int nr, nr_first;  /* nr_first: in the direction of swaps[0] */
};

void disorder_init(struct disorder *d)
{
    d->lag = d->doubtful = d->longest_wait = 0;
    d->nr_swaps = d->nr_doubts = 0;
    d->pcpus[0] = d->pcpus[1] = 0;
    d->stride = 1;
    d->nr = 0;
    assert(DISORDER_SWAPS % 2 == 0);
}

/* Keep every other swap. */
static void thin_out(struct disorder *d)
{
    assert(d->nr == DISORDER_SWAPS);
    for ( unsigned int i = 0; i < DISORDER_SWAPS / 2; i++ )
        d->swaps[i] = d->swaps[2 * i];
    d->nr = DISORDER_SWAPS / 2;
    d->stride *= d->stride > UINT32_MAX / 2 ? 1 : 2;
}

COLD
void disorder_add_swap(struct disorder *d, uint32_t late, uint32_t early,
                       uint64_t lag)
{
    assert(late != early && d->stride);
    if ( lag > d->lag )
    {
        d->lag = lag;
        d->pcpus[0] = late;
        d->pcpus[1] = early;
    }
    if ( d->nr_swaps++ % d->stride )
        return;
    if ( d->nr == DISORDER_SWAPS )
        thin_out(d);
    d->swaps[d->nr++] = (struct swap){ late, early, lag };
}

/* --- conclusions ---------------------------------------------------------- */

static uint64_t get_pair(const struct swap *s)
{
    return s->late < s->early ? (uint64_t)s->late << 32 | s->early
                              : (uint64_t)s->early << 32 | s->late;
}

static int compare_swaps(const void *a, const void *b)
{
    const struct swap *x = a, *y = b;
    uint64_t left = get_pair(x), right = get_pair(y);

    if ( left != right )
        return left < right ? -1 : 1;
    if ( x->late != y->late )
        return x->late < y->late ? -1 : 1;
    return (x->lag < y->lag) - (x->lag > y->lag);
}

/* The group that begins at swap `from`. */
static struct swap_group find_group(const struct disorder *d, unsigned int from)
{
    struct swap_group g = { .swaps = &d->swaps[from] };

    assert(from < d->nr);
    while ( from + g.nr < d->nr &&
            get_pair(&g.swaps[g.nr]) == get_pair(g.swaps) )
        g.nr_first += g.swaps[g.nr++].late == g.swaps->late;
    assert(g.nr_first && g.nr_first <= g.nr);
    return g;
}

/* Number of swaps in the less frequent direction. */
static unsigned int count_against(const struct swap_group *g)
{
    unsigned int second = g->nr - g->nr_first;

    assert(g->nr_first <= g->nr);
    return second < g->nr_first ? second : g->nr_first;
}

/* A swap with a lag below the difference; NULL: the swaps are too few. */
static const struct swap *find_certain(const struct swap_group *g)
{
    unsigned int against = count_against(g), skip = 1 + 2 * against;

    assert(g->nr >= 2 * against);
    if ( skip >= g->nr - against )
        return NULL;
    return &g->swaps[skip + (g->nr_first == against ? g->nr_first : 0)];
}

/* The pair of pcpus with most swaps in one direction only. */
static const struct swap *find_difference(const struct disorder *d)
{
    const struct swap *best = NULL;
    unsigned int most = 0;

    assert(d->nr <= DISORDER_SWAPS);
    for ( unsigned int i = 0; i < d->nr; )
    {
        struct swap_group g = find_group(d, i);
        unsigned int support = g.nr - 2 * count_against(&g);
        const struct swap *s = find_certain(&g);

        i += g.nr;
        if ( !s || support < most ||
             (best && support == most && s->lag <= best->lag) )
            continue;
        most = support;
        best = s;
    }
    return best;
}

/* Contradictions as few as those of a single wrong record. */
static bool is_wrong_record(const struct disorder *d, uint64_t records)
{
    assert(!d->doubtful || d->nr_doubts);
    return d->nr_swaps + d->nr_doubts < FEW_SWAPS && records >= MANY_RECORDS;
}

/* Do the longest lags say how wrong waits are? */
static bool lags_are_limits(const struct disorder *d, uint64_t records)
{
    unsigned int against = 0;

    if ( d->nr_swaps < records / RARE_SWAPS )
        return true;
    assert(d->nr <= DISORDER_SWAPS);
    for ( unsigned int i = 0; i < d->nr; )
    {
        struct swap_group g = find_group(d, i);

        against += count_against(&g);
        i += g.nr;
    }
    return d->nr - against >= FEW_SWAPS && 3 * against <= d->nr;
}

struct fact_disorder disorder_conclude(struct disorder *d, uint64_t least,
                                       uint64_t records)
{
    struct fact_disorder f = { .pcpus = { d->pcpus[0], d->pcpus[1] } };
    uint64_t worst = d->lag > d->doubtful ? d->lag : d->doubtful;
    uint64_t limit = d->longest_wait;
    const struct swap *s;

    assert(d->stride);
    if ( !worst || worst < least || is_wrong_record(d, records) )
        return f;
    if ( d->nr )
        qsort(d->swaps, d->nr, sizeof(*d->swaps), compare_swaps);
    if ( limit > 2 * worst && lags_are_limits(d, records) )
        limit = 2 * worst;
    f.error = limit > worst + worst / 8 ? limit : worst + worst / 8;
    s = find_difference(d);
    if ( !s || s->lag < least )
        return f;
    f.cycles = s->lag;
    f.pcpus[0] = s->late;
    f.pcpus[1] = s->early;
    return f;
}
