/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes: records of a pcpu that concern vcpus of all pcpus.  Each pcpu's
 * machine appends changes to a queue; the engine merges the queues by time and
 * applies the changes to the global machine.
 */
#ifndef XENALYZE_MACHINE_CHANGE_H
#define XENALYZE_MACHINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xenalyze/model/model.h"

enum change_kind
{
    CHANGE_STATE,       /* vcpu: from state `old` to `new`, except: */
    CHANGE_ARRIVE,      /* ... from any state but running to running; number:
                           1 + key of the vcpu in the SWITCH record, or 0 */
    CHANGE_LEAVE,       /* ... from running */
    CHANGE_WAKE,        /* ... from any state but running to runnable; number:
                           time at which the wake-up began, or 0 */
    CHANGE_CONTINUE,    /* vcpu keeps running; number: time before which the
                           pcpu was offline, or 0 */
    CHANGE_EXIT_BLOCKED,        /* vcpu blocks during the exit `data` */
    CHANGE_ENTRY,       /* VM entry of vcpu, which may end a blocked exit */
    CHANGE_EXIT,        /* VM exit of vcpu: no blocked exit is left to end */
    CHANGE_INJECT,      /* interrupt vector `number` injected into vcpu */
    CHANGE_LOSS,        /* the pcpu begins to lose records */
    CHANGE_FOUND,       /* the loss ends and vcpu runs; number: lost records */
    CHANGE_CREATED,     /* the domain `data` exists from now on */
    CHANGE_DESTROYED,   /* the domain `data` exists no longer */
    CHANGE_SILENT,      /* the pcpu, where vcpu ran, is silent from now on */
    CHANGE_HEARD,       /* the silence ends, and vcpu runs, unless NULL */
    CHANGE_END,         /* last record of the pcpu */
    CHANGE_COUNTS,      /* the collector's record `data` about losses */
    CHANGE_HVM,         /* the pcpu has its first record of an HVM guest */
    CHANGE_FACT,        /* no change: the local fact `data`, of the enum
                           emit_local_kind `old`, for ordered sinks */
    CHANGE_MOMENT,      /* the same for the struct fact_moment `data` */
    CHANGE_KINDS
};

struct change
{
    uint64_t time;
    struct vcpu *vcpu;
    union
    {
        void *data;
        uint64_t number;
    };
    uint32_t pcpu;
    uint8_t kind, old, new;
    bool doubtful;      /* the WAKE record before names another vcpu; CONTINUE:
                           no record of the scheduler; SILENT, END: the pcpu
                           may lose records from now on */
};

struct changes
{
    struct change *items;
    size_t nr, room;
    bool failed;        /* out of memory: some changes are missing ... */
    struct change missing;      /* ... and the last of them is stored here */
};

int changes_grow(struct changes *c);    /* 0 or -ENOMEM */

/* Append a change.  Without memory the caller fills in c->missing instead. */
static inline struct change *changes_add(struct changes *c)
{
    if ( c->nr == c->room && changes_grow(c) )
        return &c->missing;
    return &c->items[c->nr++];
}

#endif /* XENALYZE_MACHINE_CHANGE_H */
