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
#include "common/text-wrap.h"
#include "common/utf8.h"
#include "xenalyze/account/account.h"
#include "xenalyze/text/start-time.h"

/* --- words ---------------------------------------------------------------- */

const char *text_duration(const struct xt_clock *clock, uint64_t cycles,
                          char text[NUM_CLOCK_MAX])
{
    *num_duration(text, xt_clock_duration(clock, cycles)) = '\0';
    return text;
}

static void print_span_end(int64_t ns, FILE *out)
{
    char text[NUM_SEC_MAX];

    *num_sec(text, ns < 0 ? 0 : (uint64_t)ns) = '\0';
    fputs(text, out);
}

void text_print_span_ns(int64_t from, int64_t to, FILE *out)
{
    fprintf(out, "--time ");
    print_span_end(from, out);
    fprintf(out, "..");
    print_span_end(to, out);
}

void text_print_span(const struct xt_clock *clock, uint64_t from, uint64_t to,
                     FILE *out)
{
    int64_t end = xt_clock_ns(clock, to);

    assert(from <= to);
    /* --time selects up to the first cycle of a nanosecond. */
    end += xt_clock_tsc(clock, end) < to;
    text_print_span_ns(xt_clock_ns(clock, from), end, out);
}

/* Seconds since the start, with the decimals that fit. */
static const char *moment_text(const struct latency *l, uint64_t tsc,
                               unsigned int width, char text[NUM_SEC_MAX])
{
    int64_t ns = xt_clock_ns(&l->clock, tsc);

    *num_sec_fit(text, ns < 0 ? 0 : ns, width) = '\0';
    return text;
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

/* Fields of a table row of TEXT_COLUMNS bytes; the last field has the rest. */
#define TIMES_WIDTH 7u
#define DURATION_WIDTH 8u
#define DURATIONS 5u
#define MOMENT_MIN 8u

_Static_assert(1 + LATENCY_WIDEST + 1 + TIMES_WIDTH +
               DURATIONS * (1 + DURATION_WIDTH) + 2 + MOMENT_MIN ==
               TEXT_COLUMNS, "a row fits");

static unsigned int moment_width(const struct latency *l)
{
    return MOMENT_MIN + LATENCY_WIDEST - name_width(l);
}

static void print_wait(const struct latency *l, const struct latency_vcpu *v,
                       const struct stats *s, FILE *out)
{
    const uint64_t columns[DURATIONS] = {
        stats_mean(s), stats_percentile(s, 50), stats_percentile(s, 99),
        s->max, s->sum,
    };
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX], at[NUM_SEC_MAX];

    *num_u64_fit(text, stats_events(s), TIMES_WIDTH) = '\0';
    vcpu_column(l, v, name);
    fprintf(out, " %-*s %s", utf8_width(name, name_width(l)), name, text);
    for ( size_t i = 0; i < DURATIONS; i++ )
        fprintf(out, " %*s", DURATION_WIDTH,
                text_duration(&l->clock, columns[i], text));
    fprintf(out, "  %s\n", moment_text(l, s->max_at, moment_width(l), at));
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

    fprintf(out, "%s\n %-*s %7s %8s %8s %8s %8s %8s  %s\n", heading,
            name_width(l), "vcpu", "times", "mean", "p50", "p99", "max",
            "total", "max at");
    for ( size_t i = 0; i < n; i++ )
        print_wait(l, l->vcpus[rows[i].index],
                   &l->vcpus[rows[i].index]->wait[why], out);
}

#define OPEN_WIDTH 8u

static void print_open(const struct latency *l, const struct latency_open *o,
                       FILE *out)
{
    const uint64_t counts[] = { o->times, o->no_begin, o->no_end };
    const uint64_t durations[] = { o->cycles, o->max };
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX], at[NUM_SEC_MAX];

    assert(o->times && o->max <= o->cycles);
    latency_label(l->names, LATENCY_KEY(o->domain, o->id), name_width(l), name);
    fprintf(out, " %-*s", utf8_width(name, name_width(l)), name);
    for ( size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++ )
    {
        *num_u64_fit(text, counts[i], OPEN_WIDTH) = '\0';
        fprintf(out, " %s", text);
    }
    for ( size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++ )
        fprintf(out, " %*s", DURATION_WIDTH,
                text_duration(&l->clock, durations[i], text));
    fprintf(out, "  %s\n", moment_text(l, o->max_at, moment_width(l), at));
}

