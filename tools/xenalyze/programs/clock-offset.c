/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two searches, each a sweep over the borders of intervals: a few events with
 * all spans give the region of the offset, and all events with the spans near
 * that region its exact borders.
 */
#include "xenalyze/programs/clock-offset.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define FIRST_EVENTS 64u        /* events of the first search */
#define NEAR_SPANS 16u          /* spans per event of the second search */

/* Offsets compare as signed numbers: both clocks may have any origin. */
struct border
{
    int64_t at;
    int step;                   /* 1: an interval begins; -1: behind its end */
};

struct borders
{
    struct border *all;
    size_t nr;
};

static int compare_borders(const void *a, const void *b)
{
    const struct border *x = a, *y = b;

    if ( x->at != y->at )
        return x->at < y->at ? -1 : 1;
    /* An interval includes its end. */
    return y->step - x->step;
}

static int compare_clock_spans(const void *a, const void *b)
{
    const struct clock_span *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* Join spans that overlap, so that an event is in one span only. */
static size_t sort_spans(struct clock_span *spans, size_t nr)
{
    size_t last = 0;

    assert(nr);
    qsort(spans, nr, sizeof(*spans), compare_clock_spans);
    for ( size_t i = 1; i < nr; i++ )
        if ( spans[i].from > spans[last].to )
            spans[++last] = spans[i];
        else if ( spans[i].to > spans[last].to )
            spans[last].to = spans[i].to;
    return last + 1;
}

static void add_offset_interval(struct borders *b, uint64_t event,
                         const struct clock_span *span)
{
    int64_t from = (int64_t)(span->from - event);
    int64_t to = (int64_t)(span->to - event);

    assert(span->from <= span->to);
    /* Times of a damaged file may be further apart than numbers have bits. */
    if ( from > to )
        return;
    b->all[b->nr++] = (struct border){ from, 1 };
    b->all[b->nr++] = (struct border){ to, -1 };
}

/* The first region in most intervals. */
static void find_region(struct borders *b, struct clock_offset *offset)
{
    size_t depth = 0;
    int64_t from = 0, to = 0;

    *offset = (struct clock_offset){ .cycles = 0 };
    qsort(b->all, b->nr, sizeof(*b->all), compare_borders);
    for ( size_t i = 0; i < b->nr; i++ )
    {
        depth += b->all[i].step;
        if ( b->all[i].step > 0 && depth > offset->fitting )
        {
            offset->fitting = depth;
            from = b->all[i].at;
            to = i + 1 < b->nr ? b->all[i + 1].at : from;
        }
    }
    assert(!depth && from <= to);
    offset->error = (uint64_t)(to - from) / 2 + 1;
    offset->cycles = (uint64_t)from + (uint64_t)(to - from) / 2;
}

static void add_first_intervals(struct borders *b, const uint64_t *events,
                                size_t nr_events,
                                const struct clock_span *spans,
                                size_t nr_spans)
{
    size_t step = (nr_events + FIRST_EVENTS - 1) / FIRST_EVENTS;

    for ( size_t i = 0; i < nr_events; i += step )
        for ( size_t k = 0; k < nr_spans; k++ )
            add_offset_interval(b, events[i], &spans[k]);
}

/* The spans around an event at its approximate place. */
static void add_near_intervals(struct borders *b, uint64_t event,
                               const struct clock_span *spans, size_t nr,
                               uint64_t offset)
{
    uint64_t time = event + offset;
    size_t low = 0, high = nr;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( spans[middle].from <= time )
            low = middle + 1;
        else
            high = middle;
    }
    high = nr - low < NEAR_SPANS / 2 ? nr : low + NEAR_SPANS / 2;
    low = low < NEAR_SPANS / 2 ? 0 : low - NEAR_SPANS / 2;
    assert(high - low <= NEAR_SPANS);
    for ( ; low < high; low++ )
        add_offset_interval(b, event, &spans[low]);
}

int clock_offset_find(const uint64_t *events, size_t nr_events,
                      struct clock_span *spans, size_t nr_spans,
                      struct clock_offset *offset)
{
    size_t first, near;
    struct borders b = { .nr = 0 };

    *offset = (struct clock_offset){ .cycles = 0 };
    if ( !nr_events || !nr_spans )
        return 0;
    nr_events = nr_events < CLOCK_OFFSET_EVENTS ? nr_events
                                                : CLOCK_OFFSET_EVENTS;
    nr_spans = nr_spans < CLOCK_OFFSET_SPANS ? nr_spans : CLOCK_OFFSET_SPANS;
    first = 2 * FIRST_EVENTS * nr_spans;
    near = 2 * NEAR_SPANS * nr_events;
    b.all = fault_calloc(first > near ? first : near, sizeof(*b.all));
    if ( !b.all )
        return -ENOMEM;
    nr_spans = sort_spans(spans, nr_spans);
    add_first_intervals(&b, events, nr_events, spans, nr_spans);
    find_region(&b, offset);
    b.nr = 0;
    for ( size_t i = 0; i < nr_events; i++ )
        add_near_intervals(&b, events[i], spans, nr_spans, offset->cycles);
    find_region(&b, offset);
    free(b.all);
    return 0;
}
