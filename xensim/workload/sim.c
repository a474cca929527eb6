/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Construction of the simulator's state, and what both clocks share: event
 * queues, clocks, hotplug of pcpus.
 */
#include "xensim/workload/sim.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/guest.h"
#include "xensim/workload/scheduler.h"
#include "xensim/workload/workload-private.h"

#include <errno.h>
#include <stdlib.h>

#define VIRTUAL_KHZ 2400000     /* stock xenalyze's default frequency */
#define VIRTUAL_START (1ull << 40)

struct workload
{
    struct sim sim;
};

/* A process has one machine, a machine one workload. */
static struct sim *active_sim;

struct sim *sim_of(struct workload *s)
{
    return &s->sim;
}

const struct sim *sim_of_const(const struct workload *s)
{
    return &s->sim;
}

struct sim_cpu *this_sim_cpu(void)
{
    ASSERT(active_sim && smp_processor_id() < active_sim->config.cpus);
    return &active_sim->cpus[smp_processor_id()];
}

/* ---- events ----------------------------------------------------------- */

/* In real time, wake a pcpu for an event queued by another pcpu. */
void event_at(struct sim_cpu *p, struct event *e, uint64_t at)
{
    ASSERT(e->callback);
    if ( e->slot && e->cpu != p->id )
        event_drop(p->sim, e);
    e->cpu = p->id;
    heap_put(p->queue, e, at);
    if ( !p->sim->config.virtual_time && smp_processor_id() != p->id )
        xensim_kick(p->id);
}

void event_drop(struct sim *s, struct event *e)
{
    ASSERT(!e->slot || e->cpu < s->config.cpus);
    if ( e->slot )
        heap_drop(s->cpus[e->cpu].queue, e);
}

static void schedule_event(struct sim_cpu *p, struct event *e)
{
    bool timer = e == &p->slice;

    ASSERT(e == &p->slice || e == &p->softirq);
    enter_xen(p, timer ? TIMER_VECTOR : IPI_VECTOR);
    if ( timer )
        update_frequency(p);
    p->need_resched = true;
    leave_xen(p);
}

/* ---- construction ----------------------------------------------------- */

static void make_cpu(struct sim *s, unsigned int cpu)
{
    struct sim_cpu *p = &s->cpus[cpu];
    unsigned int share = s->scheduler->queues_shared ? s->config.runq_cpus : 1;

    ASSERT(cpu < s->config.cpus);
    p->id = cpu;
    p->sim = s;
    p->queue = s->config.virtual_time ? &s->heap : &s->heaps[cpu];
    p->runq = &s->runqs[cpu / share];
    p->idle = (struct sim_vcpu){ .id = cpu, .cpu = p, .runq = p->runq,
                                 .work.left = UINT64_MAX };
    p->runs = &p->idle;
    p->step.callback = guest_step;
    p->slice.callback = p->softirq.callback = schedule_event;
    p->device.callback = device_done;
    p->ios_end = &p->ios;
    p->predicted_us = 100;
    p->mhz = 2400;
    p->mean_records = 4 * SEQUENCE_UNIT;
    p->random = random_stream(s->config.seed, 2ull * cpu + (1ull << 40));
    p->irq_random = random_stream(s->config.seed, 2ull * cpu + 1 +
                                                  (1ull << 40));
}

static void make_runqs(struct sim *s)
{
    unsigned int share = s->scheduler->queues_shared ? s->config.runq_cpus : 1;

    for ( unsigned int i = 0; i < s->nr_runqs; i++ )
        s->runqs[i] = (struct runq){
            .id = i, .first = i * share, .max_weight = 1,
            .last = min((i + 1) * share, s->config.cpus) - 1,
        };
}

static int make_dom(struct sim *s, struct sim_dom *d,
                    const struct dom_config *o, unsigned int copy)
{
    ASSERT(o->vcpus && o->vcpus <= SIM_VCPUS_MAX);
    d->config = o;
    d->kind = o->kind;
    d->copy = copy;
    d->nr = o->vcpus;
    d->plan.callback = lifecycle_run_plan;
    d->vcpus = calloc(o->vcpus, sizeof(*d->vcpus));
    if ( !d->vcpus )
        return -ENOMEM;
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        struct sim_vcpu *v = &d->vcpus[i];

        v->dom = d;
        v->id = i;
        v->cpu = &s->cpus[0];
        v->tickled = -1;
        v->timer.callback = guest_timer;
        v->requests_end = &v->requests;
    }
    return 0;
}

