/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --scatterplot-...: facts as points, for the picture, for export, or as the
 * lines that stock prints.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/reports/table.h"

/* Destination of the points of one scatterplot: a text file, or an export. */
struct destination
{
    struct export *export;
    enum scatter_kind kind;
    struct point_order *order;
    const struct xt_domain_names *names;    /* borrowed; or NULL */
    struct points points;       /* receiver of the sorted points */
};

struct scatterplots
{
    struct scatter all[SCATTER_KINDS];
    struct destination destinations[SCATTER_KINDS];
    struct point_order order;   /* buffer for points of all kinds */
};

/* --- export --------------------------------------------------------------- */

static const struct export_column point_columns[] = {
    EXPORT_COLUMN("plot", TEXT,
                  "the option of the scatterplot, without --scatterplot-"),
    EXPORT_OPTIONAL("domain", COUNT, "the domain of the vcpu"),
    EXPORT_OPTIONAL("vcpu", COUNT, "the vcpu of the point"),
    EXPORT_OPTIONAL("irq", COUNT, "the interrupt of the point"),
    EXPORT_OPTIONAL("device", TEXT, "the device of the interrupt"),
    EXPORT_COLUMN("time", MOMENT, "the time of the point"),
    EXPORT_OPTIONAL("value", SIGNED, "the plotted value, if it is signed"),
    EXPORT_OPTIONAL("address", COUNT,
                    "the plotted value, if it is an address or a TSC value"),
};

static const struct export_table point_tables[] = {
    { "points", "Points of the selected scatterplots.",
      EXPORT_AT_TOP, EXPORT_COLUMNS(point_columns), NULL },
    { .name = NULL },
};

/* NULL: unknown. */
static const char *find_point_device(const struct destination *to,
                                     const struct point *p,
                                     char device[XT_IRQ_TEXT_MAX])
{
    assert(p->owner == POINT_IRQ);
    return to->names && xt_host_irq_device(&to->names->host, p->vcpu, device)
           ? device : NULL;
}

static void export_point(void *state, const struct point *p)
{
    struct destination *to = state;
    char device[XT_IRQ_TEXT_MAX];
    bool is_irq = p->owner == POINT_IRQ;
    bool is_address = p->unit == POINT_LARGE ||
                      scatter_about(to->kind)->unit == PLOT_ADDRESS;

    export_begin(to->export, &point_tables[0]);
    EXPORT_ROW(to->export, export_text(scatter_name(to->kind)),
               export_optional(!is_irq, p->domain),
               export_optional(!is_irq, p->vcpu),
               export_optional(is_irq, p->vcpu),
               export_text(is_irq ? find_point_device(to, p, device) : NULL),
               export_number(p->at),
               export_optional(!is_address, (uint64_t)p->value),
               export_optional(is_address, (uint64_t)p->value));
}

/* --- the report ----------------------------------------------------------- */

static bool scatter_is_requested(const struct report_config *c)
{
    for ( unsigned int i = 0; i < SCATTER_KINDS; i++ )
        if ( c->scatter[i] )
            return true;
    return false;
}

static void order_point(void *state, const struct point *p)
{
    const struct destination *to = state;

    point_order_put(to->order, p, &to->points);
}

/* End of a segment: the sinks of all kinds have got all facts. */
static void flush_points(void *state)
{
    const struct destination *to = state;

    point_order_flush(to->order);
}

static struct points choose_points(struct report_pass *p,
                                   struct scatterplots *s,
                                   enum scatter_kind kind)
{
    struct destination *to = &s->destinations[kind];

    assert(kind < SCATTER_KINDS);
    if ( report_plot(p) )
        return plot_points(report_plot(p));
    *to = (struct destination){
        .export = p->export, .kind = kind, .order = &s->order,
        .names = p->names,
        .points = p->export ? (struct points){ .put = export_point,
                                               .state = to }
                            : points_to_file(p->out),
    };
    return (struct points){ .put = order_point, .end = flush_points,
                            .state = to };
}

static int scatter_open(struct report_pass *p, void **state, struct err *e)
{
    struct scatterplots *s = *state = fault_calloc(1, sizeof(*s));

    (void)e;
    if ( !s )
        return -ENOMEM;
    for ( unsigned int i = 0; i < SCATTER_KINDS; i++ )
    {
        /* The picture draws timelines of vcpus without points. */
        if ( !p->config->scatter[i] ||
             (report_plot(p) && scatter_about(i)->unit == PLOT_VCPUS) )
            continue;
        s->all[i].points = choose_points(p, s, i);
        s->all[i].which = p->config->which[i];
        s->all[i].wants_pcpu = p->wants_pcpu;
        s->all[i].filter = p->filter;
        s->all[i].cr3 = report_state(p, &report_cr3);
        s->all[i].cr3_ids = p->request.cr3;
        report_add_sink(p, scatter_sink(&s->all[i], i));
    }
    return 0;
}

int report_refuse_source(const struct report_pass *p, const char *source,
                         const char *classes, struct err *e)
{
    const char *selection = p->is_selection ? "the selection of " : "";
    char missing[64];

    assert(source && *classes);
    if ( p->list_missing )
        p->list_missing(p, classes, missing, sizeof(missing));
    else
        snprintf(missing, sizeof(missing), "%s", classes);
    if ( !*missing )
        return err_set(e, -ENODATA, "no %s in %s%s; %s %s traced, so there "
                       "were none", source, selection, p->name, classes,
                       strchr(classes, ',') ? "were" : "was");
    if ( !strcmp(missing, classes) )
        return err_set(e, -ENODATA, "no %s in %s%s; capture them with xentrace "
                       "-e %s", source, selection, p->name, classes);
    return err_set(e, -ENODATA, "no %s in %s%s, which lacks %s; add -e %s to "
                   "the options of xentrace", source, selection, p->name,
                   missing, missing);
}

int report_refuse_empty(const struct report_pass *p, enum scatter_kind kind,
                        struct err *e)
{
    const char *classes = "sched:min", *source = "changes of runstates";

    assert(kind <= SCATTER_KINDS);
    if ( kind < SCATTER_KINDS )
        source = scatter_source(kind, &classes);
    return report_refuse_source(p, source, classes, e);
}

uint64_t report_pass_count_late_points(const struct report_pass *p)
{
    const struct scatterplots *s = report_state(p, &report_scatter);

    return s ? s->order.late : 0;
}

static void scatter_free(void *state)
{
    struct scatterplots *s = state;

    if ( s )
        point_order_fini(&s->order);
    free(s);
}

/* A document without points is complete; the picture checks its own. */
static int check_points(struct report_pass *p, void *state, struct err *e)
{
    const struct scatterplots *s = state;

    for ( unsigned int i = 0; i < SCATTER_KINDS; i++ )
        if ( p->config->scatter[i] && !s->all[i].nr_points && !p->export &&
             !report_plot(p) )
            return report_refuse_empty(p, i, e);
    return 0;
}

const struct report report_scatter = {
    .name = "scatterplots", .kind = REPORT_STREAM,
    .is_requested = scatter_is_requested,
    .open = scatter_open, .tables = { point_tables }, .check = check_points,
    .free = scatter_free,
};
