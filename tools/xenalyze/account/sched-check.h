/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the scheduler keep its rules?  Each rule is one that Xen's schedulers
 * promise, with the number of times that it was tested and broken, and the
 * worst case.
 *
 * Rules of one scheduler are tested on its own vcpus only.  The scheduler of a
 * vcpu is known from the metadata of the cpupool, or from the records if these
 * are of one scheduler only.  A loss of records cuts the history of a pcpu, so
 * whatever a loss could hide is not tested.
 *
 * Timers and interrupts are late at times, and clocks of pcpus differ: a rule
 * is broken beyond `tolerance_ns`, or beyond SCHED_SKEW_NS if no timer is
 * involved.  A timer interrupt that is late in a stall breaks no rule.
 */
#ifndef XENALYZE_ACCOUNT_SCHED_CHECK_H
#define XENALYZE_ACCOUNT_SCHED_CHECK_H

#include "xenalyze/account/machine-stall.h"
#include "xenalyze/account/wait-cause.h"

#define SCHED_SKEW_NS 50000u

/* A share below this part of the fair share is unfair, in percent. */
#define SCHED_FAIR_PERCENT 67u
#define SCHED_WINDOW_NS 1000000000u

/* Vcpus in the tests that compare vcpus; further vcpus are left out. */
#define SCHED_MAX_RIVALS 4096u

/* Size of the array of late timers, each of which is compared with stalls. */
#define SCHED_DELAYS 16384u

enum sched_rule
{
    RULE_ONE_PCPU,              /* a vcpu runs on one pcpu at a time */
    RULE_RUNSTATE,              /* no impossible change of runstate */
    RULE_SLICE,                 /* a vcpu runs no longer than its time slice */
    RULE_WORK,                  /* no vcpu waits while an allowed pcpu idles */
    RULE_RATELIMIT,             /* credit, credit2: no earlier preemption */
    RULE_SHARE,                 /* credit, credit2: time by weight */
    RULE_NO_WAIT,               /* null: no vcpu waits */
    RULE_EDF,                   /* RTDS: the earliest deadline runs first */
    RULE_BUDGET,                /* RTDS: a vcpu does not exceed its budget */
    RULE_DEADLINE,              /* RTDS: a vcpu gets its budget in time */
    RULE_FRAME,                 /* ARINC 653: minor frames repeat */
    SCHED_RULES
};

/* Name of a rule in JSON, such as "slice". */
const char *sched_rule_name(enum sched_rule rule);

/* A broken rule.  RULE_SHARE: `excess` is the missing part in percent. */
struct sched_case
{
    uint64_t excess;            /* cycles beyond the rule */
    uint64_t from, to;
    uint16_t domain, vcpu;
    uint32_t pcpu;              /* or FACT_NO_PCPU */
};

struct sched_result
{
    uint64_t tested, broken;
    struct sched_case worst;    /* if `broken` */
};

/* A timer was late. */
struct sched_delay
{
    struct sched_result *result;
    struct sched_case how;
};

/* RTDS: a vcpu in its current period. */
struct sched_period
{
    bool is_listed;
    bool has_budget;            /* `budget` is known */
    bool has_deadline;          /* `deadline` and `priority` are known */
    bool is_whole;              /* the begin of the period was seen */
    uint32_t priority;          /* 0 is the highest */
    uint64_t deadline, budget;  /* ns; what is left of the budget */
    uint64_t begin, full;       /* cycles; the whole budget in ns */
    uint64_t got;               /* cycles on a pcpu until the last runstate */
};

/* RULE_SHARE: consecutive windows with less than the fair share. */
struct sched_starvation
{
    uint64_t from, to;          /* to 0: none */
    double got, fair;           /* cycles */
    double window_fair;         /* of the last window */
};

struct sched_vcpu
{
    uint16_t domain, id;
    bool is_known;              /* the rest is initialized */

    /* From the metadata; 0 or -1: unknown. */
    int32_t pool;
    uint32_t scheduler;
    uint32_t weight;            /* 0 with a cap */
    uint64_t ratelimit;         /* ns */
    bool is_pinned;

    /* State in the current segment. */
    uint8_t state;              /* enum fact_state */
    uint64_t since;             /* begin of the state; 0: unknown */
    uint64_t known_to;          /* end of the last fact */
    uint64_t wanting_since;     /* running or runnable; 0: neither */
    uint64_t yielded;           /* the last time; 0: never */
    uint32_t ran_on;            /* the last pcpu, until `ran_to` */
    uint64_t ran_to;

    /* In the window of RULE_SHARE. */
    bool is_active;             /* in the list of candidates */
    uint64_t window_end;        /* the window of the next two */
    uint64_t got, wanted;
    struct sched_starvation starvation; /* up to the window before */

    struct sched_period period;
};

struct sched_pcpu
{
    uint64_t begin, end;        /* of the time slice; end 0: unknown */
    uint16_t domain, vcpu;      /* its owner */
    uint64_t last;              /* time of the last fact */
    bool has_tasklet;           /* Xen's own work displaces the vcpu */
    struct sched_frames *frames;        /* NULL: not of ARINC 653 */
};

struct sched_list
{
    struct sched_vcpu **all;
    uint32_t nr;
};

struct sched_checks
{
    struct stats_pool pool;
    struct xt_clock clock;
    const struct xt_host *host; /* metadata, set by the owner; or NULL */
    uint64_t tolerance_ns;      /* set by the owner */
    struct guests *guests;
    struct sched_vcpu **vcpus;  /* by index; NULL: no facts */
    struct sched_pcpu *pcpus;
    uint32_t nr_vcpus, nr_pcpus;
    uint64_t late, skew, window;        /* the limits in cycles */
    uint32_t seen;              /* bits: numbers of schedulers with records */
    bool has_weights;           /* in the metadata */
    bool failed;

    uint64_t window_end;        /* of RULE_SHARE */
    struct sched_list active;   /* vcpus that want a pcpu */
    struct sched_list periods;  /* vcpus of RTDS */

    struct sched_result rules[SCHED_RULES];
    struct sched_result waits;  /* RULE_NO_WAIT, of an unknown scheduler */
    struct sched_result changes;        /* RULE_RUNSTATE, in the segment */

    struct sched_delay *delays;
    uint32_t nr_delays;
    bool has_more_delays, has_segments; /* no stalls are subtracted */
    uint64_t nr_stalled;        /* after closing: of `delays`, in stalls */
};

/* Requires a struct that is zeroed but for what the owner sets. */
void sched_checks_init(struct sched_checks *c);
void sched_checks_fini(struct sched_checks *c);

struct sink sched_checks_sink(struct sched_checks *c);

/* After the last fact; waits and stalls are of the same trace, and closed. */
void sched_checks_close(struct sched_checks *c,
                        const struct wait_causes *waits,
                        const struct machine_stalls *stalls);

/* The scheduler of all vcpus, by its records; 0: none, or several. */
uint32_t sched_checks_scheduler(const struct sched_checks *c);

#endif /* XENALYZE_ACCOUNT_SCHED_CHECK_H */
