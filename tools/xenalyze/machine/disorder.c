/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdlib.h>

#include "xenalyze/machine/disorder.h"

#define ENDS 2                  /* balance of records in any order */
#define SHARE_MISSING 8u        /* one jump of so many: records are missing */
#define PROOF_JUMPS 64u         /* so many, and balanced: none is missing */
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
    d->vcpus = NULL;
    d->longest_wait = d->nr_swaps = 0;
    d->stride = 1;
    d->nr = 0;
    assert(DISORDER_SWAPS % 2 == 0);
}

COLD
void vcpu_order_add_jump(struct vcpu_order *v, unsigned int known,
                         unsigned int next)
{
    assert(known < STATES && next < STATES);
    if ( known == next )
        return;
    v->nr_jumps++;
    v->balance[known]++;
    v->balance[next]--;
}

static void list_vcpu(struct disorder *d, struct vcpu_order *v)
{
    if ( v->listed )
        return;
    v->listed = true;
    v->next = d->vcpus;
    d->vcpus = v;
}

static void keep_longest(struct longest_error *to, struct longest_error e)
{
    if ( e.cycles > to->cycles )
        *to = e;
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
void disorder_add_swap(struct disorder *d, struct vcpu_order *v, uint32_t late,
                       uint32_t early, uint64_t lag)
{
    assert(late != early && d->stride);
    list_vcpu(d, v);
    v->evidence.nr_swaps++;
    keep_longest(&v->evidence.lag, (struct longest_error){ lag,
                                                           { late, early } });
    if ( d->nr_swaps++ % d->stride )
        return;
    if ( d->nr == DISORDER_SWAPS )
        thin_out(d);
    d->swaps[d->nr++] = (struct swap){ v, late, early, lag };
}

COLD
void disorder_add_doubt(struct disorder *d, struct vcpu_order *v, uint32_t late,
                        uint32_t early, uint64_t cycles)
{
    assert(late != early);
    list_vcpu(d, v);
    v->evidence.nr_doubts++;
    keep_longest(&v->evidence.doubtful,
                 (struct longest_error){ cycles, { late, early } });
}

void disorder_forget_doubts(struct disorder *d)
{
    for ( struct vcpu_order *v = d->vcpus; v; v = v->next )
        v->evidence.doubtful.cycles = 0;
    assert(d->stride);
}

/* --- missing records ------------------------------------------------------ */

/* Does at most one jump of so many come from a missing record? */
static bool is_balanced(const struct vcpu_order *v, unsigned int share)
{
    int64_t missing = -ENDS;

    for ( unsigned int i = 0; i < STATES; i++ )
        missing += v->balance[i] > 0 ? v->balance[i] : 0;
    assert(missing <= (int64_t)v->nr_jumps);
    return missing <= 0 || (uint64_t)missing <= v->nr_jumps / share;
}

static bool is_evidence(const struct vcpu_order *v, bool needs_proof)
{
    return needs_proof ? v->nr_jumps >= PROOF_JUMPS &&
                         is_balanced(v, PROOF_JUMPS)
                       : is_balanced(v, SHARE_MISSING);
}

static void add_evidence(struct evidence *sum, const struct evidence *e)
{
    sum->nr_swaps += e->nr_swaps;
    sum->nr_doubts += e->nr_doubts;
    keep_longest(&sum->lag, e->lag);
    keep_longest(&sum->doubtful, e->doubtful);
    assert(sum->nr_swaps >= e->nr_swaps);
}

/*
 * The evidence of vcpus that lack no record.  If most is of vcpus that do,
 * the others may lack a few: proof is needed.
 */
static struct evidence sum_evidence(const struct disorder *d, bool *needs_proof)
{
    struct evidence sum = { 0 }, missing = { 0 }, proven = { 0 };

    for ( const struct vcpu_order *v = d->vcpus; v; v = v->next )
    {
        add_evidence(is_evidence(v, false) ? &sum : &missing, &v->evidence);
        if ( is_evidence(v, true) )
            add_evidence(&proven, &v->evidence);
    }
    assert(d->stride);
    *needs_proof = missing.nr_swaps + missing.nr_doubts >
                   sum.nr_swaps + sum.nr_doubts;
    return *needs_proof ? proven : sum;
}

static void drop_swaps_of_missing(struct disorder *d, bool needs_proof)
{
    unsigned int nr = 0;

    assert(d->nr <= DISORDER_SWAPS);
    for ( unsigned int i = 0; i < d->nr; i++ )
        if ( is_evidence(d->swaps[i].vcpu, needs_proof) )
            d->swaps[nr++] = d->swaps[i];
    d->nr = nr;
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
static bool is_wrong_record(const struct evidence *e, uint64_t records)
{
    assert(!e->doubtful.cycles || e->nr_doubts);
    return e->nr_swaps + e->nr_doubts < FEW_SWAPS && records >= MANY_RECORDS;
}

/* Do the longest lags say how wrong waits are? */
static bool lags_are_limits(const struct disorder *d, uint64_t nr_swaps,
                            uint64_t records)
{
    unsigned int against = 0;

    if ( nr_swaps < records / RARE_SWAPS )
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
    bool needs_proof;
    struct evidence e = sum_evidence(d, &needs_proof);
    const struct longest_error *named = e.lag.cycles ? &e.lag : &e.doubtful;
    struct fact_disorder f = { .pcpus = { named->pcpus[0], named->pcpus[1] } };
    uint64_t worst = e.lag.cycles > e.doubtful.cycles ? e.lag.cycles
                                                      : e.doubtful.cycles;
    uint64_t limit = d->longest_wait;
    const struct swap *s;

    if ( !worst || worst < least || is_wrong_record(&e, records) )
        return f;
    drop_swaps_of_missing(d, needs_proof);
    if ( d->nr )
        qsort(d->swaps, d->nr, sizeof(*d->swaps), compare_swaps);
    if ( limit > 2 * worst && lags_are_limits(d, e.nr_swaps, records) )
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
