/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Iteration over an interval series, cell by cell, for machine-readable tables:
 * each cell carries its time, subject and value.
 */
#include "xenalyze/account/interval-series.h"

#include <assert.h>

#include "common/debug.h"

struct walk
{
    const struct interval *i;
    interval_fn *fn;
    void *state;
    struct interval_cell cell;          /* template: fields of the row */
    struct interval_order order;        /* for kinds that list all columns */
};

const char *interval_name(enum interval_kind kind)
{
    static const char *const names[INTERVAL_KINDS] = {
        [INTERVAL_DOMAIN_TIME] = "domain-total-time",
        [INTERVAL_DOMAIN_TIME_ALL] = "domain-total-time-all",
        [INTERVAL_DOMAIN_WAIT_ALL] = "domain-wait-time-all",
        [INTERVAL_DOMAIN_SUMMARY] = "domain-short-summary",
        [INTERVAL_DOMAIN_INTERRUPT] = "domain-guest-interrupt",
        [INTERVAL_DOMAIN_GRANT_MAPS] = "domain-grant-maps",
        [INTERVAL_CR3_TIME] = "cr3-schedule-time",
        [INTERVAL_CR3_TIME_ALL] = "cr3-schedule-time-all",
        [INTERVAL_CR3_ORDERED] = "cr3-schedule-ordered",
        [INTERVAL_CR3_SUMMARY] = "cr3-short-summary",
    };

    assert(kind < INTERVAL_KINDS);
    return names[kind];
}

static void emit_cell(const struct walk *w, struct interval_cell cell,
                 size_t column, size_t row)
{
    cell.value = grid_cell(&w->i->grid, column, row);
    w->fn(w->state, &cell);
}

static bool is_cr3_kind(const struct interval *i)
{
    return i->kind >= INTERVAL_CR3_TIME;
}

/* Set the subject of the cell: domain or frame of the column. */
static struct interval_cell make_cell(const struct walk *w, size_t column)
{
    struct interval_cell cell = w->cell;
    uint64_t id = column < w->i->nr_ids ? w->i->ids[column] : 0;

    debug_assert(column < INTERVAL_MAX_COLUMNS);
    cell.has_number = is_cr3_kind(w->i);
    cell.has_domain = !cell.has_number;
    *(cell.has_number ? &cell.number : &cell.domain) = id;
    return cell;
}

static void walk_named(struct walk *w, size_t row)
{
    for ( size_t k = 0; k < w->i->nr_ids; k++ )
        emit_cell(w, make_cell(w, k), k, row);
}

static void walk_list(struct walk *w, size_t row)
{
    for ( size_t k = 0; k < w->order.nr; k++ )
    {
        size_t column = w->order.entries[k].column;

        emit_cell(w, make_cell(w, column), column, row);
    }
}

static void walk_ordered(struct walk *w, size_t row)
{
    interval_by_time(w->i, row, &w->order);
    for ( size_t k = 0; k < w->order.nr; k++ )
    {
        size_t column = w->order.entries[k].column;
        struct interval_cell cell = make_cell(w, column);

        if ( w->i->grid.columns[column].since == row )
            cell.name = "new";
        emit_cell(w, cell, column, row);
    }
}

static void walk_categories(struct walk *w, size_t row)
{
    struct interval_cell cell = make_cell(w, 0);

    for ( unsigned int k = CATEGORY_NONE; k < CATEGORIES; k++ )
    {
        cell.name = k ? category_name(k)
                      : is_cr3_kind(w->i) ? "guest" : "running";
        emit_cell(w, cell, k, row);
    }
}

static void walk_vectors(struct walk *w, size_t row)
{
    struct interval_cell cell = make_cell(w, 0);

    cell.has_number = true;
    for ( size_t k = 1; k < w->i->nr_ids; k++ )
    {
        cell.number = w->i->ids[k] & UINT32_MAX;
        emit_cell(w, cell, k, row);
    }
}

typedef void walk_fn(struct walk *w, size_t row);

void interval_walk(const struct interval *i, interval_fn *fn, void *state)
{
    static walk_fn *const walks[INTERVAL_KINDS] = {
        [INTERVAL_DOMAIN_TIME] = walk_named,
        [INTERVAL_DOMAIN_TIME_ALL] = walk_list,
        [INTERVAL_DOMAIN_WAIT_ALL] = walk_list,
        [INTERVAL_DOMAIN_SUMMARY] = walk_categories,
        [INTERVAL_DOMAIN_INTERRUPT] = walk_vectors,
        [INTERVAL_DOMAIN_GRANT_MAPS] = walk_named,
        [INTERVAL_CR3_TIME] = walk_named,
        [INTERVAL_CR3_TIME_ALL] = walk_list,
        [INTERVAL_CR3_ORDERED] = walk_ordered,
        [INTERVAL_CR3_SUMMARY] = walk_categories,
    };
    struct walk w = { .i = i, .fn = fn, .state = state };
    size_t rows = interval_count_rows(i);

    assert(fn);
    interval_by_id(i, &w.order);
    w.cell.kind = i->kind;
    for ( size_t row = 0; row < rows; row++ )
    {
        uint64_t since = row * i->grid.width;

        w.cell.at = i->grid.first + since;
        w.cell.ns = xt_clock_duration(&i->clock, since);
        w.cell.cycles = interval_row_length(i, row);
        walks[i->kind](&w, row);
    }
}
