/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scheduling. scheduler.c does what all schedulers share: runstates, and the
 * records of a context switch in Xen's order:
 *
 *     the scheduler's records (SCHEDULE ... RUNQ_CANDIDATE)
 *     SWITCH_INFPREV, SWITCH_INFNEXT, SWITCH
 *     runstate of the previous vcpu, runstate of the next
 *     the scheduler's records about the previous vcpu
 *
 * A scheduler is a table of callbacks. Their `p` is the current pcpu, which
 * gets their records.
 */
#ifndef XENSIM_SCHEDULER_H
#define XENSIM_SCHEDULER_H

#include "xensim/workload/sim.h"

struct scheduler
{
    bool queues_shared;     /* shared run queues, or one per pcpu */
    /* A vcpu is created or destroyed. */
    void (*add)(struct sim_cpu *p, struct sim_vcpu *v);
    void (*remove)(struct sim_cpu *p, struct sim_vcpu *v);
    /* The weight of the vcpu's domain has changed. */
    void (*reweigh)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Choose a permitted pcpu for a vcpu that does not run. */
    void (*choose_cpu)(struct sim_cpu *p, struct sim_vcpu *v);
    /* The vcpu has become runnable; it no longer is, and does not run. */
    void (*wake)(struct sim_cpu *p, struct sim_vcpu *v);
    void (*sleep)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Choose the vcpu to run on p, and its time slice in ns; -1: no limit. */
    struct sim_vcpu *(*pick)(struct sim_cpu *p, int64_t *slice);
    /* The vcpu has been descheduled, and its context saved. */
    void (*context_saved)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Pcpu p goes offline and runs its idle vcpu; or p has come online. */
    void (*leave)(struct sim_cpu *p);
    void (*arrive)(struct sim_cpu *p);
};

const struct scheduler *sched_credit2(void);
const struct scheduler *sched_null(void);

/* Choose and switch to the next vcpu of p, now. */
void pcpu_schedule(struct sim_cpu *p);

/* Request scheduling on a pcpu; the current one schedules in leave_xen(). */
void request_schedule(struct sim_cpu *p, struct sim_cpu *target);

void vcpu_wake(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by,
               const struct sim_vcpu *waker);
/* Block the current vcpu of p until an event. */
void vcpu_block(struct sim_cpu *p);
/* Let the current vcpu of p wait for the device model. */
void vcpu_wait_in_xen(struct sim_cpu *p);
void vcpu_yield(struct sim_cpu *p);
/* Forbid a vcpu to run. Calls nest. */
void vcpu_pause(struct sim_cpu *p, struct sim_vcpu *v);
void vcpu_unpause(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by);

/* Move a vcpu after a change of its permitted pcpus. */
void vcpu_repin(struct sim_cpu *p, struct sim_vcpu *v);

bool is_runnable(const struct sim_vcpu *v);

/* Record the vcpu's new pcpu. */
void vcpu_set_cpu(struct sim_cpu *p, struct sim_vcpu *v, struct sim_cpu *to);

/* Account the time until now as computing. */
void account_work(struct sim_cpu *p, struct sim_vcpu *v);

static inline void runq_lock(struct sim_cpu *p, const struct runq *q)
{
    if ( p->now < q->free_at )
        p->now = q->free_at;
}

static inline void runq_unlock(const struct sim_cpu *p, struct runq *q)
{
    q->free_at = p->now;
}

static inline uint64_t ns_since(const struct sim_cpu *p, uint64_t at)
{
    uint64_t now = true_now(p);

    return now > at ? to_ns(p->sim, now - at) : 0;
}

#endif /* XENSIM_SCHEDULER_H */
