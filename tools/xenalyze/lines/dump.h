/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump (--dump-all): a line for each record, in the format of stock's
 * xenalyze.
 *
 *     mark, time in seconds since the first time stamp, the column of pcpus,
 *     |                  the current vcpu of the record's pcpu, the event
 *       0.000071617 -x|  d1v0 csched2:runq_tickle cpu 2
 *
 * The column has a sign for each pcpu: x the record's own pcpu, | a vcpu, - an
 * idle vcpu, a blank if unknown, and . before the first runstate record.  With
 * option `numbers`, and more than DUMP_MAX_SIGNS pcpus on the host or in the
 * first pass of the collector, the column is the number of the record's own
 * pcpu: "p513".
 */
#ifndef XENALYZE_LINES_DUMP_H
#define XENALYZE_LINES_DUMP_H

#include <stdbool.h>

#include "common/err.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/lines/pipeline.h"

struct filter;
struct record_filter;
struct warmup;

struct dump_options
{
    struct xt_clock clock;      /* only its rate is used */
    bool raw;                   /* print each record in hex before its line */
    bool text;                  /* print the line */
    bool show_power;
    bool colour;
    bool numbers;               /* not stock's format for many pcpus ... */
    uint32_t cpus;              /* ... the pcpus of the host; 0: unknown */
    const struct filter *filter;        /* borrowed; NULL: all records */
    const struct record_filter *source; /* borrowed: knows the start time */
};

#define DUMP_MAX_SIGNS 32u

struct dump;

/*
 * A dump of a trace that is read by time.  Trace and catalogue are borrowed.
 * 0 or -ENOMEM.
 */
int dump_new(struct dump **d, const struct xt_trace *trace,
             const struct xt_catalogue *catalogue,
             const struct dump_options *options);
void dump_free(struct dump *d);         /* NULL is fine */

/*
 * Does a line show the event under a name that the pattern matches?  The name
 * is the first word of the line's text: "csched2:runq_tickle" above.
 */
bool dump_has_name(const struct xt_event *event, const char *pattern);

/* The line before the records of another boot. */
#define DUMP_SEGMENT_LINE                                                   \
    "--- another trace, or a reboot: time starts again ---\n"

/* The style, and the warm-up of its record filter: both on a struct dump. */
const struct line_style *dump_style(void);
const struct warmup *dump_warmup(void);

#endif /* XENALYZE_LINES_DUMP_H */
