/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interval tables of our own: headings first, with the names of domains, in
 * TEXT_COLUMNS bytes.  A row has, from left to right:
 *
 *     time | running or guest | largest sums ... | others | idle | lost
 *
 * The subjects (domains, frames, vectors, purposes of exits) with the largest
 * sums have columns; the other subjects share the column "others".  The lost
 * time is that of the pcpus, and tells how much a row may miss.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/num.h"
#include "common/text-wrap.h"
#include "common/utf8.h"
#include "xenalyze/account/account.h"

#define TIME_WIDTH 10u          /* with a blank before the number */
#define FIELD_WIDTH 8u
#define NAME_WIDTH_MAX XT_COLUMN_MIN
#define WIDEST_FIELD 16u        /* a frame of 64 bits */
#define MAX_FIELDS ((TEXT_COLUMNS - TIME_WIDTH) / (FIELD_WIDTH + 1))
#define TITLE_NAME_WIDTH 16u
#define NO_COLUMN SIZE_MAX

enum subject { SUBJECT_DOMAIN, SUBJECT_FRAME, SUBJECT_PURPOSE, SUBJECT_VECTOR,
               SUBJECT_GRANT };

/* The text around the numbers of a kind. */
struct interval_form
{
    enum subject subject;
    const char *title;          /* behind the domain or frame of the table */
    const char *nothing;        /* instead of rows without a value */
    const char *classes;        /* classes of events with values; or NULL */
};

#define SHARES " (% of the interval; a pcpu is 100%)"
#define NO_LOAD "no exit of a guest loads CR3: there is none with " \
    "hardware-assisted paging"

static const struct interval_form forms[INTERVAL_KINDS] = {
    [INTERVAL_DOMAIN_TIME] = {
        SUBJECT_DOMAIN, "Running" SHARES, "none of these domains ran",
        "sched:min" },
    [INTERVAL_DOMAIN_TIME_ALL] = {
        SUBJECT_DOMAIN, "Running" SHARES, "no vcpu ran",
        "sched:min" },
    [INTERVAL_DOMAIN_WAIT_ALL] = {
        SUBJECT_DOMAIN,
        "Waiting for a pcpu (% of the interval, sum of all vcpus)",
        "no vcpu waited", "sched:min" },
    [INTERVAL_DOMAIN_SUMMARY] = {
        SUBJECT_PURPOSE, ": running, and exits by purpose (% of the interval)",
        "no vcpu of the domain ran", "hvm" },
    [INTERVAL_DOMAIN_INTERRUPT] = {
        SUBJECT_VECTOR, ": interrupts by vector (number)",
        "no interrupt was injected", "hvm" },
    [INTERVAL_DOMAIN_GRANT_MAPS] = {
        SUBJECT_GRANT, ": grants mapped (number)",
        "no grant was mapped", "mem" },
    [INTERVAL_CR3_TIME] = {
        SUBJECT_FRAME, "Frames in CR3" SHARES, NO_LOAD, NULL },
    [INTERVAL_CR3_TIME_ALL] = {
        SUBJECT_FRAME, "Frames in CR3" SHARES, NO_LOAD, NULL },
    [INTERVAL_CR3_ORDERED] = {
        SUBJECT_FRAME, "Frames in CR3" SHARES, NO_LOAD, NULL },
    [INTERVAL_CR3_SUMMARY] = {
        SUBJECT_PURPOSE, " in CR3: guest, exits by purpose (% of the "
        "interval)", NO_LOAD, NULL },
};

struct interval_table
{
    const struct interval *i;
    const struct interval_form *form;
    const struct report_request *request;
    FILE *out;
    unsigned int width;         /* bytes of a subject, without its blank */
    size_t rows, shown;
    size_t first, end;          /* the range of columns of the subjects */
    size_t idle;                /* a column in the range, or NO_COLUMN */
    size_t columns[MAX_FIELDS]; /* array of indexes, largest sum first */
    size_t nr;
    bool has_others;            /* some columns are in no field */
};

/* --- which columns -------------------------------------------------------- */

static bool has_whole(const struct interval_table *t)
{
    return t->form->subject == SUBJECT_PURPOSE;
}

static bool is_count(const struct interval_table *t)
{
    return t->form->subject >= SUBJECT_VECTOR;
}

static uint64_t sum_column(const struct interval_table *t, size_t column)
{
    uint64_t sum = 0;

    for ( size_t row = 0; row < t->rows; row++ )
        sum += grid_cell(&t->i->grid, column, row);
    return sum;
}

static uint64_t column_id(const struct interval_table *t, size_t column)
{
    return has_whole(t) ? column : t->i->ids[column];
}

