/* SPDX-License-Identifier: GPL-2.0-only */
/* Function calls to a pcpu of a threaded machine, run outside of interrupts. */
#include "xensim/runtime/pcpu-thread.h"

/* Queue a call. The struct has to stay in place until call_wait() returns. */
int call_post(struct pcpu *p, struct call *call)
{
    struct call **last = &p->calls;
    int rc = 0;

    ASSERT(call->fn && !call->done);
    pthread_mutex_lock(&p->lock);
    if ( p->online && !p->stopping )
    {
        while ( *last )
            last = &(*last)->next;
        *last = call;
        pcpu_kick(p);
    }
    else
        rc = -ENODEV;
    pthread_mutex_unlock(&p->lock);
    return rc;
}

void call_wait(struct pcpu *p, struct call *call)
{
    pthread_mutex_lock(&p->lock);
    while ( !call->done )
        pcpu_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/*
 * Remove the oldest call from the list. NULL: the list is empty, and *stopping
 * says whether to stop.
 */
static struct call *next_call(struct pcpu *p, bool *stopping)
{
    struct call *call;

    pthread_mutex_lock(&p->lock);
    call = p->calls;
    if ( call )
        p->calls = call->next;
    *stopping = p->stopping;
    pthread_mutex_unlock(&p->lock);
    return call;
}

static void finish_call(struct pcpu *p, struct call *call)
{
    ASSERT(!call->done);
    pthread_mutex_lock(&p->lock);
    call->done = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

bool calls_serve(struct pcpu *p)
{
    struct call *call;
    bool stopping;

    while ( (call = next_call(p, &stopping)) != NULL )
    {
        call->fn(call->arg);
        finish_call(p, call);
    }
    return !stopping;
}
