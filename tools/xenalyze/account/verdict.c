/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thresholds are those that people know: below 5 % of waiting ("ready",
 * "steal") is fine, more than 10 % hurts; on a calm host 99 % of the waits are
 * shorter than 100 us.
 */
#include "xenalyze/account/verdict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_PERCENT 5u         /* share of all known time */
#define LEAST_PERCENT 1u        /* likewise: less is no problem */
#define STOLEN_PERCENT 10u      /* share of the time of wanting to run */
#define RIVAL_PART 3u           /* of the time of siblings */
/* The default rate limit of credit and credit2, and a tenth more: the record
   has a time after the decision. */
#define DEFAULT_LIMIT_NS 1100000u

/* --- rules ---------------------------------------------------------------- */

static const struct wait_sums *get_sums(const struct verdict_waits *w)
{
    return w->is_stretch ? &w->vcpu->stretches->worst.sums : &w->vcpu->sums;
}

/* Were other pcpus idle for most of the time that others ran here? */
static bool has_idle_pcpus(const struct verdict_waits *w)
{
    return get_sums(w)->idle_elsewhere > get_sums(w)->others_ran / 2;
}

static bool has_many_rivals(const struct verdict_waits *w)
{
    uint16_t domain;

    return !verdict_find_rival(w, &domain);
}

static bool has_idle_pcpus_and_many_rivals(const struct verdict_waits *w)
{
    return has_idle_pcpus(w) && has_many_rivals(w);
}

static bool is_dom0(const struct verdict_waits *w)
{
    return w->vcpu->domain == 0;
}

static const struct verdict_rule rules[] = {
    { WAIT_RIVAL, is_dom0, "starved-dom0",
      "waits behind others, and all I/O with it",
      "other domains ran on its pcpu",
      "pcpus reserved for dom0: dom0_max_vcpus, dom0_vcpus_pin",
      VERDICT_NO_LIMIT },
    { WAIT_RIVAL, has_idle_pcpus_and_many_rivals, "pinned",
      "is kept beside several busy domains",
      "other domains ran on its pcpu, other pcpus were idle",
      "more pcpus for it: xl vcpu-pin @ all PCPUS",
      VERDICT_NO_LIMIT },
    { WAIT_RIVAL, has_idle_pcpus, "pinned",
      "is kept beside a noisy neighbour",
      "other domains ran on its pcpu, other pcpus were idle",
      "more pcpus for it: xl vcpu-pin @ all PCPUS",
      VERDICT_NO_LIMIT },
    { WAIT_RIVAL, has_many_rivals, "overcommitted",
      "shares its pcpus with too many busy domains",
      "other domains ran on its pcpu",
      "fewer domains on these pcpus, or more weight for it",
      VERDICT_CROWD },
    { WAIT_RIVAL, NULL, "noisy-neighbour", "has a noisy neighbour",
      "other domains ran on its pcpu",
      "other pcpus or a cap for the neighbour, or more weight",
      VERDICT_NEIGHBOUR },
    { WAIT_SIBLING, has_idle_pcpus, "own-vcpus-pinned",
      "competes with its own domain's vcpus; other pcpus are idle",
      "other vcpus of its domain ran, other pcpus were idle",
      "more pcpus for it: xl vcpu-pin @ all PCPUS",
      VERDICT_NO_LIMIT },
    { WAIT_SIBLING, NULL, "own-vcpus",
      "competes with the other vcpus of its own domain",
      "other vcpus of its own domain ran on its pcpu",
      "fewer vcpus for its domain, or more pcpus",
      VERDICT_NO_LIMIT },
    { WAIT_CAP, NULL, "cap", "is stopped by the cap or budget of its domain",
      "its domain had used up its cap or budget",
      "a higher cap or budget for its domain", VERDICT_CAP },
    { WAIT_RATELIMIT, NULL, "rate-limit",
      "waits for the rate limit of the scheduler",
      "the rate limit let another vcpu run on",
      "a lower rate limit of its scheduler", VERDICT_RATE_LIMIT },
    { WAIT_PLACEMENT, NULL, "placement",
      "waits behind others, while a pcpu that it may use is idle",
      "others ran, while a pcpu that it may use was idle",
      "less pinning; or the scheduler wastes pcpus",
      VERDICT_NO_LIMIT },
    { WAIT_SLEEP, NULL, "c-state",
      "waits for pcpus that wake slowly from sleep states",
      "its pcpu was waking from a sleep state",
      "less deep C-states: xenpm set-max-cstate 1",
      VERDICT_NO_LIMIT },
    { WAIT_XEN, NULL, "xen", "waits for Xen's own work on its pcpu",
      "Xen itself was at work: interrupts, switching",
      "interrupts on other pcpus: xenalyze plot irq shows them",
      VERDICT_NO_LIMIT },
    { WAIT_IDLE, NULL, "idle", "waits for idle pcpus to start",
      "its pcpu was idle, but had not started it yet",
      "a look at broken rules: xenalyze --check-scheduler",
      VERDICT_NO_LIMIT },
    { WAIT_LOST, NULL, "lost", "waits, but the records of it are lost",
      "records were lost", "larger trace buffers: xentrace -S",
      VERDICT_NO_LIMIT },
    { WAIT_UNKNOWN, NULL, "unknown", "waits for an unknown cause",
      "nothing is known about its pcpu", "a longer trace",
      VERDICT_NO_LIMIT },
};

