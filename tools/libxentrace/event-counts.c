/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slow path of the event counts: collisions, growth, sorting.
 */
#include "libxentrace/event-counts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"

/* With 80 ids, 3 % of the records are not in the first slot. */
#define FIRST_ROWS 1024u

_Static_assert((FIRST_ROWS & (FIRST_ROWS - 1)) == 0, "the mask of a slot");

static struct xt_event_count *new_rows(size_t nr)
{
    struct xt_event_count *rows = fault_malloc(nr * sizeof(*rows));

    for ( size_t i = 0; rows && i < nr; i++ )
        rows[i] = (struct xt_event_count){ .event = XT_EVENT_COUNTS_FREE };
    return rows;
}

int xt_event_counts_init(struct xt_event_counts *t)
{
    *t = (struct xt_event_counts){ .rows = new_rows(FIRST_ROWS),
                                   .nr_rows = FIRST_ROWS };
    return t->rows ? 0 : -ENOMEM;
}

void xt_event_counts_fini(struct xt_event_counts *t)
{
    free(t->rows);
    *t = (struct xt_event_counts){ 0 };
}

/* The row of an event, or the free row for it. */
static struct xt_event_count *find_row(struct xt_event_count *rows, size_t nr,
                                       uint32_t event)
{
    size_t i = xt_event_counts_slot(event, nr);

    debug_assert(nr && !(nr & (nr - 1)));
    while ( rows[i].event != event && rows[i].event != XT_EVENT_COUNTS_FREE )
        i = (i + 1) & (nr - 1);
    return &rows[i];
}

static int grow_table(struct xt_event_counts *t)
{
    size_t nr = 2 * t->nr_rows;
    struct xt_event_count *rows = new_rows(nr);

    assert(t->used < t->nr_rows);
    if ( !rows )
        return -ENOMEM;
    for ( size_t i = 0; i < t->nr_rows; i++ )
        if ( t->rows[i].event != XT_EVENT_COUNTS_FREE )
            *find_row(rows, nr, t->rows[i].event) = t->rows[i];
    free(t->rows);
    t->rows = rows;
    t->nr_rows = nr;
    return 0;
}

int xt_event_counts_add_slow(struct xt_event_counts *t, uint32_t event)
{
    struct xt_event_count *row = find_row(t->rows, t->nr_rows, event);

    assert(event != XT_EVENT_COUNTS_FREE);
    if ( row->event == XT_EVENT_COUNTS_FREE )
    {
        if ( t->used == XT_EVENT_COUNTS_MAX )
        {
            t->others++;
            return 0;
        }
        row->event = event;
        t->used++;
    }
    row->times++;
    debug_assert(t->used <= XT_EVENT_COUNTS_MAX);
    /* At most half full: find_row() relies on a free row. */
    return 2 * t->used > t->nr_rows ? grow_table(t) : 0;
}

static int compare_events(const void *a, const void *b)
{
    const struct xt_event_count *x = a, *y = b;

    return x->event < y->event ? -1 : x->event > y->event;
}

void xt_event_counts_sort(struct xt_event_counts *t)
{
    /* Free rows have the greatest id, so they are last. */
    qsort(t->rows, t->nr_rows, sizeof(*t->rows), compare_events);
}
