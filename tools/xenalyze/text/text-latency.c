/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduling latency as text; durations have units instead of cycles.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/num.h"
#include "xenalyze/account/account.h"
#include "xenalyze/text/start-time.h"

/* --- words ---------------------------------------------------------------- */

const char *text_duration(const struct xt_clock *clock, uint64_t cycles,
                          char text[NUM_CLOCK_MAX])
{
    *num_duration(text, xt_clock_duration(clock, cycles)) = '\0';
    return text;
}

static void print_moment(const struct latency *l, uint64_t tsc, FILE *out)
{
    int64_t ns = xt_clock_ns(&l->clock, tsc);
    char text[NUM_SEC_MAX];

    *num_sec(text, ns < 0 ? 0 : ns) = '\0';
    fputs(text, out);
}

static unsigned int name_width(const struct latency *l)
{
    return latency_width(l->names);
}

/* The vcpu in a column, and in a line of text. */
static const char *vcpu_column(const struct latency *l,
                               const struct latency_vcpu *v,
                               char name[LATENCY_NAME])
{
    return latency_label(l->names, LATENCY_KEY(v->domain, v->id),
                         name_width(l), name);
}

static const char *vcpu_text(const struct latency *l, uint64_t key,
                             char name[LATENCY_NAME])
{
    return latency_label(l->names, key, 0, name);
}

/* --- how long ------------------------------------------------------------- */

static void print_wait(const struct latency *l, const struct latency_vcpu *v,
                       const struct stats *s, FILE *out)
{
    const uint64_t columns[] = {
        stats_mean(s), stats_percentile(s, 50), stats_percentile(s, 95),
        stats_percentile(s, 99), s->max, s->sum,
    };
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX];

    fprintf(out, " %-*s %8" PRIu64, name_width(l), vcpu_column(l, v, name),
            stats_events(s));
    for ( size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++ )
        fprintf(out, " %9s", text_duration(&l->clock, columns[i], text));
    fprintf(out, "  ");
    print_moment(l, s->max_at, out);
    fprintf(out, "\n");
}

/* Sorts vcpus with such waits by --sort; returns the number to print. */
static size_t order_vcpus(const struct latency *l,
                          const struct report_request *request,
                          unsigned int why, struct sort_row *rows)
{
    size_t n = 0;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
        if ( stats_events(&l->vcpus[i]->wait[why]) )
            rows[n++] = (struct sort_row){
                sort_value(request->sort, &l->vcpus[i]->wait[why]), i,
            };
    return sort_rows(request, rows, n);
}

static void print_waits(const struct latency *l,
                        const struct report_request *request,
                        unsigned int why, const char *heading,
                        struct sort_row *rows, FILE *out)
{
    size_t n = order_vcpus(l, request, why, rows);

    fprintf(out, "%s\n %-*s %8s %9s %9s %9s %9s %9s %9s  %s\n", heading,
            name_width(l), "vcpu", "times", "mean", "p50", "p95", "p99", "max",
            "total", "max at");
    for ( size_t i = 0; i < n; i++ )
        print_wait(l, l->vcpus[rows[i].index],
                   &l->vcpus[rows[i].index]->wait[why], out);
}

/* Sorts vcpus by all of their waits. */
static size_t order_all(struct latency *l,
                        const struct report_request *request,
                        struct sort_row *rows)
{
    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
    {
        struct stats all = { 0 };

        for ( unsigned int why = WHY_WAKE;
              request->sort != SORT_NAME && why <= WHY_OTHER; why++ )
            stats_merge(&all, &l->pool, &l->vcpus[i]->wait[why]);
        rows[i] = (struct sort_row){ sort_value(request->sort, &all), i };
    }
    return sort_rows(request, rows, l->nr_vcpus);
}

/*
 * Histogram of waits by decades of time.  A wait of 0 cycles is not a sample of
 * the series, and counts in the first decade.
 */
static const struct { uint64_t ns; const char *name; } decades[] = {
    { 1000, "<1us" }, { 10000, "<10us" }, { 100000, "<100us" },
    { 1000000, "<1ms" }, { 10000000, "<10ms" }, { 100000000, "<100ms" },
    { 1000000000, "<1s" },
};

#define DECADES (sizeof(decades) / sizeof(decades[0]))

