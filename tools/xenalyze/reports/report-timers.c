/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-timers: how late the timers of HVM guests were, as cyclictest
 * measures it in the guest.
 *
 *      due         woken     runs        delivered
 *      |           |         |           |
 *      +-----------+---------+-----------+
 *       Xen's timer vcpu waits delivery
 *
 * The time from the due time of a local APIC timer to its delivery is split by
 * the runstate of the vcpu, so the parts add up.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"
#include "common/num.h"
#include "common/utf8.h"
#include "libxentrace/readers.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

#define LONGEST_NS 3600000000000u       /* timers beyond are ignored */

enum timer_part
{
    TIMER_XEN,                  /* blocked: Xen's own timer is late */
    TIMER_WAIT,                 /* runnable */
    TIMER_DELIVERY,             /* running: VM exit, or masked interrupts */
    TIMER_OTHER,                /* paused, or records were lost */
    TIMER_PARTS
};

static const char *const part_names[] = {
    [TIMER_XEN] = "timer", [TIMER_WAIT] = "vcpu waits",
    [TIMER_DELIVERY] = "delivery", [TIMER_OTHER] = "other",
};

struct timer_vcpu
{
    uint16_t domain, id;
    struct stats lateness, parts[TIMER_PARTS];

    /* The timer in progress. */
    bool is_set;
    uint64_t due, period;       /* in cycles; period 0: once */
    uint64_t known_to;          /* end of the vcpu's last runstate */
    uint64_t times[TIMER_PARTS];        /* since it is due */
};

struct timers
{
    struct stats_pool pool;
    struct xt_clock clock;
    const struct report_request *request;
    struct timer_vcpu **vcpus;  /* by index; NULL: no timers */
    uint32_t nr_vcpus;
    bool failed;
};

/* --- facts ---------------------------------------------------------------- */

static struct timer_vcpu *find_timer(const struct timers *t,
                                     const struct vcpu *v)
{
    return v && v->index < t->nr_vcpus ? t->vcpus[v->index] : NULL;
}

static struct timer_vcpu *get_timer(struct timers *t, const struct vcpu *v)
{
    struct timer_vcpu *own =
        grow_get_object(&t->vcpus, &t->nr_vcpus, v->index, &t->pool.arena,
                        sizeof(*own), STATS_LINE);

    t->failed |= !own;
    if ( own )
    {
        own->domain = v->domain->id;
        own->id = v->id;
    }
    return own;
}

static void start_timer(struct timers *t, const struct fact_event *f)
{
    const struct xt_rec_hvm_emul_lapic_start_timer *r =
        xt_view_hvm_emul_lapic_start_timer(f->record);
    struct timer_vcpu *v = f->vcpu && r ? get_timer(t, f->vcpu) : NULL;

    if ( !v )
        return;
    v->is_set = r->delta <= LONGEST_NS && r->period <= LONGEST_NS;
    if ( !v->is_set )
        return;
    v->due = f->time + xt_clock_cycles(&t->clock, r->delta);
    v->period = r->period ? xt_clock_cycles(&t->clock, r->period) : 0;
    v->known_to = f->time;
    memset(v->times, 0, sizeof(v->times));
}

/* The vcpu runs, and gets the interrupt. */
static void deliver_timer(struct timers *t, const struct fact_event *f)
{
    struct timer_vcpu *v = find_timer(t, f->vcpu);
    uint64_t since;

    /* Before the due time, it is the interrupt of an earlier timer. */
    if ( !v || !v->is_set || f->time < v->due )
        return;
    since = v->known_to > v->due ? v->known_to : v->due;
    v->times[TIMER_DELIVERY] += f->time > since ? f->time - since : 0;
    stats_add(&v->lateness, &t->pool, f->time - v->due, v->due);
    for ( unsigned int i = 0; i < TIMER_PARTS; i++ )
        stats_add(&v->parts[i], &t->pool, v->times[i], v->due);
    v->is_set = v->period != 0;
    v->due += v->period;
    v->known_to = f->time;
    memset(v->times, 0, sizeof(v->times));
}

static void timers_event(void *state, const struct fact_event *f)
{
    struct timer_vcpu *v;

    switch ( f->record->event )
    {
    case TRC_HVM_EMUL_LAPIC_START_TIMER:
        start_timer(state, f);
        break;
    case TRC_HVM_EMUL_LAPIC_TIMER_CB:
        deliver_timer(state, f);
        break;
    case TRC_HVM_EMUL_LAPIC_STOP_TIMER:
        v = find_timer(state, f->vcpu);
        if ( v )
            v->is_set = false;
        break;
    }
}

