/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A barrier for threads that wait for each other thousands of times a second.
 * A thread looks for the others for some microseconds before it sleeps: to wake
 * a sleeping thread can take longer than the wait, above all in a guest.
 */
#ifndef XENALYZE_ENGINE_BARRIER_H
#define XENALYZE_ENGINE_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

struct barrier
{
    unsigned int nr;            /* threads */
    atomic_uint arrived;
    atomic_uint round;          /* complete rounds */
    pthread_mutex_t lock;
    pthread_cond_t is_complete; /* a round is */
};

void barrier_init(struct barrier *b, unsigned int nr);
void barrier_fini(struct barrier *b);

/* Wait for all threads.  What they wrote before is visible afterwards. */
void barrier_wait(struct barrier *b);

#endif /* XENALYZE_ENGINE_BARRIER_H */
