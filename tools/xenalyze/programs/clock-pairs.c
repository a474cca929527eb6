/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs come from a file: their differences may be anything but negative, and
 * products have 128 bits.
 */
#include "xenalyze/programs/clock-pairs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

/* The error of a reading with an interrupt in it is far above the least. */
#define IMPRECISE_FACTOR 4u
#define IMPRECISE_CYCLES 2000u

typedef unsigned __int128 u128;

static bool has_room(struct clock_pairs *p)
{
    size_t room = p->room ? 2 * p->room : 64;
    struct clock_pair *all;

    if ( p->nr < p->room )
        return true;
    all = fault_realloc(p->all, room * sizeof(*all));
    if ( !all )
    {
        p->failed = true;
        return false;
    }
    p->all = all;
    p->room = room;
    return true;
}

void clock_pairs_add(void *clock_pairs, const struct xt_meta *m)
{
    struct clock_pairs *p = clock_pairs;

    if ( m->event != TRC_META_CLOCK || p->nr >= CLOCK_PAIRS_MAX ||
         !has_room(p) )
        return;
    assert(p->nr < p->room);
    p->all[p->nr++] = (struct clock_pair){
        m->clock.tsc, m->clock.mono, m->clock.wall, m->clock.uncertainty,
    };
}

static uint64_t find_least_uncertainty(const struct clock_pairs *p)
{
    uint64_t least = p->all[0].uncertainty;

    for ( size_t i = 1; i < p->nr; i++ )
        if ( p->all[i].uncertainty < least )
            least = p->all[i].uncertainty;
    return least;
}

/* The mean rate of all pairs is better than a frequency of the metadata. */
static void set_mean_rate(struct clock_pairs *p)
{
    const struct clock_pair *last = &p->all[p->nr - 1];

    assert(p->nr);
    if ( p->nr > 1 )
        xt_clock_init(&p->clock, last->tsc - p->all->tsc,
                      last->mono - p->all->mono, p->all->tsc);
}

void clock_pairs_finish(struct clock_pairs *p, const struct xt_clock *clock)
{
    uint64_t limit;
    size_t nr = 0;

    p->clock = *clock;
    if ( !p->nr )
        return;
    limit = IMPRECISE_FACTOR * find_least_uncertainty(p) + IMPRECISE_CYCLES;
    for ( size_t i = 0; i < p->nr; i++ )
    {
        if ( p->all[i].uncertainty > limit )
            continue;
        /* Clocks that step back are those of another boot. */
        if ( nr && (p->all[i].tsc <= p->all[nr - 1].tsc ||
                    p->all[i].mono <= p->all[nr - 1].mono) )
            break;
        p->all[nr++] = p->all[i];
    }
    assert(nr && nr <= p->nr);
    p->nr = nr;
    set_mean_rate(p);
}

void clock_pairs_fini(struct clock_pairs *p)
{
    free(p->all);
    *p = (struct clock_pairs){ .nr = 0 };
}

int clock_pairs_copy(struct clock_pairs *to, const struct clock_pairs *from)
{
    assert(!to->all && from->nr);
    *to = *from;
    to->room = from->nr;
    to->all = fault_malloc(from->nr * sizeof(*to->all));
    if ( !to->all )
    {
        to->nr = 0;
        return -ENOMEM;
    }
    memcpy(to->all, from->all, from->nr * sizeof(*to->all));
    return 0;
}

/* --- conversion ----------------------------------------------------------- */

/* On the line through two pairs, between them or not. */
static u128 interpolate(const struct clock_pair *a, const struct clock_pair *b,
                        uint64_t mono)
{
    u128 cycles = b->tsc - a->tsc, ns = b->mono - a->mono;

    assert(mono >= a->mono && ns);
    return a->tsc + (cycles * (mono - a->mono) + ns / 2) / ns;
}

static uint64_t add_limited(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t subtract_limited(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

uint64_t clock_pairs_tsc(const struct clock_pairs *p, uint64_t mono)
{
    const struct clock_pair *first = p->all, *last = &p->all[p->nr - 1];
    size_t low = 0, high = p->nr - 1;

    assert(p->nr);
    if ( mono < first->mono )
        return subtract_limited(first->tsc,
                                xt_clock_cycles(&p->clock, first->mono - mono));
    if ( mono >= last->mono )
        return add_limited(last->tsc,
                           xt_clock_cycles(&p->clock, mono - last->mono));
    while ( high - low > 1 )
    {
        size_t middle = low + (high - low) / 2;

        if ( mono >= p->all[middle].mono )
            low = middle;
        else
            high = middle;
    }
    return interpolate(&p->all[low], &p->all[high], mono);
}

/* From the last pair before; dom0 may set its wall clock between two pairs. */
uint64_t clock_pairs_mono(const struct clock_pairs *p, uint64_t wall)
{
    size_t low = 0, high = p->nr;

    assert(p->nr);
    while ( high - low > 1 )
    {
        size_t middle = low + (high - low) / 2;

        if ( wall >= p->all[middle].wall )
            low = middle;
        else
            high = middle;
    }
    if ( wall >= p->all[low].wall )
        return add_limited(p->all[low].mono, wall - p->all[low].wall);
    return subtract_limited(p->all[low].mono, p->all[low].wall - wall);
}

/* Error of a pair in cycles: distance to the line through its neighbours. */
static uint64_t find_residual(const struct clock_pair *middle)
{
    uint64_t on_line = interpolate(middle - 1, middle + 1, middle->mono);

    return on_line > middle->tsc ? on_line - middle->tsc
                                 : middle->tsc - on_line;
}

uint64_t clock_pairs_error(const struct clock_pairs *p)
{
    uint64_t most = 0;

    for ( size_t i = 0; i < p->nr; i++ )
    {
        uint64_t residual = i && i + 1 < p->nr ? find_residual(&p->all[i]) : 0;
        uint64_t half = p->all[i].uncertainty / 2;

        most = residual > most ? residual : most;
        most = half > most ? half : most;
    }
    assert(p->nr || !most);
    return xt_clock_duration(&p->clock, most);
}