static void timers_runstate(void *state, const struct fact_runstate *f)
{
    static const uint8_t parts[STATES] = {
        [STATE_RUNNING] = TIMER_DELIVERY, [STATE_RUNNABLE] = TIMER_WAIT,
        [STATE_BLOCKED] = TIMER_XEN, [STATE_OFFLINE] = TIMER_OTHER,
        [STATE_LOST] = TIMER_OTHER, [STATE_QUEUED] = TIMER_OTHER,
        [STATE_INIT] = TIMER_OTHER, [STATE_NO_DATA] = TIMER_OTHER,
    };
    struct timer_vcpu *v = find_timer(state, f->vcpu);
    uint64_t from;

    debug_assert(f->state < STATES);
    if ( !v || !v->is_set || f->to < v->known_to )
        return;
    from = f->from > v->known_to ? f->from : v->known_to;
    if ( from < v->due )
        from = v->due;
    if ( f->to > from )
        v->times[parts[f->state]] += f->to - from;
    v->known_to = f->to;
}

static void timers_begin(void *state, const struct fact_begin *f)
{
    struct timers *t = state;

    if ( !f->segment )
        t->clock = *f->clock;
}

/* Times of the next segment cannot be compared. */
static int timers_end(void *state, const struct fact_end *f, struct err *e)
{
    struct timers *t = state;

    (void)f;
    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        if ( t->vcpus[i] )
            t->vcpus[i]->is_set = false;
    return t->failed || t->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep timers") : 0;
}

/* --- the report ----------------------------------------------------------- */

static bool timers_are_requested(const struct report_config *c)
{
    return c->timers;
}

static int timers_open(struct report_pass *p, void **state, struct err *e)
{
    static const struct sink_ops ops = {
        .name = "timers", .ordered = true, .begin = timers_begin,
        .end = timers_end, .runstate = timers_runstate,
        .event = timers_event,
    };
    struct timers *t = *state = fault_calloc(1, sizeof(*t));

    (void)e;
    if ( !t )
        return -ENOMEM;
    stats_pool_init(&t->pool);
    t->request = &p->request;
    report_add_sink(p, (struct sink){ &ops, t });
    return 0;
}

static bool timers_have_failed(const void *state)
{
    const struct timers *t = state;

    return t->failed || t->pool.failed;
}

static void timers_free(void *state)
{
    struct timers *t = state;

    if ( t )
    {
        free(t->vcpus);
        stats_pool_fini(&t->pool);
    }
    free(t);
}

/* Keep vcpus with timers that were delivered, by domain and id. */
static int timers_close(struct report_pass *p, void *state)
{
    struct timers *t = state;

    (void)p;
    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        if ( t->vcpus[i] && !stats_events(&t->vcpus[i]->lateness) )
            t->vcpus[i] = NULL;
    vcpu_array_sort(&t->vcpus, &t->nr_vcpus);
    return 0;
}

/* --- text ----------------------------------------------------------------- */

#define COUNT_WIDTH 7u

static unsigned int timer_width(const struct timers *t)
{
    return xt_vcpu_column_width(t->request->names, 12, LATENCY_WIDEST);
}

static void print_timer(const struct timers *t, const struct timer_vcpu *v,
                        FILE *out)
{
    const struct stats *s = &v->lateness;
    const uint64_t columns[] = {
        stats_percentile(s, 50), stats_percentile(s, 99), s->max,
    };
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];

    assert(stats_events(s));
    *num_u64_fit(text, stats_events(s), COUNT_WIDTH) = '\0';
    xt_vcpu_column(t->request->names, v->domain, v->id, LATENCY_WIDEST, name);
    fprintf(out, " %-*s %s", utf8_width(name, timer_width(t)), name, text);
    for ( size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++ )
        fprintf(out, " %8s", text_duration(&t->clock, columns[i], text));
    for ( unsigned int i = 0; i < TIMER_PARTS; i++ )
        fprintf(out, " %5.1f", stats_share(v->parts[i].sum, s->sum));
    fprintf(out, "\n");
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
            sort_value(t->request->sort, &t->vcpus[i]->lateness), i };
    n = sort_rows(t->request, order, t->nr_vcpus);
    fprintf(p->out, "--- Timers: from the due time to the delivery, parts in "
            "percent ---\n %-*s %*s %8s %8s %8s %5s %5s %5s %5s\n",
            timer_width(t), "vcpu", (int)COUNT_WIDTH, "timers", "p50", "p99",
            "max", "Xen", "waits", "runs", "other");
    for ( size_t i = 0; i < n; i++ )
        print_timer(t, t->vcpus[order[i].index], p->out);
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
    .open = timers_open, .close = timers_close, .print = timers_print,
    .tables = { tables }, .has_failed = timers_have_failed,
    .free = timers_free,
};
