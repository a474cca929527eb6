/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One status line for a person who waits:
 *
 *     reading  42 %  1.3 GB of 3.1 GB  1.2 GB/s  0:02 left
 *
 * Only on a terminal, at most ten times a second, in place (carriage return),
 * and wiped when done: it never gets into a log file or between lines of
 * output.  The caller tells how far it is once a window or a batch, not once
 * a record; each call reads the clock.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress
{
    FILE *out;                  /* NULL: nobody looks, every call is empty */
    const char *what;           /* "reading" */
    const char *unit;           /* "B"; "" for things without one */
    uint64_t total;             /* 0: not known; no percentage then */
    unsigned int columns;
    uint64_t start_ns, next_ns; /* begun; not drawn again before */
    unsigned int shown;         /* columns that are on the screen now */
};

/*
 * The texts are borrowed until progress_fini().  If `out` is no terminal,
 * *p does nothing at all.  `total` may be set later, in the struct.
 */
void progress_init(struct progress *p, FILE *out, const char *what,
                   const char *unit, uint64_t total);

/* `done` of the total. */
void progress_update(struct progress *p, uint64_t done);

/* The same with the time given, for callers that know it, and for tests. */
void progress_tick(struct progress *p, uint64_t done, uint64_t now_ns);

/* Wipe the line (somebody else is about to write); an update redraws it. */
void progress_hide(struct progress *p);

/* Wipe it for good. */
void progress_fini(struct progress *p);

#endif /* COMMON_PROGRESS_H */
