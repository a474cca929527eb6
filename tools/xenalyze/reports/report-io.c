/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-io: latency of I/O requests through split drivers, with the share of
 * each step: event channel, wake-up, scheduling latency, grant mapping, device.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/text-wrap.h"
#include "common/utf8.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

#define STEP_WIDTH 27

struct io_report
{
    struct io_trips trips;
    const struct report_request *request;
};

static bool io_is_requested(const struct report_config *c)
{
    return c->io;
}

static int io_open(struct report_pass *p, void **state, struct err *e)
{
    struct io_report *r = *state = fault_calloc(1, sizeof(*r));

    (void)e;
    if ( !r )
        return -ENOMEM;
    io_trips_init(&r->trips);
    r->request = &p->request;
    report_add_sink(p, io_trips_sink(&r->trips));
    return 0;
}

static bool io_has_failed(const void *state)
{
    const struct io_report *r = state;

    return r->trips.failed || r->trips.pool.failed;
}

static void io_free(void *state)
{
    struct io_report *r = state;

    if ( r )
        io_trips_fini(&r->trips);
    free(r);
}

/* --- order ---------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b)
{
    const struct io_path *x = *(struct io_path *const *)a;
    const struct io_path *y = *(struct io_path *const *)b;

    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    if ( x->backend != y->backend )
        return x->backend < y->backend ? -1 : 1;
    return x->is_emulated - y->is_emulated;
}

static int io_close(struct report_pass *p, void *state)
{
    struct io_report *r = state;

    (void)p;
    assert(r->trips.nr_paths <= r->trips.room);
    if ( r->trips.nr_paths )
        qsort(r->trips.paths, r->trips.nr_paths, sizeof(*r->trips.paths),
              compare_paths);
    return 0;
}

/* --- text ----------------------------------------------------------------- */

static void print_io_step(const struct io_report *r, const char *name,
                          const struct stats *s, uint64_t whole, FILE *out)
{
    const uint64_t columns[] = {
        stats_mean(s), stats_percentile(s, 50), stats_percentile(s, 99),
        s->max,
    };
    char text[NUM_CLOCK_MAX];

    fprintf(out, "  %-*s", STEP_WIDTH, name);
    for ( size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++ )
        fprintf(out, " %9s", text_duration(&r->trips.clock, columns[i], text));
    fprintf(out, " %7.1f%%\n", stats_share(s->sum, whole));
}

static void print_path(const struct io_report *r, const struct io_path *p,
                       FILE *out)
{
    const struct xt_domain_names *names = r->request->names;
    char guest[XT_LABEL_MAX], backend[XT_LABEL_MAX];
    struct text_wrap w = text_wrap_begin(out);

    text_wrap_add(&w, "", "%s through %s%s:",
                  xt_domain_column(names, p->domain, LATENCY_WIDEST, guest),
                  xt_domain_column(names, p->backend, LATENCY_WIDEST, backend),
                  p->is_emulated ? ", emulated" : "");
    text_wrap_add(&w, "", "%" PRIu64 " round trip%s",
                  stats_events(&p->whole), num_plural(stats_events(&p->whole)));
    text_wrap_add(&w, ",", "%" PRIu64 " grant%s", p->grants,
                  num_plural(p->grants));
    if ( p->estimated )
        text_wrap_add(&w, ",", "%" PRIu64 " with estimated steps",
                      p->estimated);
    text_wrap_end(&w);
    for ( unsigned int i = 0; i < IO_STEPS; i++ )
        print_io_step(r, io_step_name(i), &p->steps[i], p->whole.sum, out);
    print_io_step(r, "whole round trip", &p->whole, p->whole.sum, out);
}

static size_t print_paths(struct io_report *r, FILE *out)
{
    const struct io_trips *t = &r->trips;
    struct sort_row *order = arena_array(&r->trips.pool.arena, t->nr_paths + 1,
                                         sizeof(*order),
                                         _Alignof(struct sort_row));
    size_t n = 0;

    if ( !order )
    {
        r->trips.failed = true;
        return 0;
    }
    for ( size_t i = 0; i < t->nr_paths; i++ )
        order[i] = (struct sort_row){
            sort_value(r->request->sort, &t->paths[i]->whole), i };
    n = sort_rows(r->request, order, t->nr_paths);
    fprintf(out, "--- I/O: from the guest's event to the guest's run ---\n"
            "  %-*s %9s %9s %9s %9s %8s\n", STEP_WIDTH, "step", "mean", "p50",
            "p99", "max", "share");
    for ( size_t i = 0; i < n; i++ )
        print_path(r, t->paths[order[i].index], out);
    return n;
}

static void print_trip(const struct io_report *r, const struct io_worst *w,
                       FILE *out)
{
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];
    unsigned int longest = 0;

    assert(w->from <= w->to);
    for ( unsigned int i = 1; i < IO_STEPS; i++ )
        if ( w->steps[i] > w->steps[longest] )
            longest = i;
    xt_vcpu_column(r->request->names, w->domain, w->vcpu, LATENCY_WIDEST, name);
    fprintf(out, " %-*s %9s", utf8_width(name, LATENCY_WIDEST), name,
            text_duration(&r->trips.clock, io_worst_length(w), text));
    fprintf(out, ", of which %s: %s\n   ",
            io_step_name(longest),
            text_duration(&r->trips.clock, w->steps[longest], text));
    text_print_span(&r->trips.clock, w->from, w->to, out);
    fprintf(out, "\n");
}