const struct verdict_rule *verdict_find_rule(const struct verdict_waits *w,
                                             enum wait_cause cause)
{
    const struct verdict_rule *r = rules;

    assert(cause < WAIT_CAUSES);
    while ( r->cause != cause || (r->test && !r->test(w)) )
    {
        r++;
        assert(r < rules + sizeof(rules) / sizeof(rules[0]));
    }
    return r;
}

/* Is one domain more to blame than the others?  `next` is the second most. */
static bool is_clear_rival(uint64_t most, uint64_t next, uint64_t sum)
{
    return most > sum / 2 || (most > sum / 4 && most / 2 >= next);
}

static bool find_rival_of_trace(const struct wait_vcpu *v, uint16_t *domain)
{
    const struct wait_rival *r = v->rivals;
    uint64_t sum = v->other_rivals, next = r && r->next ? r->next->cycles : 0;

    for ( ; r; r = r->next )
        sum += r->cycles;
    if ( !v->rivals || !is_clear_rival(v->rivals->cycles, next, sum) )
        return false;
    *domain = v->rivals->domain;
    return true;
}

static bool find_rival_of_stretch(const struct wait_stretch *s,
                                  uint16_t *domain)
{
    uint64_t most = 0, next = 0, sum = 0;

    for ( unsigned int i = 0; i < WAIT_TOP_RIVALS; i++ )
    {
        uint64_t cycles = s->rivals.cycles[i];

        sum += cycles;
        next = cycles > most ? most : cycles > next ? cycles : next;
        if ( cycles <= most )
            continue;
        most = cycles;
        *domain = wait_top_rival_domain(&s->rivals, i);
    }
    return is_clear_rival(most, next, sum);
}

bool verdict_find_rival(const struct verdict_waits *w, uint16_t *domain)
{
    assert(!w->is_stretch || w->vcpu->stretches);
    return w->is_stretch
           ? find_rival_of_stretch(&w->vcpu->stretches->worst, domain)
           : find_rival_of_trace(w->vcpu, domain);
}

/* --- findings ------------------------------------------------------------- */

static int compare_findings(const void *a, const void *b)
{
    const struct verdict_finding *x = a, *y = b;

    if ( x->cycles != y->cycles )
        return x->cycles > y->cycles ? -1 : 1;
    return (int)x->cause - (int)y->cause;
}

size_t verdict_find(const struct wait_vcpu *v,
                    struct verdict_finding findings[WAIT_CAUSES])
{
    const struct verdict_waits all = { v, false };
    uint64_t sum = 0;
    size_t n = 0;

    for ( unsigned int i = 0; i < WAIT_CAUSES; i++ )
    {
        sum += v->sums.causes[i];
        if ( v->sums.causes[i] )
            findings[n++] = (struct verdict_finding){
                i, v->sums.causes[i],
                verdict_find_rule(&all, i), &v->worst[i],
            };
    }
    assert(sum == v->sums.waited);
    if ( n )
        qsort(findings, n, sizeof(findings[0]), compare_findings);
    return n;
}

