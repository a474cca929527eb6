/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stop_machine: what makes it safe in Xen to look at another CPU's data
 * outside of interrupts after having seen it online.  A CPU that goes waits
 * until each of the others is between two rounds, where nobody holds such a
 * view; when they go on, it is offline.
 *
 *   caller       asks all ......................... runs fn ... opens the gate
 *   each other   ... its round ends, arrives, stands still ........ goes on
 *
 * Who stands still has its interrupts open (Xen's are off): a thread that is
 * no pcpu may be in a cross-call, and the victim must wait for that.
 */
#include "xensim/runtime/pcpu.h"

#include <stdlib.h>

static struct
{
    pthread_mutex_t lock;   /* all below */
    pthread_cond_t changed;
    unsigned int arrived;
    bool open;
} gate = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
};

static void stand_still(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&gate.lock);
    gate.arrived++;
    pthread_cond_broadcast(&gate.changed);
    while ( !gate.open )
        pcpu_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
}

static void close_gate(void)
{
    pthread_mutex_lock(&gate.lock);
    gate.arrived = 0;
    gate.open = false;
    pthread_mutex_unlock(&gate.lock);
}

static void await(unsigned int nr)
{
    pthread_mutex_lock(&gate.lock);
    while ( gate.arrived < nr )
        pcpu_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
}

static void open_gate(void)
{
    pthread_mutex_lock(&gate.lock);
    gate.open = true;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
}

void stop_machine(unsigned int victim, void (*fn)(void *arg), void *arg)
{
    struct call *calls = calloc(nr_cpu_ids, sizeof(*calls));
    unsigned int asked = 0, cpu;

    BUG_ON(!calls);
    close_gate();
    for_each_online_cpu ( cpu )
    {
        if ( cpu == smp_processor_id() || cpu == victim )
            continue;
        calls[cpu].fn = stand_still;
        BUG_ON(call_post(pcpu_of(cpu), &calls[cpu]));
        asked++;
    }
    await(asked);
    fn(arg);
    open_gate();
    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        if ( calls[cpu].fn )
            call_wait(pcpu_of(cpu), &calls[cpu]);
    free(calls);
}
