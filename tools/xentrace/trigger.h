/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a snapshot is worth taking: --snapshot-on.
 *
 *   lost>N                 more than N records were lost
 *   runnable>TIME          a vcpu waited so long for a pcpu
 *   exit>TIME              a guest was outside for so long, the whole time on
 *                          one pcpu and not scheduled away
 *   EVENT                  it was traced
 *   EVENT:FIELD=VALUE      with this value; or FIELD>VALUE
 */
#ifndef XENTRACE_TRIGGER_H
#define XENTRACE_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/err.h"
#include "libxentrace/catalogue.h"

#define TRIGGERS_MAX 16u

enum trigger_kind { TRIGGER_LOST, TRIGGER_RUNNABLE, TRIGGER_EXIT,
                    TRIGGER_EVENT };

struct trigger
{
    enum trigger_kind kind;
    uint64_t limit;                 /* records or nanoseconds */
    const struct xt_event *event;
    int field;                      /* of the event; -1: any value will do */
    char how;                       /* '=' or '>' */
    uint64_t value;
};

/* A vcpu: how long has it been runnable? */
struct trigger_vcpu
{
    uint32_t id;                    /* as the record has it */
    bool used, waits;
    bool told;                      /* that it waits for so long */
    uint64_t since;
};

/* A change of runstate; those of a pass are put in order. */
struct trigger_change
{
    uint64_t tsc;
    uint32_t id;
    bool waits;
};

struct triggers
{
    struct trigger list[TRIGGERS_MAX];
    unsigned int nr;

    /* While it runs. */
    uint64_t hz;
    uint64_t lost;
    unsigned int nr_cpus;
    uint64_t *outside;              /* of each pcpu: since when; 0: inside */
    struct trigger_vcpu *vcpus;     /* a hash table */
    unsigned int nr_vcpus, max_vcpus;
    struct trigger_change *changes;
    unsigned int nr_changes, max_changes;

    bool fired;
    uint64_t tsc;                   /* when */
    char why[120];
};

/* One more of them. */
int triggers_parse(struct triggers *t, const char *text, struct err *e);

int triggers_open(struct triggers *t, unsigned int nr_cpus, uint64_t hz,
                  struct err *e);
void triggers_close(struct triggers *t);

/* A window was taken.  One whose spans cut no record. */
void triggers_window(struct triggers *t, unsigned int cpu,
                     const struct iovec *spans, int nr_spans);

/*
 * A pass is over: has any of them fired since the last time?  All records of
 * before the time stamp `now` were shown, on whatever pcpu they were traced; 0
 * if that cannot be said.
 */
bool triggers_pass(struct triggers *t, uint64_t now);

#endif /* XENTRACE_TRIGGER_H */
