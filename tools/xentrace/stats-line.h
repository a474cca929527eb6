/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The progress line of --stats: one per second, on a terminal in place.
 */
#ifndef XENTRACE_STATS_LINE_H
#define XENTRACE_STATS_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The place of the newest records. */
enum stats_holder
{
    HOLDER_FILE,
    HOLDER_MEMORY,          /* -M */
    HOLDER_RINGS,           /* flight recorder: nothing is read or counted */
};

struct stats_now
{
    uint64_t ms;            /* monotonic clock */
    uint64_t events, bytes; /* taken from the rings so far */
    enum stats_holder holder;
    uint64_t held;          /* bytes in memory ... */
    uint64_t room;          /* ... which has this size, as have the rings */
    uint64_t overwritten;   /* events, in memory */
    uint64_t lost;
    uint64_t waiting;       /* bytes queued for the disk */
    unsigned int full;      /* maximum of all rings so far, in percent */
};

struct stats_line
{
    FILE *out;
    bool in_place;          /* overwrite the line: it is a terminal */
    bool shown;             /* the line needs a newline at the end */
    uint64_t begun_ms;
    struct stats_now before;
};

#define STATS_TEXT 256u     /* bytes of the longest line */

void stats_line_begin(struct stats_line *s, FILE *out, uint64_t now_ms);

/* Print the rates since the last line. */
void stats_line_print(struct stats_line *s, const struct stats_now *now);

/* Format the rates since the start, without a newline. */
void stats_line_format(const struct stats_line *s, const struct stats_now *now,
                       char *text);

void stats_line_end(struct stats_line *s);

#endif /* XENTRACE_STATS_LINE_H */
