/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the catalogue as events of ftrace, and their declarations in the
 * form of tracefs.  A class is an event with a number of words, so all its
 * fields are present, each in 4 or 8 bytes; arguments, whose presence depends
 * on other fields, are an array of 8-byte values at the end.
 */
#ifndef XENALYZE_CONVERT_FTRACE_FORMATS_H
#define XENALYZE_CONVERT_FTRACE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libxentrace/catalogue.h"
#include "libxentrace/internal.h"

#define FTRACE_COMM 16u         /* bytes of a task's name, with a NUL */

/* Linux's usual priority: trace-cmd wants one, and vcpus have none. */
#define FTRACE_PRIO 120

/* The common fields of all events. */
struct ftrace_common
{
    uint16_t class;
    uint8_t flags, preempt_count;
    int32_t pid;
} __attribute__((packed));

struct ftrace_switch
{
    struct ftrace_common common;
    char prev_comm[FTRACE_COMM];
    int32_t prev_pid, prev_prio, prev_state;
    char next_comm[FTRACE_COMM];
    int32_t next_pid, next_prio;
} __attribute__((packed));

struct ftrace_waking
{
    struct ftrace_common common;
    char comm[FTRACE_COMM];
    int32_t pid;
} __attribute__((packed));

struct ftrace_loss              /* losses behind the last record of a pcpu */
{
    struct ftrace_common common;
    uint64_t records;
} __attribute__((packed));

enum
{
    FTRACE_SWITCH = 1, FTRACE_WAKING, FTRACE_LOSS, FTRACE_UNKNOWN,
    FTRACE_EVENTS,              /* the first class of the catalogue */
};

struct ftrace_formats
{
    uint16_t *first;            /* by event: class of the least words */
    bool *is_used;              /* by class: an event was written */
    unsigned int nr_classes;
};

/* 0 or -ENOMEM. */
int ftrace_formats_init(struct ftrace_formats *f);
void ftrace_formats_fini(struct ftrace_formats *f);

/* The class of a record, which counts as used from now on. */
unsigned int ftrace_formats_use(struct ftrace_formats *f,
                                const struct xt_catalogue *catalogue,
                                const struct xt_record *r,
                                const struct xt_event **event);

/*
 * Write the fields of a record at p, behind the common fields of an event at
 * `begin`.  Event: of ftrace_formats_use(), or NULL.  Returns the end.
 */
unsigned char *ftrace_put_fields(const struct xt_event *event,
                                 const struct xt_record *r,
                                 const unsigned char *begin, unsigned char *p);

/* Write the systems of events and their declarations.  0 or -ENOMEM. */
int ftrace_formats_write(const struct ftrace_formats *f,
                         const struct xt_catalogue *catalogue, FILE *out);

#endif /* XENALYZE_CONVERT_FTRACE_FORMATS_H */
