/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes: what a pcpu's records say that concerns others, too.  The machines
 * of the pcpus leave them in queues, one a pcpu; they are put in the order of
 * time and go to the machine of the world.
 */
#ifndef XENALYZE_MACHINE_CHANGE_H
#define XENALYZE_MACHINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xenalyze/model/model.h"

enum change_kind
{
    CHANGE_STATE,       /* vcpu: from state `old` to `new`, but: */
    CHANGE_ARRIVE,      /* ... from another than running, to that */
    CHANGE_LEAVE,       /* ... from running */
    CHANGE_WAKE,        /* ... from another than running to runnable; number:
                           when somebody began to wake it, or 0 */
    CHANGE_CONTINUE,    /* vcpu goes on to run */
    CHANGE_OUTSIDE,     /* vcpu blocks in the middle of the exit `data` */
    CHANGE_ENTRY,       /* it enters, which may end such an exit */
    CHANGE_EXIT,        /* it exits, so there was none to end */
    CHANGE_INJECT,      /* an interrupt, `number`, for vcpu */
    CHANGE_LOSS,        /* records get lost from here on */
    CHANGE_FOUND,       /* and here are some again: vcpu runs; number: lost */
    CHANGE_END,         /* the pcpu's last record */
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
};

struct changes
{
    struct change *items;
    size_t nr, room;
    bool failed;        /* no memory: some are missing ... */
    struct change missing;      /* ... of which this was the last */
};

int changes_grow(struct changes *c);    /* 0 or -ENOMEM */

/* Room for the next one; without memory it is lost. */
static inline struct change *changes_add(struct changes *c)
{
    if ( c->nr == c->room && changes_grow(c) )
        return &c->missing;
    return &c->items[c->nr++];
}

#endif /* XENALYZE_MACHINE_CHANGE_H */
