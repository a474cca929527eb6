/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slow half of the tally: collisions, growth, sorting.
 */
#include "libxentrace/tally.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

#define FIRST_ROWS 256u

static struct xt_tally_row *rows_new(size_t nr)
{
    struct xt_tally_row *rows = fault_malloc(nr * sizeof(*rows));

    for ( size_t i = 0; rows && i < nr; i++ )
        rows[i] = (struct xt_tally_row){ .event = XT_TALLY_FREE };
    return rows;
}

int xt_tally_init(struct xt_tally *t)
{
    *t = (struct xt_tally){ .rows = rows_new(FIRST_ROWS),
                            .nr_rows = FIRST_ROWS };
    return t->rows ? 0 : -ENOMEM;
}

void xt_tally_fini(struct xt_tally *t)
{
    free(t->rows);
    *t = (struct xt_tally){ 0 };
}

/* The row of an event, or the free one where it belongs. */
static struct xt_tally_row *find(struct xt_tally_row *rows, size_t nr,
                                 uint32_t event)
{
    size_t i = xt_tally_home(event, nr - 1);

    while ( rows[i].event != event && rows[i].event != XT_TALLY_FREE )
        i = (i + 1) & (nr - 1);
    return &rows[i];
}

static int grow(struct xt_tally *t)
{
    size_t nr = 2 * t->nr_rows;
    struct xt_tally_row *rows = rows_new(nr);

    if ( !rows )
        return -ENOMEM;
    for ( size_t i = 0; i < t->nr_rows; i++ )
        if ( t->rows[i].event != XT_TALLY_FREE )
            *find(rows, nr, t->rows[i].event) = t->rows[i];
    free(t->rows);
    t->rows = rows;
    t->nr_rows = nr;
    return 0;
}

int xt_tally_add_slow(struct xt_tally *t, uint32_t event)
{
    struct xt_tally_row *row = find(t->rows, t->nr_rows, event);

    assert(event != XT_TALLY_FREE);
    if ( row->event == XT_TALLY_FREE )
    {
        if ( t->used == XT_TALLY_MAX )
        {
            t->others++;
            return 0;
        }
        row->event = event;
        t->used++;
    }
    row->times++;
    /* Half full at most: find() relies on a free row. */
    return 2 * t->used > t->nr_rows ? grow(t) : 0;
}

static int by_event(const void *a, const void *b)
{
    const struct xt_tally_row *x = a, *y = b;

    return x->event < y->event ? -1 : x->event > y->event;
}

void xt_tally_sort(struct xt_tally *t)
{
    /* Free rows carry the greatest id there is, so they go to the end. */
    qsort(t->rows, t->nr_rows, sizeof(*t->rows), by_event);
}
