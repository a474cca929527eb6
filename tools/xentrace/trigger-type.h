/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A type of triggers: one file that fills in a struct of functions, and one
 * row of the table in trigger.c.  --help, the messages about a wrong argument
 * and the test of the manual read the rows.
 *
 * To add a type: copy trigger-lost.c, declare its function below, add it to
 * the table, raise TRIGGER_TYPES, and describe it in xentrace(8).
 */
#ifndef XENTRACE_TRIGGER_TYPE_H
#define XENTRACE_TRIGGER_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/libxentrace.h"
#include "xentrace/trigger.h"

struct trigger_type
{
    const char *word;       /* prefix of the argument; "": any argument */
    const char *syntax;     /* "lost>N" */
    const char *help;       /* one line, lower case, no full stop */
    const char *example;    /* an argument that parse() accepts */
    bool compares_time;     /* the frequency of the clock has to be known */
    bool follows_vcpus;     /* from pcpu to pcpu, so all have to be traced */
    /* Ids of the events read, 0 behind the last; none: trigger->event. */
    uint32_t events[TRIGGER_EVENTS];

    /*
     * Fill in *trigger from the text behind the word.  0, -EINVAL with *e
     * filled, or -ENOENT, and the caller explains which types exist.
     */
    int (*parse)(struct trigger *trigger, const char *text, struct err *e);

    /*
     * The state of one capture, shared by all triggers of the type; NULL: no
     * memory.  Both functions are NULL if the type has no state.
     */
    void *(*open)(unsigned int nr_cpus);
    void (*close)(void *state);

    /* Check a record; tsc: its time stamp, or the previous one if none. */
    void (*record)(struct triggers *t, void *state, unsigned int cpu,
                   const struct xt_record *r, uint64_t tsc);

    /* See triggers_pass(); may be NULL. */
    void (*pass)(struct triggers *t, void *state, uint64_t now);
};

const struct trigger_type *trigger_lost(void);
const struct trigger_type *trigger_runnable(void);
const struct trigger_type *trigger_exit(void);
const struct trigger_type *trigger_event(void);

/* Row i of the table; NULL behind the last one. */
const struct trigger_type *trigger_type_at(unsigned int i);

/* Parse a limit in time, which needs a unit. */
int trigger_parse_time(struct trigger *trigger, const char *text,
                       struct err *e);

/*
 * Of the triggers of this type whose limit `value` exceeds, the one with the
 * smallest limit; or NULL.
 */
const struct trigger *trigger_find_exceeded(const struct triggers *t,
                                            const struct trigger_type *type,
                                            uint64_t value);

/*
 * The same for the time between two time stamps.  NULL if `to` is not later.
 */
const struct trigger *trigger_find_too_long(const struct triggers *t,
                                            const struct trigger_type *type,
                                            uint64_t from, uint64_t to);

/*
 * The place of the vcpu in the text of a reason.  Names of domains are looked
 * up only for a reason that is shown.
 */
#define TRIGGER_VCPU "\1"

/* What has fired a trigger. */
struct trigger_firing
{
    uint64_t tsc;
    uint64_t value;         /* the measured value; 0: none */
    uint32_t vcpu;          /* as in struct trigger_cause */
};

/*
 * Ask for a snapshot; the worst reason of a pass is kept, or the first one of
 * the worst.
 */
void trigger_fire(struct triggers *t, const struct trigger *trigger,
                  const struct trigger_firing *firing, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, if the time was too long: the reason is "WHAT DURATION". */
void trigger_fire_if_too_long(struct triggers *t,
                              const struct trigger_type *type, uint64_t from,
                              uint64_t to, uint32_t vcpu, const char *what);

#endif /* XENTRACE_TRIGGER_TYPE_H */
