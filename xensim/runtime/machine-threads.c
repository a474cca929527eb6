/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threaded machine: a pcpu is a thread in a loop,
 *
 *     a step of the guest's work -> idle -> tasklets -> calls of other threads
 *
 * until the pcpu is told to stop. Between two iterations the thread is outside
 * of the hypervisor: a point where the pcpu can wait in stop_machine() or go
 * offline.
 */
#include "xensim/runtime/pcpu-thread.h"
#include "xensim/runtime/signals.h"

#include <stdlib.h>

#include <asm/processor.h>

#define STACK_BYTES (512 * 1024)

static struct pcpu *pcpus;
static bool powering_off;       /* no callbacks any more */

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
 * ThreadSanitizer's runtime delivers signals itself. After several signals at
 * once a thread can be left with all signals blocked (seen with gcc 12 and
 * clang 14). This function unblocks them wherever a pcpu may wait.
 */
static void tsan_unblock_signals(void)
{
#ifdef XENSIM_TSAN
    if ( smp_processor_id() != XENSIM_NO_CPU )
        signals_unblock();
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
    tsan_unblock_signals();
#else
    pthread_cond_wait(cond, lock);
#endif
}

/*
 * Wait for a kick or for ns. A kick that finds `kicked` still set does not
 * post the semaphore: so the caller looks for new work after `kicked` is
 * cleared, with a full barrier in between.
 */
static void idle_pcpu(struct pcpu *p, uint64_t ns)
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
    ASSERT(p->online != online);
    p->online = online;
    p->thread = pthread_self();
    if ( online )
        cpumask_set_cpu(p->cpu, &cpu_online_map);
    else
        cpumask_clear_cpu(p->cpu, &cpu_online_map);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void run_rounds(struct pcpu *p)
{
    const struct xensim_guest *guest = &machine_config()->guest;
    uint64_t ns;

    do
    {
        ns = guest->step ? guest->step(guest->arg) : XENSIM_FOREVER;
        idle_pcpu(p, ns);
        tsan_unblock_signals();
        xensim_run_tasklets();
    } while ( calls_serve(p) );
}

/* Go offline. The lock excludes cross-calls in progress. */
static void go_offline(struct pcpu *p)
{
    ASSERT(p->stopping);
    smp_hold_cpus();
    local_irq_disable();
    if ( !powering_off )
        cpus_notify_all(p->cpu, CPU_DYING);
    set_online(p, false);
    smp_release_cpus();
}

static void *pcpu_main(void *arg)
{
    struct pcpu *p = arg;

    cpu_relax(); /* makes ThreadSanitizer ready for signals */
    context_enter(p->cpu);
    local_irq_disable();
    signals_unblock();
    cpus_notify_all(p->cpu, CPU_STARTING);
    set_online(p, true);
    local_irq_enable();

    run_rounds(p);

    go_offline(p);
    signals_block();
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

/*
 * Stop a pcpu and wait until its thread has ended. Later calls to the pcpu
 * fail.
 */
static void end_pcpu(void *arg)
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
    stop_machine(cpu, end_pcpu, &pcpus[cpu]);
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
            end_pcpu(&pcpus[cpu]);
    signals_fini();
    free(pcpus);
    pcpus = NULL;
}

static int threads_power_on(void)
{
    int rc;

    ASSERT(!pcpus);
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
        threads_power_off(); /* no pcpu is online yet */
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
