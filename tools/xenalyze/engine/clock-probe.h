/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short parts of a trace, and the limits that their wake-ups set to the clocks
 * of pcpus.
 */
#ifndef XENALYZE_ENGINE_CLOCK_PROBE_H
#define XENALYZE_ENGINE_CLOCK_PROBE_H

#include "xenalyze/engine/engine-private.h"

#define CLOCK_EVENTS 32768u     /* in a probe, at most */

/* A change of runstate. */
struct clock_event
{
    uint64_t time;
    uint32_t vcpu;              /* domain << 16 | vcpu */
    uint16_t pcpu;
    uint8_t old, new;
    bool is_local;              /* same pcpu for the wake-up and the run */
};

/* A wake-up and a run of a vcpu on another pcpu. */
struct clock_pair
{
    uint32_t pcpus;             /* waking one << 16 | running one */
    int64_t time;               /* from the wake-up to the run */
};

/*
 * The shortest time from a wake-up on `before` to the run on `after`: negative
 * if the clock of `before` is ahead.  So the offset of `after` is at least
 * the offset of `before` minus `time`.
 */
struct clock_limit
{
    unsigned int before, after;
    int64_t time;
    uint32_t support;           /* pairs with about this time */
};

struct clock_probe
{
    struct clock_event *events;
    size_t nr;
    uint32_t contradictions;    /* old states that are not the known ones */
    unsigned int neighbours;    /* wake-ups compared with a run, on each side */
    struct clock_pair *pairs;
    size_t nr_pairs, room;
};

int clock_probe_init(struct clock_probe *p);    /* 0 or -ENOMEM */
void clock_probe_fini(struct clock_probe *p);

/*
 * Read up to so many records from the time `from` on, all before `until`.
 * Times of a trace that has not been rewound can only rise.  0 or -errno.
 */
int clock_probe_read(struct clock_probe *p, struct xt_trace *trace,
                     uint64_t from, uint64_t until, uint32_t records,
                     struct err *e);

/*
 * Find up to `room` limits, one per pair of pcpus; peaks are `peak` cycles
 * wide.  Sorts the events.  0 or -ENOMEM.
 */
int clock_probe_find_limits(struct clock_probe *p, uint64_t peak,
                            struct clock_limit *limits, size_t room,
                            size_t *nr);

/* Limits of all probes since the last call: more pairs, a clearer peak. */
size_t clock_probe_pool_limits(struct clock_probe *p, uint64_t peak,
                               struct clock_limit *limits, size_t room);

#endif /* XENALYZE_ENGINE_CLOCK_PROBE_H */
