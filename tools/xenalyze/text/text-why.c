/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict of --why: a headline, then the causes with their share of the
 * waiting time, the worst moment, and what usually helps.  At most 20 lines.
 */
#include "xenalyze/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/num.h"

#define MAX_FINDINGS 3u
#define MAX_NAMED 2u            /* rivals */
#define DETAILS_PERCENT 5.0     /* smaller causes have one line */
#define LEAST_PERCENT 0.5
#define INDENT "                  "

static double share_of_time(const struct text_why *t, uint64_t cycles)
{
    return stats_share(cycles, verdict_known_time(t->vcpu));
}

static double share_of_waits(const struct text_why *t, uint64_t cycles)
{
    return stats_share(cycles, t->vcpu->waited);
}

/* A range for --time with the wait, and a tenth of it before and after. */
static void print_range(const struct text_why *t, const struct wait_moment *m)
{
    uint64_t margin = (m->to - m->from) / 10 + 1;
    int64_t from = xt_clock_ns(&t->waits->clock, m->from - margin);
    int64_t to = xt_clock_ns(&t->waits->clock, m->to + margin);
    char begin[NUM_SEC_MAX], end[NUM_SEC_MAX];

    assert(m->from < m->to);
    *num_sec(begin, from < 0 ? 0 : from) = '\0';
    *num_sec(end, to < 0 ? 0 : to + 1) = '\0';
    fprintf(t->out, "--time %s..%s\n", begin, end);
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

static void print_headline(const struct text_why *t,
                           const struct verdict_rule *rule)
{
    const struct wait_rival *r = t->vcpu->rivals;
    char name[XT_LABEL_MAX], device[ACCESS_TEXT];

    fprintf(t->out, "%s %s",
            xt_vcpu_column(t->names, t->vcpu->domain, t->vcpu->id,
                           LATENCY_WIDEST, name), rule->headline);
    if ( rule->cause == WAIT_CAUSES )
        fprintf(t->out, ": %s", access_range_text(t->device, device));
    else if ( names_rival(rule) && r )
        fprintf(t->out, ": %s", domain_text(t, r->domain, name));
    fprintf(t->out, ".\n");
}

static void print_calm(const struct text_why *t)
{
    char name[XT_LABEL_MAX];

    xt_vcpu_column(t->names, t->vcpu->domain, t->vcpu->id, LATENCY_WIDEST,
                   name);
    fprintf(t->out, t->is_asked
            ? "Nothing is wrong: %s does not wait long for a pcpu.\n"
            : "Nothing is wrong: no vcpu waits long, %s longest.\n", name);
}

static void print_states(const struct text_why *t)
{
    const struct wait_vcpu *v = t->vcpu;
    uint64_t offline = v->times[STATE_OFFLINE] + v->times[STATE_RUNNABLE];
    char text[NUM_CLOCK_MAX];

    /* Sums of a damaged trace may have overflowed. */
    offline -= v->waited < offline ? v->waited : offline;
    fprintf(t->out, " Of %s: waited for a pcpu %.1f%%, ran %.1f%%, blocked "
            "%.1f%%",
            text_duration(&t->waits->clock, verdict_known_time(v), text),
            share_of_time(t, v->waited),
            share_of_time(t, v->times[STATE_RUNNING]),
            share_of_time(t, v->times[STATE_BLOCKED]));
    if ( offline )
        fprintf(t->out, ", paused %.1f%%", share_of_time(t, offline));
    fprintf(t->out, ".\n");
}

static void print_lengths(const struct text_why *t)
{
    const struct stats *s = &t->vcpu->waits;
    const struct xt_clock *clock = &t->waits->clock;
    char half[NUM_CLOCK_MAX], most[NUM_CLOCK_MAX], longest[NUM_CLOCK_MAX];

    if ( stats_events(s) )
        fprintf(t->out, " %" PRIu64 " waits: median %s, p99 %s, longest %s.\n",
                stats_events(s),
                text_duration(clock, stats_percentile(s, 50), half),
                text_duration(clock, stats_percentile(s, 99), most),
                text_duration(clock, s->max, longest));
}

/* --- causes --------------------------------------------------------------- */

/* Domains that ran on the pcpu meanwhile, for any cause. */
static void print_rivals(const struct text_why *t)
{
    const struct wait_rival *r = t->vcpu->rivals;
    uint64_t others = t->vcpu->other_rivals;
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
            text_duration(&t->waits->clock, f->cycles, text), f->rule->why);
    if ( share < DETAILS_PERCENT )
        return;
    fprintf(t->out, INDENT "worst: ");
    print_range(t, f->worst);
    fprintf(t->out, INDENT "helps: %s\n", f->rule->help);
}

static void print_findings(const struct text_why *t,
                           const struct verdict_finding *findings, size_t n,
                           size_t most)
{
    assert(most);
    fprintf(t->out, "  share     time  why it waited\n");
    for ( size_t i = 0; i < n && i < most; i++ )
        if ( share_of_waits(t, findings[i].cycles) >= LEAST_PERCENT )
            print_finding(t, &findings[i]);
}

