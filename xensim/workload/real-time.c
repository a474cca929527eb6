/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real time: each pcpu's thread runs the events that are due and idles until
 * the next one. Devices are threads that raise interrupts and NMIs, hotplug
 * pcpus and shift clocks.
 */
#include "xensim/workload/workload-private.h"

#include "xensim/hypercall.h"
#include "xensim/workload/ground-truth.h"
#include "xensim/workload/guest.h"

#include <errno.h>
#include <stdlib.h>

#define ROUND_NS        2000000ull  /* minimum between two rounds ... */
#define ROUND_NS_PER_CPU 50000ull   /* ... as pcpus share the processors */
#define ROUND_EVENTS    64          /* limit per round: others want the lock */
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
        e->callback(p, e);
    }
    return true;
}

static uint64_t until_next(const struct sim_cpu *p)
{
    const struct event *e = heap_first(p->queue);
    uint64_t least = p->sim->config.cpus * ROUND_NS_PER_CPU;
    uint64_t now = xensim_hardware_cycles(), ns;

    if ( !e )
        return XENSIM_FOREVER;
    ns = e->at > now ? to_ns(p->sim, e->at - now) : 0;
    least = min_t(uint64_t, least, ROUND_NS);
    return max(ns, least);
}

uint64_t real_step(void *workload)
{
    struct sim *s = sim_of(workload);
    struct sim_cpu *p = &s->cpus[smp_processor_id()];
    uint64_t ns = XENSIM_FOREVER;

    ASSERT(smp_processor_id() < s->config.cpus);
    pthread_mutex_lock(&s->lock);
    if ( s->started && p->online )
    {
        if ( p->nr_deferred )
            truth_log_deferred(p);
        ns = play_due(p) ? 0 : until_next(p);
    }
    pthread_mutex_unlock(&s->lock);
    return ns;
}

/* ---- devices ---------------------------------------------------------- */

struct device
{
    pthread_t thread;
    struct sim *sim;
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

/* Raise both vectors on one pcpu: handlers nest. */
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

static void device_hotplug(struct device *d)
{
    unsigned int cpu = random_below(&d->random, nr_cpu_ids);

    if ( cpu_online(cpu) )
        hypercall_cpu_down(cpu);
    else
        hypercall_cpu_up(cpu);
}

static void jump_clock_here(void *sim)
{
    struct sim *s = sim;

    pthread_mutex_lock(&s->lock);
    clock_jump(this_sim_cpu());
    pthread_mutex_unlock(&s->lock);
}

static void device_jump_clock(struct device *d)
{
    xensim_call_on(random_below(&d->random, nr_cpu_ids), jump_clock_here,
                   d->sim);
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
    { hotplug_period, device_hotplug },
    { jump_period, device_jump_clock },
};

struct devices
{
    struct device all[ARRAY_SIZE(kinds)];
    unsigned int nr;            /* running devices */
    pthread_mutex_t lock;       /* protects stopping */
    pthread_cond_t wake;
    bool stopping;
};

/*
 * Sleep until a time of the monotonic clock. Return false if it is time to
 * stop.
 */
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

/*
 * Act after gaps of half to one and a half periods. A thread that is late
 * skips.
 */
static void *device_main(void *arg)
{
    struct device *d = arg;
    uint64_t period = d->kind->period(&d->sim->config);
    uint64_t at = get_s_time();

    ASSERT(period);
    for ( ; ; )
    {
        uint64_t now = get_s_time();

        at += random_around(&d->random, period);
        if ( at + 100 * period < now )
            at = now;
        if ( !sleep_until(d->sim->devices, at) )
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

int devices_start(struct sim *s)
{
    struct devices *all = make_devices();

    ASSERT(!s->devices);
    s->devices = all;
    if ( !all )
        return -ENOMEM;
    for ( size_t i = 0; i < ARRAY_SIZE(kinds); i++ )
    {
        struct device *d = &all->all[all->nr];

        ASSERT(all->nr <= i);
        if ( !kinds[i].period(&s->config) )
            continue;
        d->sim = s;
        d->kind = &kinds[i];
        d->random = random_stream(s->config.seed, ~(uint64_t)i);
        if ( pthread_create(&d->thread, NULL, device_main, d) )
        {
            devices_stop(s);
            return -EAGAIN;
        }
        all->nr++;
    }
    return 0;
}

void devices_stop(struct sim *s)
{
    struct devices *all = s->devices;

    if ( !all )
        return;
    pthread_mutex_lock(&all->lock);
    all->stopping = true;
    pthread_cond_broadcast(&all->wake);
    pthread_mutex_unlock(&all->lock);
    while ( all->nr )
        pthread_join(all->all[--all->nr].thread, NULL);
    free(all);
    s->devices = NULL;
}