/* Sorts by count or total, which other keys mean here. */
static size_t order_open(const struct latency *l,
                         const struct report_request *request,
                         struct sort_row *rows)
{
    bool by_count = request->sort == SORT_COUNT;

    assert(l->closed && rows);
    for ( uint32_t i = 0; i < l->nr_opens; i++ )
        rows[i] = (struct sort_row){
            by_count ? l->opens[i]->times : l->opens[i]->cycles, i,
        };
    return sort_rows(request, rows, l->nr_opens);
}

static void print_opens(const struct latency *l,
                        const struct report_request *request,
                        struct sort_row *rows, FILE *out)
{
    size_t n = order_open(l, request, rows);

    if ( !n )
        return;
    fprintf(out, "--- Open waits: without a known begin or end ---\n"
            " %-*s %*s %*s %*s %*s %*s  %s\n", name_width(l), "vcpu",
            OPEN_WIDTH, "times", OPEN_WIDTH, "no begin", OPEN_WIDTH, "no end",
            DURATION_WIDTH, "total", DURATION_WIDTH, "max", "max at");
    for ( size_t i = 0; i < n; i++ )
        print_open(l, l->opens[rows[i].index], out);
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
    { 1000, "1us" }, { 10000, "10us" }, { 100000, "100us" },
    { 1000000, "1ms" }, { 10000000, "10ms" }, { 100000000, "100ms" },
    { 1000000000, "1s" },
};

#define DECADES (sizeof(decades) / sizeof(decades[0]))
#define WHY_WIDTH 7
#define DECADE_WIDTH 5

_Static_assert(1 + LATENCY_WIDEST + 1 + WHY_WIDTH +
               (DECADES + 1) * (1 + DECADE_WIDTH) <= TEXT_COLUMNS,
               "a row fits");

static void print_spread(const struct latency *l, const struct latency_vcpu *v,
                         const char *why, const struct stats *s, FILE *out)
{
    uint64_t limits[DECADES], counts[DECADES + 1];
    char name[LATENCY_NAME], text[NUM_U64_MAX + DECADE_WIDTH];

    if ( !stats_events(s) )
        return;
    for ( size_t i = 0; i < DECADES; i++ )
        limits[i] = xt_clock_cycles(&l->clock, decades[i].ns);
    stats_spread(s, limits, counts, DECADES);
    counts[0] += s->zeros;
    vcpu_column(l, v, name);
    fprintf(out, " %-*s %-*s", utf8_width(name, name_width(l)), name,
            WHY_WIDTH, why);
    for ( size_t i = 0; i <= DECADES; i++ )
    {
        *num_u64_fit(text, counts[i], DECADE_WIDTH) = '\0';
        fprintf(out, " %s", text);
    }
    fprintf(out, "\n");
}

static void print_spreads(const struct latency *l,
                          const struct sort_row *rows, size_t n, FILE *out)
{
    fprintf(out, "--- Distribution of waits (count, shorter than) ---\n"
            " %-*s %-*s", name_width(l), "vcpu", WHY_WIDTH, "after");
    for ( size_t i = 0; i < DECADES; i++ )
        fprintf(out, " %*s", DECADE_WIDTH, decades[i].name);
    fprintf(out, " %*s\n", DECADE_WIDTH, "more");
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

        assert(v->migrated <= times_waited(v));
        vcpu_column(l, v, name);
        fprintf(out, " %-*s %" PRIu64 " times, after %.1f%% of its waits\n",
                utf8_width(name, name_width(l)), name, v->migrated,
                stats_share(v->migrated, times_waited(v)));
    }
}

/* Default limit of names in a line; --top changes the limit. */
#define NAMES 8u
#define NAMES_OF_MANY 3u        /* on a terminal, of a host with many vcpus */

static unsigned int names_in_line(const struct report_request *request)
{
    if ( request->fits_screen )
        return *request->was_cut ? NAMES_OF_MANY : NAMES;
    return request->top ? request->top : NAMES;
}

/* Sorts the keys of a map by total time, or by --sort. */
static struct stats_row **choose_rows(struct latency *l,
                                      const struct report_request *request,
                                      const struct stats_map *m, bool counts,
                                      size_t *n)
{
    struct report_request r = *request;
    struct stats_row **rows = stats_map_by_sum(m, &l->pool);

    assert(request->was_cut || !request->fits_screen);
    r.top = names_in_line(request);
    r.fits_screen = false;
    *n = sort_map(&r, &l->pool, rows, m->used, counts);
    return rows;
}

