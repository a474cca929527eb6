/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of --why about losses of time that are no waits for a pcpu, and
 * about what the vcpu was blocked for.
 */
#include "xenalyze/text/text-why-private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/num.h"

bool why_helps_here(const struct text_why *t, enum verdict_loss loss)
{
    return t->verdict.rule && t->verdict.loss == loss &&
           !t->verdict.is_stretch;
}

static void print_help_here(const struct text_why *t, enum verdict_loss loss)
{
    if ( why_helps_here(t, loss) )
        why_print_help(t, t->verdict.rule);
}

/* --- emulated devices ----------------------------------------------------- */

#define DEVICE_PERCENT 1.0      /* share of time to print the parts */

bool why_has_device_time(const struct text_why *t)
{
    return t->facts.accesses && t->device &&
           why_share_of_time(t, access_device_time(t->facts.accesses->sums)) >=
           DEVICE_PERCENT;
}

/* The parts of accesses, without the vcpu's waits: these are above. */
void why_print_device_time(const struct text_why *t)
{
    const struct access_vcpu *a = t->facts.accesses;
    uint64_t time = access_device_time(a->sums);
    char text[NUM_CLOCK_MAX], device[ACCESS_TEXT];

    assert(a && t->device && time);
    fprintf(t->out, " Emulated devices took %.1f%%, %s, mostly %s: Xen "
            "%.0f%%,\n", why_share_of_time(t, time),
            text_duration(&t->facts.waits->clock, time, text),
            access_range_text(t->device, device),
            stats_share(a->sums[ACCESS_XEN], time));
    fprintf(t->out, WHY_INDENT "device model works %.0f%%, waits for a pcpu "
            "%.0f%%\n", stats_share(a->sums[ACCESS_MODEL], time),
            stats_share(a->sums[ACCESS_HELPER_WAITS], time));
    print_help_here(t, VERDICT_DEVICE);
}

/* --- backends ------------------------------------------------------------- */

#define BACKEND_PERCENT 1.0     /* share of time to print the parts */

bool why_has_backend_time(const struct text_why *t)
{
    return t->facts.backend && t->path && t->facts.backend->waited &&
           (why_share_of_time(t, t->facts.backend->waited) >= BACKEND_PERCENT ||
            (t->verdict.rule && t->verdict.loss == VERDICT_BACKEND));
}

/* Shares of the round trips, as in the report on I/O. */
static void print_steps(const struct text_why *t)
{
    const struct io_path *p = t->path;
    uint64_t whole = p->whole.sum;
    uint64_t waits = p->steps[IO_WAIT].sum + p->steps[IO_WAIT_AGAIN].sum;
    char mean[NUM_CLOCK_MAX];

    fprintf(t->out, WHY_INDENT "%.1f%% of its blocked time; %" PRIu64 " round "
            "trips, mean %s:\n" WHY_INDENT "the backend waits %.1f%%, grants "
            "and device %.1f%%\n",
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
    const struct verdict_waits all = { v, false };
    const struct verdict_rule *rule;
    char name[XT_LABEL_MAX];
    uint16_t rival;

    if ( !v || !v->sums.waited )
        return;
    rule = verdict_find_headline(t->facts.waits, &all);
    fprintf(t->out, WHY_INDENT "%s %s",
            xt_vcpu_column(t->names, v->domain, v->id, LATENCY_WIDEST, name),
            rule->headline);
    if ( why_names_rival(rule) && verdict_find_rival(&all, &rival) )
        fprintf(t->out, ":\n" WHY_INDENT "%s, %.1f%% of these waits",
                why_domain_text(t, rival, name),
                stats_share(v->rivals->cycles, v->sums.waited));
    fprintf(t->out, "\n");
}

void why_print_backend_time(const struct text_why *t)
{
    const struct backend_vcpu *b = t->facts.backend;
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];

    assert(b && t->path);
    fprintf(t->out, " Blocked for I/O while %s waited for a pcpu: %.1f%%, %s\n",
            why_domain_text(t, t->path->backend, name),
            why_share_of_time(t, b->waited),
            text_duration(&t->facts.waits->clock, b->waited, text));
    print_steps(t);
    print_backend_cause(t);
    print_help_here(t, VERDICT_BACKEND);
}

/* --- co-stop -------------------------------------------------------------- */

#define CO_STOP_PERCENT 1.0     /* share of the domain's time */

/* NULL: too little to print. */
const struct co_stop_domain *why_find_co_stop(const struct text_why *t)
{
    const struct co_stop_domain *d = co_stops_find(t->co_stops,
                                                   t->facts.vcpu->domain);
    double share = d ? stats_share(d->times[DOMAIN_CONCURRENCY_HAZARD],
                                   co_stop_known_time(d)) : 0;

    return share >= CO_STOP_PERCENT ? d : NULL;
}

