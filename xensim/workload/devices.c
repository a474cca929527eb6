/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens to pcpus from outside: interrupts, NMIs, and pcpus that are
 * taken away and brought back.  Each kind is one thread that picks a pcpu
 * and a moment at random.
 */
#include "xensim/workload/player.h"
#include "xensim/hypercall.h"

#include <errno.h>

#define NS_PER_S 1000000000ull

static void raise_irq(struct device *d)
{
    xensim_raise(random_below(&d->random, nr_cpu_ids), XENSIM_IRQ);
}

static void raise_nmi(struct device *d)
{
    xensim_raise(random_below(&d->random, nr_cpu_ids), XENSIM_NMI);
}

static void plug(struct device *d)
{
    unsigned int cpu = random_below(&d->random, nr_cpu_ids);

    if ( cpu_online(cpu) )
        hypercall_cpu_down(cpu);
    else
        hypercall_cpu_up(cpu);
}

static uint64_t irq_period(const struct workload_config *c)
{
    return c->interrupts ? NS_PER_S / c->interrupts / c->cpus + 1 : 0;
}

static uint64_t nmi_period(const struct workload_config *c)
{
    return c->nmis ? NS_PER_S / c->nmis / c->cpus + 1 : 0;
}

static uint64_t hotplug_period(const struct workload_config *c)
{
    return c->cpus > 1 ? c->hotplug_ns : 0;
}

static const struct device_kind
{
    uint64_t (*period)(const struct workload_config *c); /* ns; 0: absent */
    void (*act)(struct device *d);
} kinds[NR_DEVICES] = {
    { irq_period, raise_irq },
    { nmi_period, raise_nmi },
    { hotplug_period, plug },
};

/* Sleep until a moment of the monotonic clock; false: it is over. */
static bool sleep_until(struct workload *w, uint64_t ns)
{
    struct timespec at = {
        .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S,
    };
    bool stopping;
    int rc = 0;

    pthread_mutex_lock(&w->lock);
    while ( !w->stopping && rc != ETIMEDOUT )
        rc = pthread_cond_timedwait(&w->wake, &w->lock, &at);
    stopping = w->stopping;
    pthread_mutex_unlock(&w->lock);
    return !stopping;
}

/* Gaps of half to one and a half periods.  Who falls behind skips. */
static void *device_main(void *arg)
{
    struct device *d = arg;
    uint64_t period = d->kind->period(&d->workload->config);
    uint64_t at = get_s_time();

    for ( ; ; )
    {
        uint64_t now = get_s_time();

        at += period / 2 + random_next(&d->random) % period;
        if ( at + 100 * period < now )
            at = now;
        if ( !sleep_until(d->workload, at) )
            return NULL;
        d->kind->act(d);
    }
}

int workload_start_devices(struct workload *w)
{
    ASSERT(!w->nr_devices);
    for ( size_t i = 0; i < NR_DEVICES; i++ )
    {
        struct device *d = &w->devices[w->nr_devices];

        if ( !kinds[i].period(&w->config) )
            continue;
        d->workload = w;
        d->kind = &kinds[i];
        d->random = random_stream(w->config.seed, ~(uint64_t)i);
        if ( pthread_create(&d->thread, NULL, device_main, d) )
        {
            workload_stop_devices(w);
            return -EAGAIN;
        }
        w->nr_devices++;
    }
    return 0;
}

void workload_stop_devices(struct workload *w)
{
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    while ( w->nr_devices )
        pthread_join(w->devices[--w->nr_devices].thread, NULL);
}
