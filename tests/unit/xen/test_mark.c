/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The high-water mark: dom0 gets VIRQ_TBUF from a tasklet when a record makes
 * half of the ring unread, and no further one before the next read.
 */
#include "tests/unit/xen/rig.h"

static struct rig rig;

#define HALF 2044 /* bytes, half of 4088 */

/* At any position in the ring. */
START_TEST(at_the_byte)
{
    unsigned int at;

    rig_start(&rig, 1);
    for ( at = 0; at < rig.reader.size; at += 4 )
    {
        rig_play(&rig, rig_script("@%u =%u", at, HALF - 4));
        if ( rig_virqs() )
            ck_abort_msg("at %u: too early", at);
        rig_play(&rig, "r4");
        if ( rig_virqs() != 1 )
            ck_abort_msg("at %u: not told", at);
        rig_play(&rig, "r8");
        if ( rig_virqs() )
            ck_abort_msg("at %u: told twice", at);
    }
    rig_balance(&rig);
}
END_TEST

/* Over the mark by more than a byte, with any record. */
START_TEST(over_it)
{
    rig_start(&rig, 1);
    rig_play(&rig, rig_script("@0 =%d", HALF - 4));
    rig_play(&rig, "R40");
    ck_assert_uint_eq(rig_virqs(), 1);
}
END_TEST

/* Padding counts. */
START_TEST(over_it_by_padding)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@2048 =2036");
    ck_assert_uint_eq(rig_virqs(), 0);
    rig_expect(&rig, "r8 ?", "r32*63 r20 p4 r8");
    ck_assert_uint_eq(rig_virqs(), 1);
}
END_TEST

START_TEST(not_twice)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@0 =2044");
    ck_assert_uint_eq(rig_virqs(), 1);
    rig_play(&rig, "= R40 R40");
    ck_assert_uint_eq(rig_virqs(), 0);

    /* No VIRQ while a partial read leaves the ring above the mark. */
    rig_play(&rig, "?10 r32");
    ck_assert_uint_eq(rig_virqs(), 0);
}
END_TEST

START_TEST(again_after_reading)
{
    unsigned int pass;

    rig_start(&rig, 1 + _i);
    for ( pass = 0; pass < 50; pass++ )
    {
        rig_play(&rig, rig_script("? =%u", rig.reader.size / 2 - 4));
        ck_assert_uint_eq(rig_virqs(), 0);
        rig_play(&rig, "r16");
        ck_assert_uint_eq(rig_virqs(), 1);
        rig_play(&rig, "=");
        ck_assert_uint_eq(rig_virqs(), 0);
    }
}
END_TEST

/* Any read to below the mark rearms the notification. */
START_TEST(again_after_reading_some)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@0 =2044");
    ck_assert_uint_eq(rig_virqs(), 1);
    rig_play(&rig, "?1");
    ck_assert_uint_eq(rig_virqs(), 0);
    rig_play(&rig, "= R40");
    ck_assert_uint_eq(rig_virqs(), 1);
    rig_play(&rig, "R40 R40");
    ck_assert_uint_eq(rig_virqs(), 0);
}
END_TEST

/*
 * A reader that wakes on VIRQ only must not starve: it read beyond the place of
 * the last check, and the next one is above the mark already.
 */
START_TEST(again_after_reading_beyond)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@0 =2044 r4");
    ck_assert_uint_eq(rig_virqs(), 1);
    rig_play(&rig, "=4040");
    ck_assert_uint_eq(rig_virqs(), 0);
    rig_play(&rig, "?65 r32");
    ck_assert_uint_eq(rig_unread(&rig), HALF - 20);
    ck_assert_uint_eq(rig_virqs(), 0);
    rig_play(&rig, "r32");
    ck_assert_uint_eq(rig_virqs(), 1);
}
END_TEST

/* One tasklet serves all CPUs, and runs once for several crossings. */
START_TEST(several_cpus)
{
    unsigned int cpu;

    ck_assert_int_eq(kit_start_simple(4), 0);
    ck_assert_int_eq(kit_set_size(1), 0);
    for ( cpu = 0; cpu < 4; cpu++ )
    {
        xensim_become_cpu(cpu);
        rig_attach(&rig, cpu);
        rig_play(&rig, "=2044");
        kit_close(&rig.reader);
    }
    xensim_become_cpu(0);
    ck_assert_uint_eq(rig_virqs(), 1);
}
END_TEST

/* ---- deferred notifications ------------------------------------------- */

static void cross_mark(void *unused)
{
    (void)unused;
    rig_play(&rig, "r16");
}

static const struct
{
    enum xensim_vector vector;
    bool notified;          /* notified at once */
} contexts[] = {
    { XENSIM_IPI, true },
    { XENSIM_IRQ, true },
    { XENSIM_NMI, false },  /* tasklet_schedule takes a lock */
    { XENSIM_MCE, false },
};

START_TEST(from_interrupts)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@0 =2040");
    xensim_interrupt(contexts[_i].vector, cross_mark, NULL);
    ck_assert_uint_eq(rig_virqs(), contexts[_i].notified);

    /* The next ordinary record sends the deferred VIRQ. */
    rig_play(&rig, "r4");
    ck_assert_uint_eq(rig_virqs(), !contexts[_i].notified);
    rig_play(&rig, "r4");
    ck_assert_uint_eq(rig_virqs(), 0);
}
END_TEST

static void cross_in_nmi(void *unused)
{
    (void)unused;
    xensim_interrupt(XENSIM_NMI, cross_mark, NULL);
}

/* In an NMI, the interrupted handler sends the deferred VIRQ. */
START_TEST(from_nmi_in_irq)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@0 =2040");
    xensim_interrupt(XENSIM_IRQ, cross_in_nmi, NULL);
    ck_assert_uint_eq(rig_virqs(), 0);
    xensim_interrupt(XENSIM_IRQ, cross_mark, NULL);
    ck_assert_uint_eq(rig_virqs(), 1);
}
END_TEST

/* A flight recorder has no reader to notify. */
START_TEST(not_while_overwriting)
{
    unsigned int i;

    rig_start(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    for ( i = 0; i < 1000; i++ )
        kit_emit(i, 7, true);
    ck_assert_uint_eq(rig_virqs(), 0);

    /* Nor are the frozen records notified. */
    ck_assert_int_eq(kit_freeze(), 0);
    ck_assert_int_eq(kit_enable(), 0);
    kit_emit(i, 7, true);
    ck_assert_uint_eq(rig_virqs(), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("mark");

    tcase_add_test(tests, at_the_byte);
    tcase_add_test(tests, over_it);
    tcase_add_test(tests, over_it_by_padding);
    tcase_add_test(tests, not_twice);
    tcase_add_loop_test(tests, again_after_reading, 0, 4);
    tcase_add_test(tests, again_after_reading_some);
    tcase_add_test(tests, again_after_reading_beyond);
    tcase_add_test(tests, several_cpus);
    tcase_add_loop_test(tests, from_interrupts, 0, ARRAY_SIZE(contexts));
    tcase_add_test(tests, from_nmi_in_irq);
    tcase_add_test(tests, not_while_overwriting);

    return rig_main(tests);
}
