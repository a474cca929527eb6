/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CR3 values of a domain, in the format of stock.
 */
#include "xenalyze/text/text-private.h"

#include <assert.h>
#include <inttypes.h>

/* Stock omits the first line of a frame that was never replaced. */
static void print_total(const struct text *t, const struct cr3_row *row)
{
    char name[48];

    snprintf(name, sizeof(name), "  %8" PRIx64 " (id %" PRIu32 ")",
             row->frame, row->id);
    if ( row->total.count )
        stats_line_time(t->out, &t->scale, name, &row->total);
    else
        fprintf(t->out, "%s: %7d %5.2fs %6d\n", name, 0, 0.0, 0);
}

static void print_seen(const struct text *t, const struct cr3_row *row)
{
    int64_t first = xt_clock_ns(&t->summary->clock, row->first);
    int64_t last = xt_clock_ns(&t->summary->clock, row->last);

    fprintf(t->out, "            Seen: %4" PRId64 ".%09" PRId64 "-%4" PRId64
            ".%09" PRId64 " switch %" PRIu64 " flush %" PRIu64 "\n",
            first / 1000000000, first % 1000000000, last / 1000000000,
            last % 1000000000, row->switches, row->flushes);
}

static void print_row(const struct text *t, const struct cr3_row *row)
{
    char name[48];

    print_total(t, row);
    stats_line_share(t->out, &t->scale, "          guest", &row->guest,
                     row->run);
    stats_line_share(t->out, &t->scale, "          hv   ", &row->xen,
                     row->run);
    for ( unsigned int i = CATEGORY_NONE + 1; i < CATEGORIES; i++ )
    {
        if ( !row->by_category[i] )
            continue;
        snprintf(name, sizeof(name), "           + %s", category_name(i));
        stats_line_share(t->out, &t->scale, name, row->by_category[i],
                         row->run);
    }
    print_seen(t, row);
}

/* Sorts the rows of a domain by --sort; returns the number to print. */
static size_t order_of(const struct text *t, const struct cr3_row *first,
                       struct sort_row **order)
{
    size_t n = 0;

    for ( const struct cr3_row *row = first; row; row = row->sibling )
        n++;
    *order = n ? arena_array(&t->summary->pool.arena, n, sizeof(**order), 8)
               : NULL;
    t->summary->pool.failed |= n && !*order;
    n = 0;
    for ( const struct cr3_row *row = first; *order && row; row = row->sibling )
        (*order)[n++] = (struct sort_row){
            sort_value(t->request->sort, &row->total), row->id,
        };
    return sort_rows(t->request, *order, n);
}

void text_cr3(const struct text *t, uint16_t domain)
{
    const struct cr3_table *list = t->summary->cr3;
    struct cr3_row *const *rows;
    struct sort_row *order;
    uint32_t nr;
    size_t n;

    if ( !list )
        return;
    rows = cr3_table_rows(list, &nr);
    n = order_of(t, cr3_table_first_row(list, domain), &order);
    assert(n <= nr);
    if ( n )
        fprintf(t->out, "    cr3 values:\n");
    for ( size_t i = 0; i < n; i++ )
        print_row(t, rows[order[i].index]);
}
