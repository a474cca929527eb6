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

/* The state is an array of these. */
struct pcpu
{
    uint64_t since;             /* time stamp of the open exit; 0: none */
    uint32_t vcpu;              /* the current one ... */
    bool vcpu_is_known;         /* ... if its start was traced */
};

static void *exit_open(unsigned int nr_cpus)
{
    return fault_calloc(nr_cpus, sizeof(struct pcpu));
}

/* Does the pcpu start or stop running a vcpu?  Others may wake meanwhile. */
static bool is_switch(const struct xt_record *r)
{
    const unsigned int running = XT_VALUE(runstate, running);

    return trigger_is_runstate(r) &&
           (xt_id_sched_runstate_change_from(r->event) == running ||
            xt_id_sched_runstate_change_to(r->event) == running);
}

static void note_switch(struct pcpu *p, const struct xt_record *r)
{
    p->since = 0;
    p->vcpu_is_known = r->words &&
                       xt_id_sched_runstate_change_to(r->event) ==
                       XT_VALUE(runstate, running);
    p->vcpu = p->vcpu_is_known ? trigger_vcpu_id(r) : TRIGGER_NO_VCPU;
}

/* The entry that ends the open exit. */
static void check_exit(struct triggers *t, const struct pcpu *p,
                       unsigned int cpu, uint64_t tsc)
{
    char what[48];

    snprintf(what, sizeof(what), "a VM exit %son pcpu %u lasted",
             p->vcpu_is_known ? "of " TRIGGER_VCPU " " : "", cpu);
    trigger_fire_if_too_long(t, trigger_exit(), p->since, tsc, p->vcpu, what);
}

static void exit_record(struct triggers *t, void *state, unsigned int cpu,
                        const struct xt_record *r, uint64_t tsc)
{
    struct pcpu *p = (struct pcpu *)state + cpu;
    uint64_t lost;

    assert(cpu < t->nr_cpus);
    if ( is_switch(r) )
        note_switch(p, r);
    else if ( trigger_is_loss(r, &lost) )
        *p = (struct pcpu){ .since = 0 };
    else if ( trigger_is_entry_or_exit(r) )
    {
        if ( p->since && !trigger_is_vm_exit(r) )
            check_exit(t, p, cpu, tsc);
        p->since = trigger_is_vm_exit(r) ? tsc : 0;
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
