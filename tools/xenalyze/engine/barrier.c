/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xenalyze/engine/barrier.h"

#include <assert.h>

#include "common/compiler.h"

/* Looks before the sleep: 20 to 100 microseconds, by the processor. */
#define LOOKS 1500u

void barrier_init(struct barrier *b, unsigned int nr)
{
    assert(nr);
    *b = (struct barrier){ .nr = nr, .lock = PTHREAD_MUTEX_INITIALIZER,
                           .is_complete = PTHREAD_COND_INITIALIZER };
}

void barrier_fini(struct barrier *b)
{
    pthread_cond_destroy(&b->is_complete);
    pthread_mutex_destroy(&b->lock);
}

/* The last thread: let the others go. */
static void complete_round(struct barrier *b)
{
    atomic_store(&b->arrived, 0);
    pthread_mutex_lock(&b->lock);
    atomic_fetch_add(&b->round, 1);
    pthread_cond_broadcast(&b->is_complete);
    pthread_mutex_unlock(&b->lock);
}

static void sleep_for_round(struct barrier *b, unsigned int round)
{
    pthread_mutex_lock(&b->lock);
    while ( atomic_load(&b->round) == round )
        pthread_cond_wait(&b->is_complete, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

void barrier_wait(struct barrier *b)
{
    unsigned int round = atomic_load(&b->round), left = LOOKS;

    if ( atomic_fetch_add(&b->arrived, 1) + 1 == b->nr )
    {
        complete_round(b);
        return;
    }
    while ( left && atomic_load(&b->round) == round )
    {
        cpu_relax();
        left--;
    }
    if ( !left )
        sleep_for_round(b, round);
}
