/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ring on CPU 0 of a quiet machine, its reader, and counts of the records
 * emitted, read, and lost according to Xen, with the numbers seen.  The counts
 * span all trials of a process.
 *
 * The reader plays another CPU, so it may check and consume records at any
 * instruction of a writer; writers in interrupts nest to any depth.
 */
#ifndef TESTS_STEP_STEP_STATE_H
#define TESTS_STEP_STEP_STATE_H

#include "tests/ring/kit.h"

#define STATE_SLOTS 65536 /* more than the records in a ring */

struct step_state
{
    struct kit_reader reader;
    uint32_t random;
    uint32_t emitted;       /* each has to be read or lost */
    uint32_t may_be_missing; /* emitted during control operations */
    uint32_t read;          /* records consumed, without Xen's own */
    uint32_t reported;      /* losses in LOST records */
    uint32_t seen[STATE_SLOTS]; /* last number read, by slot */
    uint32_t number;        /* number of the last record */
    uint32_t parsed_cons, parsed_prod;
    bool parsed;            /* records between these two are good */
    char fault[200];        /* the first error, or "" */
};

void state_init(struct step_state *st, unsigned int cpus, unsigned int pages,
                uint32_t seed);

/* Report an error; only the first is kept. */
void state_fault(struct step_state *st, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A random number, 0 ... below - 1. */
uint32_t state_random(struct step_state *st, uint32_t below);

/*
 * A random record of 1 to 7 words, with or without a time stamp.  Draw the
 * record before stepping a writer, and step kit_emit() alone: the counts must
 * not be interrupted by other writers that update them.
 */
struct test_record
{
    uint32_t number;
    unsigned int words;
    bool timed;
};

struct test_record state_draw_record(struct step_state *st);
void write_test_record(void *record); /* for step_function() */

/* Draw and write a record; the same in an interrupt. */
void state_emit(struct step_state *st);
void state_emit_in(struct step_state *st, enum xensim_vector vector);

/* Emit records of exactly so many bytes, without padding. */
void state_fill(struct step_state *st, uint32_t bytes);

/* Check all published records; consume up to n of these. */
void state_check(struct step_state *st);
void state_consume(struct step_state *st, unsigned int n);
void state_consume_all(struct step_state *st);

uint32_t state_unread(const struct step_state *st);
uint32_t state_position(const struct step_state *st);

/* Xen's count of lost records. */
uint32_t state_lost(struct step_state *st);

/* Consume all: each emitted record was read or counted as lost. */
void state_check_counts(struct step_state *st);

/*
 * The same; in addition each loss has been reported in a LOST record, after
 * one more record made Xen write it.
 */
void state_check_balance(struct step_state *st);

/* Restart the counts after a control operation dropped loss reports. */
void state_reset_counts(struct step_state *st);

#endif /* TESTS_STEP_STEP_STATE_H */
