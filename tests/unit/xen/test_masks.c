/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The masks of events and CPUs.
 *
 * An event is traced if the mask has one of its class bits (16-27) and one of
 * its subclass bits (12-15): two independent tests.  No other bit of either
 * matters.
 */
#include "tests/unit/xen/rig.h"

static struct rig rig;

/* The rule as documented. */
static bool expected_by_rule(uint32_t mask, uint32_t event)
{
    return (mask & event) != 0 &&
           ((mask >> 16) & (event >> 16)) != 0 &&
           ((mask >> 12) & 0xf & (event >> 12) & 0xf) != 0;
}

static void check_mask(uint32_t mask, uint32_t event)
{
    if ( !!trace_will_trace_event(event) != expected_by_rule(mask, event) )
        ck_abort_msg("mask %08x, event %08x", mask, event);
}

/* The number of new records, without padding. */
static unsigned int count_new_records(void)
{
    struct kit_record record;
    unsigned int n = 0;

    kit_snapshot(&rig.reader);
    while ( kit_next(&rig.reader, &record) )
        n += record.event != TRC_TRACE_WRAP_BUFFER;
    ck_assert_str_eq(rig.reader.fault, "");
    kit_consume(&rig.reader);
    return n;
}

/* ---- events ----------------------------------------------------------- */

/* All classes of masks by all classes of events, 1/16 per process. */
START_TEST(classes)
{
    uint32_t mask, event;

    rig_start(&rig, 1);
    for ( mask = _i << 24; mask < (_i + 1U) << 24; mask += 1 << 16 )
    {
        ck_assert_int_eq(kit_set_evt_mask(mask | 0xf000), 0);
        for ( event = 0; event < 0x10000000; event += 1 << 16 )
            check_mask(mask | 0xf000, event | 0x1001);
    }
}
END_TEST

static void check_all_events(uint32_t mask)
{
    unsigned int class, sub;

    ck_assert_int_eq(kit_set_evt_mask(mask), 0);
    for ( class = 16; class < 28; class++ )
        for ( sub = 0; sub < 16; sub++ )
            check_mask(mask, 1U << class | sub << 12 | 5);
}

/* All subclasses by all subclasses, and each class bit by each. */
START_TEST(subclasses)
{
    unsigned int class, sub;

    rig_start(&rig, 1);
    for ( class = 16; class < 28; class++ )
        for ( sub = 0; sub < 16; sub++ )
            check_all_events(1U << class | sub << 12);
}
END_TEST

/* A record is emitted if and only if the mask matches. */
START_TEST(records)
{
    uint32_t mask, event, random = _i;
    unsigned int i;

    rig_start(&rig, 1);
    for ( i = 0; i < 10000; i++ )
    {
        random = random * 1664525 + 1013904223;
        mask = random & (random << 7) & 0xfffffff;
        random = random * 1664525 + 1013904223;
        event = (random >> 4) | 1;
        ck_assert_int_eq(kit_set_evt_mask(mask), 0);
        __trace_var(event, random & 1, 0, NULL);
        ck_assert_uint_eq(count_new_records(), expected_by_rule(mask, event));
    }
}
END_TEST

/* Masks and events whose other bits are set. */
static const struct
{
    uint32_t mask, event;
    bool taken;
} other_bits[] = {
    { 0xf0000fff, 0x00021001, false },  /* minors alone */
    { 0x00020fff, 0x00021001, false },  /* a class, no subclass */
    { 0x0000ffff, 0x00021001, false },  /* subclasses, no class */
    { 0xf000f000, 0x00021001, false },  /* bits 28-31 are no classes */
    { 0xffffffff, 0x00021001, true },
    { 0xfffff000, 0x00021001, true },
    { 0x00021000, 0x00021fff, true },
    { 0x00022000, 0x00021fff, false },
    { 0x00041000, 0x00021fff, false },
    { 0x00061000, 0x00041fff, true },
    { 0x00000000, 0x0ffff000, false },
    { 0x0ffff000, 0x00000fff, false },
    { 0x0ffff000, 0x00020fff, false },
    { 0x0ffff000, 0x0000ffff, false },
    { 0x07001000, 0x01001001, true },   /* unnamed classes */
};

/* The bit of the time stamp does not matter, in either syntax. */
START_TEST(bits_that_do_not_matter)
{
    uint32_t mask = other_bits[_i].mask, event = other_bits[_i].event;
    struct xen_sysctl_tbuf_op info;
    unsigned int n = other_bits[_i].taken;

    rig_start(&rig, 1);
    ck_assert_int_eq(kit_set_evt_mask(mask), 0);
    ck_assert_uint_eq(expected_by_rule(mask & 0x0fffffff, event), n);

    __trace_var(event, false, 0, NULL);
    ck_assert_uint_eq(count_new_records(), n);
    __trace_var(event, true, 0, NULL);
    ck_assert_uint_eq(count_new_records(), n);
    trace(event, 0, NULL);
    ck_assert_uint_eq(count_new_records(), n);
    trace_time(event, 0, NULL);
    ck_assert_uint_eq(count_new_records(), n);
    TRACE(event);
    ck_assert_uint_eq(count_new_records(), n);
    TRACE_0D(event);
    ck_assert_uint_eq(count_new_records(), n);
    ck_assert_int_eq(trace_will_trace_event(event), n);

    /* get_info returns the whole mask. */
    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.evt_mask, mask);
}
END_TEST

/* The ring's own records pass any mask. */
START_TEST(own_records)
{
    rig_start(&rig, 1);
    ck_assert_int_eq(kit_set_evt_mask(TRC_SCHED_VERBOSE), 0);
    rig_expect(&rig, "@-4 r8 ?", "p4 r8");
    rig_expect(&rig, "@0 = r4 ? r4 ?", "r32*127 r24 | L1 r4");
}
END_TEST

