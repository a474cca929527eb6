/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scheduling, with the records in the order in which Xen's scheduler leaves
 * them: INFPREV, INFNEXT, SWITCH, the two runstate changes; and only then
 * does `current` change, as a LOST record names it.
 */
#include "xensim/workload/stage.h"
#include "xensim/workload/emit.h"

#define SLICE_NS        1000000     /* of a vcpu that competes */
#define GUEST_TEXT      0xffffffff81000000u

static uint32_t dom_of(const struct role *r)
{
    return r->vcpu->domain->domain_id;
}

/* Both in one word, as runstate records carry them. */
static uint32_t who(const struct role *r)
{
    return dom_of(r) << 16 | r->vcpu->vcpu_id;
}

static uint32_t ns_since(const struct role *r, uint64_t now)
{
    return (now - r->since) * 1e6 / xensim_cpu_khz();
}

static void change_state(struct player *p, struct role *r,
                         enum runstate state, uint64_t now)
{
    uint32_t event = TRC_SCHED_RUNSTATE_CHANGE | r->state << 8 | state << 4;

    EMIT(p, event, TRACE_1D(event, who(r)));
    r->state = state;
    r->since = now;
}

/* The next runnable one, round robin; else the idle vcpu. */
static unsigned int choose(const struct player *p)
{
    for ( unsigned int i = 0; i < NR_ROLES; i++ )
    {
        unsigned int next = (p->on_stage + i) % NR_ROLES;

        if ( next && p->roles[next].state == RUNNABLE )
            return next;
    }
    return 0;
}

void stage_switch(struct player *p, enum runstate becomes)
{
    struct role *prev = &p->roles[p->on_stage];
    struct role *next = &p->roles[choose(p)];
    uint64_t now = get_cycles();

    ASSERT(!p->in_guest && prev->state == RUNNING);
    if ( next == prev || (becomes == RUNNABLE && next == &p->roles[0]) )
    {
        EMIT(p, TRC_SCHED_CONTINUE_RUNNING,
             TRACE_1D(TRC_SCHED_CONTINUE_RUNNING, who(prev)));
        return;
    }

    EMIT(p, TRC_SCHED_SWITCH_INFPREV,
         TRACE_3D(TRC_SCHED_SWITCH_INFPREV, dom_of(prev),
                  prev->vcpu->vcpu_id, ns_since(prev, now)));
    EMIT(p, TRC_SCHED_SWITCH_INFNEXT,
         TRACE_4D(TRC_SCHED_SWITCH_INFNEXT, dom_of(next),
                  next->vcpu->vcpu_id, ns_since(next, now),
                  next == &p->roles[0] ? -1 : SLICE_NS));
    EMIT(p, TRC_SCHED_SWITCH,
         TRACE_4D(TRC_SCHED_SWITCH, dom_of(prev), prev->vcpu->vcpu_id,
                  dom_of(next), next->vcpu->vcpu_id));
    change_state(p, prev, becomes, now);
    change_state(p, next, RUNNING, now);
    p->on_stage = next - p->roles;
    set_current(next->vcpu);
}

bool stage_wake(struct player *p)
{
    unsigned int first = 1 + random_below(&p->random, NR_ROLES - 1);

    for ( unsigned int i = 0; i < NR_ROLES - 1; i++ )
    {
        struct role *r = &p->roles[1 + (first + i) % (NR_ROLES - 1)];

        if ( r->state != BLOCKED )
            continue;
        EMIT(p, TRC_SCHED_WAKE,
             TRACE_2D(TRC_SCHED_WAKE, dom_of(r), r->vcpu->vcpu_id));
        change_state(p, r, RUNNABLE, get_cycles());
        return true;
    }
    return false;
}

/*
 * Real Xen has interrupts off from the exit until after its record, and from
 * before the entry's record until the guest runs.  An NMI may come between;
 * it then finds the pcpu in Xen.
 */
void stage_exit(struct player *p, uint32_t reason)
{
    uint64_t rip = GUEST_TEXT | random_below(&p->irq_random, 1 << 20) << 2;
    unsigned long flags;

    local_irq_save(flags);
    p->in_guest = false;
    barrier();
    EMIT(p, TRC_HVM_VMEXIT64,
         TRACE_3D(TRC_HVM_VMEXIT64, reason, rip, rip >> 32));
    local_irq_restore(flags);
}

void stage_enter(struct player *p)
{
    unsigned long flags;

    local_irq_save(flags);
    EMIT(p, TRC_HVM_VMENTRY, TRACE_0D(TRC_HVM_VMENTRY));
    barrier();
    p->in_guest = true;
    local_irq_restore(flags);
}

void reset_stage(struct player *p)
{
    uint64_t now = get_cycles();

    for ( unsigned int i = 0; i < NR_ROLES; i++ )
    {
        p->roles[i].state = i ? BLOCKED : RUNNING;
        p->roles[i].since = now;
    }
    p->on_stage = 0;
    p->in_guest = p->asleep = false;
    set_current(p->roles[0].vcpu);
}
