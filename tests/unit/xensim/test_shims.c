/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shims of Xen: masks, exchanges, locks, copies, parameters. */
#include <errno.h>
#include <string.h>

#include "tests/unit/xensim/rig.h"

#include <public/sysctl.h>
#include <xen/event.h>
#include <xen/param.h>
#include <xen/tasklet.h>
#include <xen/xmalloc.h>

static unsigned int number;
static uint8_t small;
static bool flag;
static char text[8];
integer_param("number", number);
integer_param("small", small);
boolean_param("flag", flag);
string_param("text", text);

static int boot_with(const char *boot, const char **bad)
{
    const struct xensim_config config = { .cpus = 1, .boot = boot };
    int rc = xensim_start(&config, bad);

    if ( !rc )
        xensim_stop();
    return rc;
}

START_TEST(boot_parameters_are_set)
{
    const char *bad = NULL;

    ck_assert_int_eq(boot_with("  number=0x10 small=255 flag text=abc ",
                               &bad), 0);
    ck_assert_ptr_null(bad);
    ck_assert_uint_eq(number, 16);
    ck_assert_uint_eq(small, 255);
    ck_assert(flag);
    ck_assert_str_eq(text, "abc");
    ck_assert_int_eq(boot_with("flag=no number=7", &bad), 0);
    ck_assert(!flag);
    ck_assert_uint_eq(number, 7);
}
END_TEST

START_TEST(bad_boot_parameters_are_named)
{
    static const char *const lines[][2] = {
        { "number=7 nmber=8", "nmber=8" }, { "number", "number" },
        { "number=", "number=" }, { "number=7k", "number=7k" },
        { "number=-1", "number=-1" }, { "small=256", "small=256" },
        { "number=0x100000000", "number=0x100000000" },
        { "flag=maybe", "flag=maybe" }, { "text=12345678", "text=12345678" },
        { "=", "=" },
    };

    for ( size_t i = 0; i < ARRAY_SIZE(lines); i++ )
    {
        const char *bad = NULL;

        ck_assert_int_eq(boot_with(lines[i][0], &bad), -EINVAL);
        ck_assert_ptr_nonnull(bad);
        ck_assert_str_eq(bad, lines[i][1]);
    }
}
END_TEST

START_TEST(mask_operations)
{
    cpumask_t a, b, c;
    unsigned int cpu, n = 0;

    rig_start_single(130);
    cpumask_clear(&a);
    ck_assert(cpumask_empty(&a));
    ck_assert_uint_eq(cpumask_first(&a), 130);
    cpumask_set_cpu(0, &a);
    cpumask_set_cpu(63, &a);
    cpumask_set_cpu(64, &a);
    cpumask_set_cpu(129, &a);
    ck_assert_uint_eq(cpumask_weight(&a), 4);
    for_each_cpu ( cpu, &a )
        n = n * 1000 + cpu;
    ck_assert_uint_eq(n, 63064129);
    cpumask_setall(&b);
    cpumask_andnot(&c, &b, &a);
    ck_assert(!cpumask_test_cpu(63, &c));
    ck_assert(cpumask_test_cpu(62, &c));
    cpumask_or(&c, &c, &a);
    ck_assert(cpumask_equal(&c, &b));
    cpumask_and(&c, &a, cpumask_of(64));
    ck_assert(cpumask_equal(&c, cpumask_of(64)));
    ck_assert(cpumask_test_and_clear_cpu(64, &c));
    ck_assert(!cpumask_test_and_clear_cpu(64, &c));
    cpumask_copy(&c, &a);
    ck_assert(cpumask_equal(&c, &a));
}
END_TEST

START_TEST(atomic_exchanges)
{
    uint64_t q = 5;
    uint32_t d = 6;

    ck_assert_uint_eq(cmpxchg(&q, 5, 7), 5);
    ck_assert_uint_eq(q, 7);
    ck_assert_uint_eq(cmpxchg(&q, 5, 8), 7);
    ck_assert_uint_eq(q, 7);
    ck_assert_uint_eq(xchg(&d, 9), 6);
    ck_assert_uint_eq(d, 9);
#ifdef CONFIG_X86
    uint8_t bytes[] = { 1, 2, 3, 4 };
    uint16_t w = 0xffff;

    ck_assert_uint_eq(cmpxchg_local_(&q, 7, 1ul << 40, 8), 7);
    ck_assert_uint_eq(q, 1ul << 40);
    ck_assert_uint_eq(cmpxchg_local_(&q, 7, 3, 8), 1ul << 40);
    ck_assert_uint_eq(q, 1ul << 40);
    ck_assert_uint_eq(cmpxchg_local_(&d, 9, 10, 4), 9);
    ck_assert_uint_eq(d, 10);
    ck_assert_uint_eq(cmpxchg_local_(&w, 0xffff, 2, 2), 0xffff);
    ck_assert_uint_eq(w, 2);
    ck_assert_uint_eq(cmpxchg_local_(&bytes[1], 2, 9, 1), 2);
    ck_assert_int_eq(memcmp(bytes, "\1\11\3\4", 4), 0);
#endif
}
END_TEST

static void lock_twice(void)
{
    static DEFINE_SPINLOCK(lock);

    spin_lock(&lock);
    spin_lock(&lock);
}

static void unlock_open(void)
{
    static DEFINE_SPINLOCK(lock);

    spin_unlock(&lock);
}

static void spin_irq(void *lock)
{
    unsigned long flags;

    spin_lock_irqsave((spinlock_t *)lock, flags);
    ck_assert(!local_irq_is_enabled());
    spin_unlock_irqrestore((spinlock_t *)lock, flags);
}

