/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stop_machine: makes it safe in Xen to access another CPU's data outside of
 * interrupts after a check that the CPU is online. Before a CPU goes offline,
 * each other CPU waits between two loop iterations, where no such reference is
 * held; when they continue, the CPU is offline.
 *
 *   caller       posts calls ...................... runs fn ... opens the gate
 *   each other   ... ends its iteration, arrives, waits .......... continues
 *
 * A waiting pcpu takes interrupts (Xen's have them off): a thread that is no
 * pcpu may be in a cross-call, and the victim has to wait for the end of that
 * call.
 */
#include "xensim/runtime/pcpu-thread.h"

#include <stdlib.h>

static struct
{
    pthread_mutex_t lock;   /* protects all fields below */
    pthread_cond_t changed;
    unsigned int arrived;
    bool open;
} gate = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
};

static void wait_at_gate(void *unused)
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

static void wait_for_arrivals(unsigned int nr)
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

    ASSERT(victim != smp_processor_id());
    BUG_ON(!calls);
    close_gate();
    for_each_online_cpu ( cpu )
    {
        if ( cpu == smp_processor_id() || cpu == victim )
            continue;
        calls[cpu].fn = wait_at_gate;
        BUG_ON(call_post(pcpu_of(cpu), &calls[cpu]));
        asked++;
    }
    wait_for_arrivals(asked);
    fn(arg);
    open_gate();
    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        if ( calls[cpu].fn )
            call_wait(pcpu_of(cpu), &calls[cpu]);
    free(calls);
}
