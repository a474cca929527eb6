/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threaded machine: a pcpu is a thread that does rounds,
 *
 *     a step of the guest's work -> idle -> tasklets -> calls of others
 *
 * until it is told to stop.  Between two rounds it is outside of the
 * hypervisor, and so can stand still for others, or go offline itself.
 */
#include "xensim/runtime/pcpu.h"
#include "xensim/runtime/signals.h"

#include <stdlib.h>

#include <asm/processor.h>

#define STACK_BYTES (512 * 1024)

static struct pcpu *pcpus;
static bool powering_off;       /* no more callbacks */

struct pcpu *pcpu_of(unsigned int cpu)
{
    ASSERT(cpu < nr_cpu_ids);
    return &pcpus[cpu];
}

void pcpu_kick(struct pcpu *p)
{
    if ( !__atomic_exchange_n(&p->kicked, true, __ATOMIC_SEQ_CST) )
        sem_post(&p->wake);
}

/*
 * ThreadSanitizer's runtime hands on signals itself, and of several that
 * come at once it can leave a thread with all signals blocked (seen with gcc
 * 12 and clang 14).  There this opens them again, wherever a pcpu may wait.
 */
static void breathe(void)
{
#ifdef XENSIM_TSAN
    if ( smp_processor_id() != XENSIM_NO_CPU )
        signals_open();
#endif
}

void pcpu_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
#ifdef XENSIM_TSAN
    struct timespec soon;

    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 1000000;
    if ( soon.tv_nsec >= SECONDS(1) )
    {
        soon.tv_nsec -= SECONDS(1);
        soon.tv_sec++;
    }
    pthread_cond_timedwait(cond, lock, &soon);
    breathe();
#else
    pthread_cond_wait(cond, lock);
#endif
}

/*
 * A kick that comes after the wait and finds `kicked` still set posts
 * nothing: so what it was for must be looked for after `kicked` is cleared,
 * with a full barrier in between.
 */
static void idle(struct pcpu *p, uint64_t ns)
{
    s_time_t until = get_s_time() + (s_time_t)min_t(uint64_t, ns,
                                                    SECONDS(3600));
    struct timespec at = {
        .tv_sec = until / SECONDS(1), .tv_nsec = until % SECONDS(1),
    };

    if ( ns && !sem_clockwait(&p->wake, CLOCK_MONOTONIC, &at) )
        (void)__atomic_exchange_n(&p->kicked, false, __ATOMIC_SEQ_CST);
}

static void set_online(struct pcpu *p, bool online)
{
    pthread_mutex_lock(&p->lock);
    p->online = online;
    p->thread = pthread_self();
    if ( online )
        cpumask_set_cpu(p->cpu, &cpu_online_map);
    else
        cpumask_clear_cpu(p->cpu, &cpu_online_map);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void rounds(struct pcpu *p)
{
    const struct xensim_guest *guest = &machine_config()->guest;
    uint64_t ns;

    do
    {
        ns = guest->step ? guest->step(guest->arg) : XENSIM_FOREVER;
        idle(p, ns);
        breathe();
        xensim_run_tasklets();
    } while ( calls_serve(p) );
}

/* The end: nobody is in a cross-call now, so we can go. */
static void go_offline(struct pcpu *p)
{
    smp_hold_cpus();
    local_irq_disable();
    if ( !powering_off )
        cpus_notify(p->cpu, CPU_DYING);
    set_online(p, false);
    smp_release_cpus();
}

static void *pcpu_main(void *arg)
{
    struct pcpu *p = arg;

    cpu_relax(); /* ThreadSanitizer gets ready for signals at its first */
    context_enter(p->cpu);
    local_irq_disable();
    signals_open();
    cpus_notify(p->cpu, CPU_STARTING);
    set_online(p, true);
    local_irq_enable();

    rounds(p);

    go_offline(p);
    signals_close();
    context_leave();
    return NULL;
}

static int threads_start(unsigned int cpu)
{
    struct pcpu *p = &pcpus[cpu];
    pthread_attr_t attr;
    pthread_t thread;
    int rc;

    ASSERT(!p->online);
    p->stopping = false;
    memset(p->raised, 0, sizeof(p->raised));
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    rc = pthread_create(&thread, &attr, pcpu_main, p);
    pthread_attr_destroy(&attr);
    if ( rc )
        return -rc;

    pthread_mutex_lock(&p->lock);
    while ( !p->online )
        pcpu_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

/* Tell it, and wait until it has gone.  Calls that come too late fail. */
static void end(void *arg)
{
    struct pcpu *p = arg;
    pthread_t thread;

    pthread_mutex_lock(&p->lock);
    ASSERT(p->online);
    thread = p->thread;
    p->stopping = true;
    pcpu_kick(p);
    while ( p->online )
        pcpu_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    pthread_join(thread, NULL);
    ASSERT(!p->calls);
}

static void threads_stop(unsigned int cpu)
{
    stop_machine(cpu, end, &pcpus[cpu]);
}

static int threads_call(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
    struct call call = { .fn = fn, .arg = arg };
    int rc;

    if ( cpu == smp_processor_id() )
    {
        fn(arg);
        return 0;
    }
    rc = call_post(&pcpus[cpu], &call);
    if ( !rc )
        call_wait(&pcpus[cpu], &call);
    return rc;
}

static void threads_kick(unsigned int cpu)
{
    pcpu_kick(&pcpus[cpu]);
}

static void threads_power_off(void)
{
    powering_off = true;
    for ( unsigned int cpu = nr_cpu_ids; cpu-- > 0; )
        if ( cpu_online(cpu) )
            end(&pcpus[cpu]);
    signals_fini();
    free(pcpus);
    pcpus = NULL;
}

static int threads_power_on(void)
{
    int rc;

    powering_off = false;
    pcpus = calloc(nr_cpu_ids, sizeof(*pcpus));
    if ( !pcpus )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++ )
    {
        pcpus[cpu].cpu = cpu;
        pthread_mutex_init(&pcpus[cpu].lock, NULL);
        pthread_cond_init(&pcpus[cpu].changed, NULL);
        sem_init(&pcpus[cpu].wake, 0, 0);
    }
    signals_init();
    rc = threads_start(0);
    if ( rc )
        threads_power_off(); /* nobody is online yet */
    return rc;
}

const struct machine_ops *threaded_machine(void)
{
    static const struct machine_ops ops = {
        .power_on = threads_power_on,
        .power_off = threads_power_off,
        .start = threads_start,
        .stop = threads_stop,
        .ipi = threads_ipi,
        .call = threads_call,
        .kick = threads_kick,
    };

    return &ops;
}
