/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pcpu of a threaded machine: what its thread and the others share.
 *
 * `lock` protects its life and the calls that it has been asked for.  Its
 * own thread takes it between rounds only, never in a signal handler.
 * Order: smp_hold_cpus(), then a pcpu's lock.
 */
#ifndef XENSIM_PCPU_H
#define XENSIM_PCPU_H

#include <pthread.h>
#include <semaphore.h>

#include "xensim/runtime/machine.h"

/* Somebody's wish that fn runs on a pcpu; lives with the one who wishes. */
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
    pthread_cond_t changed;     /* something below did */
    pthread_t thread;           /* while online */
    bool online;                /* takes calls and signals */
    bool stopping;
    struct call *calls;         /* the oldest first */

    sem_t wake;                 /* posted once for each `kicked` */
    bool kicked;
    bool raised[XENSIM_NR_VECTORS]; /* on the wire, not yet handled */
};

struct pcpu *pcpu_of(unsigned int cpu);
void pcpu_kick(struct pcpu *p);

/* pthread_cond_wait() for those whom a signal must still reach meanwhile. */
void pcpu_wait(pthread_cond_t *cond, pthread_mutex_t *lock);

/* calls.c: ask; wait for it; and, between rounds, do what others asked. */
int call_post(struct pcpu *p, struct call *call);
void call_wait(struct pcpu *p, struct call *call);
bool calls_serve(struct pcpu *p); /* false: it is time to stop */

/*
 * stop.c: run `fn(arg)` here while every pcpu but this one and `victim`
 * stands still between two of its rounds.
 */
void stop_machine(unsigned int victim, void (*fn)(void *arg), void *arg);

#endif /* XENSIM_PCPU_H */
