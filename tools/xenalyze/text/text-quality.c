/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections behind stock's summary: the time of vcpus, domains and pcpus by
 * state, with a check that the states add up, and the quality of the data.
 */
#include "xenalyze/text/text-private.h"

#include <assert.h>
#include <inttypes.h>

#include "common/num.h"
#include "common/text-wrap.h"
#include "common/utf8.h"
#include "xenalyze/model/model.h"
#include "xenalyze/text/start-time.h"
#include "xenalyze/text/text.h"

/* --- shares of time ------------------------------------------------------- */

/* Damaged time stamps make sums of vcpus and pcpus exceed 64 bits. */
static double share_of(double part, double whole)
{
    return whole ? 100.0 * part / whole : 0;
}

/*
 * The states of vcpus or of domains, as columns: `shown` states, "no data" if
 * any row has such time, and the remaining ones (queued and init: before the
 * first record of a vcpu) summed up as "other", unless there are none.
 */
struct state_columns
{
    unsigned int shown, no_data;
    int width;                  /* bytes per field, with the blank before */
    bool has_no_data;
};

/*
 * A row of a table has fields for a name, all states of a vcpu or domain, and
 * the time, and fits into TEXT_COLUMNS bytes.
 */
#define VCPU_WIDTH 8
#define DOMAIN_WIDTH 7          /* for eight fields; the headings of the table
                                   have two rows */
#define TIME_WIDTH 7            /* "999.9s", "9.99ms", and the blank */

_Static_assert(1 + LATENCY_WIDEST + DOMAIN_STATES * DOMAIN_WIDTH +
               TIME_WIDTH <= TEXT_COLUMNS, "domains");
_Static_assert(1 + LATENCY_WIDEST + (STATE_QUEUED + 2) * VCPU_WIDTH +
               TIME_WIDTH <= TEXT_COLUMNS, "vcpus");

static const struct state_columns vcpu_states = {
    STATE_QUEUED, STATE_NO_DATA, VCPU_WIDTH, false
};
static const struct state_columns domain_states = {
    DOMAIN_NO_DATA, DOMAIN_NO_DATA, DOMAIN_WIDTH, false
};

_Static_assert(STATE_NO_DATA == STATES - 1 &&
               DOMAIN_NO_DATA == DOMAIN_STATES - 1, "the last states");

static void note_no_data(struct state_columns *c, const struct stats *state,
                         const struct summary_times *time)
{
    c->has_no_data |= summary_state_time(state, time, c->no_data) != 0;
}

static unsigned int name_width(const struct text *t)
{
    assert(t->request);
    return latency_width(t->request->names);
}

static void print_vcpu_headings(const struct text *t,
                                const struct state_columns *c)
{
    fprintf(t->out, " %-*s%*s%*s%*s%*s%*s", name_width(t), "vcpu",
            VCPU_WIDTH, "running", VCPU_WIDTH, "waiting",
            VCPU_WIDTH, "blocked", VCPU_WIDTH, "offline", VCPU_WIDTH, "lost");
    if ( c->has_no_data )
        fprintf(t->out, "%*s", VCPU_WIDTH, "no data");
    fprintf(t->out, "%*s%*s\n", VCPU_WIDTH, "other", TIME_WIDTH, "known");
}

static void print_domain_headings(const struct text *t,
                                  const struct state_columns *c)
{
    fprintf(t->out, " %-*sblocked  part.   full  part. hazard   full%s%*s\n",
            name_width(t), "domain",
            c->has_no_data ? "  lost no data" : "   lost", TIME_WIDTH,
            "known");
    fprintf(t->out, " %-*s           run    run  cont.         cont.\n",
            name_width(t), "");
}

