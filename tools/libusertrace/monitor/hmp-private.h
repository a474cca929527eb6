/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands of the human monitor: their table rows, and one call.
 */
#ifndef LIBUSERTRACE_MONITOR_HMP_PRIVATE_H
#define LIBUSERTRACE_MONITOR_HMP_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include "libusertrace/monitor/hmp.h"

#define MON_WORDS_MAX 5u        /* more than any command takes */

struct mon_command;

struct mon_call
{
    enum mon_version version;
    const struct mon_command *command;
    FILE *out;
    char *words[MON_WORDS_MAX]; /* arguments of the command */
    unsigned int nr;
};

struct mon_command
{
    const char *name;           /* one word, or two with "info" first */
    const char *words, *text;   /* for help */
    unsigned int words_max;
    unsigned int versions;      /* bits: versions that have it */
    void (*run)(struct mon_call *c);
};

/* Print a line of the reply. */
void mon_reply_line(struct mon_call *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mon_reply_hint(struct mon_call *c);
void mon_reply_usage(struct mon_call *c, const struct mon_command *command);

/* "trace-events" of "info trace-events". */
const char *mon_last_word(const struct mon_command *command);

/* Parse the second word, on or off; false, after an error line, if neither. */
bool mon_parse_switch(struct mon_call *c, bool *on);

/* The functions of commands.  The caller has checked the number of words. */
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
