/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pcpu of a threaded machine: data shared by its thread and others.
 *
 * `lock` protects the lifecycle and the list of calls. The pcpu's own thread
 * takes the lock between loop iterations only, never in a signal handler. Lock
 * order: smp_hold_cpus(), then a pcpu's lock.
 */
#ifndef XENSIM_PCPU_THREAD_H
#define XENSIM_PCPU_THREAD_H

#include <pthread.h>
#include <semaphore.h>

#include "xensim/runtime/machine.h"

/* A function to run on a pcpu; the struct belongs to the waiting caller. */
struct call
{
    void (*fn)(void *arg);
    void *arg;
    bool done;
    struct call *next;
};

struct pcpu
{
    unsigned int cpu;
    pthread_mutex_t lock;
    pthread_cond_t changed;     /* signals a change of the fields below */
    pthread_t thread;           /* while online */
    bool online;                /* takes calls and signals */
    bool stopping;
    struct call *calls;         /* the oldest first */

    sem_t wake;                 /* posted once for each `kicked` */
    bool kicked;
    bool raised[XENSIM_NR_VECTORS]; /* raised, not yet handled */
};

struct pcpu *pcpu_of(unsigned int cpu);
void pcpu_kick(struct pcpu *p);

/* pthread_cond_wait() for threads that have to take signals meanwhile. */
void pcpu_wait(pthread_cond_t *cond, pthread_mutex_t *lock);

/* pcpu-calls.c: queue a call; wait for its end; run the queued calls. */
int call_post(struct pcpu *p, struct call *call);
void call_wait(struct pcpu *p, struct call *call);
bool calls_serve(struct pcpu *p); /* false: time to stop */

/*
 * stop-machine.c: run `fn(arg)` here while every pcpu but this one and
 * `victim` waits between two loop iterations.
 */
void stop_machine(unsigned int victim, void (*fn)(void *arg), void *arg);

#endif /* XENSIM_PCPU_THREAD_H */
