/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interval tables in the line format of stock.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <inttypes.h>

struct lines
{
    const struct interval *i;
    FILE *out;
    struct interval_order order;        /* order of columns of a list */
};

static void print_time(const struct interval *i, size_t row, FILE *out)
{
    int64_t ns = interval_row_ns(i, row);

    fprintf(out, "%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
}

static double row_share(const struct interval *i, size_t column, size_t row)
{
    return 100.0 * (double)grid_cell(&i->grid, column, row) /
           (double)interval_row_length(i, row);
}

static bool has_appeared(const struct interval *i, size_t column, size_t row)
{
    return column < i->grid.nr_columns && i->grid.columns[column].seen &&
           row >= i->grid.columns[column].since;
}

static void row_shares(struct lines *l, size_t row)
{
    for ( size_t k = 0; k < l->i->nr_ids; k++ )
        if ( has_appeared(l->i, k, row) )
            fprintf(l->out, " %.2f", row_share(l->i, k, row));
        else
            fprintf(l->out, " 0.0");
}

static void print_heading(const char *first, FILE *out)
{
    fprintf(out, "time %s", first);
    for ( unsigned int k = CATEGORY_NONE + 1; k < CATEGORIES; k++ )
        fprintf(out, " %s", category_name(k));
    putc('\n', out);
}

static void print_categories(struct lines *l, size_t row)
{
    for ( size_t k = 0; k < CATEGORIES; k++ )
        fprintf(l->out, " %.2f", row_share(l->i, k, row));
}

/* Column 0 is the domain; all other columns are vectors. */
static void print_vectors(struct lines *l, size_t row)
{
    for ( size_t k = 1; k < l->i->nr_ids; k++ )
        fprintf(l->out, " %" PRIu64, grid_cell(&l->i->grid, k, row));
}

static void print_count(struct lines *l, size_t row)
{
    fprintf(l->out, " %" PRIu64, grid_cell(&l->i->grid, 0, row));
}

/* Columns of this row, longest time first; new columns get a mark. */
static void print_ordered(struct lines *l, size_t row)
{
    interval_by_time(l->i, row, &l->order);
    for ( size_t k = 0; k < l->order.nr; k++ )
    {
        size_t column = l->order.entries[k].column;

        assert(column < l->i->nr_ids);
        fprintf(l->out, " %8" PRIx64 ": %.2f %c", l->i->ids[column],
                row_share(l->i, column, row),
                l->i->grid.columns[column].since == row ? '*' : ' ');
    }
}

/* LIST: columns sorted by id, since the command line gives no order. */
static void print_list(struct lines *l, size_t row)
{
    for ( size_t k = 0; k < l->order.nr; k++ )
        fprintf(l->out, " %.2f", row_share(l->i, l->order.entries[k].column,
                                             row));
}

static void print_list_ids(const struct lines *l, bool hex)
{
    fprintf(l->out, "time");
    for ( size_t k = 0; k < l->order.nr; k++ )
        fprintf(l->out, hex ? " %" PRIx64 : " %" PRIu64,
                l->order.entries[k].key);
    fprintf(l->out, "\n");
}

static void print_tail(const struct lines *l)
{
    const struct interval *i = l->i;

    if ( i->kind == INTERVAL_DOMAIN_TIME_ALL ||
         i->kind == INTERVAL_CR3_TIME_ALL )
        print_list_ids(l, i->kind == INTERVAL_CR3_TIME_ALL);
    if ( i->kind != INTERVAL_DOMAIN_INTERRUPT )
        return;
    /* Stock has "running" as well, without a value in the rows. */
    fprintf(l->out, "time");
    for ( size_t k = 1; k < i->nr_ids; k++ )
        fprintf(l->out, " %" PRIu64, i->ids[k] & UINT32_MAX);
    fprintf(l->out, "\n");
}

typedef void print_fn(struct lines *l, size_t row);

static print_fn *const row_printers[INTERVAL_KINDS] = {
    [INTERVAL_DOMAIN_TIME] = row_shares,
    [INTERVAL_DOMAIN_TIME_ALL] = print_list,
    [INTERVAL_DOMAIN_SUMMARY] = print_categories,
    [INTERVAL_DOMAIN_INTERRUPT] = print_vectors,
    [INTERVAL_DOMAIN_GRANT_MAPS] = print_count,
    [INTERVAL_CR3_TIME] = row_shares,
    [INTERVAL_CR3_TIME_ALL] = print_list,
    [INTERVAL_CR3_ORDERED] = print_ordered,
    [INTERVAL_CR3_SUMMARY] = print_categories,
};

void text_print_interval(const struct interval *i, FILE *out)
{
    struct lines l = { .i = i, .out = out };
    size_t rows = interval_count_rows(i);

    assert(row_printers[i->kind]);
    interval_by_id(i, &l.order);
    if ( i->kind == INTERVAL_DOMAIN_SUMMARY )
        print_heading("running", out);
    if ( i->kind == INTERVAL_CR3_SUMMARY )
        print_heading("guest", out);
    for ( size_t row = 0; row < rows; row++ )
    {
        print_time(i, row, out);
        row_printers[i->kind](&l, row);
        fprintf(out, "\n");
    }
    print_tail(&l);
}
