/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short parts of a trace, for the clocks of pcpus.
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

/* Changes in the order of time. */
struct clock_order
{
    uint32_t contradictions;    /* old states that are not the known ones */
    uint32_t pairs;             /* changes of a vcpu after each other on two
                                   pcpus, which depend on clocks */
};

struct clock_probe
{
    struct clock_event *events;
    size_t nr;
    struct clock_order order;
    struct clock_order aligned; /* with the offsets of clock_align() */
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

/* Sort the events by vcpu and time. */
void clock_probe_sort(struct clock_probe *p);

#endif /* XENALYZE_ENGINE_CLOCK_PROBE_H */