void why_print_co_stop(const struct text_why *t, const struct co_stop_domain *d)
{
    uint64_t known = co_stop_known_time(d);

    fprintf(t->out, " Co-stop %.1f%%: some of its domain's vcpus ran while "
            "others waited.\n",
            stats_share(d->times[DOMAIN_CONCURRENCY_HAZARD], known));
    if ( !co_stop_has_spun(t->co_stops, d) )
        return;
    fprintf(t->out, WHY_INDENT "probably, vcpus spun for these: up to %.1f%%",
            stats_share(d->spun, known));
    if ( t->facts.spins )
        fprintf(t->out, ", this one %.1f%%",
                why_share_of_time(t, t->facts.spins->spun));
    fprintf(t->out, "\n");
    print_help_here(t, VERDICT_SPINS);
}

/* --- interrupts, stalls, periods ----------------------------------------- */

#define INTERRUPT_PERCENT 1.0   /* share of time to print them */
#define STALL_PERCENT 0.1
#define TIMER_PERCENT 1.0

/* `lines`, and help; 0: less than this share of the time, and no verdict. */
static unsigned int count_loss_lines(const struct text_why *t,
                                     enum verdict_loss loss, double percent,
                                     unsigned int lines)
{
    uint64_t lost = verdict_lost_time(&t->facts, loss);

    if ( why_helps_here(t, loss) )
        return lines + 1;
    return why_share_of_time(t, lost) >= percent ? lines : 0;
}

unsigned int why_count_interrupt_lines(const struct text_why *t)
{
    return count_loss_lines(t, VERDICT_INTERRUPTS, INTERRUPT_PERCENT, 1);
}

void why_print_lost_to_interrupts(const struct text_why *t)
{
    const struct load_vcpu *v = t->facts.interrupts;
    char text[NUM_CLOCK_MAX];

    assert(v);
    fprintf(t->out, " Interrupts of the host took %.1f%%, %s, on its pcpu: %"
            PRIu64 " of them.\n", why_share_of_time(t, v->lost),
            text_duration(&t->facts.waits->clock, v->lost, text),
            v->interrupts);
    print_help_here(t, VERDICT_INTERRUPTS);
}

unsigned int why_count_timer_lines(const struct text_why *t)
{
    return count_loss_lines(t, VERDICT_TIMERS, TIMER_PERCENT, 1);
}

void why_print_late_timers(const struct text_why *t)
{
    const struct timer_vcpu *v = t->facts.timers;
    char late[NUM_CLOCK_MAX], most[NUM_CLOCK_MAX];

    assert(v);
    fprintf(t->out, " Timers were due in blocked time: %.1f%%, %s; p99 of %"
            PRIu64 ": %s.\n", why_share_of_time(t, v->late),
            text_duration(&t->facts.waits->clock, v->late, late),
            stats_events(&v->parts[TIMER_XEN]),
            text_duration(&t->facts.waits->clock,
                          stats_percentile(&v->parts[TIMER_XEN], 99), most));
    print_help_here(t, VERDICT_TIMERS);
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

unsigned int why_count_stall_lines(const struct text_why *t)
{
    return count_loss_lines(t, VERDICT_STALLS, STALL_PERCENT, 2);
}

void why_print_stalls(const struct text_why *t)
{
    const struct machine_stalls *m = t->stalls;
    const struct machine_stall *s = find_longest_stall(t);
    struct period_found period;
    char text[NUM_CLOCK_MAX];

    assert(s && t->facts.stalls);
    assert(stats_events(&m->lengths) >= m->nr_longest);
    fprintf(t->out, " The whole machine stood still %" PRIu64 " time%s, %s in "
            "all", stats_events(&m->lengths),
            num_plural(stats_events(&m->lengths)),
            text_duration(&m->clock, m->lengths.sum, text));
    if ( period_find(&m->period, &period) )
        fprintf(t->out, ", every %s",
                text_duration(&m->clock, period.cycles, text));
    fprintf(t->out, ".\n" WHY_INDENT "worst, of %" PRIu32 " busy pcpus: ",
            s->pcpus);
    why_print_range(t, s->from, s->to);
    print_help_here(t, VERDICT_STALLS);
}

bool why_print_period(const struct text_why *t, FILE *out)
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
        [BLOCK_OPEN] = "still blocked at the end",
        [BLOCK_UNKNOWN] = "an unknown event",
    };
    char name[XT_LABEL_MAX];

    fputs(texts[s->reason], t->out);
    if ( s->reason == BLOCK_DEVICE )
        print_irq(t, s);
    else if ( s->has_domain )
        fputs(why_domain_text(t, s->domain, name), t->out);
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

bool why_has_blocks(const struct text_why *t)
{
    return t->blocks &&
           why_share_of_time(t, t->blocks->blocked) >= BLOCKED_PERCENT;
}

void why_print_blocks(const struct text_why *t, unsigned int most)
{
    unsigned int nr = 0;

    if ( !most )
        return;
    fprintf(t->out, "  share     time  what it was blocked for\n");
    for ( const struct block_waker *w = t->blocks->wakers;
          w && nr < most; w = w->next, nr++ )
        if ( stats_share(w->stats.sum, t->blocks->blocked) >=
             WHY_LEAST_PERCENT )
            print_block(t, w);
}