/* Records of hypercalls tell event-channel requests from emulated devices. */
static void print_hints(const struct io_trips *t, FILE *out)
{
    if ( !t->has_calls )
        fprintf(out, " warning: no hypercalls in the trace; capture with "
                "xentrace -e sched,hvm,pv,mem\n");
}

static int io_print(struct report_pass *p, void *state)
{
    struct io_report *r = state;
    const struct io_trips *t = &r->trips;
    size_t worst = t->nr_worst;

    assert(worst <= IO_WORST);
    print_paths(r, p->out);
    if ( p->request.top && p->request.top < worst )
        worst = p->request.top;
    if ( worst )
        fprintf(p->out, "--- The longest round trips ---\n");
    for ( size_t i = 0; i < worst; i++ )
        print_trip(r, &t->worst[i], p->out);
    fprintf(p->out, "--- Not matched ---\n");
    for ( unsigned int i = 0; i < IO_UNMATCHED; i++ )
        fprintf(p->out, " %s: %" PRIu64 "\n", io_unmatched_name(i),
                t->unmatched[i]);
    print_hints(t, p->out);
    return r->trips.failed ? -ENOMEM : 0;
}

/* --- export --------------------------------------------------------------- */

static const char *kind_name(bool is_emulated)
{
    return is_emulated ? "emulated" : "event";
}

static void walk_io_trips(struct export *x, void *state)
{
    const struct io_report *r = state;

    for ( size_t i = 0; i < r->trips.nr_paths; i++ )
    {
        const struct io_path *p = r->trips.paths[i];

        EXPORT_ROW(x, export_number(p->domain), export_number(p->backend),
                   export_text(kind_name(p->is_emulated)),
                   export_number(p->grants), export_number(p->estimated),
                   export_series(&p->whole));
    }
}

static void walk_io_steps(struct export *x, void *state)
{
    const struct io_report *r = state;

    for ( size_t i = 0; i < r->trips.nr_paths; i++ )
        for ( unsigned int k = 0; k < IO_STEPS; k++ )
        {
            const struct io_path *p = r->trips.paths[i];

            EXPORT_ROW(x, export_number(p->domain), export_number(p->backend),
                       export_text(kind_name(p->is_emulated)),
                       export_text(io_step_name(k)),
                       export_series(&p->steps[k]));
        }
}

static void walk_io_longest(struct export *x, void *state)
{
    const struct io_report *r = state;

    for ( size_t i = 0; i < r->trips.nr_worst; i++ )
    {
        const struct io_worst *w = &r->trips.worst[i];

        EXPORT_ROW(x, export_number(w->domain), export_number(w->vcpu),
                   export_number(w->backend), export_number(w->backend_vcpu),
                   export_number(w->from),
                   export_number(io_worst_length(w)));
    }
}

static void walk_io_unmatched(struct export *x, void *state)
{
    const struct io_report *r = state;

    for ( unsigned int i = 0; i < IO_UNMATCHED; i++ )
        EXPORT_ROW(x, export_text(io_unmatched_name(i)),
                   export_number(r->trips.unmatched[i]));
}

#define IO_PATH \
    EXPORT_DOMAIN_ID, \
    EXPORT_COLUMN("backend", COUNT, "the domain of the backend driver"), \
    EXPORT_COLUMN("kind", TEXT, "event: the guest sent an event; emulated: " \
                  "it did not, as for an emulated device")

static const struct export_column trip_columns[] = {
    IO_PATH,
    EXPORT_COLUMN("grants", COUNT, "grants that the backend mapped or "
                  "unmapped"),
    EXPORT_COLUMN("estimated", COUNT, "round trips with an estimated step: a "
                  "vcpu sent more than 16 times, or waited more than 256 "
                  "times, in the meantime"),
    EXPORT_STATISTICS,
};

static const struct export_column step_columns[] = {
    IO_PATH,
    EXPORT_COLUMN("step", TEXT, "the part of the round trip"),
    EXPORT_STATISTICS,
};

static const struct export_column longest_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("backend", COUNT, "the domain of the backend driver"),
    EXPORT_COLUMN("backend_vcpu", COUNT, "the backend's vcpu that answered"),
    EXPORT_COLUMN("sent", MOMENT, "begin of the round trip"),
    EXPORT_COLUMN("length", DURATION, "length of the round trip"),
};

static const struct export_column unmatched_columns[] = {
    EXPORT_COLUMN("reason", TEXT, "why no round trip is complete"),
    EXPORT_COLUMN("times", COUNT, "how often"),
};

static const struct export_table tables[] = {
    { "io_trips", "Round trips of I/O through a backend (--report-io).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(trip_columns), walk_io_trips },
    { "io_steps", "The steps of these; their totals add up.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(step_columns), walk_io_steps },
    { "io_longest", "The longest round trips.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(longest_columns), walk_io_longest },
    { "io_unmatched", "Events that belong to no complete round trip.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(unmatched_columns), walk_io_unmatched },
    { .name = NULL },
};

const struct report report_io = {
    .name = "I/O", .is_requested = io_is_requested, .open = io_open,
    .needs_all = "--report-io follows I/O through all pcpus and domains: "
                 "select rows with --sort and --top, or a part with --time",
    .close = io_close, .print = io_print, .tables = { tables },
    .has_failed = io_has_failed, .free = io_free,
};