static int make_doms(struct sim *s)
{
    const struct workload_config *c = &s->config;
    int rc = 0;

    for ( unsigned int i = 0; i < c->nr_dom_configs && !rc; i++ )
        for ( unsigned int k = 0; k < c->dom_configs[i].copies && !rc; k++ )
            rc = make_dom(s, &s->doms[s->nr_doms++], &c->dom_configs[i], k);
    return rc;
}

/* At most one event of each kind per pcpu, two per domain, one per vcpu. */
static unsigned int count_events(const struct workload_config *c,
                                 unsigned int *nr_doms)
{
    unsigned int nr = 8 * c->cpus + 8;

    *nr_doms = 0;
    for ( unsigned int i = 0; i < c->nr_dom_configs; i++ )
    {
        *nr_doms += c->dom_configs[i].copies;
        nr += c->dom_configs[i].copies * (2 + c->dom_configs[i].vcpus);
    }
    return nr;
}

static int make_heaps(struct sim *s, unsigned int nr_events)
{
    int rc = 0;

    if ( s->config.virtual_time )
        return heap_reserve(&s->heap, nr_events);
    s->heaps = calloc(s->config.cpus, sizeof(*s->heaps));
    if ( !s->heaps )
        return -ENOMEM;
    /*
     * Any vcpu's timer may be queued on any pcpu; untouched memory stays
     * unallocated.
     */
    for ( unsigned int cpu = 0; cpu < s->config.cpus && !rc; cpu++ )
        rc = heap_reserve(&s->heaps[cpu], nr_events);
    return rc;
}

/* For the longest waits; untouched memory stays unallocated. */
#define PCPU_SPANS 65536u
#define VCPU_SPANS 4096u

static int make_spans(struct sim_spans *spans, unsigned int room)
{
    ASSERT(room && !spans->all);
    spans->all = malloc(room * sizeof(*spans->all));
    spans->room = spans->all ? room : 0;
    return spans->all ? 0 : -ENOMEM;
}

/* Only the ground truth needs spans. */
static int make_all_spans(struct sim *s)
{
    int rc = 0;

    for ( unsigned int cpu = 0; cpu < s->config.cpus && !rc; cpu++ )
        if ( make_spans(&s->cpus[cpu].sleeps, PCPU_SPANS) ||
             make_spans(&s->cpus[cpu].limits, PCPU_SPANS) )
            rc = -ENOMEM;
    for ( unsigned int i = 0; i < s->nr_doms; i++ )
        for ( unsigned int k = 0; k < s->doms[i].nr && !rc; k++ )
            rc = make_spans(&s->doms[i].vcpus[k].parks, VCPU_SPANS);
    return rc;
}

static void free_all_spans(struct sim *s)
{
    for ( unsigned int cpu = 0; s->cpus && cpu < s->config.cpus; cpu++ )
    {
        free(s->cpus[cpu].sleeps.all);
        free(s->cpus[cpu].limits.all);
    }
    for ( unsigned int i = 0; i < s->nr_doms; i++ )
        for ( unsigned int k = 0; s->doms[i].vcpus && k < s->doms[i].nr; k++ )
            free(s->doms[i].vcpus[k].parks.all);
}

static int make_sim(struct sim *s)
{
    const struct workload_config *c = &s->config;
    unsigned int nr_doms, share, nr = count_events(c, &nr_doms);

    ASSERT(c->cpus && c->cpus <= NR_CPUS && c->nr_dom_configs);
    s->scheduler = c->scheduler == SIM_NULL ? sched_null()
                                             : sched_credit2();
    share = s->scheduler->queues_shared ? c->runq_cpus : 1;
    s->nr_runqs = (c->cpus + share - 1) / share;
    s->runqs = calloc(s->nr_runqs, sizeof(*s->runqs));
    s->doms = calloc(nr_doms, sizeof(*s->doms));
    if ( posix_memalign((void **)&s->cpus, _Alignof(struct sim_cpu),
                        c->cpus * sizeof(*s->cpus)) )
        s->cpus = NULL;
    if ( s->cpus )
        memset(s->cpus, 0, c->cpus * sizeof(*s->cpus));
    if ( !s->runqs || !s->doms || !s->cpus || make_heaps(s, nr) )
        return -ENOMEM;
    make_runqs(s);
    for ( unsigned int cpu = 0; cpu < c->cpus; cpu++ )
        make_cpu(s, cpu);
    if ( make_doms(s) )
        return -ENOMEM;
    return s->truth.file ? make_all_spans(s) : 0;
}

