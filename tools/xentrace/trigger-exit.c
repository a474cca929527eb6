/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit>TIME: the time from a VM exit to the next VM entry of the same pcpu, if
 * the pcpu runs the same vcpu all the time.  Changes of runstate show whether
 * another vcpu ran: without them, a preempted vcpu would look like a long exit.
 * Lost records may contain the entry or such a change.
 */
#include "xentrace/trigger-type.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xentrace/trigger-decode.h"

/* The state is the time stamp of each pcpu's open exit; 0: none is open. */
static void *exit_open(unsigned int nr_cpus)
{
    return fault_calloc(nr_cpus, sizeof(uint64_t));
}

static void exit_record(struct triggers *t, void *state, unsigned int cpu,
                        const struct xt_record *r, uint64_t tsc)
{
    uint64_t *since = (uint64_t *)state + cpu, lost;
    char what[48];

    assert(cpu < t->nr_cpus);
    if ( trigger_is_runstate(r) || trigger_is_loss(r, &lost) )
        *since = 0;
    if ( !trigger_is_entry_or_exit(r) )
        return;
    if ( trigger_is_vm_exit(r) )
        *since = tsc;
    else if ( *since )
    {
        snprintf(what, sizeof(what), "a VM exit on pcpu %u lasted", cpu);
        trigger_fire_if_too_long(t, trigger_exit(), *since, tsc, what);
        *since = 0;
    }
}

const struct trigger_type *trigger_exit(void)
{
    static const struct trigger_type type = {
        .word = "exit>",
        .syntax = "exit>TIME",
        .help = "a VM exit lasted longer than TIME on its pcpu",
        .example = "exit>5ms",
        .events = { TRC_HVM_VMEXIT, TRC_SCHED_MIN },
        .compares_time = true,
        .parse = trigger_parse_time,
        .open = exit_open,
        .close = free,
        .record = exit_record,
    };

    return &type;
}