/* Two decimals, or as many as fit with a unit of up to two characters. */
static int count_decimals(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* Kiloseconds and so on: a time that is too long for the column in seconds. */
static void print_huge_time(const struct text *t, double seconds)
{
    static const char units[] = "kMG";
    const char *unit = units;

    for ( seconds /= 1e3; seconds >= 9999.5 && unit[1]; unit++ )
        seconds /= 1e3;
    fprintf(t->out, " %*.0f%cs", TIME_WIDTH - 3, seconds, *unit);
}

/* Seconds, and smaller units for what would be 0.00 s. */
static void print_known_time(const struct text *t, double seconds)
{
    double ms = 1e3 * seconds, us = 1e6 * seconds;

    if ( us < 999.5 )
        fprintf(t->out, "%*.*fus", TIME_WIDTH - 2, count_decimals(us), us);
    else if ( ms < 9.995 )
        fprintf(t->out, "%*.2fms", TIME_WIDTH - 2, ms);
    else if ( seconds >= 99999.5 )
        print_huge_time(t, seconds);
    else
        fprintf(t->out, "%*.*fs", TIME_WIDTH - 1,
                seconds < 99.995 ? 2 : count_decimals(seconds / 10), seconds);
}

static uint64_t print_share(const struct text *t, int width, uint64_t part,
                            uint64_t whole)
{
    fprintf(t->out, "%*.2f", width, stats_share(part, whole));
    return part;
}

/* Prints a column a state; returns the sum of all states. */
static uint64_t print_state_shares(const struct text *t, const char *name,
                             const struct state_columns *c,
                             const struct stats *state,
                             const struct summary_times *time)
{
    uint64_t sum = 0, other = 0;

    assert(c->shown <= c->no_data);
    fprintf(t->out, " %-*s", utf8_width(name, name_width(t)), name);
    for ( unsigned int i = 0; i < c->shown; i++ )
        sum += print_share(t, c->width, summary_state_time(state, time, i),
                           time->elapsed);
    if ( c->has_no_data )
        sum += print_share(t, c->width,
                           summary_state_time(state, time, c->no_data),
                           time->elapsed);
    for ( unsigned int i = c->shown; i < c->no_data; i++ )
        other += summary_state_time(state, time, i);
    if ( c->shown < c->no_data )
        print_share(t, c->width, other, time->elapsed);
    return sum + other;
}

/* The headings below have a column for each state. */
_Static_assert(STATE_QUEUED == 5 && DOMAIN_NO_DATA == 7 && PCPU_STATES == 4,
               "running to lost, blocked to lost, busy to unknown");

/* Checks that the states add up to the elapsed time. */
static void end_states(const struct text *t, const struct summary_times *time,
                       uint64_t sum)
{
    print_known_time(t, stats_seconds(&t->scale, time->elapsed));
    if ( sum != time->elapsed )
        fprintf(t->out, "  DOES NOT ADD UP: %" PRId64 " cycles",
                (int64_t)(sum - time->elapsed));
    putc('\n', t->out);
}

static bool shows_vcpu(const struct summary_vcpu *v)
{
    return v->sched && !summary_is_idle(v);
}

static void print_vcpus(const struct text *t)
{
    struct state_columns columns = vcpu_states;
    size_t n;
    struct sort_row *vcpus = text_vcpus(t, TEXT_ANY, &n);
    const struct summary_vcpu *v;
    char name[XT_LABEL_MAX];

    for ( size_t i = 0; i < n; i++ )
        if ( shows_vcpu(v = t->summary->vcpus[vcpus[i].index]) )
            note_no_data(&columns, v->sched->state, &v->sched->time);
    print_vcpu_headings(t, &columns);
    for ( size_t i = 0; i < n; i++ )
    {
        v = t->summary->vcpus[vcpus[i].index];
        if ( !shows_vcpu(v) )
            continue;
        xt_vcpu_column(t->request->names, v->domain, v->id, name_width(t),
                       name);
        end_states(t, &v->sched->time,
                   print_state_shares(t, name, &columns, v->sched->state,
                                &v->sched->time));
    }
}

static bool shows_domain(const struct summary_domain *d)
{
    return d->sched && d->id != XT_DOMAIN_IDLE;
}

static void print_domains(const struct text *t)
{
    struct state_columns columns = domain_states;
    size_t n;
    struct sort_row *domains = text_domains(t, &n);
    const struct summary_domain *d;
    char name[XT_LABEL_MAX];

    for ( size_t i = 0; i < n; i++ )
        if ( shows_domain(d = t->summary->domains[domains[i].index]) )
            note_no_data(&columns, d->sched->state, &d->sched->time);
    print_domain_headings(t, &columns);
    for ( size_t i = 0; i < n; i++ )
    {
        d = t->summary->domains[domains[i].index];
        if ( !shows_domain(d) )
            continue;
        xt_domain_column(t->request->names, d->id, name_width(t), name);
        end_states(t, &d->sched->time,
                   print_state_shares(t, name, &columns, d->sched->state,
                                &d->sched->time));
    }
}

/* Cycles of one pcpu, or of all: by state, and whole. */
struct pcpu_time
{
    double state[PCPU_STATES], whole;
};

static void add_pcpu_time(struct pcpu_time *sum, const struct summary *b,
                          const struct summary_pcpu *p)
{
    struct summary_pcpu_time time = summary_get_pcpu_time(b, p);

    assert(sum->whole >= 0);
    for ( unsigned int s = 0; s < PCPU_STATES; s++ )
    {
        sum->state[s] += (double)time.state[s];
        sum->whole += (double)time.state[s];
    }
}

static void print_pcpu(const struct text *t, const char *name,
                       const struct pcpu_time *time)
{
    assert(name && time->whole >= 0);
    fprintf(t->out, " %-*s", name_width(t), name);
    for ( unsigned int s = 0; s < PCPU_STATES; s++ )
        fprintf(t->out, "%*.2f", VCPU_WIDTH,
                share_of(time->state[s], time->whole));
    print_known_time(t, time->whole / (double)t->scale.hz);
    putc('\n', t->out);
}

void text_pcpu_sum(const struct text *t)
{
    struct pcpu_time sum = { .whole = 0 };

    for ( uint32_t i = 0; i < t->summary->nr_pcpus; i++ )
        add_pcpu_time(&sum, t->summary, t->summary->pcpus[i]);
    print_pcpu(t, "all", &sum);
}

/* Idle vcpus appear here, as idle time of their pcpus. */
void text_pcpu_shares(const struct text *t)
{
    size_t n;
    struct sort_row *pcpus = text_pcpus(t, &n);

    fprintf(t->out, " %-*s%*s%*s%*s%*s%*s\n", name_width(t), "pcpu",
            VCPU_WIDTH, "busy", VCPU_WIDTH, "idle", VCPU_WIDTH, "lost",
            VCPU_WIDTH, "unknown", TIME_WIDTH, "time");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct summary_pcpu *p = t->summary->pcpus[pcpus[i].index];
        struct pcpu_time time = { .whole = 0 };
        char name[16];

        add_pcpu_time(&time, t->summary, p);
        snprintf(name, sizeof(name), "%u", p->id);
        print_pcpu(t, name, &time);
    }
}