int workload_new(struct workload **wp, const struct workload_config *config,
                 struct err *e)
{
    struct workload *workload = calloc(1, sizeof(*workload));
    struct sim *s = &workload->sim;

    *wp = workload;
    if ( !workload )
        return err_set(e, -ENOMEM, "no memory");
    s->config = *config;
    s->truth.file = config->truth;
    s->random = random_stream(config->seed, 0);
    pthread_mutex_init(&s->lock, NULL);
    active_sim = s;
    if ( make_sim(s) )
    {
        workload_free(workload);
        *wp = NULL;
        return err_set(e, -ENOMEM, "no memory for %u pcpus", config->cpus);
    }
    return 0;
}

void workload_free(struct workload *workload)
{
    struct sim *s;

    if ( !workload )
        return;
    s = &workload->sim;
    free_all_spans(s);
    for ( unsigned int i = 0; i < s->nr_doms; i++ )
        free(s->doms[i].vcpus);
    for ( unsigned int cpu = 0; s->heaps && cpu < s->config.cpus; cpu++ )
        heap_fini(&s->heaps[cpu]);
    free(s->heaps);
    heap_fini(&s->heap);
    free(s->doms);
    free(s->runqs);
    free(s->cpus);
    active_sim = NULL;
    free(workload);
}

/* ---- clocks ----------------------------------------------------------- */

static int64_t signed_below(struct random *r, int64_t most)
{
    return most ? (int64_t)(random_next(r) % (2 * most + 1)) - most : 0;
}

void clock_jump(struct sim_cpu *p)
{
    struct sim *s = p->sim;

    p->clock.offset += signed_below(&s->random,
                                    to_cycles(s, s->config.skew));
    truth_log_clock(p);
}

/* Set the clock on its own pcpu, which may be reading it. */
static void set_clock_of(struct sim_cpu *p)
{
    struct sim *s = p->sim;

    p->clock = (struct skewed_clock){
        .from = s->start,
        .offset = signed_below(&s->random, to_cycles(s, s->config.skew)),
        .drift = signed_below(&s->random, s->config.drift),
    };
}

static void set_clock_here(void *unused)
{
    (void)unused;
    set_clock_of(this_sim_cpu());
}

static void set_clocks(struct sim *s)
{
    if ( !s->config.virtual_time )
    {
        s->khz = xensim_cpu_khz();
        s->start = xensim_hardware_cycles();
    }
    for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
        if ( xensim_call_on(cpu, set_clock_here, NULL) )
            set_clock_of(&s->cpus[cpu]); /* offline */
}

static cycles_t virtual_cycles(void)
{
    const struct sim_cpu *p = this_sim_cpu();

    return skewed_clock_read(&p->clock, p->now);
}

/* Save the true time, so the ground truth has the time of the record. */
static cycles_t real_cycles(void)
{
    uint64_t now = xensim_hardware_cycles();
    struct sim_cpu *p;

    if ( smp_processor_id() == XENSIM_NO_CPU )
        return now;
    p = this_sim_cpu();
    p->stamp = now;
    return skewed_clock_read(&p->clock, now);
}

/* Call before any pcpu reads the clock. */
void workload_set_clock(struct workload *workload)
{
    struct sim *s = &workload->sim;

    ASSERT(!workload->sim.started);
    s->khz = s->config.virtual_time ? VIRTUAL_KHZ : 0;
    s->start = s->now = VIRTUAL_START;
    for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
        s->cpus[cpu].now = s->start;
    xensim_set_clock(s->config.virtual_time ? virtual_cycles : real_cycles,
                     s->khz);
}

