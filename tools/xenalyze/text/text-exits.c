/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VM exits of all vcpus of a domain: a table by reason, a table by handler, and
 * the share of time in guest mode.
 */
#include "xenalyze/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/account/account.h"
#include "xenalyze/text/start-time.h"
#include "xenalyze/text/text-private.h"

/* The width of a column of domains. */
static unsigned int domain_width(const struct xt_domain_names *names)
{
    return xt_vcpu_column_width(names, 5, LATENCY_WIDEST);
}

static void print_head(const char *heading, const char *what,
                       const struct xt_domain_names *names, FILE *out)
{
    fprintf(out, "--- %s (cycles) ---\n %-*s %-34s %9s %9s %7s %8s %8s %8s "
            "%8s %10s  %s\n", heading, domain_width(names), "dom", what,
            "times", "total", "share", "mean", "p50", "p95", "p99", "max",
            "max at");
}

static void print_row(const struct summary *b,
                      const struct exit_report_row *row,
                      const struct xt_domain_names *names, FILE *out)
{
    const struct stats *s = &row->cost;
    char name[EXIT_REPORT_NAME], handler[SUMMARY_DETAIL_NAME];
    char domain[XT_LABEL_MAX];
    char both[EXIT_REPORT_NAME + SUMMARY_DETAIL_NAME + 2];

    if ( row->handler == EXIT_REPORT_WHOLE )
        snprintf(both, sizeof(both), "%s", exit_report_name(row->cause, name));
    else
        snprintf(both, sizeof(both), "%s: %s",
                 exit_report_name(row->cause, name),
                 summary_detail_name(row->handler, handler));
    fprintf(out, " %-*s %-34s %9" PRIu64 " %8.3fs %6.2f%% %8" PRIu64
            " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10" PRIu64
            "  %.9f\n", domain_width(names),
            xt_domain_column(names, row->domain, domain_width(names), domain),
            both, stats_events(s),
            (double)s->sum / (double)b->hz, stats_share(s->sum, b->total),
            stats_mean(s), stats_percentile(s, 50), stats_percentile(s, 95),
            stats_percentile(s, 99), s->max,
            (double)(s->max_at - b->first) / (double)b->hz);
}

/* Table rows are grouped by domain unless --sort orders the whole list. */
static int print_rows(const struct summary *b, const struct exit_report *x,
                      const struct report_request *request, bool handlers,
                      FILE *out)
{
    struct sort_row *order = fault_malloc((x->nr + 1) * sizeof(*order));
    size_t n = 0;

    if ( !order )
        return -ENOMEM;
    for ( size_t i = 0; i < x->nr; i++ )
        if ( handlers == (x->rows[i].handler != EXIT_REPORT_WHOLE) )
            order[n++] = (struct sort_row){
                sort_value(request->sort, &x->rows[i].cost), i,
            };
    n = sort_rows(request, order, n);
    for ( size_t i = 0; i < n; i++ )
        print_row(b, &x->rows[order[i].index], request->names, out);
    free(order);
    return 0;
}

int text_print_exits(struct summary *summary,
                     const struct report_request *request,
                     FILE *out)
{
    const struct text t = text_of(summary, request, out);
    struct exit_report x = { 0 };
    int rc = exit_report_build(&x, summary);

    print_head("VM exits by reason", "reason", request->names, out);
    if ( !rc )
        rc = print_rows(summary, &x, request, false, out);
    print_head("VM exits by handler", "reason: handler", request->names, out);
    if ( !rc )
        rc = print_rows(summary, &x, request, true, out);
    exit_report_fini(&x);
    fprintf(out, "--- Time in guest mode ---\n");
    text_guests(&t);
    text_print_start_time(&summary->clock, out);
    return rc;
}
