/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VM exits of all vcpus of a domain: by domain, by reason, by handler, and the
 * share of time in guest mode.  Time in Xen is apart from time off the pcpu: a
 * guest that halts costs nothing.  All tables fit into 80 columns.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/utf8.h"
#include "xenalyze/account/account.h"
#include "xenalyze/text/start-time.h"
#include "xenalyze/text/text-private.h"

#define REASON_WIDTH 20
#define NAMES_WIDTH 42          /* domain, reason and handler */
#define LEAST_REASON 4
#define LONGEST_REASON ((int)EXIT_REPORT_NAME - 1)
#define MAX_AT_WIDTH 8

struct exits_text
{
    const struct summary *summary;
    const struct report_request *request;
    const struct exit_report *report;
    unsigned int width;         /* column of domains */
    FILE *out;
};

/* --- columns -------------------------------------------------------------- */

static void print_cycles(const struct exits_text *t, int width, uint64_t cycles)
{
    char text[NUM_CLOCK_MAX];

    fprintf(t->out, " %*s", width,
            text_duration(&t->summary->clock, cycles, text));
}

/* Without scheduler events, the time off the pcpu is unknown. */
static bool is_off_cpu_known(const struct exit_report_row *row)
{
    return row->domain != XT_DOMAIN_DEFAULT;
}

static void print_off_cpu(const struct exits_text *t, int width,
                          const struct exit_report_row *row)
{
    if ( is_off_cpu_known(row) )
        print_cycles(t, width, row->off_cpu);
    else
        fprintf(t->out, " %*s", width, "-");
}

static void print_exit_rate(const struct exits_text *t, int width,
                            const struct exit_report_row *row)
{
    putc(' ', t->out);
    text_print_rate(t->summary, stats_events(&row->cost), width, t->out);
}

static void print_domain_name(const struct exits_text *t,
                              const struct exit_report_row *row)
{
    char name[XT_LABEL_MAX];

    xt_domain_column(t->request->names, row->domain, t->width, name);
    if ( !is_off_cpu_known(row) )
        strcpy(name, "unknown");
    fprintf(t->out, " %-*s", utf8_width(name, (int)t->width), name);
}

/* The columns of times leave so much of 80 columns to reason and handler. */
static int handler_width(const struct exits_text *t)
{
    assert(t->width <= XT_COLUMN_MIN);
    return NAMES_WIDTH - (int)t->width;
}

static const char *format_handler(const struct exit_report_row *row,
                                  char text[SUMMARY_DETAIL_NAME])
{
    const char *interrupt = summary_detail_interrupt(row->handler);

    return interrupt ? interrupt : summary_detail_name(row->handler, text);
}

/* A long name of a reason is cut, so that the handler is complete. */
static void print_reason(const struct exits_text *t,
                         const struct exit_report_row *row)
{
    char number[EXIT_REPORT_NAME], cut[EXIT_REPORT_NAME];
    char text[SUMMARY_DETAIL_NAME];
    const char *reason = exit_report_name(row->cause, number), *handler;
    int room;

    assert(row->handler != EXIT_REPORT_DOMAIN);
    print_domain_name(t, row);
    if ( !exit_report_has_handler(row) )
    {
        fprintf(t->out, " %-*s", REASON_WIDTH,
                utf8_shorten(reason, REASON_WIDTH, cut));
        return;
    }
    handler = format_handler(row, text);
    room = handler_width(t) - 2 - (int)strlen(handler);
    room = room < LEAST_REASON ? LEAST_REASON
                               : room < LONGEST_REASON ? room : LONGEST_REASON;
    reason = utf8_shorten(reason, room, cut);
    fprintf(t->out, " %s: %-*s", reason,
            handler_width(t) - 2 - (int)strlen(reason), handler);
}

/* --- rows ----------------------------------------------------------------- */

static void print_domain_row(const struct exits_text *t,
                             const struct exit_report_row *row)
{
    assert(row->handler == EXIT_REPORT_DOMAIN);
    print_domain_name(t, row);
    fprintf(t->out, " %9" PRIu64, stats_events(&row->cost));
    print_exit_rate(t, 9, row);
    print_cycles(t, 9, exit_report_in_xen(row));
    fprintf(t->out, " %8.3f%%",
            stats_share(exit_report_in_xen(row), t->summary->total));
    print_off_cpu(t, 9, row);
    fprintf(t->out, "\n");
}

static void print_reason_row(const struct exits_text *t,
                             const struct exit_report_row *row)
{
    print_reason(t, row);
    fprintf(t->out, " %8" PRIu64, stats_events(&row->cost));
    print_exit_rate(t, 8, row);
    print_cycles(t, 8, exit_report_in_xen(row));
    print_off_cpu(t, 8, row);
    print_cycles(t, 8, stats_mean(&row->cost));
    fprintf(t->out, "\n");
}

/* Seconds from the start of the trace, as --time takes them. */
static void print_max_at(const struct exits_text *t, uint64_t tsc)
{
    int64_t ns = xt_clock_ns(&t->summary->clock, tsc);
    char text[NUM_SEC_MAX];

    *num_sec_fit(text, ns < 0 ? 0 : (uint64_t)ns, MAX_AT_WIDTH) = '\0';
    fprintf(t->out, " %s", text);
}

