/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict of --why: a headline, then the causes with their share of the
 * waiting time, the worst moment, and what usually helps.  At most 20 lines.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <public/trace.h>

#include "common/num.h"
#include "common/text-wrap.h"

#define MAX_LINES 20u
#define MAX_FINDINGS 3u
#define MAX_NAMED 2u            /* rivals */
#define DETAILS_PERCENT 5.0     /* smaller causes have one line */
#define LEAST_PERCENT 0.5
#define INDENT "                  "
#define HELPS "helps: "
#define HELP_WIDTH (TEXT_COLUMNS - strlen(INDENT HELPS))

static double share_of_time(const struct text_why *t, uint64_t cycles)
{
    return stats_share(cycles, verdict_known_time(t->facts.vcpu));
}

static double share_of_waits(const struct text_why *t, uint64_t cycles)
{
    return stats_share(cycles, t->facts.vcpu->sums.waited);
}

static void print_range(const struct text_why *t, uint64_t from, uint64_t to)
{
    int64_t from_ns = xt_clock_ns(&t->facts.waits->clock, from);
    int64_t to_ns = xt_clock_ns(&t->facts.waits->clock, to);
    char begin[NUM_SEC_MAX], end[NUM_SEC_MAX];

    *num_sec(begin, from_ns < 0 ? 0 : from_ns) = '\0';
    *num_sec(end, to_ns < 0 ? 0 : to_ns + 1) = '\0';
    fprintf(t->out, "--time %s..%s\n", begin, end);
}

/* A range with the wait, and a tenth of it before and after. */
static void print_moment(const struct text_why *t, const struct wait_moment *m)
{
    uint64_t margin = (m->to - m->from) / 10 + 1;

    print_range(t, m->from - (m->from < margin ? m->from : margin),
                m->to + margin);
}

static const char *domain_text(const struct text_why *t, uint16_t domain,
                               char text[XT_LABEL_MAX])
{
    return xt_domain_column(t->names, domain, LATENCY_WIDEST, text);
}

/* --- the headline --------------------------------------------------------- */

static bool names_rival(const struct verdict_rule *rule)
{
    return rule->cause == WAIT_RIVAL || rule->cause == WAIT_RATELIMIT;
}

/* The domain that ran instead, in all waits or in the worst stretch. */
static bool find_rival(const struct text_why *t, uint16_t *domain)
{
    const struct wait_vcpu *v = t->facts.vcpu;
    const struct wait_top_rival *r, *most;

    if ( !t->verdict.is_stretch )
    {
        *domain = v->rivals ? v->rivals->domain : 0;
        return v->rivals;
    }
    assert(v->stretches);
    r = most = v->stretches->worst.rivals;
    for ( unsigned int i = 1; i < WAIT_TOP_RIVALS; i++ )
        if ( r[i].cycles > most->cycles )
            most = &r[i];
    *domain = most->domain;
    return most->cycles;
}

static const struct access_range *find_blamed_device(const struct text_why *t)
{
    return t->verdict.is_stretch ? t->facts.accesses->worst.range : t->device;
}

static uint16_t find_blamed_backend(const struct text_why *t)
{
    return t->verdict.is_stretch ? t->facts.backend->worst.domain
                                 : t->facts.backend->vote.domain;
}

/* The advice is about the vcpu's domain, or about the backend of its I/O. */
static void print_help(const struct text_why *t,
                       const struct verdict_rule *rule)
{
    bool is_backend = t->verdict.rule && t->verdict.loss == VERDICT_BACKEND;
    char text[VERDICT_HELP_MAX];

    fprintf(t->out, INDENT HELPS "%s\n",
            verdict_write_help(rule, t->names,
                               is_backend ? find_blamed_backend(t)
                                          : t->facts.vcpu->domain,
                               HELP_WIDTH, text));
}

/* ": eth0 (irq 24)", if most of the time is of one interrupt. */
static void print_blamed_irq(const struct text_why *t)
{
    const struct load_vcpu *v = t->facts.interrupts;
    char device[XT_IRQ_TEXT_MAX];

    assert(v);
    if ( t->verdict.is_stretch
         ? !load_vote_is_clear(&v->worst, v->search.worst.lost)
         : !load_vote_is_clear(&v->vote, v->lost) )
        return;
    if ( t->names && xt_host_irq_device(&t->names->host, v->vote.irq, device) )
        fprintf(t->out, ": %.20s (irq %" PRIu32 ")", device, v->vote.irq);
    else
        fprintf(t->out, ": irq %" PRIu32, v->vote.irq);
}

