/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interval tables of our own: headings first, with the names of domains, in
 * TEXT_COLUMNS bytes.  The domains with the largest sums have columns; the
 * other domains share the last column of the table.
 */
#include "xenalyze/text/text.h"

#include <assert.h>

#include "common/num.h"
#include "common/text-wrap.h"
#include "xenalyze/account/account.h"

#define TIME_WIDTH 10u          /* with a blank before the number */
#define SHARE_WIDTH_MIN 8u
#define SHARE_WIDTH_MAX XT_COLUMN_MIN
#define MAX_FIELDS ((TEXT_COLUMNS - TIME_WIDTH) / (SHARE_WIDTH_MIN + 1))

struct interval_table
{
    const struct interval *i;
    const struct xt_domain_names *names;
    FILE *out;
    unsigned int width;         /* bytes of a field, without its blank */
    size_t rows;
    size_t columns[MAX_FIELDS]; /* array of indexes, largest sum first */
    size_t nr;
    bool has_others;            /* some columns are in no field */
};

static uint64_t sum_column(const struct interval_table *t, size_t column)
{
    uint64_t sum = 0;

    for ( size_t row = 0; row < t->rows; row++ )
        sum += grid_cell(&t->i->grid, column, row);
    return sum;
}

/* Insert a column into the sorted array of `room` entries, or drop one. */
static void insert_column(struct interval_table *t, size_t column, size_t room,
                          uint64_t sums[MAX_FIELDS])
{
    uint64_t sum = sum_column(t, column);
    size_t at = t->nr < room ? t->nr++ : room;

    while ( at && (sums[at - 1] < sum ||
                   (sums[at - 1] == sum &&
                    t->i->ids[t->columns[at - 1]] > t->i->ids[column])) )
    {
        if ( at < room )
        {
            sums[at] = sums[at - 1];
            t->columns[at] = t->columns[at - 1];
        }
        at--;
    }
    if ( at == room )
        return;
    sums[at] = sum;
    t->columns[at] = column;
}

static void choose_columns(struct interval_table *t)
{
    uint64_t sums[MAX_FIELDS];
    size_t room = (TEXT_COLUMNS - TIME_WIDTH) / (t->width + 1);

    assert(room <= MAX_FIELDS);
    t->has_others = t->i->nr_ids > room;
    room -= t->has_others;
    for ( size_t k = 0; k < t->i->nr_ids; k++ )
        insert_column(t, k, room, sums);
}

static void print_headings(const struct interval_table *t)
{
    char name[XT_LABEL_MAX];

    fprintf(t->out, " %-*s", (int)TIME_WIDTH - 1, "time");
    for ( size_t k = 0; k < t->nr; k++ )
        fprintf(t->out, " %*s", (int)t->width,
                xt_domain_column(t->names, t->i->ids[t->columns[k]], t->width,
                                 name));
    if ( t->has_others )
        fprintf(t->out, " %*s", (int)t->width, "others");
    putc('\n', t->out);
}

static void print_share(const struct interval_table *t, uint64_t cycles,
                        size_t row)
{
    fprintf(t->out, " %*.2f%%", (int)t->width - 1,
            100.0 * (double)cycles / (double)interval_row_length(t->i, row));
}

static void print_interval_row(const struct interval_table *t, size_t row)
{
    int64_t ns = interval_row_ns(t->i, row);
    uint64_t rest = 0;
    char text[NUM_SEC_MAX];

    *num_sec_fit(text, ns, TIME_WIDTH - 1) = '\0';
    fprintf(t->out, " %-*s", (int)TIME_WIDTH - 1, text);
    for ( size_t k = 0; t->has_others && k < t->i->nr_ids; k++ )
        rest += grid_cell(&t->i->grid, k, row);
    for ( size_t k = 0; k < t->nr; k++ )
    {
        uint64_t cell = grid_cell(&t->i->grid, t->columns[k], row);

        print_share(t, cell, row);
        rest -= t->has_others ? cell : 0;
    }
    if ( t->has_others )
        print_share(t, rest, row);
    putc('\n', t->out);
}

void text_print_interval_table(const struct interval *i,
                               const struct xt_domain_names *names, FILE *out)
{
    struct interval_table t = {
        .i = i, .names = names, .out = out, .rows = interval_count_rows(i),
        .width = xt_vcpu_column_width(names, SHARE_WIDTH_MIN, SHARE_WIDTH_MAX),
    };

    assert(i->kind == INTERVAL_DOMAIN_WAIT_ALL);
    choose_columns(&t);
    fprintf(out, "--- Waiting for a pcpu (%% of the interval, sum of all "
            "vcpus) ---\n");
    print_headings(&t);
    for ( size_t row = 0; row < t.rows; row++ )
        print_interval_row(&t, row);
}
