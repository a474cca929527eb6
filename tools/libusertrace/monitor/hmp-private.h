/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a command is, for the files that have some.
 */
#ifndef LIBUSERTRACE_MONITOR_HMP_PRIVATE_H
#define LIBUSERTRACE_MONITOR_HMP_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include "libusertrace/monitor/hmp.h"

#define MON_WORDS_MAX 5u        /* more than any command has */

struct mon_command;

struct mon_call
{
    enum mon_version version;
    const struct mon_command *command;
    FILE *out;
    char *words[MON_WORDS_MAX]; /* what the command is about */
    unsigned int nr;
};

struct mon_command
{
    const char *name;           /* one word, or two, the first is "info" */
    const char *words, *text;   /* for help */
    unsigned int words_max;
    unsigned int versions;          /* bits of those that have it */
    void (*run)(struct mon_call *c);
};

/* A line of the reply. */
void mon_reply_line(struct mon_call *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mon_reply_hint(struct mon_call *c);
void mon_reply_usage(struct mon_call *c, const struct mon_command *command);

/* "trace-events" of "info trace-events". */
const char *mon_last_word(const struct mon_command *command);

/* The second word, on or off; false, after a complaint, if it is neither. */
bool mon_parse_switch(struct mon_call *c, bool *on);

/* What commands do; the words are not too many. */
void mon_show_events(struct mon_call *c);
void mon_switch_events(struct mon_call *c);
void mon_show_backends(struct mon_call *c);
void mon_show_counts(struct mon_call *c);
void mon_trace_file(struct mon_call *c);
void mon_log_events(struct mon_call *c);
void mon_log_file(struct mon_call *c);

void mon_old_show_events(struct mon_call *c);
void mon_old_show_records(struct mon_call *c);
void mon_old_switch_events(struct mon_call *c);
void mon_old_trace_file(struct mon_call *c);

#endif /* LIBUSERTRACE_MONITOR_HMP_PRIVATE_H */
