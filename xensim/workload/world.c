/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building the world, and what in it both clocks share: where events go, who
 * is here, pcpus that come and go.
 */
#include "xensim/workload/world.h"

#include "xensim/workload/guest.h"
#include "xensim/workload/parts.h"
#include "xensim/workload/sched.h"
#include "xensim/workload/tell.h"

#include <errno.h>
#include <stdlib.h>

#define VIRTUAL_KHZ 2400000     /* what stock's xenalyze takes for granted */
#define VIRTUAL_START (1ull << 40)

struct workload
{
    struct world world;
};

/* One process has one machine, and a machine one workload. */
static struct world *the_world;

struct world *world_of(struct workload *w)
{
    return &w->world;
}

const struct world *world_of_const(const struct workload *w)
{
    return &w->world;
}

struct sim_cpu *cpu_here(void)
{
    return &the_world->cpus[smp_processor_id()];
}

/* ---- events ----------------------------------------------------------- */

/* In real time a pcpu must not oversleep what others have put in for it. */
void event_at(struct sim_cpu *p, struct event *e, uint64_t at)
{
    if ( e->place && e->cpu != p->id )
        event_drop(p->world, e);
    e->cpu = p->id;
    heap_put(p->queue, e, at);
    if ( !p->world->config.virtual_time && smp_processor_id() != p->id )
        xensim_kick(p->id);
}

void event_drop(struct world *w, struct event *e)
{
    if ( e->place )
        heap_drop(w->cpus[e->cpu].queue, e);
}

static void resched(struct sim_cpu *p, struct event *e)
{
    bool timer = e == &p->slice;

    enter_xen(p, timer ? TIMER_VECTOR : IPI_VECTOR);
    if ( timer )
        set_speed(p);
    p->need_resched = true;
    leave_xen(p);
}

/* ---- construction ----------------------------------------------------- */

static void make_cpu(struct world *w, unsigned int cpu)
{
    struct sim_cpu *p = &w->cpus[cpu];
    unsigned int share = w->scheduler->queues_shared ? w->config.runq_cpus : 1;

    p->id = cpu;
    p->world = w;
    p->queue = w->config.virtual_time ? &w->heap : &w->heaps[cpu];
    p->runq = &w->runqs[cpu / share];
    p->idle = (struct sim_vcpu){ .id = cpu, .cpu = p, .runq = p->runq,
                                 .work.left = UINT64_MAX };
    p->runs = &p->idle;
    p->step.happen = guest_step;
    p->slice.happen = p->softirq.happen = resched;
    p->device.happen = device_done;
    p->ios_end = &p->ios;
    p->guess = 100;
    p->mhz = 2400;
    p->per_phrase = 4 * PHRASE_ONE;
    p->random = random_stream(w->config.seed, 2ull * cpu + (1ull << 40));
    p->irq_random = random_stream(w->config.seed, 2ull * cpu + 1 +
                                                  (1ull << 40));
}

static void make_runqs(struct world *w)
{
    unsigned int share = w->scheduler->queues_shared ? w->config.runq_cpus : 1;

    for ( unsigned int i = 0; i < w->nr_runqs; i++ )
        w->runqs[i] = (struct runq){
            .id = i, .first = i * share, .max_weight = 1,
            .last = min((i + 1) * share, w->config.cpus) - 1,
        };
}

static int make_dom(struct world *w, struct sim_dom *d,
                    const struct domain_order *o, unsigned int copy)
{
    d->order = o;
    d->kind = o->kind;
    d->copy = copy;
    d->nr = o->vcpus;
    d->plan.happen = life_plan;
    d->vcpus = calloc(o->vcpus, sizeof(*d->vcpus));
    if ( !d->vcpus )
        return -ENOMEM;
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        struct sim_vcpu *v = &d->vcpus[i];

        v->dom = d;
        v->id = i;
        v->cpu = &w->cpus[0];
        v->tickled = -1;
        v->timer.happen = guest_timer;
        v->inbox_end = &v->inbox;
    }
    return 0;
}

static int make_doms(struct world *w)
{
    const struct workload_config *c = &w->config;
    int rc = 0;

    for ( unsigned int i = 0; i < c->nr_orders && !rc; i++ )
        for ( unsigned int k = 0; k < c->orders[i].copies && !rc; k++ )
            rc = make_dom(w, &w->doms[w->nr_doms++], &c->orders[i], k);
    return rc;
}

/* An event of each kind at most for each pcpu, domain and vcpu. */
static unsigned int count_events(const struct workload_config *c,
                                 unsigned int *nr_doms)
{
    unsigned int nr = 8 * c->cpus + 8;

    *nr_doms = 0;
    for ( unsigned int i = 0; i < c->nr_orders; i++ )
    {
        *nr_doms += c->orders[i].copies;
        nr += c->orders[i].copies * (1 + c->orders[i].vcpus);
    }
    return nr;
}