/* Without scheduling records: exits in which the guest blocks count as out. */
static void print_guest_unscheduled(const struct summary_vcpu *v,
                                    struct text_wrap *w)
{
    uint64_t guest = v->hvm->guest_cycles, out = v->hvm->exit_cycles;

    text_wrap_add(w, "", "%.2f%% in the guest",
                  stats_share(guest, guest + out));
    text_wrap_add(w, ",", "%.2f%% out of it", stats_share(out, guest + out));
}

/*
 * Entries and exits of the guest split the running time of a vcpu into guest
 * and hypervisor; the rest of the time, the vcpu does not run, or its state is
 * unknown.
 */
static void print_guest_scheduled(const struct summary_vcpu *v,
                                  struct text_wrap *w)
{
    const struct summary_sched *s = v->sched;
    uint64_t guest = v->hvm->guest_cycles, whole = s->time.elapsed;
    uint64_t inside = summary_state_time(s->state, &s->time, STATE_RUNNING);
    uint64_t unknown = summary_state_time(s->state, &s->time, STATE_LOST) +
                       summary_state_time(s->state, &s->time, STATE_NO_DATA);
    uint64_t known = inside + unknown;

    if ( guest > inside )
        guest = inside;
    text_wrap_add(w, "", "%.2f%% in the guest", stats_share(guest, whole));
    text_wrap_add(w, ",", "%.2f%% in the hypervisor",
                  stats_share(inside - guest, whole));
    text_wrap_add(w, ",", "%.2f%% not running",
                  stats_share(whole > known ? whole - known : 0, whole));
    if ( unknown )
        text_wrap_add(w, ",", "%.2f%% unknown", stats_share(unknown, whole));
}

static void print_guest(const struct text *t, const struct summary_vcpu *v)
{
    struct text_wrap w = text_wrap_begin(t->out);
    char name[XT_LABEL_MAX];

    xt_vcpu_label(t->request->names, v->domain, v->id, name);
    text_wrap_add(&w, "", "%s:", name);
    if ( v->sched )
        print_guest_scheduled(v, &w);
    else
        print_guest_unscheduled(v, &w);
    text_wrap_end(&w);
}

void text_guests(const struct text *t)
{
    size_t n;
    struct sort_row *vcpus = text_vcpus(t, TEXT_ANY, &n);

    for ( size_t i = 0; i < n; i++ )
    {
        const struct summary_vcpu *v = t->summary->vcpus[vcpus[i].index];

        if ( v->hvm && v->hvm->guest_cycles &&
             (v->domain != XT_DOMAIN_DEFAULT || t->request->show_default) )
            print_guest(t, v);
    }
}