static void print_headline(const struct text_why *t)
{
    const struct verdict_result *v = &t->verdict;
    char name[XT_LABEL_MAX], device[ACCESS_TEXT];
    uint16_t rival;

    fprintf(t->out, "%s %s",
            xt_vcpu_column(t->names, t->facts.vcpu->domain, t->facts.vcpu->id,
                           LATENCY_WIDEST, name), v->rule->headline);
    if ( v->loss == VERDICT_DEVICE )
        fprintf(t->out, ": %s", access_range_text(find_blamed_device(t),
                                                  device));
    else if ( v->loss == VERDICT_BACKEND )
        fprintf(t->out, ": %s", domain_text(t, find_blamed_backend(t), name));
    else if ( v->loss == VERDICT_INTERRUPTS )
        print_blamed_irq(t);
    else if ( names_rival(v->rule) && find_rival(t, &rival) )
        fprintf(t->out, ": %s", domain_text(t, rival, name));
    fprintf(t->out, ".\n");
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Time off its pcpu that is no wait: pauses, and accesses to devices. */
static uint64_t find_stopped_time(const struct wait_vcpu *v)
{
    uint64_t stopped = v->times[STATE_OFFLINE] + v->times[STATE_RUNNABLE];

    /* Sums of a damaged trace may have overflowed. */
    return stopped - smaller_of(v->sums.waited, stopped);
}

/* The part of that in which device models worked, or waited for a pcpu. */
static uint64_t find_model_time(const struct text_why *t)
{
    const struct access_vcpu *a = t->facts.accesses;

    return a ? smaller_of(a->sums[ACCESS_HELPER_WAITS] + a->sums[ACCESS_MODEL],
                          find_stopped_time(t->facts.vcpu)) : 0;
}

static uint64_t find_paused_time(const struct text_why *t)
{
    return find_stopped_time(t->facts.vcpu) - find_model_time(t);
}

#define PAUSED_PERCENT 10.0     /* the verdict has a word about it */

static void print_calm(const struct text_why *t)
{
    double paused = share_of_time(t, find_paused_time(t));
    char name[XT_LABEL_MAX];

    xt_vcpu_column(t->names, t->facts.vcpu->domain, t->facts.vcpu->id,
                   LATENCY_WIDEST, name);
    if ( paused >= PAUSED_PERCENT )
        fprintf(t->out, "Nothing is wrong but pauses: %s was paused %.1f%% of "
                "the time.\n", name, paused);
    else
        fprintf(t->out, t->is_asked
                ? "Nothing is wrong: %s does not wait long for a pcpu.\n"
                : "Nothing is wrong: no vcpu waits long, %s longest.\n", name);
}

static void print_states(const struct text_why *t)
{
    const struct wait_vcpu *v = t->facts.vcpu;
    uint64_t model = find_model_time(t), paused = find_paused_time(t);
    uint64_t parked = v->sums.parked;
    struct text_wrap w = text_wrap_begin(t->out);
    char text[NUM_CLOCK_MAX];

    text_wrap_add(&w, "", "Of %s: waited for a pcpu %.1f%%",
                  text_duration(&t->facts.waits->clock, verdict_known_time(v),
                                text),
                  share_of_time(t, v->sums.waited -
                                   smaller_of(parked, v->sums.waited)));
    if ( parked )
        text_wrap_add(&w, ",", "parked %.1f%%", share_of_time(t, parked));
    text_wrap_add(&w, ",", "ran %.1f%%",
                  share_of_time(t, v->times[STATE_RUNNING]));
    text_wrap_add(&w, ",", "blocked %.1f%%",
                  share_of_time(t, v->times[STATE_BLOCKED]));
    /* No word about what rounds to 0. */
    if ( share_of_time(t, model) >= 0.05 )
        text_wrap_add(&w, ",", "in emulated devices %.1f%%",
                      share_of_time(t, model));
    if ( share_of_time(t, paused) >= 0.05 )
        text_wrap_add(&w, ",", "paused %.1f%%", share_of_time(t, paused));
    putc('.', t->out);
    text_wrap_end(&w);
}

static void print_lengths(const struct text_why *t)
{
    const struct stats *s = &t->facts.vcpu->waits;
    const struct xt_clock *clock = &t->facts.waits->clock;
    char half[NUM_CLOCK_MAX], most[NUM_CLOCK_MAX], longest[NUM_CLOCK_MAX];

    if ( stats_events(s) )
        fprintf(t->out, " %" PRIu64 " waits: median %s, p99 %s, longest %s.\n",
                stats_events(s),
                text_duration(clock, stats_percentile(s, 50), half),
                text_duration(clock, stats_percentile(s, 99), most),
                text_duration(clock, s->max, longest));
}

/* --- the worst stretch ---------------------------------------------------- */

#define STRETCH_LINES 3u
#define PART_PERCENT 50.0       /* a longer stretch is most of the trace */

/* NULL: no part of the trace is worth its lines. */
static const struct stretch_search *find_stretch(const struct text_why *t)
{
    const struct stretch_search *s;
    enum verdict_loss loss = t->verdict.loss;

    if ( !t->verdict.rule )
        return NULL;
    s = verdict_find_stretch(&t->facts, loss);
    if ( !s || !stretch_hurts(s) || s->worst.from >= s->worst.to ||
         share_of_time(t, s->worst.to - s->worst.from) >= PART_PERCENT )
        return NULL;
    return s;
}

static void print_stretch_waits(const struct text_why *t, uint64_t length)
{
    const struct wait_stretch *s = &t->facts.vcpu->stretches->worst;

    assert(length && s->sums.parked <= s->sums.waited);
    fprintf(t->out, "waited for a pcpu %.1f%%, ",
            stats_share(s->sums.waited - s->sums.parked, length));
    if ( s->sums.parked )
        fprintf(t->out, "parked %.1f%%, ", stats_share(s->sums.parked, length));
    fprintf(t->out, "ran %.1f%%", stats_share(s->times.ran, length));
}

/* The share of the stretch that was lost. */
static void print_loss(const struct text_why *t,
                       const struct stretch_search *s)
{
    double share = stats_share(s->worst.lost, s->worst.to - s->worst.from);
    char name[XT_LABEL_MAX];

    if ( t->verdict.loss == VERDICT_DEVICE )
        fprintf(t->out, "emulated devices took %.1f%%", share);
    else if ( t->verdict.loss == VERDICT_INTERRUPTS )
        fprintf(t->out, "interrupts took %.1f%%", share);
    else if ( t->verdict.loss == VERDICT_STALLS )
        fprintf(t->out, "the machine stood still %.1f%%", share);
    else if ( t->verdict.loss == VERDICT_BACKEND )
        fprintf(t->out, "blocked while %s waited for a pcpu %.1f%%",
                domain_text(t, t->facts.backend->worst.domain, name), share);
    else
        print_stretch_waits(t, s->worst.to - s->worst.from);
}

static void print_stretch(const struct text_why *t,
                          const struct stretch_search *s)
{
    uint64_t length = s->worst.to - s->worst.from;
    char text[NUM_CLOCK_MAX];

    assert(t->verdict.rule && s->nr);
    fprintf(t->out, " Worst in %s, %.*f%% of its time: ",
            text_duration(&t->facts.waits->clock, length, text),
            share_of_time(t, length) < 1 ? 3 : 1, share_of_time(t, length));
    print_range(t, s->worst.from, s->worst.to);
    fprintf(t->out, INDENT);
    print_loss(t, s);
    if ( s->nr > 1 )
        fprintf(t->out, "; %" PRIu64 " such parts, %s", s->nr,
                text_duration(&t->facts.waits->clock, s->length, text));
    fprintf(t->out, "\n");
    print_help(t, verdict_find_stretch_rule(&t->facts, t->verdict.loss));
}

/* Nothing is wrong: the part of the trace that comes nearest to a problem. */
static void print_least_bad(const struct text_why *t)
{
    const struct wait_stretches *waits = t->facts.vcpu->stretches;
    const struct stretch_search *s;
    enum verdict_loss loss;
    char lost[NUM_CLOCK_MAX], length[NUM_CLOCK_MAX];

    if ( !verdict_find_worst_loss(&t->facts, &loss) )
        return;
    s = verdict_find_stretch(&t->facts, loss);
    if ( s->worst.from >= s->worst.to )
        return;
    fprintf(t->out, " Worst part: %s %s of %s, ",
            loss == VERDICT_INTERRUPTS || loss == VERDICT_STALLS ? "lost" :
            loss == VERDICT_DEVICE ? "in devices" :
            loss == VERDICT_WAITS &&
            waits->worst.sums.parked > s->worst.lost / 2 ? "parked" : "waited",
            text_duration(&t->facts.waits->clock, s->worst.lost, lost),
            text_duration(&t->facts.waits->clock, s->worst.to - s->worst.from,
                          length));
    print_range(t, s->worst.from, s->worst.to);
}

/* --- causes --------------------------------------------------------------- */

/* Domains that ran on the pcpu meanwhile, for any cause. */
static void print_rivals(const struct text_why *t)
{
    const struct wait_rival *r = t->facts.vcpu->rivals;
    uint64_t others = t->facts.vcpu->other_rivals;
    unsigned int more = 0;
    char name[XT_LABEL_MAX];

    if ( !r )
        return;
    fprintf(t->out, " Ran instead:");
    for ( unsigned int i = 0; r && i < MAX_NAMED; r = r->next, i++ )
        fprintf(t->out, "%s %s %.1f%%", i ? "," : "",
                domain_text(t, r->domain, name), share_of_waits(t, r->cycles));
    for ( ; r; r = r->next, more++ )
        others += r->cycles;
    if ( more )
        fprintf(t->out, ", %u more %.1f%%", more, share_of_waits(t, others));
    fprintf(t->out, "\n");
}

static void print_finding(const struct text_why *t,
                          const struct verdict_finding *f)
{
    double share = share_of_waits(t, f->cycles);
    char text[NUM_CLOCK_MAX];

    fprintf(t->out, " %5.1f%% %8s  %s\n", share,
            text_duration(&t->facts.waits->clock, f->cycles,
                          text), f->rule->why);
    if ( share < DETAILS_PERCENT )
        return;
    fprintf(t->out, INDENT "worst: ");
    print_moment(t, f->worst);
    print_help(t, f->rule);
}

static unsigned int count_finding_lines(const struct text_why *t,
                                        const struct verdict_finding *f)
{
    double share = share_of_waits(t, f->cycles);

    return share < LEAST_PERCENT ? 0 : share < DETAILS_PERCENT ? 1 : 3;
}

static void print_findings(const struct text_why *t,
                           const struct verdict_finding *findings, size_t n,
                           size_t most)
{
    if ( !most )
        return;
    fprintf(t->out, "  share     time  why it waited\n");
    for ( size_t i = 0; i < n && i < most; i++ )
        if ( count_finding_lines(t, &findings[i]) )
            print_finding(t, &findings[i]);
}

/* --- emulated devices ----------------------------------------------------- */

#define DEVICE_PERCENT 1.0      /* share of time to print the parts */

static bool has_device_time(const struct text_why *t)
{
    return t->facts.accesses && t->device &&
           share_of_time(t, access_device_time(t->facts.accesses->sums)) >=
           DEVICE_PERCENT;
}

/* The parts of accesses, without the vcpu's waits: these are above. */
static void print_device_time(const struct text_why *t)
{
    const struct access_vcpu *a = t->facts.accesses;
    uint64_t time = access_device_time(a->sums);
    char text[NUM_CLOCK_MAX], device[ACCESS_TEXT];

    assert(a && t->device && time);
    fprintf(t->out, " Emulated devices took %.1f%%, %s, mostly %s: Xen "
            "%.0f%%,\n", share_of_time(t, time),
            text_duration(&t->facts.waits->clock, time, text),
            access_range_text(t->device, device),
            stats_share(a->sums[ACCESS_XEN], time));
    fprintf(t->out, INDENT "device model works %.0f%%, waits for a pcpu "
            "%.0f%%\n", stats_share(a->sums[ACCESS_MODEL], time),
            stats_share(a->sums[ACCESS_HELPER_WAITS], time));
    if ( t->verdict.rule && t->verdict.loss == VERDICT_DEVICE &&
         !t->verdict.is_stretch )
        print_help(t, t->verdict.rule);
}

/* --- backends ------------------------------------------------------------- */

#define BACKEND_LINES 6u
#define BACKEND_PERCENT 1.0     /* share of time to print the parts */

static bool has_backend_time(const struct text_why *t)
{
    return t->facts.backend && t->path && t->facts.backend->waited &&
           (share_of_time(t, t->facts.backend->waited) >= BACKEND_PERCENT ||
            (t->verdict.rule && t->verdict.loss == VERDICT_BACKEND));
}

/* Shares of the round trips, as in the report on I/O. */
static void print_steps(const struct text_why *t)
{
    const struct io_path *p = t->path;
    uint64_t whole = p->whole.sum;
    uint64_t waits = p->steps[IO_WAIT].sum + p->steps[IO_WAIT_AGAIN].sum;
    char mean[NUM_CLOCK_MAX];

    fprintf(t->out, INDENT "%.1f%% of its blocked time; %" PRIu64 " round "
            "trips, mean %s:\n" INDENT "the backend waits %.1f%%, grants and "
            "device %.1f%%\n",
            stats_share(t->facts.backend->waited,
                        t->facts.vcpu->times[STATE_BLOCKED]),
            stats_events(&p->whole),
            text_duration(&t->facts.waits->clock, stats_mean(&p->whole), mean),
            stats_share(waits, whole),
            stats_share(p->steps[IO_DEVICE].sum, whole));
}

/* Why the backend waits, by its slowest vcpu. */
static void print_backend_cause(const struct text_why *t)
{
    const struct wait_vcpu *v = t->backend;
    const struct verdict_rule *rule;
    char name[XT_LABEL_MAX];

    if ( !v || !v->sums.waited )
        return;
    rule = verdict_find_headline(t->facts.waits, v, &v->sums);
    fprintf(t->out, INDENT "%s %s",
            xt_vcpu_column(t->names, v->domain, v->id, LATENCY_WIDEST, name),
            rule->headline);
    if ( names_rival(rule) && v->rivals )
        fprintf(t->out, ":\n" INDENT "%s, %.1f%% of these waits",
                domain_text(t, v->rivals->domain, name),
                stats_share(v->rivals->cycles, v->sums.waited));
    fprintf(t->out, "\n");
}

static void print_backend_time(const struct text_why *t)
{
    const struct backend_vcpu *b = t->facts.backend;
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];

    assert(b && t->path);
    fprintf(t->out, " Blocked for I/O while %s waited for a pcpu: %.1f%%, %s\n",
            domain_text(t, t->path->backend, name), share_of_time(t, b->waited),
            text_duration(&t->facts.waits->clock, b->waited, text));
    print_steps(t);
    print_backend_cause(t);
    if ( t->verdict.rule && t->verdict.loss == VERDICT_BACKEND &&
         !t->verdict.is_stretch )
        print_help(t, t->verdict.rule);
}

