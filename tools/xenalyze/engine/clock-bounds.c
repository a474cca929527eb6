/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two changes of a vcpu that follow each other, on two pcpus, limit the
 * difference of the two clocks.  Each pcpu is moved to where the fewest of its
 * limits are broken.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "xenalyze/engine/clock-align-private.h"

#define MAX_AHEAD 3u            /* changes of a vcpu that are out of order */
#define MAX_LINKINGS 4u
#define MAX_SWEEPS 8u           /* per linking */
#define NARROW 8                /* latencies: both ends of a range are tight */

/* --- ranges of an offset -------------------------------------------------- */

static int compare_ends(const void *x, const void *y)
{
    const struct clock_end *a = x, *b = y;

    if ( a->at != b->at )
        return a->at < b->at ? -1 : 1;
    return a->is_upper - b->is_upper;
}

void clock_sort_ends(struct clock_end *ends, size_t nr)
{
    if ( nr )
        qsort(ends, nr, sizeof(*ends), compare_ends);
}

static int64_t distance_to_zero(const struct clock_range *r)
{
    if ( r->has_low && r->low > 0 )
        return r->low;
    return r->has_high && r->high < 0 ? -r->high : 0;
}

struct clock_range clock_find_range(const struct clock_end *ends, size_t nr)
{
    struct clock_range best = { .has_low = false };
    int64_t kept = 0, most = -1;

    for ( size_t i = 0; i < nr; i++ )
        kept += ends[i].is_upper;
    for ( size_t i = 0; i <= nr; i++ )
    {
        struct clock_range r = { .has_low = i, .has_high = i < nr };

        if ( r.has_low )
            r.low = ends[i - 1].at;
        if ( r.has_high )
            r.high = ends[i].at;
        if ( kept > most ||
             (kept == most && distance_to_zero(&r) < distance_to_zero(&best)) )
        {
            most = kept;
            best = r;
        }
        if ( i < nr )
            kept += ends[i].is_upper ? -1 : 1;
    }
    return best;
}

/* The most likely move within the range. */
static int64_t choose_within(const struct clock_range *r, int64_t latency)
{
    if ( r->has_low && r->has_high && r->high - r->low <= NARROW * latency )
        return r->low + (r->high - r->low) / 2;
    /* Wake-ups are slow in a direction at least: the smallest move. */
    if ( r->has_low && r->low + latency > 0 )
        return r->low + latency;
    return r->has_high && r->high - latency < 0 ? r->high - latency : 0;
}

/* --- bounds --------------------------------------------------------------- */

/*
 * The change before known[i] of the vcpu: its neighbour, if that ended with its
 * state, or one of the next few with a late clock.  NULL: not there.
 */
static const struct clock_event *find_previous(const struct aligner *a,
                                               size_t i)
{
    const struct clock_event *e = &a->known[i];

    if ( i && e[-1].vcpu == e->vcpu && e[-1].new == e->old )
        return clock_is_far(&e[-1], e) ? NULL : &e[-1];
    for ( size_t k = 1; k <= MAX_AHEAD && i + k < a->nr_known &&
                        e[k].vcpu == e->vcpu; k++ )
        if ( e[k].new == e->old &&
             (i + k + 1 == a->nr_known || e[k + 1].vcpu != e->vcpu ||
              e[k + 1].old != e[k].new) )
            return clock_is_far(&e[k], e) ? NULL : &e[k];
    return NULL;
}

/* Bounds from all changes with another pcpu's before them. */
static void find_bounds(struct aligner *a)
{
    const unsigned int nr = a->options->nr_pcpus;
    size_t *begins = a->bounds_begin;

    memset(begins, 0, (nr + 1) * sizeof(*begins));
    for ( size_t i = 0; i < a->nr_known; i++ )
    {
        const struct clock_event *before = find_previous(a, i);

        if ( before && before->pcpu != a->known[i].pcpu )
        {
            begins[before->pcpu + 1]++;
            begins[a->known[i].pcpu + 1]++;
        }
    }
    clock_sum_sizes(begins, nr);
    for ( size_t i = 0; i < a->nr_known; i++ )
    {
        const struct clock_event *e = &a->known[i];
        const struct clock_event *before = find_previous(a, i);
        int64_t time;

        if ( !before || before->pcpu == e->pcpu )
            continue;
        time = (int64_t)(e->time - before->time);
        a->bounds[begins[before->pcpu]++] =
            (struct clock_bound){ e->pcpu, true, time };
        a->bounds[begins[e->pcpu]++] =
            (struct clock_bound){ before->pcpu, false, -time };
    }
    clock_restore_begins(begins, nr);
}

/* Move the pcpu to where its bounds are, relative to the others. */
static bool move_pcpu(struct aligner *a, unsigned int pcpu)
{
    size_t begin = a->bounds_begin[pcpu];
    size_t nr = a->bounds_begin[pcpu + 1] - begin;
    struct clock_range range;
    int64_t move;

    for ( size_t i = 0; i < nr; i++ )
    {
        const struct clock_bound *b = &a->bounds[begin + i];

        a->ends[i] = (struct clock_end){
            b->at + a->moves[b->other] - a->moves[pcpu], b->is_upper,
        };
    }
    clock_sort_ends(a->ends, nr);
    range = clock_find_range(a->ends, nr);
    move = choose_within(&range, a->options->latency);
    a->moves[pcpu] += move;
    return move > a->options->latency / 8 || -move > a->options->latency / 8;
}

static void apply_moves(struct aligner *a)
{
    for ( unsigned int i = 0; i < a->options->nr_pcpus; i++ )
        if ( a->is_known[i] && a->moves[i] )
        {
            clock_remove_pcpu(a, i);
            clock_add_pcpu(a, i, a->offsets[i] + a->moves[i]);
        }
}

void clock_keep_bounds(struct aligner *a)
{
    const unsigned int nr = a->options->nr_pcpus;
    bool moved = true;

    for ( unsigned int n = 0; moved && n < MAX_LINKINGS; n++ )
    {
        bool again = true;

        moved = false;
        find_bounds(a);
        memset(a->moves, 0, nr * sizeof(*a->moves));
        for ( unsigned int k = 0; again && k < MAX_SWEEPS; k++ )
        {
            again = false;
            for ( unsigned int i = 0; i < nr; i++ )
                again |= a->is_known[i] && move_pcpu(a, i);
            moved |= again;
        }
        apply_moves(a);
    }
}
