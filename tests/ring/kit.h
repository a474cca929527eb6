/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every test of a trace ring stands on: a quiet machine with trace.c in
 * it, a clock that counts its readings, control operations of one line each,
 * and a reader that believes nothing.
 *
 * The reader works as dom0 does: it asks for the frame of t_info, finds the
 * frames of a ring there, and maps them; it knows the format from its
 * description alone and shares no code with trace.c.  What it hands out has
 * been checked:
 *
 *   cons and prod      multiples of 4, below twice the ring, at most the ring
 *                      apart; prod never goes back
 *   published bytes    do not change any more
 *   records            whole, none across the end of the ring, padding only
 *                      there and with zeroes in it
 *   time stamps        never go back
 *   LOST records       timed, four words, a count, and a first loss that lies
 *                      between the record before it and itself
 *
 * All of it compiles against stock 4.17's trace.c and headers as well: only
 * what both know is used, and stock's stale padding is asked for (`stale`).
 */
#ifndef TESTS_RING_KIT_H
#define TESTS_RING_KIT_H

#include "xensim/runtime/runtime.h"

#include <xen/errno.h>
#include <xen/trace.h>

/* ---- the machine ------------------------------------------------------ */

/*
 * Power on with a counting clock, the console kept, and the rings of the
 * boot parameters.  0 or -errno.
 */
int kit_start(const struct xensim_config *config);

/* One CPU, a small arena: what most tests want. */
int kit_start_simple(unsigned int cpus);

/* The last reading of the clock.  It may be moved: forward, that is. */
uint64_t kit_clock(void);
void kit_set_clock(uint64_t now);

/* ---- control ---------------------------------------------------------- */

/* An operation that has no more than a size to say.  0 or -errno. */
int kit_op(uint32_t cmd, uint32_t size);

int kit_set_size(unsigned int pages);
int kit_enable(void);
int kit_disable(void);
int kit_set_evt_mask(uint32_t mask);
int kit_set_cpu_mask(const void *bits, unsigned int nr_bits);
int kit_get_info(struct xen_sysctl_tbuf_op *answer);

#ifdef XEN_SYSCTL_TBUFOP_state

int kit_overwrite(void);
int kit_freeze(void);
int kit_free(void);
int kit_resize(unsigned int pages);

/* The state of all, and of one CPU of it. */
int kit_state(struct xen_tbuf_state *state);
int kit_cpu_state(unsigned int cpu, struct xen_tbuf_cpu *state);

#endif

/* ---- writing ---------------------------------------------------------- */

/* An event that the default mask lets through and no record of Xen's has. */
#define KIT_EVENT   (TRC_SCHED_VERBOSE + 0x700)

/*
 * A record of `words` words (0 to 7) made of `number`, so that the reader can
 * tell a torn one: word i is number * 8 + i.
 */
void kit_emit(uint32_t number, unsigned int words, bool timed);

/* What such a record takes in the ring, in bytes. */
unsigned int kit_size(unsigned int words, bool timed);

/* ---- reading ---------------------------------------------------------- */

#define KIT_MAX_WORDS   7

struct kit_record
{
    uint32_t at;            /* where in the ring: 0 ... size - 1 */
    uint32_t bytes;         /* 4 ... 40 */
    uint32_t event;
    bool timed;
    uint64_t tsc;           /* 0 if not timed */
    unsigned int words;
    uint32_t word[KIT_MAX_WORDS];
};

struct kit_reader
{
    unsigned int cpu;
    unsigned int pages;
    uint32_t size;          /* bytes of records in the ring */
    bool stale;             /* padding need not be zeroes: stock's is not */

    /* The ring, mapped in one piece.  Tests may write here: dom0 can. */
    struct t_buf *ring;
    uint32_t *mfn;          /* its frames, each held by a mapping */

    /* A snapshot, and how far kit_next() has come in it. */
    uint32_t cons, prod, at;
    unsigned char *image;   /* of all that was published, in its place */
    uint64_t tsc;           /* of the last record up to `at` */
    uint64_t consumed_tsc;  /* of the last record up to `cons` */
    bool known;             /* `image` holds cons ... prod */

    char fault[160];        /* the first thing that was wrong; "": nothing */
};

/* Map a CPU's ring.  -ENODEV: it has none. */
int kit_open(struct kit_reader *r, unsigned int cpu);
void kit_close(struct kit_reader *r);

/* Copy what is published now.  False: r->fault. */
bool kit_snapshot(struct kit_reader *r);

/* The next record of the snapshot.  False: its end, or r->fault. */
bool kit_next(struct kit_reader *r, struct kit_record *record);

/* Tell Xen that all that kit_next() has handed out was read. */
void kit_consume(struct kit_reader *r);

/* The ring was emptied, frozen or tampered with: start afresh. */
void kit_forget(struct kit_reader *r);

/* Bytes of the snapshot that kit_next() has not handed out. */
uint32_t kit_left(const struct kit_reader *r);

/* Is this an undamaged record of kit_emit()'s?  Then *number is its number. */
bool kit_is_ours(const struct kit_record *record, uint32_t *number);

#endif /* TESTS_RING_KIT_H */
