/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real time: each pcpu's thread does what is due on it, and idles until the
 * next thing is.  The devices are threads that raise interrupts and NMIs,
 * plug pcpus and shift clocks.
 */
#include "xensim/workload/parts.h"

#include "xensim/hypercall.h"
#include "xensim/workload/guest.h"
#include "xensim/workload/tell.h"

#include <errno.h>
#include <stdlib.h>

#define ROUND_NS        2000000ull  /* between two rounds, at most ... */
#define ROUND_NS_PER_CPU 50000ull   /* ... as they share the processors */
#define ROUND_EVENTS    64          /* in a round; others want the lock */
#define STORM_TIMES     40

/* ---- pcpus ------------------------------------------------------------ */

static bool play_due(struct sim_cpu *p)
{
    for ( unsigned int i = 0; i < ROUND_EVENTS; i++ )
    {
        struct event *e = heap_first(p->queue);

        if ( !e || e->at > xensim_hardware_cycles() )
            return false;
        heap_drop(p->queue, e);
        e->happen(p, e);
    }
    return true;
}

static uint64_t until_next(const struct sim_cpu *p)
{
    const struct event *e = heap_first(p->queue);
    uint64_t least = p->world->config.cpus * ROUND_NS_PER_CPU;
    uint64_t now = xensim_hardware_cycles(), ns;

    if ( !e )
        return XENSIM_FOREVER;
    ns = e->at > now ? to_ns(p->world, e->at - now) : 0;
    least = min_t(uint64_t, least, ROUND_NS);
    return max(ns, least);
}

uint64_t real_step(void *workload)
{
    struct world *w = world_of(workload);
    struct sim_cpu *p = &w->cpus[smp_processor_id()];
    uint64_t ns = XENSIM_FOREVER;

    pthread_mutex_lock(&w->lock);
    if ( w->begun && p->online )
    {
        if ( p->nr_told )
            tell_told(p);
        ns = play_due(p) ? 0 : until_next(p);
    }
    pthread_mutex_unlock(&w->lock);
    return ns;
}

/* ---- devices ---------------------------------------------------------- */

struct device
{
    pthread_t thread;
    struct world *world;
    const struct device_kind *kind;
    struct random random;
};

static void raise_irq(struct device *d)
{
    xensim_raise(random_below(&d->random, nr_cpu_ids), XENSIM_IRQ);
}

static void raise_nmi(struct device *d)
{
    xensim_raise(random_below(&d->random, nr_cpu_ids), XENSIM_NMI);
}

/* Both, on one pcpu: they land in each other. */
static void raise_storm(struct device *d)
{
    unsigned int cpu = random_below(&d->random, nr_cpu_ids);

    for ( unsigned int i = 0; i < STORM_TIMES; i++ )
    {
        xensim_raise(cpu, XENSIM_IRQ);
        xensim_raise(cpu, XENSIM_NMI);
        sched_yield();
    }
}

static void plug(struct device *d)
{
    unsigned int cpu = random_below(&d->random, nr_cpu_ids);

    if ( cpu_online(cpu) )
        hypercall_cpu_down(cpu);
    else
        hypercall_cpu_up(cpu);
}

static void jump_here(void *world)
{
    struct world *w = world;

    pthread_mutex_lock(&w->lock);
    clock_jump(cpu_here());
    pthread_mutex_unlock(&w->lock);
}

static void jump(struct device *d)
{
    xensim_call_on(random_below(&d->random, nr_cpu_ids), jump_here,
                   d->world);
}

static uint64_t irq_period(const struct workload_config *c)
{
    return c->interrupts ? NS_PER_S / c->interrupts / c->cpus + 1 : 0;
}

static uint64_t nmi_period(const struct workload_config *c)
{
    return c->nmis ? NS_PER_S / c->nmis / c->cpus + 1 : 0;
}

static uint64_t storm_period(const struct workload_config *c)
{
    return c->storm;
}

static uint64_t hotplug_period(const struct workload_config *c)
{
    return c->cpus > 1 ? c->hotplug : 0;
}

static uint64_t jump_period(const struct workload_config *c)
{
    return c->jump;
}

static const struct device_kind
{
    uint64_t (*period)(const struct workload_config *c); /* ns; 0: absent */
    void (*act)(struct device *d);
} kinds[] = {
    { irq_period, raise_irq },
    { nmi_period, raise_nmi },
    { storm_period, raise_storm },
    { hotplug_period, plug },
    { jump_period, jump },
};

struct devices
{
    struct device all[ARRAY_SIZE(kinds)];
    unsigned int nr;            /* that run */
    pthread_mutex_t lock;       /* stopping */
    pthread_cond_t wake;
    bool stopping;
};

/* Sleep until a moment of the monotonic clock; false: it is over. */
static bool sleep_until(struct devices *all, uint64_t ns)
{
    struct timespec at = {
        .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S,
    };
    bool stopping;
    int rc = 0;

    pthread_mutex_lock(&all->lock);
    while ( !all->stopping && rc != ETIMEDOUT )
        rc = pthread_cond_timedwait(&all->wake, &all->lock, &at);
    stopping = all->stopping;
    pthread_mutex_unlock(&all->lock);
    return !stopping;
}

/* Gaps of half to one and a half periods.  Who falls behind skips. */
static void *device_main(void *arg)
{
    struct device *d = arg;
    uint64_t period = d->kind->period(&d->world->config);
    uint64_t at = get_s_time();

    for ( ; ; )
    {
        uint64_t now = get_s_time();

        at += random_around(&d->random, period);
        if ( at + 100 * period < now )
            at = now;
        if ( !sleep_until(d->world->devices, at) )
            return NULL;
        d->kind->act(d);
    }
}

static struct devices *make_devices(void)
{
    struct devices *all = calloc(1, sizeof(*all));
    pthread_condattr_t monotonic;

    if ( !all )
        return NULL;
    pthread_mutex_init(&all->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&all->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return all;
}

int devices_start(struct world *w)
{
    struct devices *all = make_devices();

    w->devices = all;
    if ( !all )
        return -ENOMEM;
    for ( size_t i = 0; i < ARRAY_SIZE(kinds); i++ )
    {
        struct device *d = &all->all[all->nr];

        if ( !kinds[i].period(&w->config) )
            continue;
        d->world = w;
        d->kind = &kinds[i];
        d->random = random_stream(w->config.seed, ~(uint64_t)i);
        if ( pthread_create(&d->thread, NULL, device_main, d) )
        {
            devices_stop(w);
            return -EAGAIN;
        }
        all->nr++;
    }
    return 0;
}

void devices_stop(struct world *w)
{
    struct devices *all = w->devices;

    if ( !all )
        return;
    pthread_mutex_lock(&all->lock);
    all->stopping = true;
    pthread_cond_broadcast(&all->wake);
    pthread_mutex_unlock(&all->lock);
    while ( all->nr )
        pthread_join(all->all[--all->nr].thread, NULL);
    free(all);
    w->devices = NULL;
}
