/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict of --why: a headline, then the causes with their share of the
 * waiting time, the worst moment, and what usually helps.  At most 20 lines.
 */
#include "xenalyze/text/text-why-private.h"

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
#define HELPS "helps: "
#define HELP_WIDTH (TEXT_COLUMNS - strlen(WHY_INDENT HELPS))

double why_share_of_time(const struct text_why *t, uint64_t cycles)
{
    return stats_share(cycles, verdict_known_time(t->facts.vcpu));
}

static double share_of_waits(const struct text_why *t, uint64_t cycles)
{
    return stats_share(cycles, t->facts.vcpu->sums.waited);
}

void why_print_range(const struct text_why *t, uint64_t from, uint64_t to)
{
    const struct xt_clock *clock = &t->facts.waits->clock;

    text_print_span_ns(xt_clock_ns(clock, from), xt_clock_ns(clock, to) + 1,
                       t->out);
    fprintf(t->out, "\n");
}

/* A range with the wait, and a tenth of it before and after. */
static void print_moment(const struct text_why *t, const struct wait_moment *m)
{
    uint64_t margin = (m->to - m->from) / 10 + 1;

    why_print_range(t, m->from - (m->from < margin ? m->from : margin),
                    m->to + margin);
}

const char *why_domain_text(const struct text_why *t, uint16_t domain,
                            char text[XT_LABEL_MAX])
{
    return xt_domain_column(t->names, domain, LATENCY_WIDEST, text);
}

/* --- the headline --------------------------------------------------------- */

bool why_names_rival(const struct verdict_rule *rule)
{
    return rule->cause == WAIT_RIVAL || rule->cause == WAIT_RATELIMIT;
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
void why_print_help(const struct text_why *t, const struct verdict_rule *rule)
{
    bool is_backend = t->verdict.rule && t->verdict.loss == VERDICT_BACKEND;
    char text[VERDICT_HELP_MAX];

    fprintf(t->out, WHY_INDENT HELPS "%s\n",
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
    const struct verdict_waits waits = { t->facts.vcpu, v->is_stretch };
    char name[XT_LABEL_MAX], device[ACCESS_TEXT];
    uint16_t rival;

    fprintf(t->out, "%s %s",
            xt_vcpu_column(t->names, t->facts.vcpu->domain, t->facts.vcpu->id,
                           LATENCY_WIDEST, name), v->rule->headline);
    if ( v->loss == VERDICT_DEVICE )
        fprintf(t->out, ": %s", access_range_text(find_blamed_device(t),
                                                  device));
    else if ( v->loss == VERDICT_BACKEND )
        fprintf(t->out, ": %s",
                why_domain_text(t, find_blamed_backend(t), name));
    else if ( v->loss == VERDICT_INTERRUPTS )
        print_blamed_irq(t);
    else if ( why_names_rival(v->rule) && verdict_find_rival(&waits, &rival) )
        fprintf(t->out, ": %s", why_domain_text(t, rival, name));
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
    double paused = why_share_of_time(t, find_paused_time(t));
    char name[XT_LABEL_MAX];

    xt_vcpu_column(t->names, t->facts.vcpu->domain, t->facts.vcpu->id,
                   LATENCY_WIDEST, name);
    if ( paused >= PAUSED_PERCENT )
        fprintf(t->out, "Nothing is wrong but pauses: %s was paused %.1f%% of "
                "the time.\n", name, paused);
    else
        fprintf(t->out, t->is_asked
                ? "Nothing is wrong: %s does not wait long for a pcpu.\n"
                : t->silent->nr_waiting
                ? "Nothing is wrong with vcpus that have records: %s waits "
                  "longest.\n"
                : "Nothing is wrong: no vcpu waits long; %s waits "
                  "longest.\n", name);
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
                  why_share_of_time(t, v->sums.waited -
                                       smaller_of(parked, v->sums.waited)));
    if ( parked )
        text_wrap_add(&w, ",", "parked %.1f%%", why_share_of_time(t, parked));
    text_wrap_add(&w, ",", "ran %.1f%%",
                  why_share_of_time(t, v->times[STATE_RUNNING]));
    text_wrap_add(&w, ",", "blocked %.1f%%",
                  why_share_of_time(t, v->times[STATE_BLOCKED]));
    /* No word about what rounds to 0. */
    if ( why_share_of_time(t, model) >= 0.05 )
        text_wrap_add(&w, ",", "in emulated devices %.1f%%",
                      why_share_of_time(t, model));
    if ( why_share_of_time(t, paused) >= 0.05 )
        text_wrap_add(&w, ",", "paused %.1f%%", why_share_of_time(t, paused));
    putc('.', t->out);
    text_wrap_end(&w);
}

static void print_lengths(const struct text_why *t)
{
    const struct stats *s = &t->facts.vcpu->waits;
    const struct xt_clock *clock = &t->facts.waits->clock;
    char half[NUM_CLOCK_MAX], most[NUM_CLOCK_MAX], longest[NUM_CLOCK_MAX];

    if ( stats_events(s) )
        fprintf(t->out, " %" PRIu64 " wait%s: median %s, p99 %s, longest "
                "%s.\n", stats_events(s), num_plural(stats_events(s)),
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
         why_share_of_time(t, s->worst.to - s->worst.from) >= PART_PERCENT )
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
                why_domain_text(t, t->facts.backend->worst.domain, name),
                share);
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
            why_share_of_time(t, length) < 1 ? 3 : 1,
            why_share_of_time(t, length));
    why_print_range(t, s->worst.from, s->worst.to);
    fprintf(t->out, WHY_INDENT);
    print_loss(t, s);
    if ( s->nr > 1 )
        fprintf(t->out, "; %" PRIu64 " such parts, %s", s->nr,
                text_duration(&t->facts.waits->clock, s->length, text));
    fprintf(t->out, "\n");
    why_print_help(t, verdict_find_stretch_rule(&t->facts, t->verdict.loss));
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
            loss == VERDICT_INTERRUPTS ? "interrupted" :
            loss == VERDICT_STALLS ? "stood still" :
            loss == VERDICT_DEVICE ? "in devices" :
            loss == VERDICT_WAITS &&
            waits->worst.sums.parked > s->worst.lost / 2 ? "parked" : "waited",
            text_duration(&t->facts.waits->clock, s->worst.lost, lost),
            text_duration(&t->facts.waits->clock, s->worst.to - s->worst.from,
                          length));
    why_print_range(t, s->worst.from, s->worst.to);
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
                why_domain_text(t, r->domain, name),
                share_of_waits(t, r->cycles));
    for ( ; r; r = r->next, more++ )
        others += r->cycles;
    if ( t->facts.vcpu->other_rivals )
        fprintf(t->out, ", all others %.1f%%", share_of_waits(t, others));
    else if ( more )
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
    fprintf(t->out, WHY_INDENT "worst: ");
    print_moment(t, f->worst);
    why_print_help(t, f->rule);
}