/* ---- hotplug of pcpus ------------------------------------------------- */

/* The pcpu has come online, idle. Called on the pcpu. */
static void cpu_arrive(struct sim_cpu *p)
{
    ASSERT(!p->online && p->id == smp_processor_id());
    p->now = max(p->now, p->sim->now);
    p->online = true;
    p->runs = &p->idle;
    p->idle.xen = current;
    p->idle.state = RUNNING;
    p->idle.since = true_now(p);
    truth_log_cpu(p, "up");
    if ( p->sim->config.virtual_time )
        spurious_arm(p);
    p->sim->scheduler->arrive(p);
    leave_xen(p);
}

/* Move the pcpu's events to pcpu 0: I/O interrupts are delivered there. */
static void hand_over_events(struct sim_cpu *p)
{
    struct sim_cpu *to = &p->sim->cpus[0];
    struct event *storm = &p->sim->storm;

    ASSERT(!p->online && p->id);
    if ( event_is_queued(storm) && storm->cpu == p->id )
        event_at(to, storm, storm->at);
    event_drop(p->sim, &p->step);
    event_drop(p->sim, &p->slice);
    event_drop(p->sim, &p->softirq);
    event_drop(p->sim, &p->spurious);
    event_drop(p->sim, &p->nmi);
    if ( !p->ios )
        return;
    event_drop(p->sim, &p->device);
    *to->ios_end = p->ios;
    to->ios_end = p->ios_end;
    p->ios = NULL;
    p->ios_end = &p->ios;
    event_at(to, &to->device, true_now(p));
}

static void move_timers(struct sim_cpu *p)
{
    struct sim *s = p->sim;

    ASSERT(!p->online);
    for ( unsigned int i = 0; i < s->nr_doms; i++ )
        for ( unsigned int k = 0; s->doms[i].alive && k < s->doms[i].nr; k++ )
            if ( s->doms[i].vcpus[k].cpu == p )
                vcpu_set_cpu(p, &s->doms[i].vcpus[k], &s->cpus[0]);
}

/* The pcpu goes offline: deschedule its vcpu. Called on the pcpu. */
static void cpu_leave(struct sim_cpu *p)
{
    ASSERT(p->online && p->id && p->id == smp_processor_id());
    p->now = max(p->now, p->sim->now);
    enter_xen(p, IPI_VECTOR);
    p->online = false;
    if ( !is_idle(p->runs) )
        pcpu_schedule(p);
    ASSERT(is_idle(p->runs));
    p->sim->scheduler->leave(p);
    move_timers(p);
    hand_over_events(p);
    truth_log_cpu(p, "down");
    truth_log_last_state(p, &p->idle);
}

static void arrive_here(void *sim)
{
    struct sim *s = sim;

    pthread_mutex_lock(&s->lock);
    cpu_arrive(this_sim_cpu());
    pthread_mutex_unlock(&s->lock);
}

static void leave_here(void *sim)
{
    struct sim *s = sim;

    pthread_mutex_lock(&s->lock);
    cpu_leave(this_sim_cpu());
    pthread_mutex_unlock(&s->lock);
}

/* Hotplug notifier: a client may hotplug pcpus, too. */
static int hotplug_notified(struct notifier_block *nb, unsigned long action,
                            void *hcpu)
{
    struct sim *s = container_of(nb, struct sim, notifier);
    unsigned int cpu = (unsigned long)hcpu;

    if ( action == CPU_DOWN_PREPARE )
        xensim_call_on(cpu, leave_here, s);
    else if ( action == CPU_ONLINE || action == CPU_DOWN_FAILED )
        xensim_call_on(cpu, arrive_here, s);
    return NOTIFY_DONE;
}

/* ---- start and end ---------------------------------------------------- */

/* Start the workload; called on pcpu 0. */
static void begin_on_pcpu0(void *sim)
{
    struct sim *s = sim;
    struct sim_cpu *p = &s->cpus[0];

    ASSERT(!s->started && smp_processor_id() == 0);
    pthread_mutex_lock(&s->lock);
    for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
    {
        struct sim_cpu *c = &s->cpus[cpu];

        c->online = cpu_online(cpu);
        c->idle.xen = xensim_vcpu(DOMID_IDLE, cpu);
        c->idle.since = s->start;
    }
    truth_log_start(s);
    lifecycle_begin(p);
    s->started = true;
    pthread_mutex_unlock(&s->lock);
    /*
     * Without the lock: hotplug_notified() takes it inside of the hotplug
     * lock.
     */
    s->notifier.notifier_call = hotplug_notified;
    register_cpu_notifier(&s->notifier);
}

