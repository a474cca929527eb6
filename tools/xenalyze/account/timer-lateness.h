/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lateness of the timers of HVM guests, as cyclictest measures it in a guest.
 *
 *      due         woken     runs        delivered
 *      |           |         |           |
 *      +-----------+---------+-----------+
 *       Xen's timer vcpu waits delivery
 *
 * The time from the due time of a local APIC timer to its delivery is split by
 * the runstate of the vcpu, so the parts add up.
 */
#ifndef XENALYZE_ACCOUNT_TIMER_LATENESS_H
#define XENALYZE_ACCOUNT_TIMER_LATENESS_H

#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

enum timer_part
{
    TIMER_XEN,                  /* blocked: Xen's own timer is late */
    TIMER_WAIT,                 /* runnable */
    TIMER_DELIVERY,             /* running: VM exit, or masked interrupts */
    TIMER_OTHER,                /* paused, or records were lost */
    TIMER_PARTS
};

struct timer_vcpu
{
    uint16_t domain, id;
    struct stats lateness, parts[TIMER_PARTS];
    uint64_t late;              /* part TIMER_XEN of timers that fire once */

    /* The timer in progress. */
    bool is_set;
    uint64_t due, period;       /* in cycles; period 0: once */
    uint64_t known_to;          /* end of the vcpu's last runstate */
    uint64_t times[TIMER_PARTS];        /* since it is due */
};

struct timers
{
    struct stats_pool pool;
    struct xt_clock clock;
    uint64_t first;             /* begin of the segment, or of the span */
    struct timer_vcpu **vcpus;  /* by index; NULL: no timers */
    uint32_t nr_vcpus;
    bool failed;
};

/* Requires a zeroed struct. */
void timers_init(struct timers *t);
void timers_fini(struct timers *t);

struct sink timers_sink(struct timers *t);

/* After the last fact: keep vcpus with timers that fired, sorted by id. */
void timers_close(struct timers *t);

static inline bool timers_have_failed(const struct timers *t)
{
    return t->failed || t->pool.failed;
}

/* After closing; NULL: no timer of the vcpu fired. */
const struct timer_vcpu *timers_find(const struct timers *t, uint16_t domain,
                                     uint16_t id);

#endif /* XENALYZE_ACCOUNT_TIMER_LATENESS_H */