/* Insert a column into the sorted array of `room` entries, or drop one. */
static void insert_column(struct interval_table *t, size_t column, size_t room,
                          uint64_t sum, uint64_t sums[MAX_FIELDS])
{
    size_t at = t->nr < room ? t->nr++ : room;

    while ( at && (sums[at - 1] < sum ||
                   (sums[at - 1] == sum &&
                    column_id(t, t->columns[at - 1]) > column_id(t, column))) )
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

/* Domains have a column even if they never run. */
static bool is_listed(const struct interval_table *t, size_t column,
                      uint64_t sum)
{
    return column != t->idle && (sum || t->form->subject != SUBJECT_PURPOSE);
}

static size_t count_listed(const struct interval_table *t)
{
    size_t nr = 0;

    for ( size_t k = t->first; k < t->end; k++ )
        nr += is_listed(t, k, sum_column(t, k));
    return nr;
}

static void choose_columns(struct interval_table *t)
{
    size_t fixed = 1 + has_whole(t) + (t->idle != NO_COLUMN);
    size_t room = (TEXT_COLUMNS - TIME_WIDTH - fixed * (FIELD_WIDTH + 1)) /
                  (t->width + 1);
    uint64_t sums[MAX_FIELDS];

    assert(room && room <= MAX_FIELDS);
    t->has_others = count_listed(t) > room;
    room -= t->has_others;
    for ( size_t k = t->first; k < t->end; k++ )
    {
        uint64_t sum = sum_column(t, k);

        if ( is_listed(t, k, sum) )
            insert_column(t, k, room, sum, sums);
    }
}

/* The subjects of column 0 of a single domain, or of all. */
static void set_range(struct interval_table *t)
{
    static const size_t firsts[] = {
        [SUBJECT_PURPOSE] = 1, [SUBJECT_VECTOR] = 1, [SUBJECT_GRANT] = 0,
    };

    t->first = firsts[t->form->subject];
    t->end = has_whole(t) ? CATEGORIES : t->i->nr_ids;
    t->idle = NO_COLUMN;
    for ( size_t k = t->first; t->form->subject == SUBJECT_DOMAIN &&
                               k < t->end; k++ )
        if ( t->i->ids[k] == XT_DOMAIN_IDLE )
            t->idle = k;
}

/* --- headings ------------------------------------------------------------- */

/* `width`: at least XT_COLUMN_MIN. */
static const char *domain_heading(const struct interval_table *t,
                                  uint64_t id, unsigned int width,
                                  char name[XT_LABEL_MAX])
{
    if ( id != XT_DOMAIN_DEFAULT )
        return xt_domain_column(t->request->names, (unsigned int)id, width,
                                name);
    snprintf(name, XT_LABEL_MAX, "unknown");
    return name;
}

static const char *column_heading(const struct interval_table *t, size_t column,
                                  char name[XT_LABEL_MAX])
{
    uint64_t id = column_id(t, column);

    assert(column < t->end);
    switch ( t->form->subject )
    {
    case SUBJECT_DOMAIN:
        return domain_heading(t, id, NAME_WIDTH_MAX, name);
    case SUBJECT_PURPOSE:
        return category_name(column);
    case SUBJECT_GRANT:
        return "grants";
    case SUBJECT_FRAME:
        snprintf(name, XT_LABEL_MAX, "%" PRIx64, id);
        break;
    case SUBJECT_VECTOR:
        snprintf(name, XT_LABEL_MAX, "%" PRIu64, id & UINT32_MAX);
        break;
    }
    return name;
}

static void print_title(const struct interval_table *t)
{
    char name[XT_LABEL_MAX] = "";

    if ( t->i->kind == INTERVAL_CR3_SUMMARY && t->i->nr_ids )
        snprintf(name, sizeof(name), "%" PRIx64, t->i->ids[0]);
    else if ( t->form->title[0] == ':' && t->i->nr_ids )
        domain_heading(t, t->i->ids[0], TITLE_NAME_WIDTH, name);
    fprintf(t->out, "--- %s%s ---\n", name, t->form->title);
}

static void print_column_name(const struct interval_table *t,
                              unsigned int width, const char *text)
{
    fprintf(t->out, " %*s", utf8_width(text, (int)width), text);
}

static void print_headings(const struct interval_table *t)
{
    char name[XT_LABEL_MAX];

    fprintf(t->out, " %-*s", (int)TIME_WIDTH - 1, "time");
    if ( has_whole(t) )
        print_column_name(t, FIELD_WIDTH, t->i->kind == INTERVAL_CR3_SUMMARY
                                      ? "guest" : "running");
    for ( size_t k = 0; k < t->nr; k++ )
        print_column_name(t, t->width, column_heading(t, t->columns[k], name));
    if ( t->has_others )
        print_column_name(t, t->width, "others");
    if ( t->idle != NO_COLUMN )
        print_column_name(t, FIELD_WIDTH, "idle");
    print_column_name(t, FIELD_WIDTH, "lost");
    putc('\n', t->out);
}

/* --- rows ----------------------------------------------------------------- */

/* Two decimals, or as many as fit. */
static void print_share(const struct interval_table *t, unsigned int width,
                        uint64_t cycles, size_t row)
{
    double share = stats_share(cycles, interval_row_length(t->i, row));
    int decimals = share < 9999.995 ? 2 : share < 99999.95 ? 1 : 0;

    fprintf(t->out, " %*.*f%%", (int)width - 1, decimals, share);
}

static void print_value(const struct interval_table *t, uint64_t value,
                        size_t row)
{
    char text[NUM_U64_MAX + WIDEST_FIELD + 1];

    if ( !is_count(t) )
    {
        print_share(t, t->width, value, row);
        return;
    }
    *num_u64_fit(text, value, t->width) = '\0';
    fprintf(t->out, " %s", text);
}

static uint64_t sum_others(const struct interval_table *t, size_t row)
{
    uint64_t sum = 0;

    for ( size_t k = t->first; k < t->end; k++ )
        if ( k != t->idle )
            sum += grid_cell(&t->i->grid, k, row);
    assert(t->has_others && t->nr <= MAX_FIELDS);
    for ( size_t k = 0; k < t->nr; k++ )
        sum -= grid_cell(&t->i->grid, t->columns[k], row);
    return sum;
}

static void print_interval_row(const struct interval_table *t, size_t row)
{
    int64_t ns = interval_row_ns(t->i, row);
    char text[NUM_SEC_MAX];

    *num_sec_fit(text, ns < 0 ? 0 : ns, TIME_WIDTH - 1) = '\0';
    fprintf(t->out, " %-*s", (int)TIME_WIDTH - 1, text);
    if ( has_whole(t) )
        print_share(t, FIELD_WIDTH, grid_cell(&t->i->grid, 0, row), row);
    for ( size_t k = 0; k < t->nr; k++ )
        print_value(t, grid_cell(&t->i->grid, t->columns[k], row), row);
    if ( t->has_others )
        print_value(t, sum_others(t, row), row);
    if ( t->idle != NO_COLUMN )
        print_share(t, FIELD_WIDTH, grid_cell(&t->i->grid, t->idle, row), row);
    print_share(t, FIELD_WIDTH, interval_lost(t->i, row), row);
    putc('\n', t->out);
}

/* The longest heading. */
static unsigned int subject_width(const struct interval_table *t)
{
    size_t width = FIELD_WIDTH;
    char name[XT_LABEL_MAX];

    for ( size_t k = t->first; k < t->end; k++ )
    {
        size_t length = strlen(column_heading(t, k, name));

        if ( length > width && is_listed(t, k, sum_column(t, k)) )
            width = length;
    }
    assert(width <= WIDEST_FIELD);
    return width;
}

/* Is any cell of a subject not 0? */
static bool has_subject_value(const struct interval_table *t)
{
    bool found = false;

    for ( size_t k = t->first; k < t->end && !found; k++ )
        found = sum_column(t, k);
    return found;
}

static bool has_losses(const struct interval_table *t)
{
    bool found = false;

    for ( size_t row = 0; row < t->rows && !found; row++ )
        found = interval_lost(t->i, row);
    return found;
}

/* The running time of a domain or frame counts as a value. */
static bool has_no_value(const struct interval_table *t)
{
    return !has_subject_value(t) && !(has_whole(t) && sum_column(t, 0));
}

const char *text_interval_lacks(const struct interval *i)
{
    struct interval_table t = {
        .i = i, .form = &forms[i->kind], .rows = interval_count_rows(i),
    };

    set_range(&t);
    return has_subject_value(&t) ? NULL : t.form->classes;
}

/* `missing`: classes to capture; "": all were traced. */
static void print_nothing(const struct interval_table *t, const char *missing)
{
    const char *text = t->form->nothing;

    if ( t->i->kind == INTERVAL_DOMAIN_SUMMARY && !has_no_value(t) )
        text = "the domain has no exits";
    else if ( t->i->kind == INTERVAL_DOMAIN_SUMMARY )
        missing = "";
    fprintf(t->out, " %s%s%s\n", text,
            *missing ? "; capture with xentrace -e " : "", missing);
}

void text_print_interval_table(const struct interval *i,
                               const struct report_request *request,
                               const char *missing, FILE *out)
{
    struct interval_table t = {
        .i = i, .form = &forms[i->kind], .request = request, .out = out,
        .rows = interval_count_rows(i),
    };
    bool is_empty;

    assert(t.form->title && request);
    set_range(&t);
    t.width = subject_width(&t);
    print_title(&t);
    is_empty = has_no_value(&t);
    if ( is_empty || (i->kind == INTERVAL_DOMAIN_SUMMARY &&
                      !has_subject_value(&t)) )
        print_nothing(&t, missing);
    if ( is_empty && !has_losses(&t) )
        return;
    choose_columns(&t);
    print_headings(&t);
    t.shown = sort_limit(request, t.rows);
    for ( size_t row = 0; row < t.shown; row++ )
        print_interval_row(&t, row);
}
