/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The overview: one screen of 80 columns and at most 23 lines.  Each table has
 * an array of sorted rows, of which the first few are printed.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/text-wrap.h"
#include "common/utf8.h"
#include "xenalyze/account/account.h"
#include "xenalyze/text/text-private.h"

#define DOMAIN_ROWS 4u
#define WAIT_ROWS 3u
#define EXIT_ROWS 3u
#define LOSS_ROWS 1u            /* of these, used for lost records */
#define NAME_WIDTH 16
#define SHORT_NAME 12
#define MOMENT_WIDTH 10

struct overview
{
    FILE *out;
    struct summary *summary;
    const struct latency *latency;
    const struct report_request *request;
};

static double share_of_trace(const struct overview *o, double cycles)
{
    uint64_t total = o->summary->total;

    return total ? 100.0 * cycles / (double)total : 0;
}

/* Losses have a row below the domains, and make the last line two. */
static uint32_t limit_rows(const struct overview *o, uint32_t rows)
{
    assert(rows > LOSS_ROWS);
    return o->summary->losses ? rows - LOSS_ROWS : rows;
}

/* --- where the time went -------------------------------------------------- */

/*
 * Cycles, sums over vcpus.  Damaged time stamps make sums beyond 64 bits, which
 * would wrap.
 */
struct domain_row
{
    double running, waiting, elapsed;
    double blocked;
    double offline;             /* paused, or parked without budget */
    double unknown;             /* records were lost, or there are none */
    uint64_t exits;
    unsigned int vcpus;
    uint16_t id;
};

static struct domain_row *find_row(struct domain_row *rows, uint32_t *nr,
                                   uint16_t id)
{
    for ( uint32_t i = *nr; i-- > 0; )
        if ( rows[i].id == id )
            return &rows[i];
    rows[*nr] = (struct domain_row){ .id = id };
    return &rows[(*nr)++];
}

static void add_vcpu_time(struct domain_row *row, const struct summary_vcpu *v)
{
    row->vcpus++;
    if ( v->sched )
    {
        const struct summary_sched *s = v->sched;

        row->running += summary_state_time(s->state, &s->time, STATE_RUNNING);
        row->waiting += summary_state_time(s->state, &s->time, STATE_RUNNABLE);
        row->blocked += summary_state_time(s->state, &s->time, STATE_BLOCKED);
        row->offline += summary_state_time(s->state, &s->time, STATE_OFFLINE);
        for ( unsigned int i = STATE_LOST; i < STATES; i++ )
            row->unknown += summary_state_time(s->state, &s->time, i);
        row->elapsed += s->time.elapsed;
    }
    for ( unsigned int i = 1; v->hvm && i <= v->hvm->nr_exits; i++ )
        row->exits += stats_events(&v->hvm->exits[i]->cost);
}

