/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ring on CPU 0 of a quiet machine, its reader, and the books that are
 * kept: how many records were emitted, how many of them came out, how many
 * Xen says it has lost, and which numbers have been seen.  They span all the
 * trials of a process.
 *
 * The reader may look and take at any instruction of a writer, since it plays
 * a CPU that runs beside; writers in interrupts nest, as the test pleases.
 */
#ifndef TESTS_STEP_WORLD_H
#define TESTS_STEP_WORLD_H

#include "tests/ring/kit.h"

#define WORLD_NUMBERS 65536 /* more than can be unread and under way */

struct world
{
    struct kit_reader reader;
    uint32_t random;
    uint32_t emitted;       /* calls for which a record or a loss is due */
    uint32_t excused;       /* of calls while control was changing things */
    uint32_t read;          /* records of ours that came out */
    uint32_t reported;      /* as lost, in LOST records */
    uint32_t seen[WORLD_NUMBERS]; /* the number that came out last there */
    uint32_t number;        /* of the last record */
    uint32_t parsed_cons, parsed_prod;
    bool parsed;            /* what is between those two is good */
    char fault[200];        /* "": nothing */
};

void world_start(struct world *w, unsigned int cpus, unsigned int pages,
                 uint32_t seed);

/* A fault of the world: the first one stays. */
void world_fault(struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* 0 ... below - 1 */
uint32_t world_any(struct world *w, uint32_t below);

/*
 * A record of 1 to 7 words, with or without a time stamp.  Who steps a writer
 * draws the record before and steps the call of kit_emit() alone: the books
 * cannot be kept by one who is interrupted by others that keep them.
 */
struct world_record
{
    uint32_t number;
    unsigned int words;
    bool timed;
};

struct world_record world_draw(struct world *w);
void world_put(void *record); /* a struct world_record: for step() */

/* Both at once; and as an interrupt. */
void world_emit(struct world *w);
void world_emit_in(struct world *w, enum xensim_vector vector);

/* Records that take exactly so many bytes, without padding. */
void world_fill(struct world *w, uint32_t bytes);

/* Look at what is published; take up to n records of it. */
void world_look(struct world *w);
void world_take(struct world *w, unsigned int n);
void world_take_all(struct world *w);

uint32_t world_unread(const struct world *w);
uint32_t world_place(const struct world *w);

/* What Xen says has been lost, ever. */
uint32_t world_lost(struct world *w);

/* Take all; then what was emitted must have come out or be counted. */
void world_due(struct world *w);

/*
 * The same, and what is counted must have been reported, once one more record
 * made Xen say so.
 */
void world_balance(struct world *w);

/* Losses were dropped unreported (control may): begin those books anew. */
void world_forgive(struct world *w);

#endif /* TESTS_STEP_WORLD_H */
