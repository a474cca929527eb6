/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threaded machine: cross-calls, maskable interrupts, NMIs, calls, and pcpu
 * hotplug meanwhile.
 *
 * No test depends on the speed of the machine; a missing event ends the test by
 * timeout.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/unit/xensim/rig.h"

#include <asm/hardirq.h>
#include <asm/processor.h>
#include <xen/cpu.h>
#include <xen/event.h>
#include <xen/tasklet.h>

static DEFINE_PER_CPU(unsigned long, note);

static unsigned int irqs, nmis, mces, irqs_in_nmi, bad;

static void bump_counter(unsigned int *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

static unsigned int load_counter(unsigned int *counter)
{
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static void on_irq(void *unused)
{
    (void)unused;
    if ( local_irq_is_enabled() || !in_irq() )
        bump_counter(&bad);
    if ( in_nmi_handler() )
        bump_counter(&irqs_in_nmi);
    bump_counter(&irqs);
}

static void on_nmi(void *unused)
{
    (void)unused;
    if ( !in_nmi_handler() || local_irq_is_enabled() )
        bump_counter(&bad);
    bump_counter(&nmis);
}

static void on_mce(void *unused)
{
    (void)unused;
    if ( !in_mce_handler() || local_irq_is_enabled() )
        bump_counter(&bad);
    bump_counter(&mces);
}

static uint64_t spin_briefly(void *unused)
{
    (void)unused;
    for ( unsigned int i = 0; i < 1000; i++ )
        barrier();
    return 10000;
}

static void start_threaded(unsigned int cpus)
{
    const struct xensim_config config = {
        .cpus = cpus, .frames = 64, .threads = true,
        .guest = {
            .step = spin_briefly, .irq = on_irq, .nmi = on_nmi, .mce = on_mce,
        },
    };

    rig_start(&config);
}

static void leave_note(void *unused)
{
    (void)unused;
    if ( !in_irq() || local_irq_is_enabled() )
        bump_counter(&bad);
    this_cpu(note)++;
}

static void cross_call(void *rounds)
{
    for ( unsigned long i = 0; i < (unsigned long)rounds; i++ )
        on_each_cpu(leave_note, NULL, 1);
}

START_TEST(a_cross_call_from_a_pcpu_reaches_all)
{
    start_threaded(4);
    ck_assert_int_eq(xensim_call_on(2, cross_call, (void *)100), 0);
    for ( unsigned int cpu = 0; cpu < 4; cpu++ )
        ck_assert_uint_eq(per_cpu(note, cpu), 100);
    ck_assert_uint_eq(load_counter(&bad), 0);
    xensim_stop();
}
END_TEST

static void *call_from_2(void *rounds)
{
    xensim_call_on(2, cross_call, rounds);
    return NULL;
}

START_TEST(cross_calls_do_not_block_each_other)
{
    pthread_t thread;

    start_threaded(4);
    pthread_create(&thread, NULL, call_from_2, (void *)200);
    xensim_call_on(1, cross_call, (void *)200);
    cross_call((void *)200); /* from a thread without a pcpu */
    pthread_join(thread, NULL);
    for ( unsigned int cpu = 0; cpu < 4; cpu++ )
        ck_assert_uint_eq(per_cpu(note, cpu), 600);
    xensim_stop();
}
END_TEST

static void await_flag(unsigned int *counter, unsigned int value)
{
    while ( load_counter(counter) < value )
        cpu_relax();
}

START_TEST(interrupts_and_nmis_arrive)
{
    start_threaded(2);
    for ( unsigned int i = 1; i <= 200; i++ )
    {
        xensim_raise(i & 1, XENSIM_IRQ);
        xensim_raise(i & 1, XENSIM_NMI);
        xensim_raise(i & 1, XENSIM_MCE);
        await_flag(&irqs, i);
        await_flag(&nmis, i);
        await_flag(&mces, i);
    }
    ck_assert_uint_eq(load_counter(&irqs), 200);
    ck_assert_uint_eq(load_counter(&nmis), 200);
    ck_assert_uint_eq(load_counter(&mces), 200);
    ck_assert_uint_eq(load_counter(&irqs_in_nmi), 0);
    ck_assert_uint_eq(load_counter(&bad), 0);
    xensim_stop();
}
END_TEST

/* On pcpu 1, with interrupts masked: raised interrupts have to wait. */
static unsigned int masked, raised;

static void mask_and_wait(void *unused)
{
    unsigned long flags;
    unsigned int before;

    (void)unused;
    local_irq_save(flags);
    before = load_counter(&irqs);
    bump_counter(&masked);
    await_flag(&raised, 1);
    await_flag(&nmis, 1); /* NMIs are not masked */
    if ( load_counter(&irqs) != before )
        bump_counter(&bad);
    local_irq_restore(flags);
    if ( load_counter(&irqs) != before + 1 )
        bump_counter(&bad);
}

static void *mask_on_1(void *unused)
{
    xensim_call_on(1, mask_and_wait, unused);
    return NULL;
}

START_TEST(masked_interrupts_wait_and_nmis_do_not)
{
    pthread_t thread;

    start_threaded(2);
    pthread_create(&thread, NULL, mask_on_1, NULL);
    await_flag(&masked, 1);
    xensim_raise(1, XENSIM_IRQ);
    xensim_raise(1, XENSIM_IRQ); /* merged */
    xensim_raise(1, XENSIM_NMI);
    bump_counter(&raised);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(load_counter(&bad), 0);
    ck_assert_uint_eq(load_counter(&irqs), 1);
    xensim_stop();
}
END_TEST

static void online_thread(void *cpu)
{
    if ( cpu_down((unsigned long)cpu) || cpu_up((unsigned long)cpu) )
        bump_counter(&bad);
}

static void offline_1(void *rc)
{
    *(int *)rc = cpu_down(1);
}

START_TEST(an_offline_pcpu_takes_no_calls)
{
    int rc = -1;

    start_threaded(2);
    ck_assert_int_eq(xensim_call_on(0, offline_1, &rc), 0);
    ck_assert_int_eq(rc, 0);
    ck_assert_int_eq(xensim_call_on(1, online_thread, NULL), -ENODEV);
    ck_assert_int_eq(xensim_call_on(2, online_thread, NULL), -ENODEV);
    xensim_raise(1, XENSIM_IRQ); /* dropped */
    xensim_stop();
}
END_TEST

static bool is_over;

static void *keep_calling(void *unused)
{
    while ( !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE) )
    {
        xensim_call_on(1, cross_call, (void *)1);
        cross_call((void *)1);
        xensim_call_on(3, cross_call, (void *)1);
    }
    return unused;
}

static void *keep_raising(void *unused)
{
    for ( unsigned int i = 0;
          !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); i++ )
    {
        xensim_raise(i % 4, i & 4 ? XENSIM_IRQ : XENSIM_NMI);
        usleep(50);
    }
    return unused;
}

