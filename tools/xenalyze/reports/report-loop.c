/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops over the report table: choose, open, close, print, export and free the
 * wanted reports.
 */
#include <assert.h>
#include <errno.h>

#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

/* --- choosing ------------------------------------------------------------- */

static bool has_kind(const struct report_config *c, enum report_kind kind)
{
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( report_table[i]->kind == kind &&
             report_table[i]->is_requested(c) )
            return true;
    return false;
}

bool report_is_wanted(const struct report_config *c)
{
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( !report_table[i]->is_addition &&
             report_table[i]->is_requested(c) )
            return true;
    return c->json || c->csv;
}

/*
 * JSON always includes all tables.  CSV with points or intervals includes
 * tables only if another report is requested as well.
 */
static bool exports_tables(const struct report_config *c)
{
    return c->json || (c->csv && (has_kind(c, REPORT_TABLES) ||
                                  !has_kind(c, REPORT_STREAM)));
}

static bool report_is_needed(const struct report_pass *p,
                             const struct report *r)
{
    return r->is_requested(p->config) ||
           (p->exports_tables && r->in_every_export);
}

static size_t report_row(const struct report *r)
{
    size_t i = 0;

    while ( report_table[i] != r )
    {
        i++;
        assert(i < report_table_size);
    }
    return i;
}

/* Walks the table bottom up: a report is marked before its own needs. */
static void choose_reports(struct report_pass *p)
{
    for ( size_t i = report_table_size; i-- > 0; )
    {
        const struct report *r = report_table[i];

        p->is_open[i] |= report_is_needed(p, r);
        for ( size_t k = 0; p->is_open[i] && k < REPORT_MAX_NEEDS &&
                            r->needs[k]; k++ )
        {
            assert(report_row(r->needs[k]) < i);
            p->is_open[report_row(r->needs[k])] = true;
        }
    }
}

/* --- opening -------------------------------------------------------------- */

void report_add_sink(struct report_pass *p, struct sink sink)
{
    assert(p->nr_sinks < sizeof(p->sinks) / sizeof(p->sinks[0]));
    p->sinks[p->nr_sinks++] = sink;
}

void *report_state(const struct report_pass *p, const struct report *r)
{
    return p->states[report_row(r)];
}

static int complete_request(struct report_pass *p, struct err *e)
{
    struct report_request *r = &p->request;
    int rc = 0;

    *r = p->config->request;
    sort_fit_screen(r, &p->was_cut);
    if ( r->sort == SORT_AUTO )
        r->sort = r->top ? SORT_TOTAL : SORT_NAME;
    r->clock_assumed = p->clock_assumed;
    r->is_selection = p->is_selection;
    r->selects_domains = p->domains || p->vcpus;
    r->names = p->names;
    if ( p->config->symbol_file )
        rc = symbols_read(&p->symbols, p->config->symbol_file, e);
    r->symbols = p->symbols;
    return rc;
}

/* First sink of the pass: later sinks may export durations at once. */
static void note_clock(void *state, const struct fact_begin *f)
{
    export_set_clock(state, f->clock);
}

static int open_export(struct report_pass *p)
{
    static const struct sink_ops ops = {
        .name = "export clock", .begin = note_clock,
    };
    const struct report_config *c = p->config;
    int rc;

    if ( !c->json && !c->csv )
        return 0;
    rc = export_new(&p->export, c->json ? EXPORT_JSON : EXPORT_CSV, p->out);
    if ( rc )
        return rc;
    export_set_names(p->export, p->names);
    report_add_sink(p, (struct sink){ &ops, p->export });
    return 0;
}

/* A report that compares vcpus with all others would draw wrong conclusions. */
static int check_selected_part(const struct report_pass *p, struct err *e)
{
    if ( !p->pcpus && !p->domains && !p->vcpus )
        return 0;
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( report_table[i]->needs_all &&
             report_table[i]->is_requested(p->config) )
            return err_usage(e, "%s", report_table[i]->needs_all);
    return 0;
}

int report_pass_open(struct report_pass *p, struct err *e)
{
    int rc = check_selected_part(p, e);

    rc = rc ? rc : complete_request(p, e);
    if ( rc )
        return rc;
    p->exports_tables = exports_tables(p->config);
    choose_reports(p);
    rc = open_export(p);
    for ( size_t i = 0; !rc && i < report_table_size; i++ )
        if ( p->is_open[i] && report_table[i]->open )
            rc = report_table[i]->open(p, &p->states[i], e);
    return rc ? err_sys(e, rc, "cannot analyze %s", p->name) : 0;
}

/* --- printing ------------------------------------------------------------- */

/*
 * Exports the tables of one report that belong into `place`, even if empty,
 * unless the table itself is absent then.
 */
static void export_places(struct report_pass *p, const struct report *r,
                          void *state, enum export_place place)
{
    for ( size_t k = 0; k < REPORT_MAX_TABLES && r->tables[k]; k++ )
        for ( const struct export_table *t = r->tables[k]; t->name; t++ )
        {
            /* The picture takes the points, if there is one. */
            if ( t->place != place || (!t->walk && report_plot(p)) )
                continue;
            if ( t->has_rows && !t->has_rows(state) )
                continue;
            export_begin(p->export, t);
            if ( t->walk )
                t->walk(p->export, state);
            export_end(p->export);
        }
}