int workload_begin(struct workload *workload)
{
    struct sim *s = &workload->sim;

    set_clocks(s);
    xensim_call_on(0, begin_on_pcpu0, s);
    if ( !s->config.virtual_time )
        return devices_start(s);
    virtual_begin(s);
    return 0;
}

uint64_t workload_first_clock(const struct workload *workload)
{
    const struct sim *s = &workload->sim;

    ASSERT(s->started);
    return skewed_clock_read(&s->cpus[0].clock, s->start);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

void workload_end(struct workload *workload)
{
    struct sim *s = &workload->sim;

    ASSERT(s->started);
    devices_stop(s);
    pthread_mutex_lock(&s->lock);
    s->started = false;
    pthread_mutex_unlock(&s->lock);
    /* Each call returns when the pcpu's work in progress has ended. */
    for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
        xensim_call_on(cpu, do_nothing, NULL);
    counts_read_lost(s);
    truth_log_end(s);
}

/* Values of public/domctl.h. */
#define SCHEDULER_CREDIT2 6
#define SCHEDULER_NULL 9

/* A UUID of version 4, which depends on the seed; 0 of dom0, as in Xen. */
static void make_uuid(const struct sim *s, unsigned int dom, uint8_t uuid[16])
{
    struct random r = random_stream(s->config.seed, dom + (1ull << 41));
    const uint64_t words[2] = { random_next(&r), random_next(&r) };

    if ( !dom )
        return;
    memcpy(uuid, words, sizeof(words));
    uuid[6] = (uuid[6] & 0x0f) | 0x40;
    uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

static void describe_domain(const struct sim *s, const struct sim_dom *d,
                            struct xensim_domain *to)
{
    static const uint16_t kinds[] = {
        [SIM_PV] = XENSIM_PV, [SIM_PVH] = XENSIM_PVH, [SIM_HVM] = XENSIM_HVM,
    };

    *to = (struct xensim_domain){
        .id = d->id, .vcpus = d->nr, .kind = kinds[d->kind],
        .weight = s->config.scheduler == SIM_NULL ? 0 : d->weight,
        .first_cpu = d->pin.first, .last_cpu = d->pin.last,
    };
    make_uuid(s, d - s->doms, to->uuid);
    memcpy(to->name, d->name, sizeof(to->name));
}

/* Called by the thread that serves dom0's requests. */
static size_t list_domains(void *workload, struct xensim_domain *to,
                           size_t max)
{
    struct sim *s = &((struct workload *)workload)->sim;
    size_t nr = 0;

    pthread_mutex_lock(&s->lock);
    for ( unsigned int i = 0; i < s->nr_doms && nr < max; i++ )
        if ( s->doms[i].alive )
            describe_domain(s, &s->doms[i], &to[nr++]);
    pthread_mutex_unlock(&s->lock);
    return nr;
}

struct xensim_guest workload_guest(struct workload *workload)
{
    const struct workload_config *c = &sim_of(workload)->config;

    return (struct xensim_guest){
        .arg = workload, .step = real_step, .irq = spurious_irq,
        .nmi = spurious_nmi, .list_domains = list_domains,
        .hardware = c->vendor == SIM_AMD ? XENSIM_HARDWARE_SVM
                                         : XENSIM_HARDWARE_VMX,
        .minor = c->layout == SIM_4_17 ? 17 : 19,
        .scheduler = c->scheduler == SIM_NULL ? SCHEDULER_NULL
                                              : SCHEDULER_CREDIT2,
        .ratelimit = c->scheduler == SIM_NULL ? UINT32_MAX
                                              : c->ratelimit / 1000,
        .socket_cpus = c->runq_cpus,
        .first_irq = DEVICE_IRQ, .nr_irqs = DEVICE_IRQS,
    };
}