/* A share that is not printed as 0.0 %. */
static bool add_rest(const struct latency *l, struct text_wrap *w,
                     const char *mark, const char *name, uint64_t cycles,
                     uint64_t whole)
{
    char text[NUM_CLOCK_MAX];

    if ( stats_share(cycles, whole) < 0.05 )
        return false;
    text_wrap_add(w, mark, "%s %.1f%% (%s)", name, stats_share(cycles, whole),
                  text_duration(&l->clock, cycles, text));
    return true;
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
    struct text_wrap w = text_wrap_begin(out);
    uint64_t rest = whole - r->others - r->unknown;
    const char *mark = ";";

    vcpu_column(l, v, name);
    text_wrap_add(&w, "", "%-*s", utf8_width(name, name_width(l)), name);
    text_wrap_add(&w, "", "waited %s", text_duration(&l->clock, whole, text));
    for ( size_t i = 0; i < n; i++ )
    {
        text_wrap_add(&w, mark, "%s %.1f%% (%s in %" PRIu64 ")",
                      vcpu_text(l, rows[i]->key, name),
                      stats_share(rows[i]->stats.sum, whole),
                      text_duration(&l->clock, rows[i]->stats.sum, text),
                      stats_events(&rows[i]->stats));
        rest -= rows[i]->stats.sum;
        mark = ",";
    }
    snprintf(more, sizeof(more), "and %zu more", m->used - n);
    if ( add_rest(l, &w, mark, more, n < m->used ? rest : 0, whole) )
        mark = ",";
    if ( add_rest(l, &w, mark, "others", r->others, whole) )
        mark = ",";
    add_rest(l, &w, mark, "unknown", r->unknown, whole);
    text_wrap_end(&w);
}

static const char *domain_text(const struct latency *l, uint16_t id,
                               char name[LATENCY_NAME])
{
    return id == XT_DOMAIN_IDLE ? "idle"
                                : xt_domain_label(l->names, id, name);
}

/* Prints which domains ran while vcpus of d waited.  The shares are all. */
static void print_domain_rivals(const struct latency *l,
                                const struct latency_domain *d,
                                const struct report_request *request,
                                FILE *out)
{
    size_t n = names_in_line(request);
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX], more[32];
    struct text_wrap w = text_wrap_begin(out);
    uint64_t rest = 0;
    const char *mark = ";";

    n = n < d->nr_rivals ? n : d->nr_rivals;
    xt_domain_column(l->names, d->id, name_width(l), name);
    text_wrap_add(&w, "", "%-*s", utf8_width(name, name_width(l)), name);
    text_wrap_add(&w, "", "waited %s",
                  text_duration(&l->clock, d->waited, text));
    for ( size_t i = 0; i < d->nr_rivals; i++ )
    {
        const struct latency_domain_rival *r = &d->rivals[i];

        if ( i < n && add_rest(l, &w, mark, domain_text(l, r->id, name),
                               r->cycles, d->waited) )
            mark = ",";
        else
            rest += r->cycles;
    }
    snprintf(more, sizeof(more), "and %zu more", d->nr_rivals - n);
    if ( d->nr_rivals > n && add_rest(l, &w, mark, more, rest, d->waited) )
        mark = ",";
    if ( add_rest(l, &w, mark, "others",
                  d->others + (d->nr_rivals > n ? 0 : rest), d->waited) )
        mark = ",";
    add_rest(l, &w, mark, "unknown", d->unknown, d->waited);
    text_wrap_end(&w);
}

static void print_domains_rivals(const struct latency *l,
                                 const struct report_request *request,
                                 struct sort_row *rows, FILE *out)
{
    size_t n;

    assert(l->nr_domains <= l->nr_vcpus);
    for ( size_t i = 0; i < l->nr_domains; i++ )
        rows[i] = (struct sort_row){ l->domains[i].waited, i };
    n = sort_rows(request, rows, l->nr_domains);
    fprintf(out, "--- Competing domains (share of the wait) ---\n");
    for ( size_t i = 0; i < n; i++ )
        print_domain_rivals(l, &l->domains[rows[i].index], request, out);
}