static bool is_exported(const struct report_pass *p, size_t i,
                        enum export_place place)
{
    return p->is_open[i] && (place == EXPORT_AT_TOP || p->exports_tables);
}

static void export_reports(struct report_pass *p)
{
    static const enum export_place places[] = {
        EXPORT_AT_TOP, EXPORT_AS_OBJECT, EXPORT_IN_TABLES,
    };

    for ( size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++ )
        for ( size_t i = 0; i < report_table_size; i++ )
            if ( is_exported(p, i, places[k]) )
                export_places(p, report_table[i], p->states[i], places[k]);
    export_close(p->export);
}

static int close_reports(struct report_pass *p)
{
    int rc = 0;

    for ( size_t i = 0; !rc && i < report_table_size; i++ )
        if ( p->is_open[i] && report_table[i]->close )
            rc = report_table[i]->close(p, p->states[i]);
    return rc;
}

/* The trace is read for its classes only if the report is empty. */
static bool find_lack(struct report_pass *p, const struct report *r)
{
    char missing[64] = "";

    if ( r->is_empty && p->list_missing && r->is_empty(p) )
        p->list_missing(p, r->class, missing, sizeof(missing));
    return *missing;
}

bool report_lacks_events(const struct report_pass *p, const struct report *r)
{
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( report_table[i] == r )
            return p->lacks_events[i];
    return false;
}

static int print_text(struct report_pass *p)
{
    int rc = 0;

    for ( size_t i = 0; !rc && i < report_table_size; i++ )
    {
        if ( !p->is_open[i] || !report_table[i]->print ||
             !report_table[i]->is_requested(p->config) )
            continue;
        p->lacks_events[i] = find_lack(p, report_table[i]);
        if ( !p->lacks_events[i] )
            rc = report_table[i]->print(p, p->states[i]);
    }
    return rc;
}

static bool has_failed(const struct report_pass *p)
{
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( p->is_open[i] && report_table[i]->has_failed &&
             report_table[i]->has_failed(p->states[i]) )
            return true;
    return false;
}

int report_pass_print(struct report_pass *p, struct err *e)
{
    int rc = close_reports(p);

    if ( !rc && p->export )
        export_reports(p);
    else if ( !rc )
    {
        rc = print_text(p);
        text_print_cut(p->was_cut, p->out);
    }
    if ( !rc && has_failed(p) )
        rc = -ENOMEM;
    if ( rc )
        return err_sys(e, rc, "cannot print the report on %s", p->name);
    for ( size_t i = 0; !rc && i < report_table_size; i++ )
        if ( p->is_open[i] && report_table[i]->write )
            rc = report_table[i]->write(p, p->states[i], e);
    return rc;
}

/* Pictures and timelines show lost records; the text of a report beside them
   does not list them. */
static bool is_picture_only(const struct report_pass *p)
{
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( p->is_open[i] && report_table[i]->print &&
             report_table[i]->is_requested(p->config) )
            return false;
    return report_plot(p) || report_viewers_show_losses(p);
}

/* A table has a column of lost time. */
static bool has_loss_column(const struct report_config *c)
{
    bool found = c->pcpus;

    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        found |= c->interval[i];
    return found && c->request.style == STYLE_TABLE;
}

bool report_pass_shows_quality(const struct report_pass *p)
{
    assert(p->config);
    return p->config->summary || p->config->overview || p->exports_tables;
}

bool report_pass_shows_losses(const struct report_pass *p)
{
    return report_pass_shows_quality(p) || is_picture_only(p) ||
           has_loss_column(p->config);
}

/* Beside a summary, which has something to print for any trace, a warning. */
static int refuse_events(const struct report_pass *p, const struct report *r,
                         struct err *e)
{
    assert(r->events && r->capture);
    if ( p->config->summary )
    {
        log_warning(p->log, "%s has no %s; capture with xentrace -e %s",
                    p->name, r->events, r->capture);
        return 0;
    }
    return err_set(e, -ENODATA, "%s has no %s; capture with xentrace -e %s",
                   p->name, r->events, r->capture);
}

int report_pass_check(struct report_pass *p, struct err *e)
{
    int rc = 0;

    for ( size_t i = 0; !rc && i < report_table_size; i++ )
        if ( p->lacks_events[i] )
            rc = refuse_events(p, report_table[i], e);
        else if ( p->is_open[i] && report_table[i]->check )
            rc = report_table[i]->check(p, p->states[i], e);
    return rc;
}

void report_pass_fini(struct report_pass *p)
{
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( report_table[i]->free )
            report_table[i]->free(p->states[i]);
    export_free(p->export);
    symbols_free(p->symbols);
}

/* --- the schema ----------------------------------------------------------- */

#define MAX_TABLES 128u

static size_t list_tables(const struct export_table **all, size_t nr,
                          const struct export_table *tables)
{
    for ( const struct export_table *t = tables; t && t->name; t++ )
    {
        assert(nr < MAX_TABLES);
        all[nr++] = t;
    }
    return nr;
}

void report_print_schema(const struct export_table *const *more, FILE *out)
{
    const struct export_table *all[MAX_TABLES];
    size_t nr = 0;

    for ( size_t i = 0; i < report_table_size; i++ )
        for ( size_t k = 0; k < REPORT_MAX_TABLES; k++ )
            nr = list_tables(all, nr, report_table[i]->tables[k]);
    for ( ; *more; more++ )
        nr = list_tables(all, nr, *more);
    export_write_schema(all, nr, out);
}