static void print_duration_row(const struct exits_text *t,
                               const struct exit_report_row *row)
{
    const struct stats *s = &row->cost;

    print_reason(t, row);
    print_cycles(t, 8, stats_percentile(s, 50));
    print_cycles(t, 8, stats_percentile(s, 95));
    print_cycles(t, 8, stats_percentile(s, 99));
    print_cycles(t, 8, s->max);
    if ( !exit_report_has_handler(row) )
        print_max_at(t, s->max_at);
    fprintf(t->out, "\n");
}

static void print_handler_row(const struct exits_text *t,
                              const struct exit_report_row *row)
{
    assert(exit_report_has_handler(row));
    print_reason(t, row);
    fprintf(t->out, " %8" PRIu64, stats_events(&row->cost));
    print_cycles(t, 8, exit_report_in_xen(row));
    print_off_cpu(t, 8, row);
    print_cycles(t, 8, stats_mean(&row->cost));
    fprintf(t->out, "\n");
}

/* --- tables --------------------------------------------------------------- */

struct exits_table
{
    const char *heading, *columns;      /* columns behind the name */
    const char *name;           /* heading of the column of names; or NULL */
    bool (*has_row)(const struct exit_report_row *row);
    void (*print_row)(const struct exits_text *t,
                      const struct exit_report_row *row);
};

static bool is_domain_row(const struct exit_report_row *row)
{
    return row->handler == EXIT_REPORT_DOMAIN;
}

static bool is_reason_row(const struct exit_report_row *row)
{
    return row->handler == EXIT_REPORT_WHOLE;
}

static const struct exits_table tables[] = {
    { "VM exits by domain",
      "     exits    exits/s    in Xen % of pcpu   off-CPU", NULL,
      is_domain_row, print_domain_row },
    { "VM exits by reason",
      "    exits  exits/s   in Xen  off-CPU     mean", "reason",
      is_reason_row, print_reason_row },
    { "Duration of VM exits by reason",
      "      p50      p95      p99      max max at", "reason",
      is_reason_row, print_duration_row },
    { "VM exits by handler",
      "    exits   in Xen  off-CPU     mean", "reason: handler",
      exit_report_has_handler, print_handler_row },
    { "Duration of VM exits by handler",
      "      p50      p95      p99      max", "reason: handler",
      exit_report_has_handler, print_duration_row },
};

/* The order by total time leaves out the time off the pcpu. */
static uint64_t order_value(const struct exits_text *t,
                            const struct exit_report_row *row)
{
    return t->request->sort == SORT_TOTAL
           ? exit_report_in_xen(row)
           : sort_value(t->request->sort, &row->cost);
}

/* Table rows are grouped by domain unless --sort orders the whole list. */
static int print_table(const struct exits_text *t,
                       const struct exits_table *table)
{
    const struct exit_report *x = t->report;
    struct sort_row *order = fault_malloc((x->nr + 1) * sizeof(*order));
    size_t n = 0;

    assert(table->has_row && table->print_row && table->heading);
    if ( !order )
        return -ENOMEM;
    for ( size_t i = 0; i < x->nr; i++ )
        if ( table->has_row(&x->rows[i]) )
            order[n++] = (struct sort_row){ order_value(t, &x->rows[i]), i };
    n = sort_rows(t->request, order, n);
    fprintf(t->out, "--- %s ---\n %-*s", table->heading, t->width, "domain");
    if ( table->name )
        fprintf(t->out, " %-*s", table->has_row == is_reason_row
                ? REASON_WIDTH : handler_width(t), table->name);
    fprintf(t->out, "%s\n", table->columns);
    for ( size_t i = 0; i < n; i++ )
        table->print_row(t, &x->rows[order[i].index]);
    free(order);
    return 0;
}

static bool has_unknown_vcpus(const struct exit_report *x)
{
    for ( size_t i = 0; i < x->nr; i++ )
        if ( !is_off_cpu_known(&x->rows[i]) )
            return true;
    return false;
}

void text_print_rate(const struct summary *s, uint64_t events, int width,
                     FILE *out)
{
    double rate = summary_rate(s, events);

    if ( rate > 0 && rate < 9.995 )
        fprintf(out, "%*.2f", width, rate);
    else
        fprintf(out, "%*" PRIu64, width, summary_per_second(s, events));
}

int text_print_exits(struct summary *summary,
                     const struct report_request *request,
                     FILE *out)
{
    const struct text text = text_of(summary, request, out);
    struct exit_report report = { 0 };
    const struct exits_text t = {
        .summary = summary, .request = request, .report = &report, .out = out,
        .width = xt_vcpu_column_width(request->names, 7, XT_COLUMN_MIN),
    };
    int rc = exit_report_build(&report, summary);

    for ( size_t i = 0; !rc && i < sizeof(tables) / sizeof(tables[0]); i++ )
        rc = print_table(&t, &tables[i]);
    if ( !rc && !report.nr )
        fprintf(out, " No VM exits: only HVM and PVH guests have them.\n");
    if ( has_unknown_vcpus(&report) )
        fprintf(out, " unknown: without scheduler events, the time in Xen "
                "includes time off-CPU\n");
    exit_report_fini(&report);
    fprintf(out, "--- Time in guest mode ---\n");
    text_guests(&text);
    text_print_start_time(&summary->clock, out);
    return rc;
}
