/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorting a slice.  Unsorted, it consists of one rising run per pcpu.  A few
 * runs with long stretches of one pcpu are merged.  Otherwise the items are
 * distributed to about as many buckets of equal width, so that most buckets get
 * one or two items, and one insertion sort over the result, which is almost
 * sorted, completes the order.  This is linear, has data-dependent branches
 * only in the insertion, and stays in the second-level cache.
 *
 * Many items at one time overfill a bucket, and insertion would be quadratic
 * there.  Such a bucket is merge-sorted first.
 *
 * All of an ordered walk, ns per record (tests/bench/reading):
 *
 *     pcpus       4     16    128   1024
 *     here     14.3   15.4   19.7   21.0
 *     a heap   15.5   18.7   45.0   56.4     (tests/bench/heap.c)
 */
#include "libxentrace/slice.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

/* Bucket size at which merging gets cheaper than insertion. */
#define CROWD 24u

/*
 * Runs are merged only while records come in stretches of one pcpu: each
 * comparison of all heads costs time, and so does a mispredicted end of a
 * stretch.  With 4 pcpus and 1.6 records of one pcpu in a row, all of an
 * ordered walk takes 14.5 ns a record with buckets, and 17.7 merged.
 */
#define LONG_STRETCH 4u
#define LOOK 256u               /* items to measure stretches in */

/* 32 K buckets take 128 KiB: more would evict the items from the cache. */
#define MAX_BITS 15u

int xt_slice_init(struct xt_slice *s, size_t room)
{
    assert(room && room <= UINT32_MAX);
    *s = (struct xt_slice){ .room = room };
    s->items = fault_malloc(room * sizeof(*s->items));
    s->sorted = fault_malloc(room * sizeof(*s->sorted));
    s->counts = fault_malloc(sizeof(*s->counts) << MAX_BITS);
    return s->items && s->sorted && s->counts ? 0 : -ENOMEM;
}

void xt_slice_fini(struct xt_slice *s)
{
    free(s->items);
    free(s->sorted);
    free(s->counts);
    *s = (struct xt_slice){ 0 };
}

static unsigned int count_bits(uint64_t value)
{
    return value ? 64 - __builtin_clzll(value) : 0;
}

/* One to two buckets for each item. */
static unsigned int choose_bits(const struct xt_slice *s)
{
    unsigned int bits = count_bits(s->nr);

    return bits < MAX_BITS ? bits : MAX_BITS;
}

/* Number of low bits of a time that do not count for its bucket. */
static unsigned int choose_shift(const struct xt_slice *s, unsigned int bits)
{
    unsigned int all = count_bits(s->last - s->begin);

    return all > bits ? all - bits : 0;
}

/* Compute where each bucket begins.  Returns the size of the largest. */
static uint32_t count_buckets(struct xt_slice *s, size_t nr_buckets,
                              unsigned int shift)
{
    uint32_t end = 0, most = 0;

    memset(s->counts, 0, nr_buckets * sizeof(*s->counts));
    for ( size_t i = 0; i < s->nr; i++ )
        s->counts[(s->items[i].time - s->begin) >> shift]++;
    for ( size_t b = 0; b < nr_buckets; b++ )
    {
        uint32_t n = s->counts[b];

        most = n > most ? n : most;
        s->counts[b] = end;
        end += n;
    }
    assert(end == s->nr);
    return most;
}

/* Turns the begins of buckets into their ends. */
static void scatter_items(struct xt_slice *s, unsigned int shift)
{
    for ( size_t i = 0; i < s->nr; i++ )
        s->sorted[s->counts[(s->items[i].time - s->begin) >> shift]++] =
            s->items[i];
}

static void merge_two_runs(struct xt_item *to, const struct xt_item *a,
                           size_t nr_a, const struct xt_item *b, size_t nr_b)
{
    const struct xt_item *end_a = a + nr_a, *end_b = b + nr_b;

    while ( a < end_a && b < end_b )
        *to++ = b->time < a->time ? *b++ : *a++;
    memcpy(to, a, (end_a - a) * sizeof(*a));
    memcpy(to + (end_a - a), b, (end_b - b) * sizeof(*b));
}

