/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The players' lives, and their pace: a step plays scenes until as many
 * records are out as the time since the beginning calls for.
 */
#include "xensim/workload/player.h"

#include <stdlib.h>

#define STEP_NS         1000000ull  /* between two steps, for few pcpus */
#define STEP_NS_PER_CPU 50000ull    /* more pcpus share the processors */
#define FLAT_OUT_SCENES 64          /* in a step, at no particular rate */
#define BACKLOG_NS      50000000ull /* what is older is not made up for */
#define NS_PER_S        1000000000ull

static const struct
{
    domid_t domid;
    enum vcpu_kind kind;
} cast[NR_ROLES] = {
    { DOMID_IDLE, KIND_IDLE },
    { 0, KIND_PV },
    { 1, KIND_HVM },
    { 2, KIND_PV },
};

struct workload *workload_new(const struct workload_config *config)
{
    struct workload *w = calloc(1, sizeof(*w));
    pthread_condattr_t monotonic;

    if ( !w )
        return NULL;
    w->config = *config;
    if ( posix_memalign((void **)&w->players, _Alignof(struct player),
                        config->cpus * sizeof(*w->players)) )
    {
        free(w);
        return NULL;
    }
    memset(w->players, 0, config->cpus * sizeof(*w->players));
    for ( unsigned int cpu = 0; cpu < config->cpus; cpu++ )
    {
        w->players[cpu].random = random_stream(config->seed, 2 * cpu);
        w->players[cpu].irq_random = random_stream(config->seed, 2 * cpu + 1);
    }
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return w;
}

void workload_free(struct workload *w)
{
    if ( !w )
        return;
    ASSERT(!w->nr_devices);
    free(w->players);
    free(w);
}

/* Its first step since the pcpu came up, or came back. */
static void enter_stage(struct player *p)
{
    unsigned int cpu = smp_processor_id();

    for ( unsigned int i = 0; i < NR_ROLES; i++ )
    {
        p->roles[i].vcpu = xensim_vcpu(cast[i].domid, cpu);
        p->roles[i].kind = cast[i].kind;
    }
    reset_stage(p);
    p->begun_ns = get_s_time();
    p->paced = p->tried;
}

/* How many records are due by now. */
static uint64_t due(const struct workload *w, struct player *p)
{
    uint64_t now = get_s_time(), ns = now - p->begun_ns;
    uint64_t target = p->paced + (double)ns * w->config.rate / NS_PER_S;
    uint64_t most = (double)BACKLOG_NS * w->config.rate / NS_PER_S;

    if ( target > p->tried + most )
    {
        p->begun_ns = now;
        p->paced = p->tried;
        target = p->tried;
    }
    return target;
}

/* Until enough is out; or, if not much is missing, until none wants to run. */
static void play_until(struct player *p, uint64_t target, uint64_t not_much)
{
    uint64_t tried = __atomic_load_n(&p->tried, __ATOMIC_RELAXED);

    while ( tried < target )
    {
        play_scene(p);
        tried = __atomic_load_n(&p->tried, __ATOMIC_RELAXED);
        if ( p->asleep && tried + not_much > target )
            break;
    }
}

static uint64_t step(void *arg)
{
    struct workload *w = arg;
    struct player *p = this_player(w);
    uint64_t ns = max(STEP_NS, w->config.cpus * STEP_NS_PER_CPU);

    if ( !p->roles[p->on_stage].vcpu ||
         p->roles[p->on_stage].vcpu != current )
        enter_stage(p);

    if ( !w->config.rate )
    {
        for ( unsigned int i = 0; i < FLAT_OUT_SCENES; i++ )
            play_scene(p);
        return 0;
    }
    play_until(p, due(w, p), (double)ns * w->config.rate / NS_PER_S);
    return ns;
}

struct xensim_guest workload_guest(struct workload *w)
{
    return (struct xensim_guest){
        .arg = w, .step = step, .irq = handle_irq, .nmi = handle_nmi,
    };
}
