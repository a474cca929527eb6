/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU hotplug in a quiet machine: order and place of the callbacks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/xensim/rig.h"

#include <xen/cpu.h>
#include <xen/percpu.h>

static DEFINE_PER_CPU(unsigned long, note);

/* Log of the callbacks: "<name><action>@<cpu of the call>" */
static char callback_log[512];
static unsigned long rejected_action; /* the action that "b" rejects */

static void log_callback(char name, unsigned long action, unsigned int cpu)
{
    size_t used = strlen(callback_log);

    ck_assert(cpu_in_hotplug_context());
    snprintf(callback_log + used, sizeof(callback_log) - used,
             "%c%lx:%u@%u%s ", name,
             action & 0xff, cpu, smp_processor_id(),
             local_irq_is_enabled() ? "" : "!");
}

static int notify_a(struct notifier_block *nb, unsigned long action, void *cpu)
{
    (void)nb;
    log_callback('a', action, (unsigned long)cpu);
    return NOTIFY_DONE;
}

static int notify_b(struct notifier_block *nb, unsigned long action, void *cpu)
{
    (void)nb;
    log_callback('b', action, (unsigned long)cpu);
    return action == rejected_action ? notifier_from_errno(-EPERM)
                                     : NOTIFY_DONE;
}

static int notify_c(struct notifier_block *nb, unsigned long action, void *cpu)
{
    (void)nb;
    log_callback('c', action, (unsigned long)cpu);
    return NOTIFY_DONE;
}

/* Register callbacks a, b, c, in the order of their priorities. */
static void register_three(void)
{
    static struct notifier_block a = { .notifier_call = notify_a,
                                       .priority = 2 };
    static struct notifier_block b = { .notifier_call = notify_b,
                                       .priority = 1 };
    static struct notifier_block c = { .notifier_call = notify_c,
                                       .priority = 1 };

    register_cpu_notifier(&b);
    register_cpu_notifier(&c);
    register_cpu_notifier(&a);
}

static void start_machine(bool park)
{
    const struct xensim_config config = {
        .cpus = 3, .frames = 64, .park = park,
    };

    rig_start(&config);
    register_three();
}

START_TEST(callbacks_run_in_order_and_place)
{
    start_machine(false);
    ck_assert_int_eq(cpu_down(2), 0);
    ck_assert_str_eq(callback_log, "c5:2@0 b5:2@0 a5:2@0 "
                            "c7:2@2! b7:2@2! a7:2@2! "
                            "c8:2@0 b8:2@0 a8:2@0 ");
    ck_assert(!cpu_online(2));
    callback_log[0] = '\0';
    ck_assert_int_eq(cpu_up(2), 0);
    ck_assert_str_eq(callback_log, "a1:2@0 b1:2@0 c1:2@0 "
                            "a3:2@2! b3:2@2! c3:2@2! "
                            "a4:2@0 b4:2@0 c4:2@0 ");
    ck_assert(cpu_online(2));
}
END_TEST

START_TEST(a_rejected_change_is_rolled_back)
{
    start_machine(false);
    rejected_action = CPU_DOWN_PREPARE;
    ck_assert_int_eq(cpu_down(1), -EPERM);
    ck_assert_str_eq(callback_log, "c5:1@0 b5:1@0 c6:1@0 ");
    ck_assert(cpu_online(1));

    rejected_action = 0;
    ck_assert_int_eq(cpu_down(1), 0);
    callback_log[0] = '\0';
    rejected_action = CPU_UP_PREPARE;
    ck_assert_int_eq(cpu_up(1), -EPERM);
    ck_assert_str_eq(callback_log, "a1:1@0 b1:1@0 a2:1@0 ");
    ck_assert(!cpu_online(1));
    rejected_action = 0;
    ck_assert_int_eq(cpu_up(1), 0);
}
END_TEST

START_TEST(invalid_changes_are_rejected)
{
    start_machine(false);
    ck_assert_int_eq(cpu_down(0), -EINVAL);
    ck_assert_int_eq(cpu_down(3), -EINVAL);
    ck_assert_int_eq(cpu_up(3), -EINVAL);
    ck_assert_int_eq(cpu_up(~0u), -EINVAL);
    ck_assert_int_eq(cpu_up(1), -EEXIST);
    ck_assert_int_eq(cpu_down(1), 0);
    ck_assert_int_eq(cpu_down(1), -EEXIST);
    ck_assert_uint_eq(num_online_cpus(), 2);
}
END_TEST