/* False if the domain has no name. */
static bool print_name(const struct text *t, const struct summary_domain *d,
                       const char *heading)
{
    char name[XT_WHOLE_NAME_MAX];

    if ( !d->name[0] )
        return false;
    xt_domain_whole_name(t->request->names, d->id, name);
    fprintf(t->out, "%s d%u is %s\n", heading, d->id,
            xt_domain_name(t->request->names, d->id) ? name : d->name);
    return true;
}

/* All names; on a terminal, those of the domains in the tables. */
static void print_names(const struct text *t)
{
    const struct summary *b = t->summary;
    const char *heading = "--- Domain names ---\n";
    struct sort_row *rows = NULL;
    size_t n = b->nr_domains;

    if ( t->request->fits_screen )
        rows = text_domains(t, &n);
    for ( size_t i = 0; i < n; i++ )
        if ( print_name(t, b->domains[rows ? rows[i].index : i], heading) )
            heading = "";
}

void text_shares(const struct text *t)
{
    print_names(t);
    fprintf(t->out, "--- Where the time went (%%) ---\n");
    print_vcpus(t);
    print_domains(t);
    text_pcpu_shares(t);
    text_guests(t);
}

/* --- data quality --------------------------------------------------------- */

double text_lost_share(const struct summary *b)
{
    /* From the first record to the last, and losses after the last. */
    double time = (double)b->lost_cycles_at_end;

    for ( uint32_t i = 0; i < b->nr_pcpus; i++ )
        time += (double)b->pcpus[i]->time;
    return share_of(b->lost_cycles, time);
}

static void print_loss_gaps(const struct text *t)
{
    const struct summary *b = t->summary;

    for ( size_t i = 0; i < b->loss_gaps.used; i++ )
        fprintf(t->out, "  pcpu %" PRIu64 ": no records for %.6fs from %.6fs\n",
                b->loss_gaps.rows[i].tag,
                stats_seconds(&t->scale, b->loss_gaps.rows[i].key),
                (double)xt_clock_ns(&b->clock, b->loss_gaps.rows[i].at) / 1e9);
}

/* Losses outside of Xen's rings. */
static void print_collector_losses(const struct text *t)
{
    const struct summary *b = t->summary;

    if ( b->unwritten )
        fprintf(t->out, " records not written by the collector: %" PRIu64 "\n",
                b->unwritten);
    if ( b->taken )
        fprintf(t->out, " records read from the rings by another program: %"
                PRIu64 "\n", b->taken);
    if ( b->dropped )
        fprintf(t->out, " records dropped from the memory buffer (-M) for "
                "newer ones: %" PRIu64 "\n", b->dropped);
}

/* Without the counts of Xen, a loss needs a later record to be known. */
static void print_losses(const struct text *t)
{
    const struct summary *b = t->summary;
    struct text_wrap w = text_wrap_begin(t->out);

    if ( !b->lost && !b->losses )
    {
        fprintf(t->out, " records lost: none%s\n", b->losses_counted ? "" :
                " (losses after the last record of a pcpu are unknown)");
        return;
    }
    if ( b->lost )
        text_wrap_add(&w, "", "records lost: %" PRIu64 " in", b->lost);
    else
        text_wrap_add(&w, "", "records lost: an unknown number, in");
    text_wrap_add(&w, "", "%" PRIu64 " gap%s of %.2fs%s", b->losses,
                  num_plural(b->losses),
                  stats_seconds(&t->scale, b->lost_cycles),
                  b->losses == 1 ? "" : " together");
    text_wrap_add(&w, ",", "%.2f%% of the time of all pcpus",
                  text_lost_share(b));
    text_wrap_add(&w, ";", "the longest:");
    text_wrap_end(&w);
    print_loss_gaps(t);
}

static void print_damage(const struct text *t)
{
    const struct xt_damage *d = &t->summary->damage;
    char text[XT_DAMAGE_TEXT_MAX];

    if ( xt_damage_grade(d) == XT_GRADE_NONE )
    {
        fprintf(t->out, " damage: none\n");
        return;
    }
    fprintf(t->out, " damage: %s\n", xt_damage_print(d, text));
    for ( size_t i = 0; i < d->nr_first; i++ )
        fprintf(t->out, "  at byte %" PRIu64 ": %s, %" PRIu64
                " byte%s skipped\n", d->first[i].offset,
                xt_damage_text(d->first[i].kind), d->first[i].bytes,
                num_plural(d->first[i].bytes));
    if ( xt_damage_times(d) > d->nr_first )
        fprintf(t->out, "  and at %" PRIu64 " more place%s\n",
                xt_damage_times(d) - d->nr_first,
                num_plural(xt_damage_times(d) - d->nr_first));
}