static int make_heaps(struct world *w, unsigned int nr_events)
{
    int rc = 0;

    if ( w->config.virtual_time )
        return heap_reserve(&w->heap, nr_events);
    w->heaps = calloc(w->config.cpus, sizeof(*w->heaps));
    if ( !w->heaps )
        return -ENOMEM;
    /* Any vcpu's timer may be on any pcpu; memory is given as it is used. */
    for ( unsigned int cpu = 0; cpu < w->config.cpus && !rc; cpu++ )
        rc = heap_reserve(&w->heaps[cpu], nr_events);
    return rc;
}

static int make_world(struct world *w)
{
    const struct workload_config *c = &w->config;
    unsigned int nr_doms, share, nr = count_events(c, &nr_doms);

    w->scheduler = c->scheduler == SIM_NULL ? sched_null()
                                             : sched_credit2();
    share = w->scheduler->queues_shared ? c->runq_cpus : 1;
    w->nr_runqs = (c->cpus + share - 1) / share;
    w->runqs = calloc(w->nr_runqs, sizeof(*w->runqs));
    w->doms = calloc(nr_doms, sizeof(*w->doms));
    if ( posix_memalign((void **)&w->cpus, _Alignof(struct sim_cpu),
                        c->cpus * sizeof(*w->cpus)) )
        w->cpus = NULL;
    if ( !w->runqs || !w->doms || !w->cpus || make_heaps(w, nr) )
        return -ENOMEM;
    memset(w->cpus, 0, c->cpus * sizeof(*w->cpus));
    make_runqs(w);
    for ( unsigned int cpu = 0; cpu < c->cpus; cpu++ )
        make_cpu(w, cpu);
    return make_doms(w);
}

int workload_new(struct workload **wp, const struct workload_config *config,
                 struct err *e)
{
    struct workload *workload = calloc(1, sizeof(*workload));
    struct world *w = &workload->world;

    *wp = workload;
    if ( !workload )
        return err_set(e, -ENOMEM, "no memory");
    w->config = *config;
    w->truth.file = config->truth;
    w->random = random_stream(config->seed, 0);
    pthread_mutex_init(&w->lock, NULL);
    the_world = w;
    if ( make_world(w) )
    {
        workload_free(workload);
        *wp = NULL;
        return err_set(e, -ENOMEM, "no memory for %u pcpus", config->cpus);
    }
    return 0;
}

void workload_free(struct workload *workload)
{
    struct world *w;

    if ( !workload )
        return;
    w = &workload->world;
    for ( unsigned int i = 0; i < w->nr_doms; i++ )
        free(w->doms[i].vcpus);
    for ( unsigned int cpu = 0; w->heaps && cpu < w->config.cpus; cpu++ )
        heap_fini(&w->heaps[cpu]);
    free(w->heaps);
    heap_fini(&w->heap);
    free(w->doms);
    free(w->runqs);
    free(w->cpus);
    the_world = NULL;
    free(workload);
}

/* ---- clocks ----------------------------------------------------------- */

static int64_t signed_below(struct random *r, int64_t most)
{
    return most ? (int64_t)(random_next(r) % (2 * most + 1)) - most : 0;
}

void clock_jump(struct sim_cpu *p)
{
    struct world *w = p->world;

    p->clock.offset += signed_below(&w->random,
                                    to_cycles(w, w->config.skew));
    tell_clock(p);
}

/* Each on its own pcpu, which may be reading it. */
static void set_clock_of(struct sim_cpu *p)
{
    struct world *w = p->world;

    p->clock = (struct shown_clock){
        .from = w->start,
        .offset = signed_below(&w->random, to_cycles(w, w->config.skew)),
        .drift = signed_below(&w->random, w->config.drift),
    };
}

static void set_clock_here(void *unused)
{
    (void)unused;
    set_clock_of(cpu_here());
}

static void set_clocks(struct world *w)
{
    if ( !w->config.virtual_time )
    {
        w->khz = xensim_cpu_khz();
        w->start = xensim_hardware_cycles();
    }
    for ( unsigned int cpu = 0; cpu < w->config.cpus; cpu++ )
        if ( xensim_call_on(cpu, set_clock_here, NULL) )
            set_clock_of(&w->cpus[cpu]); /* it is offline */
}

static cycles_t virtual_cycles(void)
{
    const struct sim_cpu *p = cpu_here();

    return clock_shows(&p->clock, p->now);
}

/* Leaves the stamp, so that the truth has what the record has. */
static cycles_t real_cycles(void)
{
    uint64_t now = xensim_hardware_cycles();
    struct sim_cpu *p;

    if ( smp_processor_id() == XENSIM_NO_CPU )
        return now;
    p = cpu_here();
    p->stamp = now;
    return clock_shows(&p->clock, now);
}

/* Before any pcpu reads it. */
void workload_clock(struct workload *workload)
{
    struct world *w = &workload->world;

    w->khz = w->config.virtual_time ? VIRTUAL_KHZ : 0;
    w->start = w->now = VIRTUAL_START;
    for ( unsigned int cpu = 0; cpu < w->config.cpus; cpu++ )
        w->cpus[cpu].now = w->start;
    xensim_set_clock(w->config.virtual_time ? virtual_cycles : real_cycles,
                     w->khz);
}

