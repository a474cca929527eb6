/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump (--dump-all): a line for each record, as stock's xenalyze has it.
 *
 *     mark, time in seconds since the first time stamp, the pcpus, the vcpu
 *     |                  that is on the record's pcpu, and what the record says
 *       0.000071617 -x|  d1v0 csched2:runq_tickle cpu 2
 *
 * The column has a sign for each pcpu: x the record's own, | a vcpu, - idle,
 * a blank where nobody is known, and . where nothing is.
 */
#ifndef XENALYZE_LINES_DUMP_H
#define XENALYZE_LINES_DUMP_H

#include "common/err.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/clock.h"
#include "xenalyze/lines/pipeline.h"

struct filter;
struct sieve;
struct sieve_early;

struct dump_options
{
    struct xt_clock clock;      /* its origin does not matter */
    bool raw;                   /* before each line, the record in hex */
    bool text;                  /* the line */
    bool show_power;
    bool colour;
    const struct filter *filter;        /* borrowed; NULL: all */
    const struct sieve *sieve;  /* borrowed: what the records come through */
};

struct dump;

/* 0 or -ENOMEM.  The trace, to be read by time, and catalogue are borrowed. */
int dump_new(struct dump **d, const struct xt_trace *trace,
             const struct xt_catalogue *catalogue,
             const struct dump_options *options);
void dump_free(struct dump *d);         /* NULL is fine */

const struct print_style *dump_style(void);

/* For the sieve; its argument is the dump. */
const struct sieve_early *dump_early(void);

#endif /* XENALYZE_LINES_DUMP_H */