static void print_anomalies(const struct text *t)
{
    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        if ( t->summary->anomalies[i] )
            fprintf(t->out, " contradictions: %" PRIu64 " %s\n",
                    t->summary->anomalies[i], anomaly_name(i));
}

char *text_format_disorder(const struct fact_disorder *d,
                           const struct xt_clock *clock,
                           char text[TEXT_DISORDER_MAX])
{
    char least[NUM_CLOCK_MAX];

    assert(fact_disorder_error(d) && d->pcpus[0] != d->pcpus[1]);
    if ( d->nr_silent )
    {
        snprintf(text, TEXT_DISORDER_MAX, "%u of %u pcpus have no records, so "
                 "states contradict each other", d->nr_silent, d->nr_host);
        return text;
    }
    *num_duration(least, xt_clock_duration(clock, d->cycles)) = '\0';
    snprintf(text, TEXT_DISORDER_MAX, "pcpus %" PRIu32 " and %" PRIu32
             " differ%s%s%s", d->pcpus[1], d->pcpus[0],
             d->cycles ? " by " : "", d->cycles ? least : "",
             d->cycles ? " or more" : "");
    return text;
}

void text_print_disorder(const struct fact_disorder *d,
                         const struct xt_clock *clock, FILE *out)
{
    uint64_t error = fact_disorder_error(d);
    char text[NUM_CLOCK_MAX];

    assert(!error || d->pcpus[0] != d->pcpus[1]);
    if ( !error )
        return;
    *num_duration(text, xt_clock_duration(clock, error)) = '\0';
    if ( d->nr_silent )
    {
        fprintf(out, "%u of %u pcpus have no records: waits may be wrong by "
                "%s.\n", d->nr_silent, d->nr_host, text);
        return;
    }
    fprintf(out, "The clocks of pcpus %" PRIu32 " and %" PRIu32 " differ: "
            "waits may be wrong by %s.\n", d->pcpus[1], d->pcpus[0], text);
}

static void print_clocks(const struct text *t)
{
    const struct fact_disorder *d = &t->summary->disorder;
    char text[TEXT_DISORDER_MAX];

    assert(t->summary->segments || !fact_disorder_error(d));
    if ( fact_disorder_error(d) )
        fprintf(t->out, " %s: %s\n", d->nr_silent ? "pcpus" : "clocks",
                text_format_disorder(d, &t->summary->clock, text));
}

/* A trace has the exits of one vendor. */
static void print_vendors(const struct text *t)
{
    uint64_t exits = t->summary->svm_exits[XT_HARDWARE_VMX];
    struct text_wrap w = text_wrap_begin(t->out);

    if ( !exits )
        return;
    text_wrap_add(&w, "", "contradictions: %" PRIu64 " exits with reasons of "
                  "AMD in a trace from Intel", exits);
    text_wrap_add(&w, ";", "--vendor selects the names");
    text_wrap_end(&w);
}

/* Rows of the CR3 table are limited; loads beyond the limit are counted. */
static void print_dropped_loads(const struct text *t)
{
    uint64_t loads = t->summary->cr3 ? cr3_table_dropped_loads(t->summary->cr3)
                                     : 0;

    if ( loads )
        fprintf(t->out, " CR3 values: %" PRIu64 " loads of further frames are "
                "not in the tables above\n", loads);
}

void text_quality(const struct text *t)
{
    fprintf(t->out, "--- Data quality ---\n");
    fprintf(t->out, " records: %" PRIu64 "%s\n", t->summary->records,
            t->request->selects_domains ? " of all domains" : "");
    if ( !t->summary->sched_records )
        fprintf(t->out, " no scheduler events: vcpus are unknown; capture with "
                "xentrace -e sched:min,hvm\n");
    if ( t->request->clock_assumed )
        fprintf(t->out, " clock: the TSC frequency is assumed, since the trace "
                "lacks it; see --cpu-hz\n");
    text_print_start_time(&t->summary->clock, t->out);
    print_losses(t);
    print_collector_losses(t);
    print_damage(t);
    print_anomalies(t);
    print_clocks(t);
    print_vendors(t);
    print_dropped_loads(t);
    if ( t->summary->segments > 1 )
        fprintf(t->out, " segments: %u, each with its own start time\n",
                t->summary->segments);
}