/* --- emulated devices ----------------------------------------------------- */

#define DEVICE_PERCENT 1.0      /* share of time to print the parts */

static bool has_device_time(const struct text_why *t)
{
    return t->accesses && t->device &&
           share_of_time(t, access_device_time(t->accesses)) >= DEVICE_PERCENT;
}

/* The parts of accesses, without the vcpu's waits: these are above. */
static void print_device_time(const struct text_why *t,
                              const struct verdict_rule *rule)
{
    const struct access_vcpu *a = t->accesses;
    uint64_t time = access_device_time(a);
    char text[NUM_CLOCK_MAX], device[ACCESS_TEXT];

    assert(a && t->device && time);
    fprintf(t->out, " Emulated devices took %.1f%%, %s, mostly %s: Xen "
            "%.0f%%,\n", share_of_time(t, time),
            text_duration(&t->waits->clock, time, text),
            access_range_text(t->device, device),
            stats_share(a->sums[ACCESS_XEN], time));
    fprintf(t->out, INDENT "device model works %.0f%%, waits for a pcpu "
            "%.0f%%\n", stats_share(a->sums[ACCESS_MODEL], time),
            stats_share(a->sums[ACCESS_HELPER_WAITS], time));
    if ( rule )
        fprintf(t->out, INDENT "helps: %s\n", rule->help);
}

/* --- co-stop -------------------------------------------------------------- */

#define CO_STOP_PERCENT 1.0     /* share of the domain's time */

/* NULL: too little to print. */
static const struct co_stop_domain *find_co_stop(const struct text_why *t)
{
    const struct co_stop_domain *d = co_stops_find(t->co_stops,
                                                   t->vcpu->domain);
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
    if ( co_stop_has_spun(t->co_stops, d) )
        fprintf(t->out, INDENT "probably, vcpus spun for these: up to "
                "%.1f%%\n", stats_share(d->spun, known));
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
    const struct xt_clock *clock = &t->waits->clock;
    char text[NUM_CLOCK_MAX];

    fprintf(t->out, " %5.1f%% %8s  ",
            stats_share(w->stats.sum, t->blocks->blocked),
            text_duration(clock, w->stats.sum, text));
    print_source(t, &w->source);
    fprintf(t->out, ", p99 %s\n",
            text_duration(clock, stats_percentile(&w->stats, 99), text));
}

static void print_blocks(const struct text_why *t)
{
    unsigned int nr = 0;

    if ( !t->blocks || share_of_time(t, t->blocks->blocked) < BLOCKED_PERCENT )
        return;
    fprintf(t->out, "  share     time  what it was blocked for\n");
    for ( const struct block_waker *w = t->blocks->wakers;
          w && nr < MAX_REASONS; w = w->next, nr++ )
        if ( stats_share(w->stats.sum, t->blocks->blocked) >= LEAST_PERCENT )
            print_block(t, w);
}

/* --- missing records ------------------------------------------------------ */

static void print_unknown(const struct text_why *t)
{
    const struct wait_causes *w = t->waits;
    const struct { bool known; const char *text; } classes[] = {
        { w->has_scheduler, "scheduler (-e sched)" },
        { w->has_power, "sleep (-e hw:pm)" },
        { w->has_irq, "irqs (-e hw:irq)" },
    };
    const char *before = " Not in the trace: ";

    for ( size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++ )
        if ( !classes[i].known )
        {
            fprintf(t->out, "%s%s", before, classes[i].text);
            before = ", ";
        }
    if ( *before == ',' )
        fprintf(t->out, "\n");
    if ( w->lost )
        fprintf(t->out, " %" PRIu64 " records were lost; their time is left "
                "out.\n", w->lost);
}

void text_print_why(const struct text_why *t)
{
    const struct wait_causes *w = t->waits;
    struct verdict_finding findings[WAIT_CAUSES];
    size_t n = verdict_find(t->vcpu, findings);
    const struct verdict_rule *device = verdict_find_device(t->vcpu,
                                                            t->accesses);
    bool is_slow = verdict_is_slow(w, t->vcpu);
    bool has_devices = device || has_device_time(t);
    const struct co_stop_domain *co_stop = find_co_stop(t);

    if ( device )
        print_headline(t, device);
    else if ( is_slow )
        print_headline(t, verdict_find_headline(w, t->vcpu));
    else
        print_calm(t);
    print_states(t);
    print_lengths(t);
    if ( has_devices )
        print_device_time(t, device);
    if ( is_slow )
    {
        print_findings(t, findings, n,
                       MAX_FINDINGS - has_devices - (co_stop != NULL));
        print_rivals(t);
    }
    if ( co_stop )
        print_co_stop(t, co_stop);
    print_blocks(t);
    print_unknown(t);
}
