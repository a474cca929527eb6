/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --stats: how it goes, in a line a second; on a terminal always the same one.
 */
#ifndef XENTRACE_STATS_LINE_H
#define XENTRACE_STATS_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct stats_now
{
    uint64_t ms;            /* since some moment */
    uint64_t events, bytes; /* taken until now */
    uint64_t lost;
    uint64_t waiting;       /* bytes on their way to the disk */
    unsigned int full;      /* percent of the fullest ring, since the start */
};

struct stats_line
{
    FILE *out;
    bool in_place;          /* it is a terminal */
    bool shown;             /* there is a line to be ended */
    uint64_t begun_ms;
    struct stats_now before;
};

#define STATS_TEXT 256u     /* bytes that are enough for one */

void stats_line_begin(struct stats_line *s, FILE *out, uint64_t now_ms);

/* What is new since the last line. */
void stats_line_print(struct stats_line *s, const struct stats_now *now);

/* What is new since the beginning, with no line around it. */
void stats_line_format(const struct stats_line *s, const struct stats_now *now,
                       char *text);

void stats_line_end(struct stats_line *s);

#endif /* XENTRACE_STATS_LINE_H */