static void print_spread(const struct latency *l, const struct latency_vcpu *v,
                         const char *why, const struct stats *s, FILE *out)
{
    uint64_t limits[DECADES], counts[DECADES + 1];
    char name[LATENCY_NAME];

    if ( !stats_events(s) )
        return;
    for ( size_t i = 0; i < DECADES; i++ )
        limits[i] = xt_clock_tsc(&l->clock, (int64_t)decades[i].ns) -
                    l->clock.origin;
    stats_spread(s, limits, counts, DECADES);
    counts[0] += s->zeros;
    fprintf(out, " %-*s %-9s", name_width(l), vcpu_column(l, v, name), why);
    for ( size_t i = 0; i <= DECADES; i++ )
        fprintf(out, " %8" PRIu64, counts[i]);
    fprintf(out, "\n");
}

static void print_spreads(const struct latency *l,
                          const struct sort_row *rows, size_t n, FILE *out)
{
    fprintf(out, "--- Distribution of waits (count) ---\n %-*s %-9s",
            name_width(l), "vcpu", "after");
    for ( size_t i = 0; i < DECADES; i++ )
        fprintf(out, " %8s", decades[i].name);
    fprintf(out, " %8s\n", "longer");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[rows[i].index];

        print_spread(l, v, "wake", &v->wait[WHY_WAKE], out);
        print_spread(l, v, "preempt", &v->wait[WHY_PREEMPT], out);
    }
}

/* --- other vcpus ---------------------------------------------------------- */

static uint64_t times_waited(const struct latency_vcpu *v)
{
    return stats_events(&v->wait[WHY_WAKE]) +
           stats_events(&v->wait[WHY_PREEMPT]) +
           stats_events(&v->wait[WHY_OTHER]);
}

static void print_moves(const struct latency *l,
                        const struct report_request *request,
                        struct sort_row *rows, FILE *out)
{
    char name[LATENCY_NAME];
    size_t n = 0;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
        if ( l->vcpus[i]->migrated )
            rows[n++] = (struct sort_row){ l->vcpus[i]->migrated, i };
    n = sort_rows(request, rows, n);
    fprintf(out, "--- Migrations: waits that ended on another pcpu ---\n");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[rows[i].index];

        fprintf(out, " %-*s %" PRIu64 " times, after %.1f%% of its waits\n",
                name_width(l), vcpu_column(l, v, name), v->migrated,
                stats_share(v->migrated, times_waited(v)));
    }
}

/* Default limit of names in a line; --top changes the limit. */
#define NAMES 8u

/* Sorts the keys of a map by total time, or by --sort. */
static struct stats_row **choose_rows(struct latency *l,
                                      const struct report_request *request,
                                      const struct stats_map *m, bool counts,
                                      size_t *n)
{
    struct report_request r = *request;
    struct stats_row **rows = stats_map_by_sum(m, &l->pool);

    r.top = r.top ? r.top : NAMES;
    *n = sort_map(&r, &l->pool, rows, m->used, counts);
    return rows;
}

static uint64_t total_wait(const struct latency_vcpu *v)
{
    return v->wait[WHY_WAKE].sum + v->wait[WHY_PREEMPT].sum +
           v->wait[WHY_OTHER].sum;
}

/* A share that is not printed as 0.0 %. */
static void print_rest(const struct latency *l, const char *name,
                       uint64_t cycles, uint64_t whole, const char *separator,
                       FILE *out)
{
    char text[NUM_CLOCK_MAX];

    if ( stats_share(cycles, whole) >= 0.05 )
        fprintf(out, "%s %s %.1f%% (%s)", separator, name,
                stats_share(cycles, whole),
                text_duration(&l->clock, cycles, text));
}

/*
 * Prints which vcpus ran during the waits of v; `whole` is their length.  The
 * shares add up to 100 %.
 */
static void print_rivals(struct latency *l, const struct latency_vcpu *v,
                         const struct latency_rivals *r, uint64_t whole,
                         const struct report_request *request, FILE *out)
{
    const struct stats_map *m = &r->vcpus;
    size_t n;
    struct stats_row **rows = choose_rows(l, request, m, false, &n);
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX], more[32];
    uint64_t rest = whole - r->others - r->unknown;

    vcpu_column(l, v, name);
    fprintf(out, " %-*s waited %s;", name_width(l), name,
            text_duration(&l->clock, whole, text));
    for ( size_t i = 0; i < n; i++ )
    {
        fprintf(out, "%s %s %.1f%% (%s in %" PRIu64 ")", i ? "," : "",
                vcpu_text(l, rows[i]->key, name),
                stats_share(rows[i]->stats.sum, whole),
                text_duration(&l->clock, rows[i]->stats.sum, text),
                stats_events(&rows[i]->stats));
        rest -= rows[i]->stats.sum;
    }
    snprintf(more, sizeof(more), "and %zu more", m->used - n);
    print_rest(l, more, n < m->used ? rest : 0, whole, ",", out);
    print_rest(l, "others", r->others, whole, n ? "," : "", out);
    print_rest(l, "unknown", r->unknown, whole,
               n || r->others ? "," : "", out);
    fprintf(out, "\n");
}

