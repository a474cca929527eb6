/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-wakeups: the wake-up graph.  An edge leads from the vcpu that ran
 * where a wake-up came from to the woken vcpu, and carries statistics of the
 * waits of the woken vcpu.  Wake-ups from an idle pcpu come from interrupts.
 * A second table has chains of edges: three vcpus per row.
 *
 * The hash table of edges is bounded: wake-ups beyond its last key share one
 * row.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/utf8.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

struct wakeups
{
    struct stats_pool pool;
    struct stats_map edges;     /* waits in cycles, by edge_key() */
    struct xt_clock clock;
    const struct report_request *request;
    struct wakeup_chains chains;
};

/* --- edges ---------------------------------------------------------------- */

#define UNKNOWN_WAKER UINT32_MAX

_Static_assert(LATENCY_KEY(UINT16_MAX, UINT16_MAX) <= UINT32_MAX,
               "two keys fit into an edge");

static uint32_t vcpu_key(const struct vcpu *v)
{
    if ( !v )
        return UNKNOWN_WAKER;
    return vcpu_is_idle(v) ? LATENCY_IDLE : LATENCY_KEY(v->domain->id, v->id);
}

static uint64_t edge_key(const struct fact_wait *f)
{
    return (uint64_t)vcpu_key(f->waker) << 32 | vcpu_key(f->vcpu);
}

static const char *edge_waker(const struct xt_domain_names *names,
                              uint64_t edge, char name[LATENCY_NAME])
{
    uint32_t waker = edge >> 32;

    if ( waker == LATENCY_IDLE )
        return "interrupt";
    return latency_label(names,
                         waker == UNKNOWN_WAKER ? LATENCY_UNKNOWN : waker,
                         LATENCY_WIDEST, name);
}

static const char *edge_woken(const struct xt_domain_names *names,
                              uint64_t edge, char name[LATENCY_NAME])
{
    return latency_label(names, edge & UINT32_MAX, LATENCY_WIDEST, name);
}

/* --- facts ---------------------------------------------------------------- */

static void wakeups_begin(void *state, const struct fact_begin *f)
{
    struct wakeups *w = state;

    if ( !f->segment )
        w->clock = *f->clock;
}

static void wakeups_wait(void *state, const struct fact_wait *f)
{
    struct wakeups *w = state;

    if ( f->why == WHY_WAKE )
        stats_map_add(&w->edges, &w->pool, edge_key(f), f->to - f->from,
                      f->from);
}

static bool wakeups_are_requested(const struct report_config *c)
{
    return c->wakeups;
}

static int wakeups_open(struct report_pass *p, void **state, struct err *e)
{
    static const struct sink_ops ops = {
        .name = "wakeups", .begin = wakeups_begin, .wait = wakeups_wait,
    };
    struct wakeups *w = *state = fault_calloc(1, sizeof(*w));

    (void)e;
    if ( !w )
        return -ENOMEM;
    stats_pool_init(&w->pool);
    wakeup_chains_init(&w->chains);
    w->request = &p->request;
    report_add_sink(p, (struct sink){ &ops, w });
    report_add_sink(p, wakeup_chains_sink(&w->chains));
    return 0;
}

static bool wakeups_have_failed(const void *state)
{
    const struct wakeups *w = state;

    return w->pool.failed || wakeup_chains_have_failed(&w->chains);
}

static void wakeups_free(void *state)
{
    struct wakeups *w = state;

    if ( w )
    {
        stats_pool_fini(&w->pool);
        wakeup_chains_fini(&w->chains);
    }
    free(w);
}

/* --- text ----------------------------------------------------------------- */

/* The width of a column of vcpus. */
static unsigned int edge_width(const struct wakeups *w)
{
    return xt_vcpu_column_width(w->request->names, 12, LATENCY_WIDEST);
}

#define COUNT_WIDTH 8u