const struct verdict_rule *
verdict_find_headline(const struct wait_causes *causes,
                      const struct verdict_waits *w)
{
    const struct wait_sums *s = get_sums(w);
    const struct wait_vcpu *v = w->vcpu;
    uint64_t cycles[WAIT_CAUSES];
    unsigned int largest = 0;

    memcpy(cycles, s->causes, sizeof(cycles));
    assert(s->limited_siblings <= cycles[WAIT_RATELIMIT]);
    if ( causes->longest_limited_ns <= DEFAULT_LIMIT_NS )
    {
        cycles[WAIT_SIBLING] += s->limited_siblings;
        cycles[WAIT_RIVAL] += cycles[WAIT_RATELIMIT] - s->limited_siblings;
        cycles[WAIT_RATELIMIT] = 0;
    }
    for ( unsigned int i = 1; i < WAIT_CAUSES; i++ )
        if ( cycles[i] > cycles[largest] )
            largest = i;
    if ( largest == WAIT_SIBLING && v->nr_pcpus >= v->nr_vcpus &&
         cycles[WAIT_RIVAL] >= cycles[WAIT_SIBLING] / RIVAL_PART )
        largest = WAIT_RIVAL;
    return verdict_find_rule(w, largest);
}

/* --- losses --------------------------------------------------------------- */

const char *verdict_loss_name(enum verdict_loss loss)
{
    static const char *const names[] = {
        [VERDICT_WAITS] = "waits", [VERDICT_DEVICE] = "emulated",
        [VERDICT_BACKEND] = "backend", [VERDICT_INTERRUPTS] = "interrupts",
        [VERDICT_STALLS] = "stalls", [VERDICT_SPINS] = "spins",
        [VERDICT_TIMERS] = "timers",
    };

    assert(loss < VERDICT_LOSSES);
    return names[loss];
}

static const struct verdict_rule *find_device_rule(
    const uint64_t sums[ACCESS_PARTS])
{
    static const struct verdict_rule model = {
        WAIT_CAUSES, NULL, "emulated-device", "waits for emulated devices",
        "accesses to emulated devices",
        "PV drivers in the guest, instead of emulated devices",
        VERDICT_NO_LIMIT,
    };
    static const struct verdict_rule helper = {
        WAIT_CAUSES, NULL, "starved-device-model",
        "waits for a device model that waits for a pcpu",
        "accesses to emulated devices",
        "pcpus reserved for dom0; PV drivers in the guest",
        VERDICT_NO_LIMIT,
    };

    return sums[ACCESS_HELPER_WAITS] > access_device_time(sums) / 2 ? &helper
                                                                    : &model;
}

static const struct verdict_rule *find_backend_rule(uint16_t backend)
{
    static const struct verdict_rule dom0 = {
        WAIT_CAUSES, NULL, "starved-backend",
        "waits for I/O; its backend waits for a pcpu",
        "the backend of its I/O waited for a pcpu",
        "pcpus reserved for dom0: dom0_max_vcpus, dom0_vcpus_pin",
        VERDICT_NO_LIMIT,
    };
    static const struct verdict_rule driver_domain = {
        WAIT_CAUSES, NULL, "starved-backend",
        "waits for I/O; its backend waits for a pcpu",
        "the backend of its I/O waited for a pcpu",
        "more pcpus, or more weight, for the backend's domain",
        VERDICT_SHARE,
    };

    return backend ? &driver_domain : &dom0;
}

static const struct verdict_rule interrupt_rule = {
    WAIT_CAUSES, NULL, "interrupts",
    "loses its pcpu to interrupts of the host",
    "Xen handled interrupts on its pcpu",
    "other pcpus for these: /proc/irq/N/smp_affinity in dom0",
    VERDICT_NO_LIMIT,
};

static const struct verdict_rule stall_rule = {
    WAIT_CAUSES, NULL, "machine-stall",
    "loses time while the whole machine stands still",
    "no pcpu did anything",
    "firmware settings (SMI: power, USB), or newer firmware",
    VERDICT_NO_LIMIT,
};

