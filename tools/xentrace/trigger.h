/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Triggers: the conditions of --snapshot-on, checked on the records of a
 * capture while it runs.  trigger-type.h describes the kinds of triggers.
 */
#ifndef XENTRACE_TRIGGER_H
#define XENTRACE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/err.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/internal.h"

#define TRIGGERS_MAX 16u
#define TRIGGER_TYPES 4u        /* rows of the table in trigger.c */
#define TRIGGER_EVENTS 2u       /* kinds of records that a type can read */

struct trigger_type;
struct hv;

/* One condition, as parsed; each type uses the members that it needs. */
struct trigger
{
    const struct trigger_type *type;
    const char *text;               /* the argument, borrowed */
    uint64_t limit;                 /* records or nanoseconds */
    const struct xt_event *event;
    int field;                      /* index into event->fields; -1: none */
    char comparison;                /* '=' or '>' */
    uint64_t value;
    const char *domain;             /* its name in place of `value`, borrowed;
                                       NULL after triggers_find_domains() */
};

/* A type with at least one trigger in the list, and its state. */
struct trigger_watch
{
    const struct trigger_type *type;
    void *state;                    /* returned by type->open() */
};

#define TRIGGER_TEXT_MAX 120u       /* bytes of a cause, with its 0 */
#define TRIGGER_NO_VCPU UINT32_MAX
#define TRIGGER_NO_NUMBER 0xffffu   /* in place of a vcpu: only a domain */

/*
 * The reason of a snapshot.  The severity is the measured value relative to the
 * limit of the trigger, so that severities of different triggers compare.
 */
struct trigger_cause
{
    uint64_t tsc;                   /* time stamp of the last record of it */
    uint64_t severity;              /* thousandths of the limit; 0: no value */
    const char *trigger;            /* argument of --snapshot-on */
    uint32_t vcpu;                  /* domain << 16 | vcpu; TRIGGER_NO_VCPU */
    char text[TRIGGER_TEXT_MAX];    /* has TRIGGER_VCPU in place of the vcpu */
};

struct triggers
{
    struct trigger list[TRIGGERS_MAX];
    unsigned int nr;

    /* Valid between triggers_open() and triggers_close(). */
    uint64_t hz;                    /* of time stamps; 0: unknown */
    unsigned int nr_cpus;
    struct trigger_watch watch[TRIGGER_TYPES];
    unsigned int nr_watches;

    /* Since the previous pass. */
    uint64_t firings;
    struct trigger_cause cause;     /* the worst of them */
};

/*
 * Add the trigger that `text`, the argument of --snapshot-on, describes.  The
 * text has to stay valid.
 */
int triggers_parse(struct triggers *t, const char *text, struct err *e);

/*
 * Replace names of domains by their numbers, which `hv` has.  -ENOENT: there is
 * no such domain; -EACCES: no names can be read.
 */
int triggers_find_domains(struct triggers *t, struct hv *hv, struct err *e);

/* Append to `text` the table of all types for --help. */
void triggers_help(char *text, size_t size);

/* -ENOTSUP: a trigger compares times, and `hz` is 0. */
int triggers_open(struct triggers *t, unsigned int nr_cpus, uint64_t hz,
                  struct err *e);
void triggers_close(struct triggers *t);

/*
 * The bits of an event mask that select the records of kind i which this
 * trigger depends on, 0 <= i < TRIGGER_EVENTS; 0: they are always there, or
 * there is no such kind.
 */
uint32_t trigger_needed_bits(const struct trigger *trigger, unsigned int i);

/*
 * The text of a cause with the label of its vcpu, "web1/2 waited 5 ms"; without
 * a name, or with NULL for `names`, "d4v2 waited 5 ms".
 */
void trigger_cause_format(const struct trigger_cause *cause,
                          const struct xt_domain_names *names,
                          char text[TRIGGER_TEXT_MAX]);

/* Check the records of a window; spans contain whole records. */
void triggers_window(struct triggers *t, unsigned int cpu,
                     const struct iovec *spans, int nr_spans);

/*
 * End a pass.  Returns the number of firings since the previous pass; t->cause
 * is the worst of them.  All records older than the time stamp `now`, of all
 * pcpus, have been checked; 0 if this is not certain.
 */
uint64_t triggers_pass(struct triggers *t, uint64_t now);

#endif /* XENTRACE_TRIGGER_H */
