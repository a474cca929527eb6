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
    struct interval *all[REPORT_MAX_INTERVALS];
    enum interval_kind kinds[REPORT_MAX_INTERVALS];
    size_t nr;
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

static int add_interval(struct report_pass *p, struct intervals *s,
                        enum interval_kind kind, const uint64_t *ids, size_t nr)
{
    int rc;

    assert(s->nr < REPORT_MAX_INTERVALS);
    rc = interval_new(&s->all[s->nr], kind, p->config->interval_length, ids,
                      nr);
    if ( rc )
        return rc;
    if ( p->pcpus )
        interval_select_pcpus(s->all[s->nr], p->wants_pcpu, p->filter);
    report_add_sink(p, interval_sink(s->all[s->nr]));
    s->kinds[s->nr++] = kind;
    return 0;
}

static int check_pcpus(const struct report_pass *p, enum interval_kind kind,
                       struct err *e)
{
    return !p->pcpus || interval_has_pcpus(kind)
           ? 0 : err_usage(e, "--interval-%s follows frames through all pcpus: "
                           "select a part of the trace with --time or "
                           "--domain instead of --pcpu", interval_name(kind));
}

/* True if each domain has a table; the text of stock has the first domain. */
static bool is_per_domain(const struct report_pass *p, enum interval_kind kind)
{
    return p->request.style == STYLE_TABLE &&
           (kind == INTERVAL_DOMAIN_SUMMARY ||
            kind == INTERVAL_DOMAIN_INTERRUPT ||
            kind == INTERVAL_DOMAIN_GRANT_MAPS);
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
        rc = check_pcpus(p, i, e);
        rc = rc ? rc : resolve_ids(p, i, &ids, e);
        if ( !rc && !is_per_domain(p, i) )
            rc = add_interval(p, s, i, ids.ids, ids.nr);
        for ( size_t k = 0; !rc && is_per_domain(p, i) && k < ids.nr; k++ )
            rc = add_interval(p, s, i, &ids.ids[k], 1);
    }
    return rc;
}

/* The classes to capture if a table is empty: those that were not traced. */
static void find_missing(const struct report_pass *p, const struct interval *i,
                         char *missing, size_t size)
{
    const char *classes = text_interval_lacks(i);

    assert(size);
    *missing = '\0';
    if ( classes && p->list_missing )
        p->list_missing(p, classes, missing, size);
}

/* A table of running or waiting times needs runstates. */
static bool needs_runstates(enum interval_kind kind)
{
    return kind == INTERVAL_DOMAIN_TIME || kind == INTERVAL_DOMAIN_TIME_ALL ||
           kind == INTERVAL_DOMAIN_WAIT_ALL;
}

/* Stock has no report of waiting time. */
static bool prints_table(const struct report_pass *p, enum interval_kind kind)
{
    assert(p->request.style <= STYLE_TABLE);
    return p->request.style == STYLE_TABLE || kind == INTERVAL_DOMAIN_WAIT_ALL;
}

/* Tables that all need runstates, and have none. */
static bool intervals_are_empty(struct report_pass *p)
{
    const struct intervals *s = report_state(p, &report_intervals);

    for ( size_t i = 0; i < s->nr; i++ )
        if ( !needs_runstates(s->kinds[i]) || !prints_table(p, s->kinds[i]) ||
             !text_interval_lacks(s->all[i]) )
            return false;
    return s->nr;
}

/* Without some columns, the largest ones and the sum of others are wrong. */
static void print_interval_table(struct report_pass *p,
                                 const struct interval *i)
{
    char missing[64];

    find_missing(p, i, missing, sizeof(missing));
    if ( !interval_has_too_many_ids(i) && !interval_is_truncated(i) )
        text_print_interval_table(i, &p->request, missing, p->out);
}

static int intervals_print(struct report_pass *p, void *state)
{
    struct intervals *s = state;

    for ( size_t i = 0; i < s->nr; i++ )
        if ( prints_table(p, s->kinds[i]) )
            print_interval_table(p, s->all[i]);
        else
            text_print_interval(s->all[i], p->out);
    return 0;
}

static const char *find_consequence(const struct report_pass *p,
                                    enum interval_kind kind)
{
    return !p->export && prints_table(p, kind)
           ? ", so there is no table" : ", and the last ones are missing";
}

static int intervals_check(struct report_pass *p, void *state, struct err *e)
{
    struct intervals *s = state;

    for ( size_t i = 0; i < s->nr; i++ )
    {
        if ( interval_is_truncated(s->all[i]) )
            return err_set(e, -E2BIG, "%s: that makes too many intervals%s; "
                           "choose longer ones with --interval", p->name,
                           find_consequence(p, s->kinds[i]));
        if ( interval_has_too_many_ids(s->all[i]) )
            return err_set(e, -E2BIG, "%s: --interval-%s has more than %u "
                           "columns%s; choose some with --domain or --vcpu",
                           p->name, interval_name(s->kinds[i]),
                           INTERVAL_MAX_COLUMNS,
                           find_consequence(p, s->kinds[i]));
    }
    return 0;
}

static void intervals_free(void *state)
{
    struct intervals *s = state;

    for ( size_t i = 0; s && i < s->nr; i++ )
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

    for ( size_t i = 0; i < s->nr; i++ )
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
    .is_empty = intervals_are_empty,
    .events = "changes of runstates", .class = "sched:min",
    .capture = "sched:min",
    .open = intervals_open, .print = intervals_print,
    .check = intervals_check, .tables = { tables }, .free = intervals_free,
};