static bool helps_here(const struct text_why *t, enum verdict_loss loss)
{
    return t->verdict.rule && t->verdict.loss == loss &&
           !t->verdict.is_stretch;
}

/* --- co-stop -------------------------------------------------------------- */

#define CO_STOP_PERCENT 1.0     /* share of the domain's time */

/* NULL: too little to print. */
static const struct co_stop_domain *find_co_stop(const struct text_why *t)
{
    const struct co_stop_domain *d = co_stops_find(t->co_stops,
                                                   t->facts.vcpu->domain);
    double share = d ? stats_share(d->times[DOMAIN_CONCURRENCY_HAZARD],
                                   co_stop_known_time(d)) : 0;

    return share >= CO_STOP_PERCENT ? d : NULL;
}

static void print_co_stop(const struct text_why *t,
                          const struct co_stop_domain *d)
{
    uint64_t known = co_stop_known_time(d);

    fprintf(t->out, " Co-stop %.1f%%: some of its domain's vcpus ran while "
            "others waited.\n",
            stats_share(d->times[DOMAIN_CONCURRENCY_HAZARD], known));
    if ( !co_stop_has_spun(t->co_stops, d) )
        return;
    fprintf(t->out, INDENT "probably, vcpus spun for these: up to %.1f%%",
            stats_share(d->spun, known));
    if ( t->facts.spins )
        fprintf(t->out, ", this one %.1f%%",
                share_of_time(t, t->facts.spins->spun));
    fprintf(t->out, "\n");
    if ( helps_here(t, VERDICT_SPINS) )
        print_help(t, t->verdict.rule);
}