START_TEST(hotplug_under_load)
{
    pthread_t caller, raiser;

    start_threaded(4);
    pthread_create(&caller, NULL, keep_calling, NULL);
    pthread_create(&raiser, NULL, keep_raising, NULL);
    for ( unsigned long i = 0; i < 100; i++ )
        ck_assert_int_eq(xensim_call_on(0, online_thread, (void *)(1 + i % 3)),
                         0);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(caller, NULL);
    pthread_join(raiser, NULL);
    ck_assert_uint_eq(load_counter(&bad), 0);
    ck_assert_uint_eq(num_online_cpus(), 4);
    xensim_stop();
}
END_TEST

/*
 * Code outside of interrupts that has seen a CPU online may use its data until
 * it is done: stop_machine waits for that.
 */
static unsigned int using, leaving, done_using;

static void use_for_long(void *unused)
{
    (void)unused;
    per_cpu(note, 2) = 1;
    bump_counter(&using);
    await_flag(&leaving, 1);
    for ( unsigned int i = 0; i < 2000; i++ )
    {
        if ( !cpu_online(2) || __per_cpu_offset[2] < 0 )
            bump_counter(&bad);
        cpu_relax();
    }
    bump_counter(&done_using);
}

static void schedule_tasklet(void *t)
{
    tasklet_schedule(t);
}

static void offline_2(void *unused)
{
    (void)unused;
    await_flag(&using, 1);
    bump_counter(&leaving);
    if ( cpu_down(2) )
        bump_counter(&bad);
}

START_TEST(stop_machine_waits_for_users)
{
    static DECLARE_TASKLET(t, use_for_long, NULL);

    start_threaded(4);
    ck_assert_int_eq(xensim_call_on(1, schedule_tasklet, &t), 0);
    ck_assert_int_eq(xensim_call_on(0, offline_2, NULL), 0);
    await_flag(&done_using, 1);
    ck_assert_uint_eq(load_counter(&bad), 0);
    ck_assert(!cpu_online(2));
    xensim_stop();
}
END_TEST

static unsigned int tasklets;

static void tasklet_ran(void *unused)
{
    (void)unused;
    send_global_virq(VIRQ_TBUF);
    bump_counter(&tasklets);
}

START_TEST(a_tasklet_wakes_its_pcpu_and_dom0)
{
    static DECLARE_SOFTIRQ_TASKLET(t, tasklet_ran, NULL);
    const struct xensim_config config = { .cpus = 2, .threads = true };
    struct pollfd wait = { .events = POLLIN };
    uint64_t times;

    rig_start(&config); /* no step: pcpus sleep until woken */
    wait.fd = xensim_bind_virq();
    ck_assert_int_ge(wait.fd, 0);
    for ( unsigned int i = 1; i <= 20; i++ )
    {
        ck_assert_int_eq(xensim_call_on(i & 1, schedule_tasklet, &t), 0);
        ck_assert_int_eq(poll(&wait, 1, -1), 1);
        ck_assert_int_eq(read(wait.fd, &times, sizeof(times)), 8);
        await_flag(&tasklets, i);
    }
    xensim_unbind_virq(wait.fd);
    close(wait.fd);
    xensim_stop();
}
END_TEST

UNIT_MAIN("threads", a_cross_call_from_a_pcpu_reaches_all,
          cross_calls_do_not_block_each_other, interrupts_and_nmis_arrive,
          masked_interrupts_wait_and_nmis_do_not,
          an_offline_pcpu_takes_no_calls, hotplug_under_load,
          stop_machine_waits_for_users,
          a_tasklet_wakes_its_pcpu_and_dom0)