static void print_edge(const struct wakeups *w, const char *waker,
                       const char *woken, const struct stats *s, FILE *out)
{
    const uint64_t columns[] = {
        stats_mean(s), stats_percentile(s, 99), s->max, s->sum,
    };
    char text[NUM_CLOCK_MAX];

    assert(stats_events(s));
    *num_u64_fit(text, stats_events(s), COUNT_WIDTH) = '\0';
    fprintf(out, " %-*s %-*s %s", utf8_width(waker, edge_width(w)), waker,
            utf8_width(woken, edge_width(w)), woken, text);
    for ( size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++ )
        fprintf(out, " %8s", text_duration(&w->clock, columns[i], text));
    fprintf(out, "\n");
}

/* A vcpu as "d3v0" or "web1/0", cut to the bytes of a column of the table. */
static const char *chain_vcpu(const struct xt_domain_names *names,
                              const struct wakeup_vcpu *v,
                              char name[LATENCY_NAME])
{
    return latency_label(names, LATENCY_KEY(v->domain, v->id), LATENCY_WIDEST,
                         name);
}

#define CHAIN_COUNT_WIDTH 6u    /* three vcpus fill the row of a table */

static void print_chain_numbers(const struct wakeups *w, const struct stats *s,
                                FILE *out)
{
    char count[NUM_CLOCK_MAX], mean[NUM_CLOCK_MAX], high[NUM_CLOCK_MAX];

    assert(stats_events(s));
    *num_u64_fit(count, stats_events(s), CHAIN_COUNT_WIDTH) = '\0';
    fprintf(out, " %s %8s %8s\n", count,
            text_duration(&w->clock, stats_mean(s), mean),
            text_duration(&w->clock, stats_percentile(s, 99), high));
}

static void print_chain(const struct wakeups *w, const struct stats_row *row,
                        FILE *out)
{
    const struct wakeup_vcpu *vcpus[WAKEUP_CHAIN_VCPUS];
    char text[LATENCY_NAME];

    wakeup_chain_find(&w->chains, row->key, vcpus);
    for ( unsigned int i = 0; i < WAKEUP_CHAIN_VCPUS; i++ )
    {
        const char *name = chain_vcpu(w->request->names, vcpus[i], text);

        fprintf(out, " %-*s", utf8_width(name, edge_width(w)), name);
    }
    print_chain_numbers(w, &row->stats, out);
}

static void print_chains(struct wakeups *w, const struct report_request *r,
                         FILE *out)
{
    struct wakeup_chains *c = &w->chains;
    struct stats_row **rows = wakeup_chains_sort(c);
    size_t n = rows ? sort_map(r, &c->pool, rows, c->lengths.used, false) : 0;
    int width = edge_width(w);

    if ( !n )
        return;
    fprintf(out, "--- Chains of wake-ups within 1 ms: from the first until the "
            "last vcpu ran ---\n %-*s %-*s %-*s %6s %8s %8s\n", width,
            "waker", width, "woken, waker", width, "woken", "count", "mean",
            "p99");
    for ( size_t i = 0; i < n; i++ )
        print_chain(w, rows[i], out);
    if ( c->lengths.others )
    {
        fprintf(out, " %-*s %-*s %-*s", width, "others", width, "others",
                width, "others");
        print_chain_numbers(w, c->lengths.others, out);
    }
    if ( c->ignored )
        fprintf(out, " chains of too many vcpus, left out: %" PRIu64 "\n",
                c->ignored);
}

/* Table of edges, most wake-ups first unless --sort asks for another order. */
static int wakeups_print(struct report_pass *p, void *state)
{
    struct wakeups *w = state;
    struct stats_row **rows = stats_map_by_key(&w->edges, &w->pool);
    struct report_request request = p->request;
    char waker[LATENCY_NAME], woken[LATENCY_NAME];
    size_t n;

    if ( p->config->request.sort == SORT_AUTO )
        request.sort = SORT_COUNT;
    n = sort_map(&request, &w->pool, rows, w->edges.used, false);
    fprintf(p->out, "--- Wake-ups: waker, woken vcpu, wait until it ran ---\n"
            " %-*s %-*s %8s %8s %8s %8s %8s\n", edge_width(w), "waker",
            edge_width(w), "woken", "count", "mean", "p99", "max", "total");
    for ( size_t i = 0; i < n; i++ )
        print_edge(w, edge_waker(request.names, rows[i]->key, waker),
                   edge_woken(request.names, rows[i]->key, woken),
                   &rows[i]->stats, p->out);
    if ( w->edges.others )
        print_edge(w, "others", "others", w->edges.others, p->out);
    print_chains(w, &request, p->out);
    return 0;
}

