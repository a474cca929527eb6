/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interval series: a sink and a grid for each kind.  Two differences from
 * stock: a state is split at the borders of intervals instead of being charged
 * to the interval of its end, and the last, incomplete interval is printed,
 * with shares of the time that the trace covers.
 *
 * A file with several segments shows the first segment only, since segments
 * have unrelated times.
 */
#include "xenalyze/account/interval-series.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

_Static_assert(CATEGORIES <= INTERVAL_MAX_COLUMNS, "a column for each");

/* --- columns -------------------------------------------------------------- */

#define NO_COLUMN SIZE_MAX

static size_t find_column(const struct interval *i, uint64_t id)
{
    for ( size_t k = 0; k < i->nr_ids; k++ )
        if ( i->ids[k] == id )
            return k;
    return NO_COLUMN;
}

/* Get or create the column of an id. */
static size_t get_column(struct interval *i, uint64_t id)
{
    size_t k = find_column(i, id), room = i->room ? 2 * i->room : 16;
    uint64_t *larger;

    debug_assert(i->nr_ids <= INTERVAL_MAX_COLUMNS);
    i->too_many_ids |= k == NO_COLUMN && i->nr_ids == INTERVAL_MAX_COLUMNS;
    if ( k != NO_COLUMN || i->nr_ids == INTERVAL_MAX_COLUMNS )
        return k;
    if ( i->nr_ids == i->room )
    {
        larger = fault_realloc(i->ids, room * sizeof(*larger));
        i->failed |= !larger;
        if ( !larger )
            return NO_COLUMN;
        i->ids = larger;
        i->room = room;
    }
    i->ids[i->nr_ids] = id;
    return i->nr_ids++;
}

static size_t get_domain_column(struct interval *i, const struct domain *d)
{
    if ( i->kind == INTERVAL_DOMAIN_TIME_ALL )
        return get_column(i, d->id);
    return find_column(i, d->id);
}

static bool is_selected(const struct interval *i, const struct vcpu *v)
{
    return i->segment == 0 && i->nr_ids && v->domain->id == i->ids[0];
}

static bool counts_pcpu(const struct interval *i, uint32_t pcpu)
{
    return !i->wants_pcpu ||
           (pcpu != FACT_NO_PCPU && i->wants_pcpu(i->filter, pcpu));
}

/* --- facts ---------------------------------------------------------------- */

static void interval_begin(void *state, const struct fact_begin *f)
{
    struct interval *i = state;
    uint64_t width;

    assert(f->clock);
    assert(!f->segment == !i->grid.width);      /* set by the first segment */
    i->segment = f->segment;
    if ( f->segment )
        return;
    i->clock = *f->clock;
    width = xt_clock_cycles(&i->clock, i->length);
    i->grid.first = f->first;
    i->grid.width = width ? width : 1;
    i->lost.first = i->grid.first;
    i->lost.width = i->grid.width;
}

static int interval_end(void *state, const struct fact_end *f, struct err *e)
{
    struct interval *i = state;

    if ( f->segment == 0 )
        i->last = f->last;
    if ( i->grid.rc || i->lost.rc || i->failed || i->cr3.failed )
        return err_sys(e, -ENOMEM, "cannot keep the intervals");
    return 0;
}

static void add_interval_loss(void *state, const struct fact_loss *f)
{
    struct interval *i = state;

    if ( i->segment == 0 )
        grid_add(&i->lost, 0, f->from, f->to);
}

static void add_domain_time(void *state, const struct fact_runstate *f)
{
    struct interval *i = state;
    size_t column = i->segment ? NO_COLUMN
                               : get_domain_column(i, f->vcpu->domain);

    debug_assert(f->state < STATES);
    if ( column == NO_COLUMN || !counts_pcpu(i, f->pcpu) )
        return;
    grid_mark_seen(&i->grid, column, f->from);
    if ( f->state == STATE_RUNNING )
        grid_add(&i->grid, column, f->from, f->to);
}

static void add_domain_wait(void *state, const struct fact_runstate *f)
{
    struct interval *i = state;
    /* The pcpu that the vcpu waited for. */
    uint32_t pcpu = f->next == STATE_RUNNING ? f->next_pcpu : f->pcpu;
    size_t column;

    debug_assert(f->state < STATES);
    if ( i->segment || f->state != STATE_RUNNABLE ||
         f->vcpu->domain->id == XT_DOMAIN_IDLE ||
         f->vcpu->domain->id == XT_DOMAIN_DEFAULT || !counts_pcpu(i, pcpu) )
        return;
    column = get_column(i, f->vcpu->domain->id);
    if ( column != NO_COLUMN )
        grid_add(&i->grid, column, f->from, f->to);
}