/* --- interrupts, stalls, periods ----------------------------------------- */

#define INTERRUPT_PERCENT 1.0   /* share of time to print them */
#define STALL_PERCENT 0.1
#define TIMER_PERCENT 1.0

/* Lines of the section; 0: too little time. */
static unsigned int count_interrupt_lines(const struct text_why *t)
{
    uint64_t lost = verdict_lost_time(&t->facts, VERDICT_INTERRUPTS);

    if ( helps_here(t, VERDICT_INTERRUPTS) )
        return 2;
    return share_of_time(t, lost) >= INTERRUPT_PERCENT;
}

static void print_lost_to_interrupts(const struct text_why *t)
{
    const struct load_vcpu *v = t->facts.interrupts;
    char text[NUM_CLOCK_MAX];

    assert(v);
    fprintf(t->out, " Interrupts of the host took %.1f%%, %s, on its pcpu: %"
            PRIu64 " of them.\n", share_of_time(t, v->lost),
            text_duration(&t->facts.waits->clock, v->lost, text),
            v->interrupts);
    if ( helps_here(t, VERDICT_INTERRUPTS) )
        print_help(t, t->verdict.rule);
}

/* Likewise for timers. */
static unsigned int count_timer_lines(const struct text_why *t)
{
    uint64_t late = verdict_lost_time(&t->facts, VERDICT_TIMERS);

    if ( helps_here(t, VERDICT_TIMERS) )
        return 2;
    return share_of_time(t, late) >= TIMER_PERCENT;
}

