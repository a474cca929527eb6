/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-timers: how late the timers of HVM guests were, a vcpu per row of
 * the table; a second table has the parts of the lateness.
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

static const char *const part_names[] = {
    [TIMER_XEN] = "timer", [TIMER_WAIT] = "vcpu waits",
    [TIMER_DELIVERY] = "delivery", [TIMER_OTHER] = "other",
};

/* --- the report ----------------------------------------------------------- */

static bool timers_are_requested(const struct report_config *c)
{
    return c->timers;
}

static int timers_open(struct report_pass *p, void **state, struct err *e)
{
    struct timers *t = *state = fault_calloc(1, sizeof(*t));

    (void)e;
    if ( !t )
        return -ENOMEM;
    timers_init(t);
    report_add_sink(p, timers_sink(t));
    return 0;
}

static bool timers_report_has_failed(const void *state)
{
    return timers_have_failed(state);
}

static void timers_free(void *state)
{
    if ( state )
        timers_fini(state);
    free(state);
}

static int timers_report_close(struct report_pass *p, void *state)
{
    (void)p;
    timers_close(state);
    return 0;
}

/* --- text ----------------------------------------------------------------- */

#define COUNT_WIDTH 7u

static unsigned int timer_width(const struct report_pass *p)
{
    return xt_vcpu_column_width(p->request.names, 12, LATENCY_WIDEST);
}

static void print_timer(const struct report_pass *p, const struct timers *t,
                        const struct timer_vcpu *v)
{
    const struct stats *s = &v->lateness;
    const uint64_t columns[] = {
        stats_percentile(s, 50), stats_percentile(s, 99), s->max,
    };
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];

    assert(stats_events(s));
    *num_u64_fit(text, stats_events(s), COUNT_WIDTH) = '\0';
    xt_vcpu_column(p->request.names, v->domain, v->id, LATENCY_WIDEST, name);
    fprintf(p->out, " %-*s %s", utf8_width(name, timer_width(p)), name, text);
    for ( size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++ )
        fprintf(p->out, " %8s", text_duration(&t->clock, columns[i], text));
    for ( unsigned int i = 0; i < TIMER_PARTS; i++ )
        fprintf(p->out, " %5.1f", stats_share(v->parts[i].sum, s->sum));
    fprintf(p->out, "\n");
}

/* The latest timer of all, as an argument for --time. */
static void print_latest(const struct timers *t, FILE *out)
{
    const struct timer_vcpu *latest = NULL;

    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        if ( !latest || t->vcpus[i]->lateness.max > latest->lateness.max )
            latest = t->vcpus[i];
    if ( !latest )
        return;
    fprintf(out, " latest: ");
    text_print_span(&t->clock, latest->lateness.max_at,
                    latest->lateness.max_at + latest->lateness.max, out);
    fprintf(out, "\n");
}

static int timers_print(struct report_pass *p, void *state)
{
    struct timers *t = state;
    struct sort_row *order = arena_array(&t->pool.arena, t->nr_vcpus + 1,
                                         sizeof(*order),
                                         _Alignof(struct sort_row));
    size_t n;

    if ( !order )
        return -ENOMEM;
    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        order[i] = (struct sort_row){
            sort_value(p->request.sort, &t->vcpus[i]->lateness), i };
    n = sort_rows(&p->request, order, t->nr_vcpus);
    fprintf(p->out, "--- Timers: from the due time to the delivery, parts in "
            "percent ---\n %-*s %*s %8s %8s %8s %5s %5s %5s %5s\n",
            timer_width(p), "vcpu", (int)COUNT_WIDTH, "timers", "p50", "p99",
            "max", "Xen", "waits", "runs", "other");
    for ( size_t i = 0; i < n; i++ )
        print_timer(p, t, t->vcpus[order[i].index]);
    print_latest(t, p->out);
    if ( !t->nr_vcpus )
        fprintf(p->out, " No timer of a local APIC was delivered; capture with "
                "xentrace -e sched,hvm.\n");
    return 0;
}

/* --- export --------------------------------------------------------------- */

static void walk_timers(struct export *x, void *state)
{
    const struct timers *t = state;

    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
    {
        const struct timer_vcpu *v = t->vcpus[i];

        assert(v && stats_events(&v->lateness));
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_series(&v->lateness));
    }
}

static void walk_timer_parts(struct export *x, void *state)
{
    const struct timers *t = state;

    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        for ( unsigned int k = 0; k < TIMER_PARTS; k++ )
            EXPORT_ROW(x, export_number(t->vcpus[i]->domain),
                       export_number(t->vcpus[i]->id),
                       export_text(part_names[k]),
                       export_series(&t->vcpus[i]->parts[k]));
}

static const struct export_column timer_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID, EXPORT_STATISTICS,
};

static const struct export_column part_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("part", TEXT, "timer: the vcpu was blocked, Xen's timer was "
                  "late; vcpu waits: for a pcpu; delivery: the vcpu ran; "
                  "other: it was paused, or records were lost"),
    EXPORT_STATISTICS,
};

static const struct export_table tables[] = {
    { "timers", "Lateness of the local APIC timers of HVM guests, from the due "
      "time to the delivery (--report-timers).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(timer_columns), walk_timers },
    { "timer_parts", "The parts of the lateness; their totals add up.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(part_columns), walk_timer_parts },
    { .name = NULL },
};

const struct report report_timers = {
    .name = "timers", .is_requested = timers_are_requested,
    .open = timers_open, .close = timers_report_close, .print = timers_print,
    .tables = { tables }, .has_failed = timers_report_has_failed,
    .free = timers_free,
};