static void print_wakers(struct latency *l, const struct latency_vcpu *v,
                         const struct report_request *request, FILE *out)
{
    size_t n;
    struct stats_row **rows = choose_rows(l, request, &v->wakers, true, &n);
    char name[LATENCY_NAME];

    if ( !rows )
        return;
    fprintf(out, " %-*s by", name_width(l), vcpu_column(l, v, name));
    for ( size_t i = 0; i < n; i++ )
    {
        uint64_t key = rows[i]->key;

        fprintf(out, "%s %s %" PRIu64, i ? "," : "",
                key == LATENCY_IDLE ? "an interrupt" : vcpu_text(l, key, name),
                stats_events(&rows[i]->stats));
    }
    if ( n < v->wakers.used )
        fprintf(out, ", and %zu more", v->wakers.used - n);
    fprintf(out, "\n");
}

#define LONGEST_RIVALS 3u       /* in a line */

static void print_longest_rivals(const struct latency *l,
                                 const struct latency_wait *w, FILE *out)
{
    uint64_t rest = w->to - w->from;
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX];
    const char *separator = ", while it ran";

    for ( unsigned int i = 0; i < w->nr_rivals && i < LONGEST_RIVALS; i++ )
    {
        fprintf(out, "%s %s %s", separator,
                vcpu_text(l, w->rivals[i].key, name),
                text_duration(&l->clock, w->rivals[i].cycles, text));
        rest -= w->rivals[i].cycles;
        separator = ",";
    }
    rest -= w->unknown;
    if ( w->nr_rivals > LONGEST_RIVALS )
        fprintf(out, ", others %s", text_duration(&l->clock, rest, text));
    if ( stats_share(w->unknown, w->to - w->from) >= 0.05 )
        fprintf(out, "%s unknown %s", separator,
                text_duration(&l->clock, w->unknown, text));
}

static void print_one(const struct latency *l, const struct latency_wait *w,
                      FILE *out)
{
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX];

    fprintf(out, " ");
    print_moment(l, w->from, out);
    fprintf(out, " %s waited %s for pcpu %u", vcpu_text(l, w->vcpu, name),
            text_duration(&l->clock, w->to - w->from, text), w->pcpu);
    if ( w->reason == WHY_PREEMPT )
        fprintf(out, " after a preemption");
    if ( w->reason == WHY_WAKE )
        fprintf(out, " after being woken by %s", w->waker == LATENCY_IDLE
                ? "an interrupt" : vcpu_text(l, w->waker, name));
    print_longest_rivals(l, w, out);
    fprintf(out, "\n");
}

static void print_people(struct latency *l,
                         const struct report_request *request,
                         struct sort_row *rows, FILE *out)
{
    size_t n = order_all(l, request, rows);

    print_spreads(l, rows, n, out);
    fprintf(out, "--- Competing vcpus (share of the wait) ---\n");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[rows[i].index];

        print_rivals(l, v, &v->rivals, total_wait(v), request, out);
    }
    fprintf(out, "--- Preempting vcpus (share of the wait after preemption) "
            "---\n");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[rows[i].index];

        if ( stats_events(&v->wait[WHY_PREEMPT]) )
            print_rivals(l, v, &v->preemptors, v->wait[WHY_PREEMPT].sum,
                         request, out);
    }
    fprintf(out, "--- Wake-ups by waker (count) ---\n");
    for ( size_t i = 0; i < n; i++ )
        print_wakers(l, l->vcpus[rows[i].index], request, out);
}

int text_print_latency(struct latency *l, const struct report_request *request,
                       FILE *out)
{
    struct sort_row *rows = fault_malloc((l->nr_vcpus + 1) * sizeof(*rows));
    int rc;

    assert(l->closed);
    if ( !rows )
        return -ENOMEM;
    print_waits(l, request, WHY_WAKE,
                "--- Scheduling latency: from wake-up to running ---", rows,
                out);
    print_waits(l, request, WHY_PREEMPT,
                "--- From preemption to running again ---", rows, out);
    print_people(l, request, rows, out);
    print_moves(l, request, rows, out);
    free(rows);
    rc = text_print_concurrency(&l->concurrency, request, out);
    fprintf(out, "--- The longest waits ---\n");
    text_print_start_time(&l->clock, out);
    for ( size_t i = 0; i < l->nr_worst; i++ )
        print_one(l, &l->worst[i], out);
    return rc || !l->pool.failed ? rc : -ENOMEM;
}