static void print_wakers(struct latency *l, const struct latency_vcpu *v,
                         const struct report_request *request, FILE *out)
{
    size_t n;
    struct stats_row **rows = choose_rows(l, request, &v->wakers, true, &n);
    struct text_wrap w = text_wrap_begin(out);
    char name[LATENCY_NAME];

    if ( !rows )
        return;
    vcpu_column(l, v, name);
    text_wrap_add(&w, "", "%-*s by", utf8_width(name, name_width(l)), name);
    for ( size_t i = 0; i < n; i++ )
    {
        uint64_t key = rows[i]->key;

        text_wrap_add(&w, i ? "," : "", "%s %" PRIu64, key == LATENCY_IDLE
                      ? "an interrupt" : vcpu_text(l, key, name),
                      stats_events(&rows[i]->stats));
    }
    if ( n < v->wakers.used )
        text_wrap_add(&w, ",", "and %zu more", v->wakers.used - n);
    text_wrap_end(&w);
}

#define LONGEST_RIVALS 3u       /* in a line */

static void add_longest_rivals(const struct latency *l,
                               const struct latency_wait *wait,
                               struct text_wrap *w)
{
    uint64_t rest = wait->to - wait->from;
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX];
    const char *verb = "while it ran ";

    /* Nothing is known about a wait that was cut. */
    if ( latency_open_text(wait) && !wait->nr_rivals )
        return;
    for ( unsigned int i = 0; i < wait->nr_rivals && i < LONGEST_RIVALS; i++ )
    {
        text_wrap_add(w, ",", "%s%s %s", verb,
                      vcpu_text(l, wait->rivals[i].key, name),
                      text_duration(&l->clock, wait->rivals[i].cycles, text));
        rest -= wait->rivals[i].cycles;
        verb = "";
    }
    rest -= wait->unknown;
    if ( wait->nr_rivals > LONGEST_RIVALS )
        text_wrap_add(w, ",", "others %s",
                      text_duration(&l->clock, rest, text));
    if ( stats_share(wait->unknown, wait->to - wait->from) >= 0.05 )
        text_wrap_add(w, ",", "%sunknown %s", verb,
                      text_duration(&l->clock, wait->unknown, text));
}

static void print_one(const struct latency *l, const struct latency_wait *wait,
                      FILE *out)
{
    char name[LATENCY_NAME], text[NUM_SEC_MAX + NUM_CLOCK_MAX];
    struct text_wrap w = text_wrap_begin(out);

    text_wrap_add(&w, "", "%s",
                  moment_text(l, wait->from, NUM_SEC_MAX, text));
    text_wrap_add(&w, "", "%s", vcpu_text(l, wait->vcpu, name));
    if ( wait->no_end && wait->pcpu != FACT_NO_PCPU )
        text_wrap_add(&w, ",", "last on pcpu %u,", wait->pcpu);
    text_wrap_add(&w, "", "waited %s",
                  text_duration(&l->clock, wait->to - wait->from, text));
    if ( !wait->no_end )
        text_wrap_add(&w, "", "for pcpu %u", wait->pcpu);
    if ( latency_open_text(wait) )
        text_wrap_add(&w, "", "(%s)", latency_open_text(wait));
    if ( wait->reason == WHY_PREEMPT )
        text_wrap_add(&w, "", "after a preemption");
    if ( wait->reason == WHY_WAKE )
        text_wrap_add(&w, "", "after being woken by %s",
                      wait->waker == LATENCY_IDLE
                      ? "an interrupt" : vcpu_text(l, wait->waker, name));
    add_longest_rivals(l, wait, &w);
    text_wrap_end(&w);
}

static void print_people(struct latency *l,
                         const struct report_request *request,
                         struct sort_row *rows, FILE *out)
{
    size_t n;

    print_domains_rivals(l, request, rows, out);
    n = order_all(l, request, rows);
    print_spreads(l, rows, n, out);
    fprintf(out, "--- Competing vcpus (share of the wait) ---\n");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[rows[i].index];

        print_rivals(l, v, &v->rivals, latency_vcpu_waited(v), request, out);
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
    size_t nr = l->nr_vcpus > l->nr_opens ? l->nr_vcpus : l->nr_opens;
    struct sort_row *rows = fault_malloc((nr + 1) * sizeof(*rows));
    int rc;

    assert(l->closed);
    if ( !rows )
        return -ENOMEM;
    print_waits(l, request, WHY_WAKE,
                "--- Scheduling latency: from wake-up to running ---", rows,
                out);
    print_waits(l, request, WHY_PREEMPT,
                "--- From preemption to running again ---", rows, out);
    print_opens(l, request, rows, out);
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