static void add_running_time(void *state, const struct fact_runstate *f)
{
    struct interval *i = state;

    debug_assert(f->state < STATES);
    if ( is_selected(i, f->vcpu) && f->state == STATE_RUNNING &&
         counts_pcpu(i, f->pcpu) )
        grid_add(&i->grid, 0, f->from, f->to);
}

/* Handler records come just before their exit. */
static void note_category(void *state, const struct fact_handle *f)
{
    struct interval *i = state;

    if ( f->exit && f->main )
        i->category = category_of_handler(f);
}

static void add_exit_time(struct interval *i, const struct fact_exit *f)
{
    debug_assert(i->category < CATEGORIES);
    grid_add(&i->grid, i->category ? i->category : CATEGORY_OTHER, f->start,
             f->start + f->cycles);
}

static void add_domain_exit(void *state, const struct fact_exit *f)
{
    struct interval *i = state;

    if ( is_selected(i, f->vcpu) )
        add_exit_time(i, f);
    i->category = 0;
}

#define MAX_VECTOR 512u

/* ids[0] is the domain; then vectors in the order of appearance. */
static void count_interrupt(void *state, const struct fact_handle *f)
{
    struct interval *i = state;
    size_t column;

    if ( f->kind != HANDLE_INJECT || !is_selected(i, f->vcpu) ||
         f->at >= MAX_VECTOR )
        return;
    column = get_column(i, f->at | 1ull << 32);
    if ( column != NO_COLUMN )
        grid_count(&i->grid, column, f->time, 1);
}

static void count_grant_map(void *state, const struct fact_memory *f)
{
    struct interval *i = state;

    if ( f->kind == MEMORY_GRANT_MAP && f->by && is_selected(i, f->by) )
        grid_count(&i->grid, 0, f->time, 1);
}

/* --- CR3 ------------------------------------------------------------------ */

static void add_cr3_time(void *owner, const struct vcpu *v, uint64_t frame,
                uint64_t from, uint64_t to)
{
    struct interval *i = owner;
    bool one = i->kind == INTERVAL_CR3_SUMMARY;
    size_t column = i->kind == INTERVAL_CR3_TIME || one
                    ? find_column(i, frame) : get_column(i, frame);

    (void)v;
    if ( column != NO_COLUMN && i->segment == 0 )
        grid_add(&i->grid, column, from, to);
}

static void note_cr3_load(void *state, const struct fact_cr3 *f)
{
    struct interval *i = state;

    cr3_note_load(&i->cr3, f);
}

static void note_cr3_runstate(void *state, const struct fact_runstate *f)
{
    struct interval *i = state;

    cr3_note_runstate(&i->cr3, f);
}

static void add_cr3_exit(void *state, const struct fact_exit *f)
{
    struct interval *i = state;

    if ( i->segment == 0 && i->nr_ids &&
         cr3_current_frame(&i->cr3, f->vcpu) == i->ids[0] )
        add_exit_time(i, f);
    i->category = 0;
}

/* --- the table ------------------------------------------------------------ */

#define COMMON .ordered = true, .begin = interval_begin,                    \
    .end = interval_end, .loss = add_interval_loss

static const struct sink_ops ops[INTERVAL_KINDS] = {
    [INTERVAL_DOMAIN_TIME] = { COMMON, .runstate = add_domain_time },
    [INTERVAL_DOMAIN_TIME_ALL] = { COMMON, .runstate = add_domain_time },
    [INTERVAL_DOMAIN_WAIT_ALL] = { COMMON, .runstate = add_domain_wait },
    [INTERVAL_DOMAIN_SUMMARY] = { COMMON, .runstate = add_running_time,
                                  .handle = note_category,
                                  .exit = add_domain_exit },
    [INTERVAL_DOMAIN_INTERRUPT] = { COMMON, .handle = count_interrupt },
    [INTERVAL_DOMAIN_GRANT_MAPS] = { COMMON, .memory = count_grant_map },
    [INTERVAL_CR3_TIME] = { COMMON, .cr3 = note_cr3_load,
                            .runstate = note_cr3_runstate },
    [INTERVAL_CR3_TIME_ALL] = { COMMON, .cr3 = note_cr3_load,
                                .runstate = note_cr3_runstate },
    [INTERVAL_CR3_ORDERED] = { COMMON, .cr3 = note_cr3_load,
                               .runstate = note_cr3_runstate },
    [INTERVAL_CR3_SUMMARY] = { COMMON, .cr3 = note_cr3_load,
                               .runstate = note_cr3_runstate,
                               .handle = note_category, .exit = add_cr3_exit },
};