static unsigned int count_finding_lines(const struct text_why *t,
                                        const struct verdict_finding *f)
{
    double share = share_of_waits(t, f->cycles);

    return share < WHY_LEAST_PERCENT ? 0 : share < DETAILS_PERCENT ? 1 : 3;
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
        fprintf(t->out, "%s%s", i ? ", " : t->is_part ? " Not in this part: "
                                         : " Not in the trace: ", texts[i]);
    if ( nr )
        fprintf(t->out, "\n");
    if ( t->facts.waits->lost )
        fprintf(t->out, " %" PRIu64 " record%s time is left out.\n",
                t->facts.waits->lost, t->facts.waits->lost == 1
                ? " was lost; its" : "s were lost; their");
}

/* Xen does not tell a vcpu that waits for a pcpu from one that is paused. */
static bool print_silent(const struct text_why *t, FILE *out)
{
    const struct silent_vcpu *v =
        silent_vcpus_first(t->silent, SILENT_WAITING);
    uint32_t nr = t->silent->nr_waiting;
    char name[XT_LABEL_MAX];

    assert(!v == !nr);
    if ( v && out )
    {
        fprintf(out, " No record of %s",
                xt_vcpu_column(t->names, v->domain, v->id, LATENCY_WIDEST,
                               name));
        if ( nr > 1 )
            fprintf(out, " and %" PRIu32 " more", nr - 1);
        fprintf(out, ": waiting for a pcpu, or paused, at the begin.\n");
    }
    return v;
}

/* --- all of this ---------------------------------------------------------- */

/* The sections that fit into MAX_LINES. */
struct why_layout
{
    const struct stretch_search *stretch;
    const struct co_stop_domain *co_stop;
    bool has_devices, has_backend, has_interrupts, has_stalls, has_period;
    bool has_timers, has_silent;
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
        .stretch = find_stretch(t), .co_stop = why_find_co_stop(t),
        .has_devices = why_has_device_time(t),
        .has_backend = why_has_backend_time(t),
    };
    /* The headline, states, and lengths of waits. */
    unsigned int used = 3 + (t->facts.clock_error != 0) +
                        (l.stretch ? STRETCH_LINES : !t->verdict.rule) +
                        (l.has_devices ? 3 : 0) +
                        (l.has_backend ? WHY_BACKEND_LINES : 0) +
                        (l.co_stop ? 2 + why_helps_here(t, VERDICT_SPINS) : 0) +
                        count_unknown_lines(t), left;

    assert(used <= MAX_LINES);
    left = MAX_LINES - used;
    l.has_silent = print_silent(t, NULL) && take_lines(&left, 1);
    l.has_stalls = take_lines(&left, why_count_stall_lines(t));
    l.has_interrupts = take_lines(&left, why_count_interrupt_lines(t));
    l.has_timers = take_lines(&left, why_count_timer_lines(t));
    if ( why_has_blocks(t) && left > 1 )
        l.reasons = min_lines(left - 1, 1);
    left -= l.reasons ? 1 + l.reasons : 0;
    if ( t->verdict.rule && t->verdict.loss == VERDICT_WAITS )
        l.findings = plan_findings(t, findings, n, &left);
    if ( l.reasons )
    {
        unsigned int more = min_lines(left, WHY_MAX_REASONS - l.reasons);

        l.reasons += more;
        left -= more;
    }
    l.has_period = why_print_period(t, NULL) && take_lines(&left, 1);
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
        why_print_stalls(t);
    if ( l.has_interrupts )
        why_print_lost_to_interrupts(t);
    if ( l.has_timers )
        why_print_late_timers(t);
    if ( !t->verdict.rule && !t->verdict.is_uncertain )
        print_least_bad(t);
    if ( l.has_devices )
        why_print_device_time(t);
    if ( n && t->verdict.loss == VERDICT_WAITS )
    {
        print_findings(t, findings, n, l.findings);
        if ( l.findings )
            print_rivals(t);
    }
    if ( l.has_period )
        why_print_period(t, t->out);
    if ( l.has_backend )
        why_print_backend_time(t);
    if ( l.co_stop )
        why_print_co_stop(t, l.co_stop);
    why_print_blocks(t, l.reasons);
    print_unknown(t);
    if ( l.has_silent )
        print_silent(t, t->out);
}