static const struct verdict_rule spin_rule = {
    WAIT_CAUSES, NULL, "spinning",
    "spins for vcpus of its domain that wait for a pcpu",
    "it spun while others of its domain waited for a pcpu",
    "pcpus for all of its vcpus at once, or fewer vcpus",
    VERDICT_NO_LIMIT,
};

static const struct verdict_rule timer_rule = {
    WAIT_CAUSES, NULL, "late-timers",
    "sleeps on after its timers are due",
    "Xen fired its timers late",
    "a smaller timer_slop on Xen's command line",
    VERDICT_NO_LIMIT,
};

static const struct verdict_rule *find_own_rule(enum verdict_loss loss)
{
    static const struct verdict_rule *const own_rules[VERDICT_LOSSES] = {
        [VERDICT_INTERRUPTS] = &interrupt_rule,
        [VERDICT_STALLS] = &stall_rule, [VERDICT_SPINS] = &spin_rule,
        [VERDICT_TIMERS] = &timer_rule,
    };

    assert(own_rules[loss]);
    return own_rules[loss];
}

uint64_t verdict_lost_time(const struct verdict_facts *f,
                           enum verdict_loss loss)
{
    switch ( loss )
    {
    case VERDICT_WAITS:
        return f->vcpu->sums.waited;
    case VERDICT_DEVICE:
        return f->accesses ? access_device_time(f->accesses->sums) : 0;
    case VERDICT_INTERRUPTS:
        return f->interrupts ? f->interrupts->lost : 0;
    case VERDICT_STALLS:
        return f->stalls ? f->stalls->lost : 0;
    case VERDICT_SPINS:
        return f->spins ? f->spins->spun : 0;
    case VERDICT_TIMERS:
        return f->timers ? f->timers->late : 0;
    default:
        assert(loss == VERDICT_BACKEND);
        return f->backend ? f->backend->waited : 0;
    }
}

const struct stretch_search *
verdict_find_stretch(const struct verdict_facts *f, enum verdict_loss loss)
{
    const struct stretch_search *s = NULL;

    assert(loss < VERDICT_LOSSES);
    if ( loss == VERDICT_WAITS && f->vcpu->stretches )
        s = &f->vcpu->stretches->search;
    else if ( loss == VERDICT_DEVICE && f->accesses )
        s = &f->accesses->search;
    else if ( loss == VERDICT_BACKEND && f->backend )
        s = &f->backend->search;
    else if ( loss == VERDICT_INTERRUPTS && f->interrupts )
        s = &f->interrupts->search;
    else if ( loss == VERDICT_STALLS && f->stalls )
        s = &f->stalls->search;
    return s && s->worst.score > 0 ? s : NULL;
}

const struct verdict_rule *
verdict_find_stretch_rule(const struct verdict_facts *f,
                          enum verdict_loss loss)
{
    assert(verdict_find_stretch(f, loss));
    if ( loss == VERDICT_WAITS )
        return verdict_find_headline(f->waits,
                                     &(struct verdict_waits){ f->vcpu, true });
    if ( loss == VERDICT_DEVICE )
        return find_device_rule(f->accesses->worst.sums);
    return loss == VERDICT_BACKEND
           ? find_backend_rule(f->backend->worst.domain)
           : find_own_rule(loss);
}

bool verdict_find_worst_loss(const struct verdict_facts *f,
                             enum verdict_loss *loss)
{
    double most = 0;

    for ( unsigned int i = 0; i < VERDICT_LOSSES; i++ )
    {
        const struct stretch_search *s = verdict_find_stretch(f, i);

        if ( s && s->worst.score > most )
        {
            most = s->worst.score;
            *loss = i;
        }
    }
    return most > 0;
}

static const struct verdict_rule *find_rule_of_loss(
    const struct verdict_facts *f, enum verdict_loss loss)
{
    if ( loss == VERDICT_WAITS )
        return verdict_find_headline(f->waits,
                                     &(struct verdict_waits){ f->vcpu, false });
    if ( loss == VERDICT_DEVICE )
        return find_device_rule(f->accesses->sums);
    return loss == VERDICT_BACKEND
           ? find_backend_rule(f->backend->vote.domain)
           : find_own_rule(loss);
}

