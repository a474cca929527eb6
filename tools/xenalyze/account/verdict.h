/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict on a vcpu: which causes made the vcpu wait, largest first, in
 * words for an administrator.  The rules are rows of a table in verdict.c.
 */
#ifndef XENALYZE_ACCOUNT_VERDICT_H
#define XENALYZE_ACCOUNT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xenalyze/account/backend-wait.h"
#include "xenalyze/account/co-stop.h"
#include "xenalyze/account/device-access.h"
#include "xenalyze/account/interrupt-load.h"
#include "xenalyze/account/machine-stall.h"
#include "xenalyze/account/timer-lateness.h"
#include "xenalyze/account/wait-cause.h"

/* A limit or share of the scheduler that the advice wants to be changed. */
enum verdict_limit
{
    VERDICT_NO_LIMIT,
    VERDICT_CAP,                /* the cap or budget of the domain */
    VERDICT_RATE_LIMIT,
    VERDICT_NEIGHBOUR,          /* the budget of the rival */
    VERDICT_CROWD,              /* the weight or budget, among many rivals */
    VERDICT_SHARE,              /* the weight of the domain */
    VERDICT_LIMITS
};

/* Waits of a vcpu: all, or those of its worst stretch. */
struct verdict_waits
{
    const struct wait_vcpu *vcpu;
    bool is_stretch;
};

struct verdict_rule
{
    enum wait_cause cause;      /* WAIT_CAUSES: not for waits */
    /* Does the rule fit?  NULL: always.  The first row that fits counts. */
    bool (*test)(const struct verdict_waits *w);
    const char *name;           /* in JSON */
    const char *headline;       /* a sentence without its subject, at most 44
                                   characters if a rival follows */
    const char *why;            /* explains the share of the waiting time */
    const char *help;           /* advice, for any scheduler; '@' in it is the
                                   domain: verdict-help.h */
    enum verdict_limit limit;   /* the advice differs between schedulers */
};

/* The rule for a cause of the waits. */
const struct verdict_rule *verdict_find_rule(const struct verdict_waits *w,
                                             enum wait_cause cause);

/*
 * The domain that ran instead for more than half of the time in which other
 * domains ran, or for a quarter and twice as long as any other; false: there is
 * none.  Requires closed wait causes.
 */
bool verdict_find_rival(const struct verdict_waits *w, uint16_t *domain);

struct verdict_finding
{
    enum wait_cause cause;
    uint64_t cycles;
    const struct verdict_rule *rule;
    const struct wait_moment *worst;
};

/* Causes of the vcpu's waits, largest first; returns their number. */
size_t verdict_find(const struct wait_vcpu *v,
                    struct verdict_finding findings[WAIT_CAUSES]);

/*
 * The rule for the headline on these waits: that of the largest cause.  The
 * usual rate limit only prolongs the run of another vcpu, so its time counts as
 * that vcpu's; a longer limit is a cause of its own.  If the domain may use a
 * pcpu for each of its vcpus, and other domains ran for a quarter of the time,
 * then these made its vcpus compete with each other.
 */
const struct verdict_rule *
verdict_find_headline(const struct wait_causes *causes,
                      const struct verdict_waits *w);

/* Kinds of time that a vcpu may lose. */
enum verdict_loss
{
    VERDICT_WAITS,              /* it waits for a pcpu */
    VERDICT_DEVICE,             /* an emulated device */
    VERDICT_BACKEND,            /* the backend of its I/O waits for a pcpu */
    VERDICT_INTERRUPTS,         /* Xen handles interrupts while it runs */
    VERDICT_STALLS,             /* the whole machine stands still */
    VERDICT_SPINS,              /* it spins for vcpus that wait */
    VERDICT_TIMERS,             /* it is blocked, though its timer is due */
    VERDICT_LOSSES
};

/* Name of a loss in JSON, such as "waits". */
const char *verdict_loss_name(enum verdict_loss loss);

/* The numbers about one vcpu. */
struct verdict_facts
{
    const struct wait_causes *waits;
    const struct wait_vcpu *vcpu;
    const struct access_vcpu *accesses; /* to emulated devices; or NULL */
    const struct backend_vcpu *backend; /* round trips of I/O; or NULL */
    const struct load_vcpu *interrupts; /* on its pcpu; or NULL */
    const struct stall_vcpu *stalls;    /* of the machine; or NULL */
    const struct timer_vcpu *timers;    /* its local APIC's; or NULL */
    const struct co_stop_vcpu *spins;   /* for others of its domain; or NULL */
    const struct wait_vcpu *backend_slowest;    /* if clocks differ; or NULL */
    uint64_t clock_error;       /* waits may be wrong by so much */
};

struct verdict_result
{
    const struct verdict_rule *rule;    /* NULL: nothing is wrong */
    enum verdict_loss loss;
    bool is_stretch;            /* only in the worst stretch of the loss */
    bool is_uncertain;          /* no rule, but the clocks' error may hide a
                                   loss, or be the reason for it */
};

/*
 * The verdict on a vcpu: the greatest loss, if it is at least 5 % of its time
 * (for waits: see verdict_is_slow(); for stalls of the machine: 1 %); else the
 * worst stretch of any loss, if that hurts.  Losses within the error of the
 * clocks do not count.
 */
struct verdict_result verdict_judge(const struct verdict_facts *f);

/*
 * Are the waits of the loss within the error of the clocks?  That is if the
 * longer ones are less than half of them.
 */
bool verdict_is_uncertain(const struct verdict_facts *f,
                          enum verdict_loss loss);

/* Cycles that the vcpu lost. */
uint64_t verdict_lost_time(const struct verdict_facts *f,
                           enum verdict_loss loss);

/* The search for stretches of the loss; NULL: nothing was lost. */
const struct stretch_search *
verdict_find_stretch(const struct verdict_facts *f, enum verdict_loss loss);

/* The rule of the worst stretch, whether it hurts or not. */
const struct verdict_rule *
verdict_find_stretch_rule(const struct verdict_facts *f,
                          enum verdict_loss loss);

/* The loss with the worst stretch; false: nothing was lost. */
bool verdict_find_worst_loss(const struct verdict_facts *f,
                             enum verdict_loss *loss);

/* Time in which the state of the vcpu is known. */
uint64_t verdict_known_time(const struct wait_vcpu *v);

/*
 * Does the vcpu wait too long?  That is at least 5 % of its time; or 1 %, if
 * that is 10 % of the time in which it wanted to run, with a p99 of at least
 * 100 us.
 */
bool verdict_is_slow(const struct wait_causes *w, const struct wait_vcpu *v);

#endif /* XENALYZE_ACCOUNT_VERDICT_H */