static void print_late_timers(const struct text_why *t)
{
    const struct timer_vcpu *v = t->facts.timers;
    char late[NUM_CLOCK_MAX], most[NUM_CLOCK_MAX];

    assert(v);
    fprintf(t->out, " Timers were due in blocked time: %.1f%%, %s; p99 of %"
            PRIu64 ": %s.\n", share_of_time(t, v->late),
            text_duration(&t->facts.waits->clock, v->late, late),
            stats_events(&v->parts[TIMER_XEN]),
            text_duration(&t->facts.waits->clock,
                          stats_percentile(&v->parts[TIMER_XEN], 99), most));
    if ( helps_here(t, VERDICT_TIMERS) )
        print_help(t, t->verdict.rule);
}

static const struct machine_stall *find_longest_stall(const struct text_why *t)
{
    const struct machine_stall *s = NULL;

    for ( uint32_t i = 0; i < t->stalls->nr_longest; i++ )
        if ( !s || t->stalls->longest[i].to - t->stalls->longest[i].from >
                   s->to - s->from )
            s = &t->stalls->longest[i];
    return s;
}

static unsigned int count_stall_lines(const struct text_why *t)
{
    uint64_t lost = verdict_lost_time(&t->facts, VERDICT_STALLS);

    if ( helps_here(t, VERDICT_STALLS) )
        return 3;
    return share_of_time(t, lost) >= STALL_PERCENT ? 2 : 0;
}