int interval_new(struct interval **out, enum interval_kind kind,
                 uint64_t length_ns, const uint64_t *ids, size_t nr_ids)
{
    struct interval *i = fault_calloc(1, sizeof(*i));

    assert(kind < INTERVAL_KINDS && (ids || !nr_ids));
    *out = NULL;
    if ( !i )
        return -ENOMEM;
    i->kind = kind;
    i->length = length_ns;
    i->cr3.add_time = add_cr3_time;
    i->cr3.owner = i;
    for ( size_t k = 0; k < nr_ids; k++ )
        get_column(i, ids[k]);
    if ( i->failed )
    {
        interval_free(i);
        return -ENOMEM;
    }
    *out = i;
    return 0;
}

void interval_select_pcpus(struct interval *i,
                           bool (*wants)(const void *filter,
                                         unsigned int pcpu),
                           const void *filter)
{
    assert(!i->grid.width && (!wants || interval_has_pcpus(i->kind)));
    i->wants_pcpu = wants;
    i->filter = filter;
}

/* A frame stays in CR3 on all pcpus that the vcpu moves to. */
bool interval_has_pcpus(enum interval_kind kind)
{
    assert(kind < INTERVAL_KINDS);
    return ops[kind].cr3 == NULL;
}

void interval_free(struct interval *i)
{
    if ( !i )
        return;
    grid_fini(&i->grid);
    grid_fini(&i->lost);
    cr3_fini(&i->cr3);
    free(i->ids);
    free(i);
}

struct sink interval_sink(struct interval *i)
{
    return (struct sink){ &ops[i->kind], i };
}

/* --- answers -------------------------------------------------------------- */

size_t interval_count_rows(const struct interval *i)
{
    uint64_t rows;

    if ( i->last <= i->grid.first || !i->grid.width )
        return 0;
    rows = (i->last - i->grid.first - 1) / i->grid.width + 1;
    return rows < GRID_MAX_ROWS ? rows : i->grid.nr_rows;
}

bool interval_is_truncated(const struct interval *i)
{
    return i->grid.truncated || (i->last > i->grid.first && i->grid.width &&
                           (i->last - i->grid.first - 1) / i->grid.width >=
                           GRID_MAX_ROWS);
}

bool interval_has_too_many_ids(const struct interval *i)
{
    return i->too_many_ids;
}

uint64_t interval_row_length(const struct interval *i, size_t row)
{
    uint64_t start = i->grid.first + row * i->grid.width;
    uint64_t end = start + i->grid.width;

    debug_assert(row < interval_count_rows(i));
    return i->last > start && i->last < end ? i->last - start
                                            : i->grid.width;
}

uint64_t interval_lost(const struct interval *i, size_t row)
{
    debug_assert(row < interval_count_rows(i));
    return grid_cell(&i->lost, 0, row);
}

int64_t interval_row_ns(const struct interval *i, size_t row)
{
    int64_t first = xt_clock_ns(&i->clock, i->grid.first);

    return first + (int64_t)xt_clock_duration(&i->clock, row * i->grid.width);
}

static int compare_entries(const void *a, const void *b)
{
    const struct interval_entry *x = a, *y = b;

    if ( x->key != y->key )
        return x->key < y->key ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static void add_entry(struct interval_order *o, uint64_t key, size_t column)
{
    assert(o->nr < INTERVAL_MAX_COLUMNS);
    o->entries[o->nr++] = (struct interval_entry){ key, column };
}

void interval_by_id(const struct interval *i, struct interval_order *o)
{
    o->nr = 0;
    for ( size_t k = 0; k < i->nr_ids; k++ )
        add_entry(o, i->ids[k], k);
    qsort(o->entries, o->nr, sizeof(o->entries[0]), compare_entries);
}

void interval_by_time(const struct interval *i, size_t row,
                      struct interval_order *o)
{
    o->nr = 0;
    for ( size_t k = 0; k < i->grid.nr_columns; k++ )
        if ( grid_cell(&i->grid, k, row) )
            add_entry(o, ~grid_cell(&i->grid, k, row), k);
    qsort(o->entries, o->nr, sizeof(o->entries[0]), compare_entries);
}
