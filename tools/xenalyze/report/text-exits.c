/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What exits cost: a row for each reason in each domain, of all its vcpus.
 */
#include "xenalyze/report/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "xenalyze/report/sort.h"

struct exit_row
{
    uint16_t domain, cause;
    struct stats cost;
};

struct table
{
    struct exit_row *rows;
    size_t nr, room;
    struct stats_pool pool;
};

static int add_row(struct table *t, uint16_t domain, uint16_t cause,
                   const struct stats *cost)
{
    size_t room = t->room ? 2 * t->room : 64;
    struct exit_row *larger;

    for ( size_t i = t->nr; i && t->rows[i - 1].domain == domain; i-- )
        if ( t->rows[i - 1].cause == cause )
        {
            stats_merge(&t->rows[i - 1].cost, &t->pool, cost);
            return 0;
        }
    if ( t->nr == t->room )
    {
        larger = fault_realloc(t->rows, room * sizeof(*larger));
        if ( !larger )
            return -ENOMEM;
        t->rows = larger;
        t->room = room;
    }
    t->rows[t->nr] = (struct exit_row){ .domain = domain, .cause = cause };
    stats_merge(&t->rows[t->nr++].cost, &t->pool, cost);
    return 0;
}

static int gather(struct table *t, const struct book *book)
{
    int rc = 0;

    for ( uint32_t i = 0; i < book->nr_vcpus; i++ )
    {
        const struct book_vcpu *v = book->vcpus[i];

        for ( unsigned int c = 0; !rc && v->hvm && c < EXIT_CAUSES; c++ )
            if ( v->hvm->exits[c] )
                rc = add_row(t, v->domain, c, &v->hvm->exits[c]->cost);
    }
    return t->pool.failed ? -ENOMEM : rc;
}

static const char *reason_name(unsigned int cause, char name[32])
{
    if ( exit_name(cause) )
        return exit_name(cause);
    if ( cause == EXIT_OTHER )
        return "(others)";
    snprintf(name, 32, "%" PRIu32, exit_reason(cause));
    return name;
}

static void print_row(const struct book *b, const struct exit_row *row,
                      FILE *out)
{
    const struct stats *s = &row->cost;
    char name[32];

    fprintf(out, " d%-4u %-28s %9" PRIu64 " %8.3fs %6.2f%% %8" PRIu64
            " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10" PRIu64
            "  %.9f\n", row->domain, reason_name(row->cause, name),
            stats_events(s), (double)s->sum / (double)b->hz,
            stats_share(s->sum, b->total), stats_mean(s),
            stats_percentile(s, 50), stats_percentile(s, 95),
            stats_percentile(s, 99), s->max,
            (double)(s->max_at - b->first) / (double)b->hz);
}

/* By itself the table is by domain; sorted, it is one list. */
static int print_rows(const struct book *b, const struct table *t,
                      const struct report_request *request, FILE *out)
{
    struct sort_row *order = fault_malloc((t->nr + 1) * sizeof(*order));
    size_t n = t->nr;

    if ( !order )
        return -ENOMEM;
    for ( size_t i = 0; i < n; i++ )
        order[i] = (struct sort_row){
            sort_value(request->sort, &t->rows[i].cost), i,
        };
    sort_rows(order, n);
    if ( request->sort && n > request->top )
        n = request->top;
    for ( size_t i = 0; i < n; i++ )
        print_row(b, &t->rows[order[i].index], out);
    free(order);
    return 0;
}

int report_book_exits(struct book *book, const struct report_request *request,
                      FILE *out)
{
    struct table t = { 0 };
    int rc;

    stats_pool_init(&t.pool);
    rc = gather(&t, book);
    fprintf(out, "--- What exits cost (cycles) ---\n"
            " %-5s %-28s %9s %9s %7s %8s %8s %8s %8s %10s  %s\n", "dom",
            "reason", "times", "total", "share", "mean", "p50", "p95", "p99",
            "max", "max at");
    if ( !rc )
        rc = print_rows(book, &t, request, out);
    free(t.rows);
    stats_pool_fini(&t.pool);
    return rc;
}