static int compare_rows(const void *a, const void *b)
{
    const struct domain_row *x = a, *y = b;

    if ( x->running != y->running )
        return x->running < y->running ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Array of domains, sorted by running time.  NULL: no memory. */
static struct domain_row *collect_domains(const struct overview *o,
                                          uint32_t *nr)
{
    const struct summary *b = o->summary;
    struct domain_row *rows = fault_calloc(b->nr_vcpus + 1, sizeof(*rows));

    *nr = 0;
    for ( uint32_t i = 0; rows && i < b->nr_vcpus; i++ )
        if ( b->vcpus[i]->domain != XT_DOMAIN_IDLE &&
             b->vcpus[i]->domain != XT_DOMAIN_DEFAULT )
            add_vcpu_time(find_row(rows, nr, b->vcpus[i]->domain), b->vcpus[i]);
    if ( rows )
        qsort(rows, *nr, sizeof(*rows), compare_rows);
    return rows;
}

/* Cycles of all pcpus in which no vcpu of a domain is known to run. */
struct pcpu_sums
{
    double idle, lost, unknown;
};

static struct pcpu_sums sum_pcpus(const struct overview *o,
                                  const struct domain_row *rows, uint32_t nr)
{
    const struct summary *b = o->summary;
    double rest = (double)b->total * b->nr_pcpus;
    struct pcpu_sums sums = { .unknown = 0 };

    assert(rows || !nr);
    for ( uint32_t i = 0; i < b->nr_pcpus; i++ )
    {
        struct summary_pcpu_time time = summary_get_pcpu_time(b, b->pcpus[i]);

        sums.idle += (double)time.state[PCPU_IDLE];
        sums.lost += (double)time.state[PCPU_LOST];
        sums.unknown += (double)time.state[PCPU_UNKNOWN];
    }
    for ( uint32_t i = 0; i < nr; i++ )
        rest -= rows[i].running;
    /* Otherwise, other domains may have run as well. */
    if ( !o->request->is_selection )
        sums.unknown = rest - sums.idle - sums.lost;
    return sums;
}

/* No row for what rounds to 0. */
static bool has_unknown_row(const struct overview *o,
                            const struct pcpu_sums *sums)
{
    return share_of_trace(o, sums->unknown) >= 0.5;
}

static void print_domain(const struct overview *o, const struct domain_row *row)
{
    char name[XT_LABEL_MAX];

    xt_domain_column(o->latency->names, row->id, NAME_WIDTH, name);
    fprintf(o->out, " %-*s %5u %10.2f", utf8_width(name, NAME_WIDTH), name,
            row->vcpus,
            share_of_trace(o, row->running) / 100);
    if ( row->elapsed )
        fprintf(o->out, " %6.1f%% %6.1f%% %6.1f%% %6.1f%%",
                100 * row->waiting / row->elapsed,
                100 * row->blocked / row->elapsed,
                100 * row->offline / row->elapsed,
                100 * row->unknown / row->elapsed);
    else
        fprintf(o->out, " %7s %7s %7s %7s", "-", "-", "-", "-");
    putc(' ', o->out);
    text_print_rate(o->summary, row->exits, 10, o->out);
    putc('\n', o->out);
}

static void print_pcpu_row(const struct overview *o, const char *name,
                           double cycles)
{
    fprintf(o->out, " %-*s %5s %10.2f\n", NAME_WIDTH, name, "",
            share_of_trace(o, cycles) / 100);
}

/* The domains without a row, `nr` of them. */
static void print_other_domains(const struct overview *o,
                                const struct domain_row *rows, uint32_t nr)
{
    double running = 0;
    char text[32];

    if ( !nr )
        return;
    for ( uint32_t i = 0; i < nr; i++ )
        running += rows[i].running;
    snprintf(text, sizeof(text), "and %" PRIu32 " more domain%s", nr,
             num_plural(nr));
    fprintf(o->out, " %-*s %10.2f\n", NAME_WIDTH + 6, text,
            share_of_trace(o, running) / 100);
}

/* With the rows of the domains, the sum is the number of pcpus. */
static void print_pcpu_rows(const struct overview *o, const struct pcpu_sums *p)
{
    print_pcpu_row(o, "idle", p->idle);
    if ( p->lost > 0 )
        print_pcpu_row(o, "records lost", p->lost);
    if ( has_unknown_row(o, p) )
        print_pcpu_row(o, "unknown", p->unknown);
}

static int print_domain_rows(const struct overview *o)
{
    uint32_t nr, shown;
    struct domain_row *rows = collect_domains(o, &nr);
    struct pcpu_sums sums;

    if ( !rows )
        return -ENOMEM;
    sums = sum_pcpus(o, rows, nr);
    shown = limit_rows(o, DOMAIN_ROWS) - has_unknown_row(o, &sums);
    shown = nr > shown ? shown : nr;
    fprintf(o->out, "\n%-*s %5s %10s %7s %7s %7s %7s %10s\n", NAME_WIDTH + 1,
            "Where time went", "vcpus", "pcpus busy", "waiting", "blocked",
            "offline", "unknown", "VM exits/s");
    for ( uint32_t i = 0; i < shown; i++ )
        print_domain(o, &rows[i]);
    print_other_domains(o, rows + shown, nr - shown);
    print_pcpu_rows(o, &sums);
    free(rows);
    return 0;
}

/* --- waits and exits ------------------------------------------------------ */

static void print_wait(const struct overview *o, const struct latency_wait *w)
{
    const struct xt_clock *clock = &o->latency->clock;
    char name[LATENCY_NAME], text[NUM_CLOCK_MAX], at[NUM_SEC_MAX];
    int64_t ns = xt_clock_ns(clock, w->from);

    *num_sec_fit(at, ns < 0 ? 0 : (uint64_t)ns, MOMENT_WIDTH) = '\0';
    fprintf(o->out, " %s %s waited %s", at,
            latency_label(o->latency->names, w->vcpu, SHORT_NAME, name),
            text_duration(&o->latency->clock, w->to - w->from, text));
    assert(w->from <= w->to);
    if ( !w->no_end )
        fprintf(o->out, " for pcpu %u", w->pcpu);
    if ( latency_open_text(w) )
        fprintf(o->out, " (%s)", latency_open_text(w));
    if ( w->nr_rivals )
        fprintf(o->out, "; %s ran %s",
                latency_label(o->latency->names, w->rivals[0].key,
                              SHORT_NAME, name),
                text_duration(&o->latency->clock, w->rivals[0].cycles, text));
    fprintf(o->out, "\n");
}

static void print_waits(const struct overview *o)
{
    const struct latency *l = o->latency;

    if ( l->nr_worst )
        fprintf(o->out, "\nLongest waits for a pcpu\n");
    for ( size_t i = 0; i < l->nr_worst && i < WAIT_ROWS; i++ )
        print_wait(o, &l->worst[i]);
}

static int compare_exits(const void *a, const void *b)
{
    const struct exit_report_row *x = a, *y = b;

    bool x_is_whole = x->handler == EXIT_REPORT_WHOLE;

    if ( x_is_whole != (y->handler == EXIT_REPORT_WHOLE) )
        return x_is_whole ? -1 : 1;
    if ( exit_report_in_xen(x) != exit_report_in_xen(y) )
        return exit_report_in_xen(x) < exit_report_in_xen(y) ? 1 : -1;
    return x->cause < y->cause ? -1 : x->cause > y->cause;
}

static void print_exit(const struct overview *o,
                       const struct exit_report_row *row)
{
    char name[EXIT_REPORT_NAME], cut[EXIT_REPORT_NAME], mean[NUM_CLOCK_MAX];
    char domain[XT_LABEL_MAX];
    int width = xt_vcpu_column_width(o->latency->names, 7, SHORT_NAME);
    int reason = width > 7 ? 30 - width : 22; /* for 80 columns */
    uint64_t in_xen = exit_report_in_xen(row), times = stats_events(&row->cost);

    assert(reason > 0 && (size_t)reason < sizeof(cut));
    xt_domain_column(o->latency->names, row->domain, SHORT_NAME, domain);
    fprintf(o->out, " %-*s %-*s %8" PRIu64 " times %9s each %6.2f%% of "
            "a pcpu\n", row->domain == XT_DOMAIN_DEFAULT
            ? width : utf8_width(domain, width),
            row->domain == XT_DOMAIN_DEFAULT ? "unknown" : domain,
            reason,
            utf8_shorten(exit_report_name(row->cause, name), reason, cut),
            times, text_duration(&o->latency->clock,
                                 times ? in_xen / times : 0, mean),
            share_of_trace(o, in_xen));
}

static int print_exits(const struct overview *o)
{
    struct exit_report x = { 0 };
    int rc = exit_report_build(&x, o->summary);

    if ( !rc && x.nr )
    {
        qsort(x.rows, x.nr, sizeof(*x.rows), compare_exits);
        fprintf(o->out, "\nMost time in Xen for VM exits\n");
        for ( size_t i = 0; i < x.nr && i < limit_rows(o, EXIT_ROWS) &&
                            x.rows[i].handler == EXIT_REPORT_WHOLE; i++ )
            print_exit(o, &x.rows[i]);
    }
    exit_report_fini(&x);
    return rc;
}

/* --- the whole ------------------------------------------------------------ */

/* The records are those of all domains. */
static void print_title(const struct overview *o, const char *name)
{
    const struct summary *b = o->summary;
    const char *file = strrchr(name, '/');

    fprintf(o->out, "%.40s: %.2f s, %" PRIu32 " pcpu%s, %s%" PRIu64
            " records\n", file && file[1] ? file + 1 : name,
            (double)b->total / (double)b->hz, b->nr_pcpus,
            b->nr_pcpus == 1 ? "" : "s",
            o->request->selects_domains ? "selected from " : "", b->records);
}

static void print_quality(const struct overview *o)
{
    const struct summary *b = o->summary;
    struct text_wrap w = text_wrap_begin(o->out);
    char text[TEXT_DISORDER_MAX];
    uint64_t anomalies = 0;

    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        anomalies += b->anomalies[i];
    fprintf(o->out, "\nData quality%s\n",
            o->request->clock_assumed ? " (TSC frequency assumed, see "
                                        "--cpu-hz)" : "");
    text_wrap_add(&w, "", "lost records: %" PRIu64, b->lost);
    if ( b->losses )
        text_wrap_add(&w, ",", "%.1f%% of the time of all pcpus",
                      text_lost_share(b));
    text_wrap_add(&w, ";", "damaged places: %" PRIu64,
                  xt_damage_gaps(&b->damage));
    if ( xt_damage_backward(&b->damage) )
        text_wrap_add(&w, ";", "windows in which time goes backwards: %" PRIu64,
                      xt_damage_backward(&b->damage));
    if ( b->damage.times[XT_DAMAGE_TWICE] )
        text_wrap_add(&w, ";", "the same capture twice: all numbers count it "
                      "twice");
    text_wrap_add(&w, ";", "contradictions: %" PRIu64, anomalies);
    if ( fact_disorder_error(&b->disorder) )
        text_wrap_add(&w, ";", "%s%s",
                      b->disorder.nr_silent ? "" : "clocks of ",
                      text_format_disorder(&b->disorder, &b->clock, text));
    text_wrap_end(&w);
}

int text_print_overview(struct summary *summary, const struct latency *latency,
                        const struct report_request *request,
                        const char *name, FILE *out)
{
    const struct overview o = { out, summary, latency, request };
    int rc;

    print_title(&o, name);
    rc = print_domain_rows(&o);
    if ( rc )
        return rc;
    print_waits(&o);
    rc = print_exits(&o);
    print_quality(&o);
    fprintf(out, "More: xenalyze latency, exits, summary, plot FILE; xenalyze "
            "--help\n");
    return rc;
}
