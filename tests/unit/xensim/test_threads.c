/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threaded machine: cross-calls, interrupts that wait and NMIs that do
 * not, calls, and pcpus that come and go under all of this.
 *
 * Nothing here depends on how long something takes; what never comes is
 * ended by the test's timeout.
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

static unsigned int look_up(unsigned int *counter)
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

static uint64_t spin_a_bit(void *unused)
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
            .step = spin_a_bit, .irq = on_irq, .nmi = on_nmi, .mce = on_mce,
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
    ck_assert_uint_eq(look_up(&bad), 0);
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
    cross_call((void *)200); /* from a thread that is no pcpu */
    pthread_join(thread, NULL);
    for ( unsigned int cpu = 0; cpu < 4; cpu++ )
        ck_assert_uint_eq(per_cpu(note, cpu), 600);
    xensim_stop();
}
END_TEST

static void await_flag(unsigned int *counter, unsigned int value)
{
    while ( look_up(counter) < value )
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
    ck_assert_uint_eq(look_up(&irqs), 200);
    ck_assert_uint_eq(look_up(&nmis), 200);
    ck_assert_uint_eq(look_up(&mces), 200);
    ck_assert_uint_eq(look_up(&irqs_in_nmi), 0);
    ck_assert_uint_eq(look_up(&bad), 0);
    xensim_stop();
}
END_TEST

/* On pcpu 1, with interrupts off: what the main thread raised must wait. */
static unsigned int masked, raised;

static void mask_and_wait(void *unused)
{
    unsigned long flags;
    unsigned int before;

    (void)unused;
    local_irq_save(flags);
    before = look_up(&irqs);
    bump_counter(&masked);
    await_flag(&raised, 1);
    await_flag(&nmis, 1); /* it is not kept out */
    if ( look_up(&irqs) != before )
        bump_counter(&bad);
    local_irq_restore(flags);
    if ( look_up(&irqs) != before + 1 )
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
    ck_assert_uint_eq(look_up(&bad), 0);
    ck_assert_uint_eq(look_up(&irqs), 1);
    xensim_stop();
}
END_TEST

static void plug_thread(void *cpu)
{
    if ( cpu_down((unsigned long)cpu) || cpu_up((unsigned long)cpu) )
        bump_counter(&bad);
}

static void unplug_1(void *rc)
{
    *(int *)rc = cpu_down(1);
}

START_TEST(an_offline_pcpu_takes_no_calls)
{
    int rc = -1;

    start_threaded(2);
    ck_assert_int_eq(xensim_call_on(0, unplug_1, &rc), 0);
    ck_assert_int_eq(rc, 0);
    ck_assert_int_eq(xensim_call_on(1, plug_thread, NULL), -ENODEV);
    ck_assert_int_eq(xensim_call_on(2, plug_thread, NULL), -ENODEV);
    xensim_raise(1, XENSIM_IRQ); /* goes nowhere */
    xensim_stop();
}
END_TEST

static bool over;

static void *keep_calling(void *unused)
{
    while ( !__atomic_load_n(&over, __ATOMIC_ACQUIRE) )
    {
        xensim_call_on(1, cross_call, (void *)1);
        cross_call((void *)1);
        xensim_call_on(3, cross_call, (void *)1);
    }
    return unused;
}

static void *keep_raising(void *unused)
{
    for ( unsigned int i = 0; !__atomic_load_n(&over, __ATOMIC_ACQUIRE); i++ )
    {
        xensim_raise(i % 4, i & 4 ? XENSIM_IRQ : XENSIM_NMI);
        usleep(50);
    }
    return unused;
}

START_TEST(pcpus_come_and_go_under_fire)
{
    pthread_t caller, raiser;

    start_threaded(4);
    pthread_create(&caller, NULL, keep_calling, NULL);
    pthread_create(&raiser, NULL, keep_raising, NULL);
    for ( unsigned long i = 0; i < 100; i++ )
        ck_assert_int_eq(xensim_call_on(0, plug_thread, (void *)(1 + i % 3)),
                         0);
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    pthread_join(caller, NULL);
    pthread_join(raiser, NULL);
    ck_assert_uint_eq(look_up(&bad), 0);
    ck_assert_uint_eq(num_online_cpus(), 4);
    xensim_stop();
}
END_TEST

/*
 * Who has seen a CPU online, outside of interrupts, may look at its data
 * until he is done: stop_machine waits for him.
 */
static unsigned int looking, going, done_looking;

static void look_for_long(void *unused)
{
    (void)unused;
    per_cpu(note, 2) = 1;
    bump_counter(&looking);
    await_flag(&going, 1);
    for ( unsigned int i = 0; i < 2000; i++ )
    {
        if ( !cpu_online(2) || __per_cpu_offset[2] < 0 )
            bump_counter(&bad);
        cpu_relax();
    }
    bump_counter(&done_looking);
}

static void schedule_it(void *t)
{
    tasklet_schedule(t);
}

static void take_2_down(void *unused)
{
    (void)unused;
    await_flag(&looking, 1);
    bump_counter(&going);
    if ( cpu_down(2) )
        bump_counter(&bad);
}

START_TEST(a_cpu_does_not_go_while_someone_looks)
{
    static DECLARE_TASKLET(t, look_for_long, NULL);

    start_threaded(4);
    ck_assert_int_eq(xensim_call_on(1, schedule_it, &t), 0);
    ck_assert_int_eq(xensim_call_on(0, take_2_down, NULL), 0);
    await_flag(&done_looking, 1);
    ck_assert_uint_eq(look_up(&bad), 0);
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

    rig_start(&config); /* no step: pcpus sleep until they are woken */
    wait.fd = xensim_bind_virq();
    ck_assert_int_ge(wait.fd, 0);
    for ( unsigned int i = 1; i <= 20; i++ )
    {
        ck_assert_int_eq(xensim_call_on(i & 1, schedule_it, &t), 0);
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
          an_offline_pcpu_takes_no_calls, pcpus_come_and_go_under_fire,
          a_cpu_does_not_go_while_someone_looks,
          a_tasklet_wakes_its_pcpu_and_dom0)