/* ---- pcpus come and go ------------------------------------------------ */

/* On the pcpu: it is there again, idle. */
static void cpu_arrive(struct sim_cpu *p)
{
    p->now = max(p->now, p->world->now);
    p->online = true;
    p->runs = &p->idle;
    p->idle.xen = current;
    p->idle.state = RUNNING;
    p->idle.since = true_now(p);
    tell_cpu(p, "up");
    if ( p->world->config.virtual_time )
        noise_arm(p);
    p->world->scheduler->arrive(p);
    leave_xen(p);
}

/* What it was to do happens elsewhere: an I/O's interrupt on pcpu 0. */
static void hand_over(struct sim_cpu *p)
{
    struct sim_cpu *to = &p->world->cpus[0];

    event_drop(p->world, &p->step);
    event_drop(p->world, &p->slice);
    event_drop(p->world, &p->softirq);
    event_drop(p->world, &p->noise);
    event_drop(p->world, &p->nmi);
    if ( !p->ios )
        return;
    event_drop(p->world, &p->device);
    *to->ios_end = p->ios;
    to->ios_end = p->ios_end;
    p->ios = NULL;
    p->ios_end = &p->ios;
    event_at(to, &to->device, true_now(p));
}

static void move_timers(struct sim_cpu *p)
{
    struct world *w = p->world;

    for ( unsigned int i = 0; i < w->nr_doms; i++ )
        for ( unsigned int k = 0; w->doms[i].alive && k < w->doms[i].nr; k++ )
            if ( w->doms[i].vcpus[k].cpu == p )
                moved(p, &w->doms[i].vcpus[k], &w->cpus[0]);
}

/* On the pcpu: it stops running vcpus, and goes. */
static void cpu_leave(struct sim_cpu *p)
{
    p->now = max(p->now, p->world->now);
    enter_xen(p, IPI_VECTOR);
    p->online = false;
    if ( !is_idle(p->runs) )
        schedule(p);
    ASSERT(is_idle(p->runs));
    p->world->scheduler->leave(p);
    move_timers(p);
    hand_over(p);
    tell_cpu(p, "down");
    tell_gone(p, &p->idle);
}

static void come(void *world)
{
    struct world *w = world;

    pthread_mutex_lock(&w->lock);
    cpu_arrive(cpu_here());
    pthread_mutex_unlock(&w->lock);
}

static void go(void *world)
{
    struct world *w = world;

    pthread_mutex_lock(&w->lock);
    cpu_leave(cpu_here());
    pthread_mutex_unlock(&w->lock);
}

/* A tool may plug pcpus, too: so it is here that the world hears of it. */
static int notified(struct notifier_block *nb, unsigned long action,
                    void *hcpu)
{
    struct world *w = container_of(nb, struct world, notifier);
    unsigned int cpu = (unsigned long)hcpu;

    if ( action == CPU_DOWN_PREPARE )
        xensim_call_on(cpu, go, w);
    else if ( action == CPU_ONLINE || action == CPU_DOWN_FAILED )
        xensim_call_on(cpu, come, w);
    return NOTIFY_DONE;
}

/* ---- beginning and end ------------------------------------------------ */

/* On pcpu 0. */
static void begin(void *world)
{
    struct world *w = world;
    struct sim_cpu *p = &w->cpus[0];

    pthread_mutex_lock(&w->lock);
    for ( unsigned int cpu = 0; cpu < w->config.cpus; cpu++ )
    {
        struct sim_cpu *c = &w->cpus[cpu];

        c->online = cpu_online(cpu);
        c->idle.xen = xensim_vcpu(DOMID_IDLE, cpu);
        c->idle.since = w->start;
    }
    tell_begin(w);
    life_begin(p);
    w->begun = true;
    pthread_mutex_unlock(&w->lock);
    /* Without the lock, which notified() takes inside of that of hotplug. */
    w->notifier.notifier_call = notified;
    register_cpu_notifier(&w->notifier);
}

int workload_begin(struct workload *workload)
{
    struct world *w = &workload->world;

    set_clocks(w);
    xensim_call_on(0, begin, w);
    if ( !w->config.virtual_time )
        return devices_start(w);
    virtual_begin(w);
    return 0;
}

static void nothing(void *unused)
{
    (void)unused;
}

void workload_end(struct workload *workload)
{
    struct world *w = &workload->world;

    devices_stop(w);
    pthread_mutex_lock(&w->lock);
    w->begun = false;
    pthread_mutex_unlock(&w->lock);
    /* Who does this has done what he was doing. */
    for ( unsigned int cpu = 0; cpu < w->config.cpus; cpu++ )
        xensim_call_on(cpu, nothing, NULL);
    books_close(w);
    tell_end(w);
}

uint64_t workload_now(const struct workload *workload)
{
    const struct world *w = &workload->world;

    return to_ns(w, w->now - w->start);
}

struct xensim_guest workload_guest(struct workload *workload)
{
    return (struct xensim_guest){
        .arg = workload, .step = real_step, .irq = noise_irq,
        .nmi = noise_nmi,
    };
}
