/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common base of the tests of a trace ring: a quiet machine with trace.c, a
 * clock that advances with each reading, one function per control operation,
 * and a reader that trusts nothing.
 *
 * The reader works as dom0 does: t_info names the frames of the rings, and the
 * reader maps them.  The reader implements the documented format and shares no
 * code with trace.c.  Each snapshot and record is checked:
 *
 *   cons and prod      multiples of 4, below twice the ring, at most one ring
 *                      apart; prod never goes back
 *   published bytes    never change again
 *   records            complete, never across the end of the ring; padding only
 *                      at the end, and all zeroes
 *   time stamps        never go back
 *   LOST records       timed, four words, a count, and a first loss between the
 *                      time of the previous record and that of the LOST record
 *
 * The folder also compiles against the trace.c and headers of stock Xen 4.17,
 * so only interfaces common to both are used.  Stock does not clear padding:
 * `stale` turns that check off.
 */
#ifndef TESTS_RING_KIT_H
#define TESTS_RING_KIT_H

#include "xensim/runtime/runtime.h"

#include <xen/errno.h>
#include <xen/trace.h>

/* ---- the machine ------------------------------------------------------ */

/*
 * Power on with a counting clock, a captured console, and the rings of the
 * boot parameters.  Returns 0 or -errno.
 */
int kit_start(const struct xensim_config *config);

/* The same with a small arena and no special configuration. */
int kit_start_simple(unsigned int cpus);

/* The last reading of the clock, and a jump of the clock, forward only. */
uint64_t kit_clock(void);
void kit_set_clock(uint64_t now);

/* ---- control ---------------------------------------------------------- */

/* An operation without operands other than a size.  Returns 0 or -errno. */
int kit_op(uint32_t cmd, uint32_t size);

int kit_set_size(unsigned int pages);
int kit_enable(void);
int kit_disable(void);
int kit_set_evt_mask(uint32_t mask);
int kit_set_cpu_mask(const void *bits, unsigned int nr_bits);
int kit_get_info(struct xen_sysctl_tbuf_op *answer);

#ifdef XEN_SYSCTL_TBUFOP_overwrite

int kit_overwrite(void);
int kit_freeze(void);
int kit_free(void);
int kit_resize(unsigned int pages);

/* The state of all CPUs, and of one CPU. */
int kit_state(struct xen_sysctl_tbuf_state *state);
int kit_cpu_state(unsigned int cpu, struct xen_tbuf_cpu *state);

/* The operation itself, with room for `nr` CPUs. */
int kit_read_state(struct xen_sysctl_tbuf_state *state,
                   struct xen_tbuf_cpu *cpus, uint32_t nr);

#endif

/* ---- writing ---------------------------------------------------------- */

/* An event inside the default mask that Xen itself never emits. */
#define KIT_EVENT   (TRC_SCHED_VERBOSE + 0x700)

/*
 * Emit a record of `words` words (0 to 7).  Word i is number * 8 + i, so the
 * reader recognises torn records.
 */
void kit_emit(uint32_t number, unsigned int words, bool timed);

/* The size of such a record in the ring, in bytes. */
unsigned int kit_size(unsigned int words, bool timed);

/* ---- reading ---------------------------------------------------------- */

#define KIT_MAX_WORDS   7

struct kit_record
{
    uint32_t at;            /* offset in the ring: 0 ... size - 1 */
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
    bool stale;             /* padding may have any contents, as stock's */

    /* The ring, mapped contiguously and writable, as for dom0. */
    struct t_buf *ring;
    uint32_t *mfn;          /* frames of the ring, each held by a mapping */

    /* A snapshot, and the position of kit_next() in the snapshot. */
    uint32_t cons, prod, at;
    unsigned char *image;   /* published bytes, at their offsets in the ring */
    uint64_t tsc;           /* last time stamp up to `at` */
    uint64_t consumed_tsc;  /* last time stamp up to `cons` */
    bool has_image;         /* `image` holds cons ... prod */

    char fault[160];        /* the first error found, or "" */
};

/* Map the ring of a CPU.  -ENODEV: the CPU has no ring. */
int kit_open(struct kit_reader *r, unsigned int cpu);
void kit_close(struct kit_reader *r);

/* Copy all published records.  Returns false on an error, see r->fault. */
bool kit_snapshot(struct kit_reader *r);

/* The next record of the snapshot.  False: end of snapshot, or r->fault. */
bool kit_next(struct kit_reader *r, struct kit_record *record);

/* Advance Xen's cons past all records returned by kit_next(). */
void kit_consume(struct kit_reader *r);

/* Restart the checks after the ring was emptied, frozen or corrupted. */
void kit_forget(struct kit_reader *r);
/* Bytes of the snapshot that kit_next() has not returned yet. */
uint32_t kit_left(const struct kit_reader *r);

/* True for an intact record of kit_emit(); sets *number. */
bool kit_is_emitted(const struct kit_record *record, uint32_t *number);

#endif /* TESTS_RING_KIT_H */
