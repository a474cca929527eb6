/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scheduling.  sched.c does what is the same whichever scheduler decides:
 * runstates, and the records of a switch in Xen's order:
 *
 *     the scheduler's own (SCHEDULE ... RUNQ_CANDIDATE)
 *     SWITCH_INFPREV, SWITCH_INFNEXT, SWITCH
 *     runstate of the one, runstate of the other
 *     the scheduler's own, about the one that left
 *
 * A scheduler is a table of functions.  In each of them `p` is the pcpu that
 * does it, and its records are left there.
 */
#ifndef XENSIM_SCHED_H
#define XENSIM_SCHED_H

#include "xensim/workload/world.h"

struct scheduler
{
    bool queues_shared;     /* pcpus share run queues, or each has its own */
    /* A vcpu comes into being, or ceases to be. */
    void (*add)(struct sim_cpu *p, struct sim_vcpu *v);
    void (*remove)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Its domain has another weight. */
    void (*reweigh)(struct sim_cpu *p, struct sim_vcpu *v);
    /* It runs nowhere: choose a place where it may. */
    void (*replace)(struct sim_cpu *p, struct sim_vcpu *v);
    /* It can run; it no longer can, and runs nowhere. */
    void (*wake)(struct sim_cpu *p, struct sim_vcpu *v);
    void (*sleep)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Who runs next on p, and for how many ns at most; -1: no limit. */
    struct sim_vcpu *(*pick)(struct sim_cpu *p, int64_t *slice);
    /* It has been taken off p. */
    void (*saved)(struct sim_cpu *p, struct sim_vcpu *v);
    /* A pcpu goes: p, which runs its idle vcpu.  Or it has come. */
    void (*leave)(struct sim_cpu *p);
    void (*arrive)(struct sim_cpu *p);
};

const struct scheduler *sched_credit2(void);
const struct scheduler *sched_null(void);

/* Let p choose anew, now. */
void schedule(struct sim_cpu *p);

/* Ask a pcpu to; whoever asks himself is answered when he leaves Xen. */
void ask_to_schedule(struct sim_cpu *p, struct sim_cpu *target);

void wake(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by,
          const struct sim_vcpu *waker);
/* The one that is running here waits for an event. */
void block(struct sim_cpu *p);
/* The one that is running here waits for the device model. */
void wait_in_xen(struct sim_cpu *p);
void yield(struct sim_cpu *p);
/* From now on it may not run; once for each. */
void pause_vcpu(struct sim_cpu *p, struct sim_vcpu *v);
void unpause_vcpu(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by);

/* Its domain may run elsewhere now: take it off, and let it find a place. */
void replace(struct sim_cpu *p, struct sim_vcpu *v);

bool is_runnable(const struct sim_vcpu *v);

/* Note that it is somewhere else now. */
void moved(struct sim_cpu *p, struct sim_vcpu *v, struct sim_cpu *to);

/* The time until now was spent computing. */
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

    return now > at ? to_ns(p->world, now - at) : 0;
}

#endif /* XENSIM_SCHED_H */