static void print_stalls(const struct text_why *t)
{
    const struct machine_stalls *m = t->stalls;
    const struct machine_stall *s = find_longest_stall(t);
    struct period_found period;
    char text[NUM_CLOCK_MAX];

    assert(s && t->facts.stalls);
    assert(stats_events(&m->lengths) >= m->nr_longest);
    fprintf(t->out, " The whole machine stood still %" PRIu64 " times, %s in "
            "all", stats_events(&m->lengths),
            text_duration(&m->clock, m->lengths.sum, text));
    if ( period_find(&m->period, &period) )
        fprintf(t->out, ", every %s",
                text_duration(&m->clock, period.cycles, text));
    fprintf(t->out, ".\n" INDENT "worst, of %" PRIu32 " busy pcpus: ",
            s->pcpus);
    print_range(t, s->from, s->to);
    if ( helps_here(t, VERDICT_STALLS) )
        print_help(t, t->verdict.rule);
}

static bool print_period(const struct text_why *t, FILE *out)
{
    const struct wait_vcpu *v = t->facts.vcpu;
    struct period_found period;
    char text[NUM_CLOCK_MAX];

    if ( !t->verdict.rule || t->verdict.loss != VERDICT_WAITS ||
         !period_find(&v->period, &period) )
        return false;
    if ( out )
        fprintf(out, " Waits of 100 us and more begin every %s: %u%% of %"
                PRIu64 ".\n",
                text_duration(&t->facts.waits->clock, period.cycles, text),
                period.percent, stats_events(&v->period.gaps));
    return true;
}

/* --- blocked times -------------------------------------------------------- */

#define MAX_REASONS 3u
#define BLOCKED_PERCENT 5.0     /* share of time to print reasons */
#define DEVICE_WIDTH 20

