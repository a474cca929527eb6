/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reasons of blocked times, and the number of vcpus that wait for a pcpu; part
 * of activity.h.
 *
 * The reason of a blocked time is fixed late (account/block-reason.h), so it is
 * an activity of its own, behind the span.  A selection of vcpus or
 * pcpus lacks the wakers, so it has no reasons.
 */
#ifndef XENALYZE_VIEWERS_ACTIVITY_BLOCKS_H
#define XENALYZE_VIEWERS_ACTIVITY_BLOCKS_H

#include "xenalyze/account/account.h"

struct activities;

/* A reason with its name. */
struct activity_reason
{
    struct block_source source;
    uint32_t number;            /* 0: none */
    char name[XT_LABEL_MAX + XT_IRQ_TEXT_MAX];  /* "": a free entry */
};

#define ACTIVITY_REASONS 256u   /* the last ones, by a hash */

struct activity_blocks
{
    struct block_reasons reasons;
    struct activities *activities;      /* the owner */
    struct activity_reason names[ACTIVITY_REASONS];
};

void activity_blocks_init(struct activity_blocks *b, struct activities *a);
void activity_blocks_fini(struct activity_blocks *b);

/* A change of the number of waiting vcpus, which is shown when time goes on. */
void activities_note_waiting(struct activities *a, uint64_t time, int change);

/* At the end of a segment: no vcpu waits. */
void activities_end_waiting(struct activities *a);

#endif /* XENALYZE_VIEWERS_ACTIVITY_BLOCKS_H */