START_TEST(locks_check_their_owner)
{
    DEFINE_SPINLOCK(lock);
    unsigned long flags;

    rig_start_single(1);
    spin_irq(&lock);
    ck_assert(local_irq_is_enabled());
    spin_lock_irqsave(&lock, flags);
    ck_assert(spin_is_locked(&lock));
    ck_assert(!spin_trylock(&lock));
    spin_unlock_irqrestore(&lock, flags);
    ck_assert(!spin_is_locked(&lock));
    ck_assert(rig_dies(lock_twice));
    ck_assert(rig_dies(unlock_open));
}
END_TEST

START_TEST(copies_stay_in_the_window)
{
    uint8_t memory[32] = { 0 }, out[4] = { 1, 2, 3, 4 };
    XEN_GUEST_HANDLE_64(uint8) h;

    rig_start_single(1);
    set_xen_guest_handle(h, memory);
    xensim_guest_window(memory + 8, 16);
    ck_assert_uint_eq(copy_to_guest_offset(h, 8, out, 4), 0);
    ck_assert_uint_eq(copy_to_guest_offset(h, 20, out, 4), 0);
    ck_assert_uint_eq(copy_to_guest_offset(h, 21, out, 4), 4);
    ck_assert_uint_eq(copy_to_guest_offset(h, 7, out, 4), 4);
    ck_assert_uint_eq(copy_to_guest_offset(h, 24, out, 0), 0);
    ck_assert_uint_eq(copy_from_guest_offset(out, h, 23, 2), 2);
    ck_assert_uint_eq(copy_from_guest_offset(out, h, 23, 1), 0);
    ck_assert_uint_eq(out[0], 4);
    ck_assert_uint_eq(memory[7] | memory[24] | memory[25], 0);
}
END_TEST

START_TEST(bitmaps_become_masks)
{
    uint8_t bits[] = { 0x81, 0xff };
    struct xenctl_bitmap bitmap = { .bitmap.p = bits, .nr_bits = 10 };
    cpumask_var_t mask;

    rig_start_single(12);
    ck_assert_int_eq(xenctl_bitmap_to_cpumask(&mask, &bitmap), 0);
    ck_assert_uint_eq(cpumask_bits(mask)[0], 0x381);
    free_cpumask_var(mask);
    bitmap.nr_bits = 16;
    ck_assert_int_eq(xenctl_bitmap_to_cpumask(&mask, &bitmap), 0);
    ck_assert_uint_eq(cpumask_bits(mask)[0], 0xf81);
    free_cpumask_var(mask);
    xensim_guest_window(bits, 1);
    ck_assert_int_eq(xenctl_bitmap_to_cpumask(&mask, &bitmap), -EFAULT);
    xensim_fail_allocation(1);
    ck_assert_int_eq(xenctl_bitmap_to_cpumask(&mask, &bitmap), -ENOMEM);
    ck_assert_uint_eq(xensim_xmallocs_in_use(), 0);
}
END_TEST

static unsigned int runs;
static struct tasklet rescheduling;

static void run_tasklet(void *arg)
{
    runs++;
    if ( arg )
        tasklet_schedule(arg);
    send_global_virq(VIRQ_TBUF);
}

START_TEST(a_tasklet_runs_once_on_its_cpu)
{
    static DECLARE_SOFTIRQ_TASKLET(once, run_tasklet, NULL);

    rig_start_single(2);
    xensim_become_cpu(1);
    tasklet_schedule(&once);
    tasklet_schedule(&once);
    xensim_become_cpu(0);
    xensim_run_tasklets();
    ck_assert_uint_eq(runs, 0);
    xensim_become_cpu(1);
    xensim_run_tasklets();
    xensim_run_tasklets();
    ck_assert_uint_eq(runs, 1);
    ck_assert_uint_eq(xensim_virqs(), 1);
}
END_TEST

START_TEST(a_tasklet_may_schedule_itself)
{
    rig_start_single(1);
    softirq_tasklet_init(&rescheduling, run_tasklet, &rescheduling);
    tasklet_schedule(&rescheduling);
    xensim_run_tasklets();
    ck_assert_uint_eq(runs, 1);
    xensim_run_tasklets();
    ck_assert_uint_eq(runs, 2);
}
END_TEST

static void schedule_again(void *unused)
{
    (void)unused;
    tasklet_schedule(&rescheduling);
}

static void schedule_in_nmi(void)
{
    xensim_interrupt(XENSIM_NMI, schedule_again, NULL);
}

static void schedule_in_irq(void)
{
    xensim_interrupt(XENSIM_IRQ, schedule_again, NULL);
}

START_TEST(no_tasklet_from_an_nmi)
{
    rig_start_single(1);
    ck_assert(rig_dies(schedule_in_nmi));
    ck_assert(!rig_dies(schedule_in_irq));
}
END_TEST

START_TEST(the_console_has_levels)
{
    rig_start_single(1);
    printk(XENLOG_INFO "too much\n");
    printk(XENLOG_G_DEBUG "far too much\n");
    printk(XENLOG_WARNING "look %d\n", 7);
    printk("plain\n");
    WARN_ON(1 > 2);
    ck_assert_str_eq(xensim_capture_console(), "(XEN) look 7\n"
                                               "(XEN) plain\n");
    ck_assert_str_eq(xensim_capture_console(), "");
}
END_TEST

UNIT_MAIN("shims", boot_parameters_are_set, bad_boot_parameters_are_named,
          mask_operations, atomic_exchanges, locks_check_their_owner,
          copies_stay_in_the_window, bitmaps_become_masks,
          a_tasklet_runs_once_on_its_cpu, a_tasklet_may_schedule_itself,
          no_tasklet_from_an_nmi, the_console_has_levels)