/* "an interrupt of eth0 (irq 24)"; a long device is cut for 80 columns. */
static void print_irq(const struct text_why *t, const struct block_source *s)
{
    char device[XT_IRQ_TEXT_MAX];

    assert(s->has_irq || !s->irq);
    if ( !s->has_irq )
        fprintf(t->out, "other interrupts of the host");
    else if ( !t->names || !xt_host_irq_device(&t->names->host, s->irq,
                                               device) )
        fprintf(t->out, "the host's irq %" PRIu32, s->irq);
    else if ( strlen(device) <= DEVICE_WIDTH )
        fprintf(t->out, "an interrupt of %s (irq %" PRIu32 ")", device, s->irq);
    else
        fprintf(t->out, "an interrupt of %.*s... (irq %" PRIu32 ")",
                DEVICE_WIDTH - 3, device, s->irq);
}

static void print_source(const struct text_why *t, const struct block_source *s)
{
    static const char *const texts[] = {
        [BLOCK_TIMER] = "a timer", [BLOCK_SIBLING] = "its own domain's vcpus",
        [BLOCK_EVENT] = "events from ",
        [BLOCK_EMULATED] = "an emulated device, by ",
        [BLOCK_DEVICE] = "",
        [BLOCK_PAUSED] = "the toolstack, which paused it",
        [BLOCK_OPEN] = "something that did not happen",
        [BLOCK_UNKNOWN] = "an unknown event",
    };
    char name[XT_LABEL_MAX];

    fputs(texts[s->reason], t->out);
    if ( s->reason == BLOCK_DEVICE )
        print_irq(t, s);
    else if ( s->has_domain )
        fputs(domain_text(t, s->domain, name), t->out);
    else if ( s->reason == BLOCK_EVENT || s->reason == BLOCK_EMULATED )
        fputs("other domains", t->out);
}

static void print_block(const struct text_why *t, const struct block_waker *w)
{
    const struct xt_clock *clock = &t->facts.waits->clock;
    char text[NUM_CLOCK_MAX];

    fprintf(t->out, " %5.1f%% %8s  ",
            stats_share(w->stats.sum, t->blocks->blocked),
            text_duration(clock, w->stats.sum, text));
    print_source(t, &w->source);
    fprintf(t->out, ", p99 %s\n",
            text_duration(clock, stats_percentile(&w->stats, 99), text));
}

static bool has_blocks(const struct text_why *t)
{
    return t->blocks &&
           share_of_time(t, t->blocks->blocked) >= BLOCKED_PERCENT;
}

static void print_blocks(const struct text_why *t, unsigned int most)
{
    unsigned int nr = 0;

    if ( !most )
        return;
    fprintf(t->out, "  share     time  what it was blocked for\n");
    for ( const struct block_waker *w = t->blocks->wakers;
          w && nr < most; w = w->next, nr++ )
        if ( stats_share(w->stats.sum, t->blocks->blocked) >= LEAST_PERCENT )
            print_block(t, w);
}

/* --- missing records ------------------------------------------------------ */

#define MISSING_MAX 3u

/*
 * Classes that would explain more: not in the trace, and as far as known not in
 * the mask of the capture.  Without a mask, interrupts show that the class hw
 * was traced: then there are no C-states, as in a virtual machine.
 */
static unsigned int find_missing(const struct text_why *t,
                                 const char *texts[MISSING_MAX])
{
    const struct wait_causes *w = t->facts.waits;
    const struct { bool known; uint32_t mask; const char *text; } classes[] = {
        { w->has_scheduler, TRC_SCHED_CLASS, "scheduler (-e sched)" },
        { w->has_power || (!t->captured && w->has_irq), TRC_HW_PM,
          "sleep (-e hw:pm)" },
        { w->has_irq, TRC_HW_IRQ, "irqs (-e hw:irq)" },
    };
    unsigned int nr = 0;

    _Static_assert(sizeof(classes) / sizeof(classes[0]) == MISSING_MAX,
                   "a text for each class");
    for ( size_t i = 0; i < MISSING_MAX; i++ )
        if ( !classes[i].known &&
             (!t->captured || classes[i].mask & ~t->captured) )
            texts[nr++] = classes[i].text;
    assert(nr <= MISSING_MAX);
    return nr;
}

static unsigned int count_unknown_lines(const struct text_why *t)
{
    const char *texts[MISSING_MAX];

    return !!find_missing(t, texts) + (t->facts.waits->lost != 0);
}