/* --- export --------------------------------------------------------------- */

static void walk_edges(struct export *x, void *state)
{
    struct wakeups *w = state;
    struct stats_row **rows = stats_map_by_key(&w->edges, &w->pool);
    char waker[LATENCY_NAME], woken[LATENCY_NAME];

    for ( size_t i = 0; rows && i < w->edges.used; i++ )
        EXPORT_ROW(x, export_text(edge_waker(NULL, rows[i]->key, waker)),
                   export_text(edge_woken(NULL, rows[i]->key, woken)),
                   export_series(&rows[i]->stats));
    if ( w->edges.others )
        EXPORT_ROW(x, export_text("others"), export_text("others"),
                   export_series(w->edges.others));
}

static void export_chain(struct export *x, const struct wakeup_chains *c,
                         const struct stats_row *row)
{
    const struct wakeup_vcpu *v[WAKEUP_CHAIN_VCPUS];
    const struct stats *waits = stats_map_find(&c->waits, row->key);
    char first[LATENCY_NAME], second[LATENCY_NAME], last[LATENCY_NAME];

    wakeup_chain_find(c, row->key, v);
    EXPORT_ROW(x, export_text(chain_vcpu(NULL, v[0], first)),
               export_text(chain_vcpu(NULL, v[1], second)),
               export_text(chain_vcpu(NULL, v[2], last)),
               export_text(v[0] == v[2] ? "yes" : "no"),
               export_number(waits ? waits->sum : 0),
               export_series(&row->stats));
}

static void walk_chains(struct export *x, void *state)
{
    struct wakeups *w = state;
    struct wakeup_chains *c = &w->chains;
    struct stats_row **rows = wakeup_chains_sort(c);

    for ( size_t i = 0; rows && i < c->lengths.used; i++ )
        export_chain(x, c, rows[i]);
    if ( c->lengths.others )
        EXPORT_ROW(x, export_text("others"), export_text("others"),
                   export_text("others"), export_text("no"),
                   export_number(c->waits.others ? c->waits.others->sum : 0),
                   export_series(c->lengths.others));
}

static const struct export_column chain_columns[] = {
    EXPORT_COLUMN("waker", TEXT, "the vcpu that woke the second one: d3v0"),
    EXPORT_COLUMN("second", TEXT, "the vcpu that was woken, and woke the last "
                  "one within 1 ms"),
    EXPORT_COLUMN("last", TEXT, "the vcpu that was woken last"),
    EXPORT_COLUMN("loop", TEXT, "yes: the last vcpu is the waker; no"),
    EXPORT_COLUMN("waits", DURATION, "the waits of the second and the last "
                  "vcpu for a pcpu"),
    EXPORT_STATISTICS,
};

static const struct export_column columns[] = {
    EXPORT_COLUMN("waker", TEXT,
                  "the vcpu that ran on the pcpu of the wake-up: d0v1, "
                  "interrupt, unknown"),
    EXPORT_COLUMN("woken", TEXT, "the woken vcpu"),
    EXPORT_STATISTICS,
};

static const struct export_table tables[] = {
    { "wakeups", "Wake-up graph: waits of the woken vcpu until it ran "
      "(--report-wakeups).", EXPORT_IN_TABLES, EXPORT_COLUMNS(columns),
      walk_edges },
    { "wakeup_chains", "Chains of three vcpus that wake each other within 1 "
      "ms: time from the first wake-up until the last vcpu ran "
      "(--report-wakeups).", EXPORT_IN_TABLES, EXPORT_COLUMNS(chain_columns),
      walk_chains },
    { .name = NULL },
};

const struct report report_wakeups = {
    .name = "wakeups", REPORT_NEEDS_RUNSTATES,
    .is_requested = wakeups_are_requested,
    .open = wakeups_open, .print = wakeups_print, .tables = { tables },
    .has_failed = wakeups_have_failed, .free = wakeups_free,
};
