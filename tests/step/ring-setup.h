/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The initial states of a ring for stepped writers, and the actions during a
 * write: two tables that are tested in all combinations.
 */
#ifndef TESTS_STEP_RING_SETUP_H
#define TESTS_STEP_RING_SETUP_H

#include "tests/step/step-state.h"

/* A range of bytes, in multiples of 4. */
struct span
{
    uint32_t min, max;
};

struct ring_setup
{
    const char *name;
    enum { ANYWHERE, BEFORE_END, BEFORE_PAGE_END } anchor;
    struct span distance;   /* to the end of the ring or page */
    enum { UNREAD, FREE, BELOW_MARK } amount_kind;
    struct span bytes;      /* amount for amount_of */
    bool loss_pending;      /* a lost record is not yet reported */
};

struct action
{
    const char *name;
    void (*act)(struct step_state *st);
};

/* Row i, or NULL past the end. */
const struct ring_setup *setup_row(unsigned int i);
const struct action *action_row(unsigned int i);

void setup_apply(struct step_state *st, const struct ring_setup *setup);

#endif /* TESTS_STEP_RING_SETUP_H */