START_TEST(an_area_comes_back_zeroed)
{
    start_machine(false);
    per_cpu(note, 1) = 17;
    per_cpu(note, 2) = 18;
    ck_assert_int_eq(cpu_down(1), 0);
    ck_assert_int_eq(cpu_up(1), 0);
    ck_assert_uint_eq(per_cpu(note, 1), 0);
    ck_assert_uint_eq(per_cpu(note, 2), 18);
}
END_TEST

START_TEST(a_parked_area_keeps_its_contents)
{
    start_machine(true);
    per_cpu(note, 1) = 17;
    ck_assert_int_eq(cpu_down(1), 0);
    ck_assert_int_eq(cpu_up(1), 0);
    ck_assert_uint_eq(per_cpu(note, 1), 17);
}
END_TEST

START_TEST(no_area_no_cpu)
{
    start_machine(false);
    ck_assert_int_eq(cpu_down(1), 0);
    callback_log[0] = '\0';
    xensim_fail_allocation(1);
    ck_assert_int_eq(cpu_up(1), -ENOMEM);
    ck_assert_str_eq(callback_log, "");
    ck_assert_int_eq(cpu_up(1), 0);
}
END_TEST

START_TEST(each_cpu_has_its_own_note)
{
    start_machine(false);
    for ( unsigned int cpu = 0; cpu < 3; cpu++ )
    {
        xensim_become_cpu(cpu);
        ck_assert_uint_eq(smp_processor_id(), cpu);
        ck_assert(is_idle_vcpu(current));
        ck_assert_uint_eq(current->vcpu_id, cpu);
        this_cpu(note) = 100 + cpu;
    }
    for ( unsigned int cpu = 0; cpu < 3; cpu++ )
        ck_assert_uint_eq(per_cpu(note, cpu), 100 + cpu);
}
END_TEST

START_TEST(a_cpu_keeps_its_current)
{
    struct vcpu *guest;

    start_machine(false);
    guest = xensim_vcpu(5, 1);
    ck_assert_ptr_eq(xensim_vcpu(5, 1), guest);
    xensim_become_cpu(1);
    set_current(guest);
    xensim_become_cpu(0);
    ck_assert_ptr_ne(current, guest);
    xensim_become_cpu(1);
    ck_assert_ptr_eq(current, guest);
    ck_assert_uint_eq(current->domain->domain_id, 5);
}
END_TEST

static void leave_note(void *from)
{
    ck_assert(!local_irq_is_enabled());
    this_cpu(note)++;
    ck_assert_ptr_eq(from, callback_log);
}

START_TEST(a_cross_call_reaches_those_that_are_online)
{
    start_machine(false);
    cpu_down(1);
    on_each_cpu(leave_note, callback_log, 1);
    ck_assert_uint_eq(per_cpu(note, 0), 1);
    ck_assert_uint_eq(per_cpu(note, 2), 1);
    on_selected_cpus(cpumask_of(2), leave_note, callback_log, 1);
    ck_assert_uint_eq(per_cpu(note, 0), 1);
    ck_assert_uint_eq(per_cpu(note, 2), 2);
    smp_call_function(leave_note, callback_log, 1);
    ck_assert_uint_eq(per_cpu(note, 0), 1);
    ck_assert_uint_eq(per_cpu(note, 2), 3);
    ck_assert_uint_eq(smp_processor_id(), 0);
    ck_assert(local_irq_is_enabled());
}
END_TEST

START_TEST(a_machine_can_start_with_some_cpus)
{
    const struct xensim_config config = { .cpus = 8, .online = 3 };

    rig_start(&config);
    ck_assert_uint_eq(nr_cpu_ids, 8);
    ck_assert_uint_eq(num_online_cpus(), 3);
    ck_assert(!cpu_online(3));
    ck_assert_int_eq(cpu_up(7), 0);
    ck_assert(cpu_online(7));
}
END_TEST

UNIT_MAIN("hotplug", callbacks_run_in_order_and_place,
          a_rejected_change_is_rolled_back,
          invalid_changes_are_rejected, an_area_comes_back_zeroed,
          a_parked_area_keeps_its_contents, no_area_no_cpu,
          each_cpu_has_its_own_note, a_cpu_keeps_its_current,
          a_cross_call_reaches_those_that_are_online,
          a_machine_can_start_with_some_cpus)
