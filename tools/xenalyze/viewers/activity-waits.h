/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest waits of each segment, with their pieces and wakers; part of
 * activity.h.
 *
 * Lengths and pieces come from the causes of waits (account/wait-cause.h), and
 * wakers from the facts of waits.  Both keep the same number of the longest
 * waits, so a wait in the first list that began with a wake-up is in the
 * second.  A wait that goes on from time without budget is longer than its
 * fact, and may miss its waker.
 */
#ifndef XENALYZE_VIEWERS_ACTIVITY_WAITS_H
#define XENALYZE_VIEWERS_ACTIVITY_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "xenalyze/account/account.h"

#define ACTIVITY_WAITS 64u      /* longest waits, in a segment */

_Static_assert(ACTIVITY_WAITS <= WAIT_MOST_WORST, "causes keep so many");

/* A wait that began with a wake-up. */
struct activity_wakeup
{
    const struct vcpu *vcpu, *waker;    /* waker idle: an interrupt */
    uint64_t from, to, woken;   /* time stamps */
    uint32_t waker_pcpu;
};

struct activity_waits
{
    struct wait_causes causes;
    struct activity_wakeup wakeups[ACTIVITY_WAITS];     /* longest first */
    unsigned int nr_wakeups;
};

struct activities;

/* 0 or -ENOMEM. */
int activity_waits_init(struct activity_waits *w,
                        const struct xt_domain_names *names);
void activity_waits_fini(struct activity_waits *w);

void activity_waits_note(struct activity_waits *w, const struct fact_wait *f);

/* At the end of a segment: show its longest waits, and forget them. */
void activities_show_waits(struct activities *a);

#endif /* XENALYZE_VIEWERS_ACTIVITY_WAITS_H */