/* An event that is masked out is not lost. */
START_TEST(masked_is_not_lost)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@0 =");
    ck_assert_int_eq(kit_set_evt_mask(TRC_HVM), 0);
    kit_emit(0, 7, true);
    ck_assert_int_eq(kit_set_evt_mask(TRC_ALL), 0);
    rig_expect(&rig, "? r4 ?", "r32*127 r24 | r4");
}
END_TEST

/* ---- CPUs ------------------------------------------------------------- */

#define CPUS 4

static void start_cpus(void)
{
    const struct xensim_config config = { .cpus = CPUS, .frames = 256 };

    ck_assert_int_eq(kit_start(&config), 0);
    ck_assert_int_eq(kit_set_size(1), 0);
}

/* Emit a record on each CPU; returns the CPUs with a record as bits. */
static unsigned int tracing_cpus(void)
{
    unsigned int cpu, who = 0;

    for ( cpu = 0; cpu < CPUS; cpu++ )
    {
        rig_attach(&rig, cpu);
        xensim_become_cpu(cpu);
        __trace_var(KIT_EVENT, true, 0, NULL);
        who |= count_new_records() << cpu;
        ck_assert_int_eq(trace_will_trace_event(KIT_EVENT), who >> cpu);
        kit_close(&rig.reader);
    }
    xensim_become_cpu(0);
    return who;
}

START_TEST(cpu_masks)
{
    uint8_t bits;

    start_cpus();
    ck_assert_uint_eq(tracing_cpus(), 0xf);
    for ( bits = 0; bits < 1 << CPUS; bits++ )
    {
        ck_assert_int_eq(kit_set_cpu_mask(&bits, CPUS), 0);
        ck_assert_uint_eq(tracing_cpus(), bits);
    }
}
END_TEST

/* CPU masks shorter or longer than the number of CPUs. */
static const struct
{
    uint8_t bytes[4];
    unsigned int nr_bits;
    unsigned int who;
} lengths[] = {
    { { 0xff }, 0, 0 },
    { { 0xff }, 1, 0x1 },               /* missing bits are 0 */
    { { 0xff }, 3, 0x7 },               /* spare bits of a byte are 0 */
    { { 0xff }, 8, 0xf },               /* surplus bits are dropped */
    { { 0x05, 0xff, 0xff, 0xff }, 32, 0x5 },
    { { 0x00, 0xff, 0xff, 0xff }, 32, 0x0 },
};

START_TEST(cpu_mask_lengths)
{
    start_cpus();
    ck_assert_int_eq(kit_set_cpu_mask(lengths[_i].bytes,
                                      lengths[_i].nr_bits), 0);
    ck_assert_uint_eq(tracing_cpus(), lengths[_i].who);
}
END_TEST

/* A faulting or unallocatable mask changes nothing. */
START_TEST(cpu_mask_failures)
{
    static const uint8_t five[] = { 5 }, unreachable[] = { 2 };
    static uint8_t window[1];

    start_cpus();
    ck_assert_int_eq(kit_set_cpu_mask(five, 8), 0);

    xensim_guest_window(window, sizeof(window));
    ck_assert_int_eq(kit_set_cpu_mask(unreachable, 8), -EFAULT);
    xensim_guest_window(NULL, 0);
    ck_assert_uint_eq(tracing_cpus(), 5);

    xensim_fail_allocation(1);
    ck_assert_int_eq(kit_set_cpu_mask(unreachable, 8), -ENOMEM);
    ck_assert_uint_eq(tracing_cpus(), 5);
}
END_TEST

/* The mask may be set before there are rings, or while off. */
START_TEST(cpu_mask_beforehand)
{
    static const uint8_t six[] = { 6 }, nine[] = { 9 };
    const struct xensim_config config = { .cpus = CPUS, .frames = 256 };

    ck_assert_int_eq(kit_start(&config), 0);
    ck_assert_int_eq(kit_set_cpu_mask(six, 8), 0);
    ck_assert_int_eq(kit_set_size(1), 0);
    ck_assert_uint_eq(tracing_cpus(), 6);

    ck_assert_int_eq(kit_disable(), 0);
    ck_assert_int_eq(kit_set_cpu_mask(nine, 8), 0);
    ck_assert_uint_eq(tracing_cpus(), 0);
    ck_assert_int_eq(kit_enable(), 0);
    ck_assert_uint_eq(tracing_cpus(), 9);
}
END_TEST

/* No memory leaks after many changes. */
START_TEST(cpu_mask_memory)
{
    static const uint8_t five[] = { 5 };
    unsigned long before;
    unsigned int i;

    start_cpus();
    before = xensim_xmallocs_in_use();
    for ( i = 0; i < 100; i++ )
        ck_assert_int_eq(kit_set_cpu_mask(five, 8), 0);
    ck_assert_uint_eq(xensim_xmallocs_in_use(), before);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("masks");

    tcase_add_loop_test(tests, classes, 0, 16);
    tcase_add_test(tests, subclasses);
    tcase_add_loop_test(tests, records, 0, 4);
    tcase_add_loop_test(tests, bits_that_do_not_matter, 0,
                        ARRAY_SIZE(other_bits));
    tcase_add_test(tests, own_records);
    tcase_add_test(tests, masked_is_not_lost);
    tcase_add_test(tests, cpu_masks);
    tcase_add_loop_test(tests, cpu_mask_lengths, 0, ARRAY_SIZE(lengths));
    tcase_add_test(tests, cpu_mask_failures);
    tcase_add_test(tests, cpu_mask_beforehand);
    tcase_add_test(tests, cpu_mask_memory);

    return rig_main(tests);
}
