/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A driver runs the same operations on any trace.c that it is compiled with,
 * and prints every visible effect.  Two trace.c with the same output are
 * equivalent.
 *
 * The output must depend on the arguments only: the clock advances once per
 * call, however often trace.c reads the clock.
 */
#ifndef DIFF_DRIVER_H
#define DIFF_DRIVER_H

#include "tests/ring/kit.h"

/* ---- random numbers --------------------------------------------------- */

/* The next random number of the seed, below `below`. */
uint32_t random_below(uint32_t below);
void random_seed(uint64_t seed);

static inline bool one_in(uint32_t n)
{
    return random_below(n) == 0;
}

/* ---- output ----------------------------------------------------------- */

/*
 * Consume and print up to `limit` records of a ring; padding without its
 * contents, since stock leaves stale bytes there.
 */
#define ALL_RECORDS (~0u)
void print_records(struct kit_reader *r, unsigned int limit);

/* Print all records as `late`, see known.sed, without padding. */
void print_late_records(struct kit_reader *r);

/* Print cons and prod. */
void print_position(struct kit_reader *r);

/* Print new console output, if any. */
void print_console(void);

/* Run a control operation and print the result. */
int run_control_op(const char *name, struct xen_sysctl_tbuf_op op);

/* ---- the two kinds of runs -------------------------------------------- */

struct sequence
{
    unsigned int seed, calls, cpus, pages;
    unsigned int drain;     /* one drain in so many calls */
    bool whole;             /* drain all records, or only some */
};

int sequence_run(const struct sequence *params);

/* Run a script of control operations; -ENOENT: no such script. */
int control_run(const char *name);
const char *control_name(unsigned int i); /* NULL past the end */

#endif /* DIFF_DRIVER_H */
