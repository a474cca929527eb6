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
#define CALM_NS 100000u         /* p99 of waits */
/* The default rate limit of credit and credit2, and a tenth more: the record
   has a time after the decision. */
#define DEFAULT_LIMIT_NS 1100000u

/* --- rules ---------------------------------------------------------------- */

/* Were other pcpus idle for most of the time that others ran here? */
static bool has_idle_pcpus(const struct wait_vcpu *v)
{
    return v->idle_elsewhere > v->others_ran / 2;
}

static bool is_dom0(const struct wait_vcpu *v)
{
    return v->domain == 0;
}

static const struct verdict_rule rules[] = {
    { WAIT_RIVAL, is_dom0, "starved-dom0",
      "waits behind others, and all I/O with it",
      "other domains ran on its pcpu",
      "pcpus reserved for dom0: dom0_max_vcpus, dom0_vcpus_pin" },
    { WAIT_RIVAL, has_idle_pcpus, "pinned",
      "is kept beside a noisy neighbour",
      "other domains ran on its pcpu, other pcpus were idle",
      "more pcpus for it: xl vcpu-list, xl vcpu-pin" },
    { WAIT_RIVAL, NULL, "noisy-neighbour", "has a noisy neighbour",
      "other domains ran on its pcpu",
      "other pcpus or a cap for the neighbour, or more weight" },
    { WAIT_SIBLING, has_idle_pcpus, "own-vcpus-pinned",
      "competes with its own domain's vcpus; other pcpus are idle",
      "other vcpus of its domain ran, other pcpus were idle",
      "more pcpus for its domain: xl vcpu-list, xl vcpu-pin" },
    { WAIT_SIBLING, NULL, "own-vcpus",
      "competes with the other vcpus of its own domain",
      "other vcpus of its own domain ran on its pcpu",
      "fewer vcpus for its domain, or more pcpus" },
    { WAIT_CAP, NULL, "cap", "is stopped by the cap or budget of its domain",
      "its domain had used up its cap or budget",
      "a higher cap or budget: xl sched-credit2 -d DOMAIN -c N" },
    { WAIT_RATELIMIT, NULL, "rate-limit",
      "waits for the rate limit of the scheduler",
      "the rate limit let another vcpu run on",
      "a lower rate limit: xl sched-credit2 -s -r MICROSECONDS" },
    { WAIT_PLACEMENT, NULL, "placement",
      "waits behind others, while a pcpu that it may use is idle",
      "others ran, while a pcpu that it may use was idle",
      "less pinning; or the scheduler wastes pcpus" },
    { WAIT_SLEEP, NULL, "c-state",
      "waits for pcpus that wake slowly from sleep states",
      "its pcpu was waking from a sleep state",
      "less deep C-states: xenpm set-max-cstate 1" },
    { WAIT_XEN, NULL, "xen", "waits for Xen's own work on its pcpu",
      "Xen itself was at work: interrupts, switching",
      "interrupts on other pcpus: xenalyze plot irq shows them" },
    { WAIT_IDLE, NULL, "idle", "waits for idle pcpus to start",
      "its pcpu was idle, but had not started it yet",
      "sleep states in the trace: xentrace -e sched,hw" },
    { WAIT_LOST, NULL, "lost", "waits, but the records of it are lost",
      "records were lost", "larger trace buffers: xentrace -S" },
    { WAIT_UNKNOWN, NULL, "unknown", "waits for an unknown cause",
      "nothing is known about its pcpu", "a longer trace" },
};

const struct verdict_rule *verdict_find_rule(const struct wait_vcpu *v,
                                             enum wait_cause cause)
{
    const struct verdict_rule *r = rules;

    assert(cause < WAIT_CAUSES);
    while ( r->cause != cause || (r->test && !r->test(v)) )
    {
        r++;
        assert(r < rules + sizeof(rules) / sizeof(rules[0]));
    }
    return r;
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
    uint64_t sum = 0;
    size_t n = 0;

    for ( unsigned int i = 0; i < WAIT_CAUSES; i++ )
    {
        sum += v->causes[i];
        if ( v->causes[i] )
            findings[n++] = (struct verdict_finding){
                i, v->causes[i], verdict_find_rule(v, i), &v->worst[i],
            };
    }
    assert(sum == v->waited);
    if ( n )
        qsort(findings, n, sizeof(findings[0]), compare_findings);
    return n;
}

const struct verdict_rule *verdict_find_headline(const struct wait_causes *w,
                                                 const struct wait_vcpu *v)
{
    uint64_t cycles[WAIT_CAUSES];
    unsigned int largest = 0;

    memcpy(cycles, v->causes, sizeof(cycles));
    assert(v->limited_siblings <= cycles[WAIT_RATELIMIT]);
    if ( w->longest_limited_ns <= DEFAULT_LIMIT_NS )
    {
        cycles[WAIT_SIBLING] += v->limited_siblings;
        cycles[WAIT_RIVAL] += cycles[WAIT_RATELIMIT] - v->limited_siblings;
        cycles[WAIT_RATELIMIT] = 0;
    }
    for ( unsigned int i = 1; i < WAIT_CAUSES; i++ )
        if ( cycles[i] > cycles[largest] )
            largest = i;
    return verdict_find_rule(v, largest);
}

const struct verdict_rule *verdict_find_device(const struct wait_vcpu *v,
                                               const struct access_vcpu *a)
{
    static const struct verdict_rule model = {
        WAIT_CAUSES, NULL, "emulated-device", "waits for emulated devices",
        "accesses to emulated devices",
        "PV drivers in the guest, instead of emulated devices",
    };
    static const struct verdict_rule helper = {
        WAIT_CAUSES, NULL, "starved-device-model",
        "waits for a device model that waits for a pcpu",
        "accesses to emulated devices",
        "pcpus reserved for dom0; PV drivers in the guest",
    };
    uint64_t time = a ? access_device_time(a) : 0;

    if ( time <= v->waited ||
         stats_share(time, verdict_known_time(v)) < SLOW_PERCENT )
        return NULL;
    return a->sums[ACCESS_HELPER_WAITS] > time / 2 ? &helper : &model;
}

uint64_t verdict_known_time(const struct wait_vcpu *v)
{
    return v->times[STATE_RUNNING] + v->times[STATE_RUNNABLE] +
           v->times[STATE_BLOCKED] + v->times[STATE_OFFLINE];
}

bool verdict_is_slow(const struct wait_causes *w, const struct wait_vcpu *v)
{
    uint64_t wanted = v->waited + v->times[STATE_RUNNING];

    if ( !v->waited )
        return false;
    if ( stats_share(v->waited, verdict_known_time(v)) >= SLOW_PERCENT )
        return true;
    if ( stats_share(v->waited, verdict_known_time(v)) < LEAST_PERCENT )
        return false;
    return stats_share(v->waited, wanted) >= STOLEN_PERCENT &&
           xt_clock_duration(&w->clock, stats_percentile(&v->waits, 99)) >=
           CALM_NS;
}
