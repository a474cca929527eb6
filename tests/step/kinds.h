/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of trials.  Each runs many of them in one machine, and answers
 * how it went.
 */
#ifndef TESTS_STEP_KINDS_H
#define TESTS_STEP_KINDS_H

#include "tests/step/world.h"

struct plan
{
    unsigned int pages;
    uint32_t seed;
    bool full;              /* every instruction, not a sample of them */
    unsigned int trials;    /* ... of so many a combination */
    const char *first;      /* of rows, only those with this in their names; */
    const char *second;     /* NULL: all */
};

struct tally
{
    unsigned long trials, steps;
    char fault[400];        /* "": none */
};

/* A writer is interrupted by others and by the reader. */
void kind_writer(const struct plan *plan, struct tally *tally);

/* The same, two times in one writer. */
void kind_twice(const struct plan *plan, struct tally *tally);

/* The same in a flight recorder, whose ring the others lap. */
void kind_recorder(const struct plan *plan, struct tally *tally);

/* A reader changes its word amid a writer. */
void kind_hostile(const struct plan *plan, struct tally *tally);

/* A change of control's, on its way in this CPU, is hit by NMIs. */
void kind_visit(const struct plan *plan, struct tally *tally);

/* Control on another CPU wants to change a ring amid a writer. */
void kind_beside(const struct plan *plan, struct tally *tally);

/* Is this row wanted? */
static inline bool kind_wants(const char *filter, const char *name)
{
    return !filter || strstr(name, filter);
}

#endif /* TESTS_STEP_KINDS_H */
