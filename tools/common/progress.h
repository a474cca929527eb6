/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A status line:
 *
 *     reading  42 %  1.3 GB of 3.1 GB  1.2 GB/s  0:02 left
 *
 * The line is drawn on terminals only, at most ten times a second, in place
 * (carriage return), and erased at the end: never in a log file or between
 * lines of output.  Each update reads the clock, so callers update once per
 * window or batch, not per record.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress
{
    FILE *out;                  /* NULL: no terminal; all calls do nothing */
    const char *what;           /* "reading" */
    const char *unit;           /* "B"; "": counts */
    uint64_t total;             /* 0: unknown; no percentage */
    unsigned int columns;
    uint64_t start_ns, next_ns; /* time of the begin; of the next redraw */
    unsigned int shown;         /* length of the line on the screen */
};

/*
 * The texts are borrowed until progress_fini().  If `out` is no terminal, all
 * calls do nothing.  The caller may change p->total later.
 */
void progress_init(struct progress *p, FILE *out, const char *what,
                   const char *unit, uint64_t total);

/* Columns of a terminal; 80 if it does not say. */
unsigned int progress_count_columns(int fd);

/* Redraw with `done` of the total. */
void progress_update(struct progress *p, uint64_t done);

/* The same at a given time, for callers that have read the clock. */
void progress_tick(struct progress *p, uint64_t done, uint64_t now_ns);

/* Erase the line before other output; the next update redraws it. */
void progress_hide(struct progress *p);

/* Erase the line for the last time. */
void progress_fini(struct progress *p);

#endif /* COMMON_PROGRESS_H */
