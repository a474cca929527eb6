/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of trials.  Each function runs many trials on one machine and fills
 * in the tally.
 */
#ifndef TESTS_STEP_KINDS_H
#define TESTS_STEP_KINDS_H

#include "tests/step/step-state.h"

struct plan
{
    unsigned int pages;
    uint32_t seed;
    bool full;              /* all instructions, not a sample */
    unsigned int trials;    /* samples per combination of rows */
    const char *first;      /* substring of the names of selected rows; */
    const char *second;     /* NULL: all rows */
};

struct tally
{
    unsigned long trials, steps;
    char fault[400];        /* "": none */
};

/* Other writers and the reader interrupt a writer, */
void kind_writer(const struct plan *plan, struct tally *tally);

/* ... twice, */
void kind_twice(const struct plan *plan, struct tally *tally);

/* ... in a flight recorder, until they would lap the ring. */
void kind_recorder(const struct plan *plan, struct tally *tally);

/* The reader changes cons during a write. */
void kind_hostile(const struct plan *plan, struct tally *tally);

/* NMIs interrupt a control operation in its IPI handler. */
void kind_ipi(const struct plan *plan, struct tally *tally);

/* A control operation on another CPU changes the ring during a write. */
void kind_remote(const struct plan *plan, struct tally *tally);

/* Stores are published behind a barrier: those of writers, */
void kind_order(const struct plan *plan, struct tally *tally);

/* ... and the list of a new CPU's ring. */
void kind_listing(const struct plan *plan, struct tally *tally);

/* All rings are live before tracing begins. */
void kind_start(const struct plan *plan, struct tally *tally);

/* Is this row selected? */
static inline bool kind_matches(const char *filter, const char *name)
{
    return !filter || strstr(name, filter);
}

#endif /* TESTS_STEP_KINDS_H */