static void print_unknown(const struct text_why *t)
{
    const char *texts[MISSING_MAX];
    unsigned int nr = find_missing(t, texts);

    for ( unsigned int i = 0; i < nr; i++ )
        fprintf(t->out, "%s%s", i ? ", " : " Not in the trace: ", texts[i]);
    if ( nr )
        fprintf(t->out, "\n");
    if ( t->facts.waits->lost )
        fprintf(t->out, " %" PRIu64 " records were lost; their time is left "
                "out.\n", t->facts.waits->lost);
}

/* --- all of this ---------------------------------------------------------- */

/* The sections that fit into MAX_LINES. */
struct why_layout
{
    const struct stretch_search *stretch;
    const struct co_stop_domain *co_stop;
    bool has_devices, has_backend, has_interrupts, has_stalls, has_period;
    bool has_timers;
    unsigned int findings, reasons;
};

static unsigned int min_lines(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

/* Reserve lines, if there are enough. */
static bool take_lines(unsigned int *left, unsigned int nr)
{
    assert(nr <= MAX_LINES && *left <= MAX_LINES);
    if ( !nr || nr > *left )
        return false;
    *left -= nr;
    return true;
}

/* Findings that fit below the heading, and above the rivals. */
static unsigned int plan_findings(const struct text_why *t,
                                  const struct verdict_finding *findings,
                                  size_t n, unsigned int *left)
{
    unsigned int used = 2, nr = 0;

    while ( nr < n && nr < MAX_FINDINGS &&
            used + count_finding_lines(t, &findings[nr]) <= *left )
        used += count_finding_lines(t, &findings[nr++]);
    *left -= nr ? used : 0;
    return nr;
}

static struct why_layout plan_lines(const struct text_why *t,
                                    const struct verdict_finding *findings,
                                    size_t n)
{
    struct why_layout l = {
        .stretch = find_stretch(t), .co_stop = find_co_stop(t),
        .has_devices = has_device_time(t), .has_backend = has_backend_time(t),
    };
    /* The headline, states, and lengths of waits. */
    unsigned int used = 3 + (t->facts.clock_error != 0) +
                        (l.stretch ? STRETCH_LINES : !t->verdict.rule) +
                        (l.has_devices ? 3 : 0) +
                        (l.has_backend ? BACKEND_LINES : 0) +
                        (l.co_stop ? 2 + helps_here(t, VERDICT_SPINS) : 0) +
                        count_unknown_lines(t), left;

    assert(used <= MAX_LINES);
    left = MAX_LINES - used;
    l.has_stalls = take_lines(&left, count_stall_lines(t));
    l.has_interrupts = take_lines(&left, count_interrupt_lines(t));
    l.has_timers = take_lines(&left, count_timer_lines(t));
    if ( has_blocks(t) && left > 1 )
        l.reasons = min_lines(left - 1, 1);
    left -= l.reasons ? 1 + l.reasons : 0;
    if ( t->verdict.rule && t->verdict.loss == VERDICT_WAITS )
        l.findings = plan_findings(t, findings, n, &left);
    if ( l.reasons )
    {
        unsigned int more = min_lines(left, MAX_REASONS - l.reasons);

        l.reasons += more;
        left -= more;
    }
    l.has_period = print_period(t, NULL) && take_lines(&left, 1);
    return l;
}

void text_print_why(const struct text_why *t)
{
    struct verdict_finding findings[WAIT_CAUSES];
    size_t n = verdict_find(t->facts.vcpu, findings);
    struct why_layout l = plan_lines(t, findings, n);

    assert(t->stalls && t->facts.waits);
    assert(n || !t->facts.vcpu->sums.waited);
    if ( t->verdict.rule )
        print_headline(t);
    else if ( !t->verdict.is_uncertain )
        print_calm(t);
    if ( l.stretch )
        print_stretch(t, l.stretch);
    print_states(t);
    print_lengths(t);
    if ( l.has_stalls )
        print_stalls(t);
    if ( l.has_interrupts )
        print_lost_to_interrupts(t);
    if ( l.has_timers )
        print_late_timers(t);
    if ( !t->verdict.rule && !t->verdict.is_uncertain )
        print_least_bad(t);
    if ( l.has_devices )
        print_device_time(t);
    if ( n && t->verdict.loss == VERDICT_WAITS )
    {
        print_findings(t, findings, n, l.findings);
        if ( l.findings )
            print_rivals(t);
    }
    if ( l.has_period )
        print_period(t, t->out);
    if ( l.has_backend )
        print_backend_time(t);
    if ( l.co_stop )
        print_co_stop(t, l.co_stop);
    print_blocks(t, l.reasons);
    print_unknown(t);
}