/* Does the vcpu lose too much time over the whole trace? */
static bool is_great_loss(const struct verdict_facts *f,
                          enum verdict_loss loss)
{
    uint64_t lost = verdict_lost_time(f, loss);

    if ( loss == VERDICT_WAITS )
        return verdict_is_slow(f->waits, f->vcpu);
    /* A stall stops everything, and no scheduler can help. */
    return lost && stats_share(lost, verdict_known_time(f->vcpu)) >=
                   (loss == VERDICT_STALLS ? LEAST_PERCENT : SLOW_PERCENT);
}

/* The known error is a lower bound, so twice as long waits are doubtful. */
static bool waits_are_uncertain(const struct wait_vcpu *v, uint64_t error)
{
    struct stats_bar bars[64];
    size_t n = stats_bars(&v->waits, bars);
    uint64_t certain = 0;

    assert(error && n <= sizeof(bars) / sizeof(bars[0]));
    for ( size_t i = 0; i < n; i++ )
        if ( bars[i].low / 2 >= error )
            certain += bars[i].low * bars[i].count;
    /* `low` is more than half of the values in a bar. */
    return certain < v->sums.waited / 2;
}

bool verdict_is_uncertain(const struct verdict_facts *f,
                          enum verdict_loss loss)
{
    assert(f->vcpu && loss < VERDICT_LOSSES);
    if ( !f->clock_error )
        return false;
    if ( loss == VERDICT_WAITS )
        return waits_are_uncertain(f->vcpu, f->clock_error);
    return loss == VERDICT_BACKEND && f->backend_slowest &&
           waits_are_uncertain(f->backend_slowest, f->clock_error);
}

/* The rule of the greatest loss over the whole trace; NULL: none is great. */
static const struct verdict_rule *judge_trace(const struct verdict_facts *f,
                                              struct verdict_result *v)
{
    uint64_t most = 0;

    assert(!v->rule && !v->is_uncertain);
    for ( unsigned int i = 0; i < VERDICT_LOSSES; i++ )
    {
        uint64_t lost = verdict_lost_time(f, i);

        if ( lost <= most || !is_great_loss(f, i) )
            continue;
        if ( verdict_is_uncertain(f, i) )
        {
            v->is_uncertain = true;
            continue;
        }
        most = lost;
        v->loss = i;
    }
    return most ? find_rule_of_loss(f, v->loss) : NULL;
}

/* The same for the worst stretch. */
static const struct verdict_rule *judge_stretch(const struct verdict_facts *f,
                                                struct verdict_result *v)
{
    assert(!v->rule);
    if ( !verdict_find_worst_loss(f, &v->loss) ||
         !stretch_hurts(verdict_find_stretch(f, v->loss)) )
        return NULL;
    v->is_uncertain |= verdict_is_uncertain(f, v->loss);
    v->is_stretch = !v->is_uncertain;
    return v->is_stretch ? verdict_find_stretch_rule(f, v->loss) : NULL;
}

struct verdict_result verdict_judge(const struct verdict_facts *f)
{
    struct verdict_result v = { .rule = NULL };

    v.rule = judge_trace(f, &v);
    if ( !v.rule )
        v.rule = judge_stretch(f, &v);
    /* Wrong clocks also hide waits. */
    if ( xt_clock_duration(&f->waits->clock, f->clock_error) >= WAIT_CALM_NS )
        v.is_uncertain = true;
    v.is_uncertain &= !v.rule;
    return v;
}

uint64_t verdict_known_time(const struct wait_vcpu *v)
{
    return wait_times_of(v).known;
}

bool verdict_is_slow(const struct wait_causes *w, const struct wait_vcpu *v)
{
    uint64_t waited = v->sums.waited;
    uint64_t wanted = waited + v->times[STATE_RUNNING];

    if ( !waited )
        return false;
    if ( stats_share(waited, verdict_known_time(v)) >= SLOW_PERCENT )
        return true;
    if ( stats_share(waited, verdict_known_time(v)) < LEAST_PERCENT )
        return false;
    return stats_share(waited, wanted) >= STOLEN_PERCENT &&
           xt_clock_duration(&w->clock, stats_percentile(&v->waits, 99)) >=
           WAIT_CALM_NS;
}
