/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals cell by cell, each with all that it takes to know what it says.
 */
#include "xenalyze/account/interval-series.h"

struct walk
{
    const struct interval *i;
    interval_fn *fn;
    void *state;
    struct interval_cell cell;          /* its interval is filled in */
    struct interval_order order;        /* of lists */
};

const char *interval_name(enum interval_kind kind)
{
    static const char *const names[INTERVAL_KINDS] = {
        [INTERVAL_DOMAIN_TIME] = "domain-total-time",
        [INTERVAL_DOMAIN_TIME_ALL] = "domain-total-time-all",
        [INTERVAL_DOMAIN_SUMMARY] = "domain-short-summary",
        [INTERVAL_DOMAIN_INTERRUPT] = "domain-guest-interrupt",
        [INTERVAL_DOMAIN_GRANT_MAPS] = "domain-grant-maps",
        [INTERVAL_CR3_TIME] = "cr3-schedule-time",
        [INTERVAL_CR3_TIME_ALL] = "cr3-schedule-time-all",
        [INTERVAL_CR3_ORDERED] = "cr3-schedule-ordered",
        [INTERVAL_CR3_SUMMARY] = "cr3-short-summary",
    };

    return names[kind];
}

static void tell(const struct walk *w, struct interval_cell cell,
                 size_t column, size_t row)
{
    cell.value = grid_cell(&w->i->grid, column, row);
    w->fn(w->state, &cell);
}

static bool is_of_cr3(const struct interval *i)
{
    return i->kind >= INTERVAL_CR3_TIME;
}

/* The cell is about this domain, or frame. */
static struct interval_cell about(const struct walk *w, size_t column)
{
    struct interval_cell cell = w->cell;
    uint64_t id = column < w->i->nr_ids ? w->i->ids[column] : 0;

    cell.has_number = is_of_cr3(w->i);
    cell.has_domain = !cell.has_number;
    *(cell.has_number ? &cell.number : &cell.domain) = id;
    return cell;
}

static void walk_named(struct walk *w, size_t row)
{
    for ( size_t k = 0; k < w->i->nr_ids; k++ )
        tell(w, about(w, k), k, row);
}

static void walk_list(struct walk *w, size_t row)
{
    for ( size_t k = 0; k < w->order.nr; k++ )
    {
        size_t column = w->order.places[k].column;

        tell(w, about(w, column), column, row);
    }
}

static void walk_ordered(struct walk *w, size_t row)
{
    interval_by_time(w->i, row, &w->order);
    for ( size_t k = 0; k < w->order.nr; k++ )
    {
        size_t column = w->order.places[k].column;
        struct interval_cell cell = about(w, column);

        if ( w->i->grid.columns[column].since == row )
            cell.name = "new";
        tell(w, cell, column, row);
    }
}

static void walk_categories(struct walk *w, size_t row)
{
    struct interval_cell cell = about(w, 0);

    for ( unsigned int k = CATEGORY_NONE; k < CATEGORIES; k++ )
    {
        cell.name = k ? category_name(k)
                      : is_of_cr3(w->i) ? "guest" : "running";
        tell(w, cell, k, row);
    }
}

static void walk_vectors(struct walk *w, size_t row)
{
    struct interval_cell cell = about(w, 0);

    cell.has_number = true;
    for ( size_t k = 1; k < w->i->nr_ids; k++ )
    {
        cell.number = w->i->ids[k] & UINT32_MAX;
        tell(w, cell, k, row);
    }
}

typedef void walk_fn(struct walk *w, size_t row);

void interval_walk(const struct interval *i, interval_fn *fn, void *state)
{
    static walk_fn *const walks[INTERVAL_KINDS] = {
        [INTERVAL_DOMAIN_TIME] = walk_named,
        [INTERVAL_DOMAIN_TIME_ALL] = walk_list,
        [INTERVAL_DOMAIN_SUMMARY] = walk_categories,
        [INTERVAL_DOMAIN_INTERRUPT] = walk_vectors,
        [INTERVAL_DOMAIN_GRANT_MAPS] = walk_named,
        [INTERVAL_CR3_TIME] = walk_named,
        [INTERVAL_CR3_TIME_ALL] = walk_list,
        [INTERVAL_CR3_ORDERED] = walk_ordered,
        [INTERVAL_CR3_SUMMARY] = walk_categories,
    };
    struct walk w = { .i = i, .fn = fn, .state = state };
    size_t rows = interval_rows(i);

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
