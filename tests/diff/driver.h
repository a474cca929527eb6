/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A driver does the same things to a trace.c whichever it is compiled with,
 * and tells all that it sees on standard output.  Two drivers that say
 * different things have two different trace.c.
 *
 * What it says must hence depend on nothing but the arguments: its clock
 * advances once a call, however often trace.c reads it.
 */
#ifndef DIFF_DRIVER_H
#define DIFF_DRIVER_H

#include "tests/ring/kit.h"

/* ---- chance ----------------------------------------------------------- */

/* A number below `below`, the next one of this seed's. */
uint32_t draw_chance(uint32_t below);
void chance_seed(uint64_t seed);

static inline bool one_in(uint32_t n)
{
    return draw_chance(n) == 0;
}

/* ---- telling ---------------------------------------------------------- */

/*
 * Take up to `limit` records from a ring and tell each; padding by its size
 * only, since stock leaves stale bytes in it.
 */
#define ALL_RECORDS (~0u)
void tell_records(struct kit_reader *r, unsigned int limit);

/* All records, as what known.sed calls late; padding goes with them. */
void tell_late(struct kit_reader *r);

/* Where the reader and trace.c are now. */
void tell_position(struct kit_reader *r);

/* What the console said since the last time, if anything. */
void tell_console(void);

/* Do a control operation, and tell what came back. */
int tell_control(const char *name, struct xen_sysctl_tbuf_op op);

/* ---- the two kinds of run --------------------------------------------- */

struct sequence
{
    unsigned int seed, calls, cpus, pages;
    unsigned int drain;     /* a ring is drained once in so many calls */
    bool whole;             /* ... wholly, or by some records */
};

int sequence_run(const struct sequence *how);

/* A named script of control operations; -ENOENT: there is none such. */
int control_run(const char *name);
const char *control_name(unsigned int i); /* NULL: behind the last */

#endif /* DIFF_DRIVER_H */