/* Stable; `other` has space for as many items. */
static void merge_sort(struct xt_item *items, struct xt_item *other, size_t nr)
{
    struct xt_item *from = items, *to = other, *swap;

    for ( size_t run = 1; run < nr; run *= 2 )
    {
        for ( size_t i = 0; i < nr; i += 2 * run )
        {
            size_t a = nr - i < run ? nr - i : run;
            size_t b = nr - i - a < run ? nr - i - a : run;

            merge_two_runs(to + i, from + i, a, from + i + a, b);
        }
        swap = from;
        from = to;
        to = swap;
    }
    if ( from != items )
        memcpy(items, from, nr * sizeof(*items));
}

static void sort_crowded_buckets(struct xt_slice *s, size_t nr_buckets)
{
    uint32_t begin = 0;

    for ( size_t b = 0; b < nr_buckets; b++ )
    {
        uint32_t end = s->counts[b];

        debug_assert(begin <= end && end <= s->nr);
        if ( end - begin > CROWD )
            merge_sort(s->sorted + begin, s->items, end - begin);
        begin = end;
    }
}

static void insertion_sort(struct xt_item *items, size_t nr)
{
    for ( size_t i = 1; i < nr; i++ )
    {
        struct xt_item item = items[i];
        size_t to = i;

        for ( ; to && items[to - 1].time > item.time; to-- )
            items[to] = items[to - 1];
        items[to] = item;
    }
}

/* --- a few runs ---------------------------------------------------------- */

/* Take all items of the first run that are before any other run's head. */
static void kmerge_runs(struct xt_slice *s)
{
    const struct xt_item *next[XT_SLICE_RUNS], *end[XT_SLICE_RUNS];
    struct xt_item *to = s->sorted;
    struct xt_kmerge merge;
    unsigned int run;
    uint64_t last;

    xt_kmerge_init(&merge, s->nr_runs, s->begin);
    for ( unsigned int i = 0; i < s->nr_runs; i++ )
    {
        next[i] = s->items + s->runs[i];
        end[i] = s->items + (i + 1 < s->nr_runs ? s->runs[i + 1] : s->nr);
        if ( next[i] < end[i] )
            xt_kmerge_set_head(&merge, i, next[i]->time);
    }
    while ( xt_kmerge_next(&merge, &run, &last) )
    {
        const struct xt_item *at = next[run];

        do
            *to++ = *at++;
        while ( at < end[run] && at->time <= last );
        next[run] = at;
        if ( at < end[run] )
            xt_kmerge_set_head(&merge, run, at->time);
        else
            xt_kmerge_end_run(&merge, run);
    }
    assert(to == s->sorted + s->nr);
}

/* True if merging pays and all times fit into keys. */
static bool can_merge(const struct xt_slice *s)
{
    return s->long_runs && s->nr_runs &&
           xt_kmerge_fits(s->nr_runs, s->begin, s->last);
}

/* True if most records at the begin of the items come in long stretches. */
static bool comes_in_stretches(const struct xt_item *items, size_t nr)
{
    size_t look = nr < LOOK ? nr : LOOK, changes = 1;

    for ( size_t i = 1; i < look; i++ )
        changes += xt_item_cpu(&items[i]) != xt_item_cpu(&items[i - 1]);
    return changes * LONG_STRETCH <= look;
}

/* --- sort ----------------------------------------------------------------- */

static void sort_buckets(struct xt_slice *s)
{
    unsigned int bits = choose_bits(s), shift = choose_shift(s, bits);
    uint32_t most = count_buckets(s, (size_t)1 << bits, shift);

    scatter_items(s, shift);
    if ( most > CROWD )
        sort_crowded_buckets(s, (size_t)1 << bits);
    insertion_sort(s->sorted, s->nr);
}

void xt_slice_sort(struct xt_slice *s)
{
    assert(s->nr <= s->room && s->begin <= s->last);
    if ( can_merge(s) )
        kmerge_runs(s);
    else
        sort_buckets(s);
    /* The next slice will be similar. */
    s->long_runs = comes_in_stretches(s->sorted, s->nr);
}
