/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --interval-...: what happened in each interval of time.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/filter/filter.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

struct intervals
{
    struct interval *all[INTERVAL_KINDS];       /* NULL: not asked for */
};

static bool intervals_are_requested(const struct report_config *c)
{
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        if ( c->interval[i] )
            return true;
    return false;
}

/* The ids of the option, with those of named domains. */
static int resolve_ids(const struct report_pass *p, enum interval_kind kind,
                       struct report_ids *ids, struct err *e)
{
    char option[64];
    int rc = 0;

    assert(kind < INTERVAL_KINDS);
    *ids = p->config->ids[kind];
    snprintf(option, sizeof(option), "interval-%s", interval_name(kind));
    for ( size_t i = 0; !rc && i < ids->nr; i++ )
        if ( ids->names[i] )
            rc = filter_find_domain(p->request.names, option, ids->names[i],
                                    &ids->ids[i], e);
    return rc;
}

static int intervals_open(struct report_pass *p, void **state, struct err *e)
{
    const struct report_config *c = p->config;
    struct intervals *s = *state = fault_calloc(1, sizeof(*s));
    struct report_ids ids;
    int rc = s ? 0 : -ENOMEM;

    for ( unsigned int i = 0; !rc && i < INTERVAL_KINDS; i++ )
    {
        if ( !c->interval[i] )
            continue;
        rc = resolve_ids(p, i, &ids, e);
        if ( !rc )
            rc = interval_new(&s->all[i], i, c->interval_length, ids.ids,
                              ids.nr);
        if ( !rc )
            report_add_sink(p, interval_sink(s->all[i]));
    }
    return rc;
}

static int intervals_print(struct report_pass *p, void *state)
{
    struct intervals *s = state;
    bool is_table = p->request.style == STYLE_TABLE;

    assert(p->request.style <= STYLE_TABLE);
    /* Stock has no report of waiting time. */
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        if ( s->all[i] && (is_table || i == INTERVAL_DOMAIN_WAIT_ALL) )
            text_print_interval_table(s->all[i], &p->request, p->out);
        else if ( s->all[i] )
            text_print_interval(s->all[i], p->out);
    return 0;
}

static int intervals_check(struct report_pass *p, void *state, struct err *e)
{
    struct intervals *s = state;

    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
    {
        if ( s->all[i] && interval_is_truncated(s->all[i]) )
            return err_set(e, -E2BIG, "%s: that makes too many intervals, "
                           "and the last ones are missing; choose longer "
                           "ones with --interval", p->name);
        if ( s->all[i] && interval_has_too_many_ids(s->all[i]) )
            return err_set(e, -E2BIG, "%s: --interval-%s has no room for "
                           "all, and the last ones are missing; choose some "
                           "with --domain or --vcpu", p->name,
                           interval_name(i));
    }
    return 0;
}

static void intervals_free(void *state)
{
    struct intervals *s = state;

    for ( unsigned int i = 0; s && i < INTERVAL_KINDS; i++ )
        interval_free(s->all[i]);
    free(s);
}

/* --- export --------------------------------------------------------------- */

static void export_cell(void *state, const struct interval_cell *c)
{
    assert(c->kind < INTERVAL_KINDS);
    EXPORT_ROW((struct export *)state, export_text(interval_name(c->kind)),
               export_number(c->at), export_number(c->cycles),
               export_optional(c->has_domain, c->domain),
               export_text(c->name),
               export_optional(c->has_number, c->number),
               export_number(c->value));
}

static void walk_cells(struct export *x, void *state)
{
    struct intervals *s = state;

    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        if ( s->all[i] )
            interval_walk(s->all[i], export_cell, x);
}

static const struct export_column columns[] = {
    EXPORT_COLUMN("interval", TEXT,
                  "the option of the interval, without --interval-"),
    EXPORT_COLUMN("start", MOMENT, "the start of the interval"),
    EXPORT_COLUMN("length", DURATION,
                  "the length of the interval, cut at the end of the trace"),
    EXPORT_OPTIONAL("domain", COUNT, "the domain of the value"),
    EXPORT_OPTIONAL("category", TEXT,
                    "the purpose of the time; \"new\": the first interval of "
                    "the frame"),
    EXPORT_OPTIONAL("number", COUNT, "the frame in CR3, or the vector"),
    EXPORT_COLUMN("value", COUNT,
                  "the cycles in which the domain ran or the frame was in CR3; "
                  "or the number of interrupts or grants"),
};

static const struct export_table tables[] = {
    { "intervals", "Values of intervals of time, one row per value.",
      EXPORT_AT_TOP,
      EXPORT_COLUMNS(columns), walk_cells },
    { .name = NULL },
};

const struct report report_intervals = {
    .name = "intervals", .kind = REPORT_STREAM,
    .is_requested = intervals_are_requested,
    .open = intervals_open, .print = intervals_print,
    .check = intervals_check, .tables = { tables }, .free = intervals_free,
};
