/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU hotplug: rings and losses of CPUs that come online late, go offline and
 * return, and control operations on the ring of an offline CPU.
 *
 * Each test runs twice: with new per-CPU memory after a return, and (`parked`)
 * with memory that keeps its contents.
 */
#include "tests/unit/xen/rig.h"

#include <stdlib.h>

#include <xen/cpu.h>

static struct rig rig;

/* Two of four CPUs are online. */
static void start_hotplug(bool parked, unsigned int pages)
{
    const struct xensim_config config = {
        .cpus = 4, .online = 2, .frames = 256, .loglevel = 3,
        .park = parked, .poison = true,
    };

    ck_assert_int_eq(kit_start(&config), 0);
    if ( pages )
        ck_assert_int_eq(kit_set_size(pages), 0);
    xensim_capture_console();
}

static void bring_up(unsigned int cpu)
{
    ck_assert_int_eq(cpu_up(cpu), 0);
}

static void take_down(unsigned int cpu)
{
    xensim_become_cpu(0);
    ck_assert_int_eq(cpu_down(cpu), 0);
}

/* Play a script on a CPU, and switch back. */
#define on_cpu(cpu, script, text)                                       \
    do {                                                                \
        xensim_become_cpu(cpu);                                         \
        rig_expect(&rig, script, text);                                 \
        xensim_become_cpu(0);                                           \
    } while ( 0 )

static uint32_t flags_of(unsigned int cpu)
{
    struct xen_tbuf_cpu state;

    ck_assert_int_eq(kit_cpu_state(cpu, &state), 0);
    return state.flags;
}

static uint64_t lost_of(unsigned int cpu)
{
    struct xen_tbuf_cpu state;

    ck_assert_int_eq(kit_cpu_state(cpu, &state), 0);
    return state.lost;
}

/* ---- late CPUs -------------------------------------------------------- */

/* A CPU comes online after an allocation of rings failed at any point. */
START_TEST(late_after_failure)
{
    unsigned int nth;
    int rc;

    start_hotplug(_i, 0);
    for ( nth = 1; ; nth++ )
    {
        xensim_fail_allocation(nth);
        rc = kit_set_size(2);
        xensim_fail_allocation(0);
        bring_up(2);
        if ( rc == 0 )
            break;
        ck_assert_int_eq(rc, -ENOMEM);
        take_down(2);
    }
    ck_assert_uint_gt(nth, 3);
    rig_attach(&rig, 2);
    on_cpu(2, "R40 ?", "R40");
}
END_TEST

/* A CPU that comes online later gets a ring, listed in t_info. */
START_TEST(late)
{
    start_hotplug(_i, 2);
    ck_assert_int_eq(kit_open(&rig.reader, 2), -ENODEV);
    ck_assert_uint_eq(flags_of(2), 0);

    bring_up(2);
    rig_console("xentrace: p2 mfn ", 1);
    ck_assert_uint_eq(flags_of(2), XEN_TBUF_CPU_ONLINE | XEN_TBUF_CPU_RING);
    rig_attach(&rig, 2);
    on_cpu(2, "R40 ?", "R40");
    kit_close(&rig.reader);
    ck_assert_int_eq(kit_open(&rig.reader, 3), -ENODEV);
}
END_TEST

/* The same in each state of tracing. */
START_TEST(late_while_off)
{
    start_hotplug(_i, 2);
    ck_assert_int_eq(kit_disable(), 0);
    bring_up(2);
    rig_attach(&rig, 2);
    xensim_become_cpu(2);
    kit_emit(1, 1, false);
    on_cpu(2, "?", "");
    ck_assert_int_eq(kit_enable(), 0);
    on_cpu(2, "R40 ?", "R40");
}
END_TEST

START_TEST(late_and_masked)
{
    static const uint8_t three[] = { 3 }, all[] = { 0xff };

    start_hotplug(_i, 2);
    ck_assert_int_eq(kit_set_cpu_mask(three, 8), 0);
    bring_up(2);
    ck_assert(flags_of(2) & XEN_TBUF_CPU_MASKED);
    rig_attach(&rig, 2);
    xensim_become_cpu(2);
    kit_emit(1, 1, false);
    on_cpu(2, "?", "");
    ck_assert_int_eq(kit_set_cpu_mask(all, 8), 0);
    on_cpu(2, "R40 ?", "R40");
}
END_TEST

START_TEST(late_while_overwriting)
{
    start_hotplug(_i, 2);
    ck_assert_int_eq(kit_overwrite(), 0);
    bring_up(2);
    rig_attach(&rig, 2);
    on_cpu(2, "R40 R12 ?", "");
    ck_assert_int_eq(kit_freeze(), 0);
    on_cpu(2, "?", "R40 R12");
}
END_TEST

START_TEST(late_without_rings)
{
    start_hotplug(_i, 0);
    bring_up(2);
    xensim_become_cpu(2);
    kit_emit(1, 1, false);
    xensim_become_cpu(0);
    ck_assert_int_eq(kit_set_size(1), 0);
    rig_attach(&rig, 2);
    on_cpu(2, "R40 ?", "R40");
}
END_TEST

/* Without memory for its ring, a CPU comes online but does not trace. */
START_TEST(late_without_memory)
{
    unsigned long frames;

    start_hotplug(false, 2);
    frames = xensim_frames_in_use();
    xensim_fail_allocation(2 + _i); /* the 1st is the per-CPU area */
    bring_up(2);
    ck_assert_uint_eq(xensim_frames_in_use(), frames);
    ck_assert_uint_eq(flags_of(2), XEN_TBUF_CPU_ONLINE);
    xensim_become_cpu(2);
    kit_emit(1, 1, false);
    xensim_become_cpu(0);

    /* The next attempt has memory. */
    take_down(2);
    bring_up(2);
    rig_attach(&rig, 2);
    on_cpu(2, "R40 ?", "R40");
}
END_TEST

/* ---- control operations while a CPU comes up --------------------------- */

static int (*operation)(void);

/* Run the operation between UP_PREPARE and the moment the CPU is online. */
static int run_operation(struct notifier_block *nb, unsigned long action,
                         void *cpu)
{
    (void)nb;
    (void)cpu;
    if ( action == CPU_UP_PREPARE )
        ck_assert_int_eq(operation(), 0);
    return NOTIFY_DONE;
}

static int set_two(void)
{
    return kit_set_size(2);
}

static int resize_to_three(void)
{
    return kit_resize(3);
}

static int free_and_set(void)
{
    return kit_free() ?: kit_set_size(2);
}

static const struct
{
    unsigned int pages;         /* before */
    int (*run)(void);
    bool overwrites;
} operations[] = {
    { 0, set_two, false },
    { 2, resize_to_three, false },
    { 2, free_and_set, false },
    { 2, kit_overwrite, true },
};

START_TEST(operation_while_coming)
{
    static struct notifier_block last = {
        .notifier_call = run_operation, .priority = -1,
    };
    unsigned int i = _i / 2;

    start_hotplug(_i % 2, operations[i].pages);
    operation = operations[i].run;
    register_cpu_notifier(&last);
    bring_up(2);
    ck_assert_uint_eq(flags_of(2), XEN_TBUF_CPU_ONLINE | XEN_TBUF_CPU_RING);
    rig_attach(&rig, 2);
    on_cpu(2, "R40 ?", operations[i].overwrites ? "" : "R40");
    if ( operations[i].overwrites )
    {
        ck_assert_int_eq(kit_freeze(), 0);
        on_cpu(2, "?", "R40");
    }
}
END_TEST

/* ---- away and back ---------------------------------------------------- */

/* The ring keeps its records while offline, and further ones follow. */
START_TEST(back)
{
    start_hotplug(_i, 2);
    rig_attach(&rig, 1);
    on_cpu(1, "R40 R12", "");
    take_down(1);
    ck_assert_uint_eq(flags_of(1), XEN_TBUF_CPU_RING);
    rig_expect(&rig, "?1", "R40");
    bring_up(1);
    on_cpu(1, "R16 ?", "R12 R16");

    /* Repeatedly, at different positions of the ring. */
    for ( int at = 0; at < 8000; at += 500 )
    {
        on_cpu(1, rig_script("@%d R40", at), "");
        take_down(1);
        bring_up(1);
        on_cpu(1, "R12 ?", "R40 R12");
    }
}
END_TEST

/* An owed loss is reported when the CPU goes offline. */
START_TEST(reported_when_offline)
{
    start_hotplug(_i, 1);
    rig_attach(&rig, 1);
    on_cpu(1, "@0 = r4 r4 ?1", "r32");
    take_down(1);
    rig_expect(&rig, "?", "r32*126 r24 L2");
    ck_assert_uint_eq(lost_of(1), 2);
    bring_up(1);
    ck_assert_uint_eq(lost_of(1), 2);
    on_cpu(1, "r4 ?", "r4");
    on_cpu(1, "@0 = r4 ? r4 ?", "r32*127 r24 | L1 r4");
    ck_assert_uint_eq(lost_of(1), 3);
}
END_TEST

static int trace_late(struct notifier_block *nb, unsigned long action,
                      void *cpu)
{
    (void)nb;
    (void)cpu;
    if ( action == CPU_DYING )
    {
        rig.reader.ring->prod = 0x1234;
        trace_record(TRACE_HEADER(KIT_EVENT, true, 0), NULL);
    }
    return NOTIFY_DONE;
}

/* A trace point behind the ring's own notifier does not touch the pages. */
START_TEST(late_record_when_offline)
{
    static struct notifier_block behind = {
        .notifier_call = trace_late, .priority = 1,
    };

    start_hotplug(_i, 1);
    rig_attach(&rig, 1);
    register_cpu_notifier(&behind);
    take_down(1);
    ck_assert_uint_eq(rig.reader.ring->prod, 0x1234);
    bring_up(1);
    ck_assert_uint_eq(rig.reader.ring->prod, 0);
    on_cpu(1, "R40 ?", "R40");
}
END_TEST

/* Crossing the mark when going offline is notified by another CPU. */
START_TEST(notified_when_offline)
{
    start_hotplug(_i, 1);
    rig_attach(&rig, 1);
    on_cpu(1, "@0 =2044", "");
    take_down(1);
    ck_assert_uint_eq(rig_virqs(), 1);
}
END_TEST

/* The flight recorder of an offline CPU is frozen with the others. */
START_TEST(away_while_overwriting)
{
    start_hotplug(_i, 1);
    rig_attach(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    on_cpu(1, "R12 R16", "");
    take_down(1);
    ck_assert_int_eq(kit_freeze(), 0);
    rig_expect(&rig, "?", "R12 R16");

    ck_assert_int_eq(kit_overwrite(), 0);
    bring_up(1);
    on_cpu(1, "R20 ?", "");
    take_down(1);
    bring_up(1);
    on_cpu(1, "R24 ?", "");
    ck_assert_int_eq(kit_freeze(), 0);
    kit_forget(&rig.reader);
    on_cpu(1, "?", "R20 R24");
}
END_TEST

/* Fill freed memory with a pattern, to detect writes by Xen. */
static unsigned char *reused[512];

static size_t reused_bytes(unsigned int i)
{
    return 16 * (1 + i % 64);
}

static void reuse_freed_memory(void)
{
    for ( unsigned int i = 0; i < ARRAY_SIZE(reused); i++ )
        reused[i] = memset(malloc(reused_bytes(i)), 0xff, reused_bytes(i));
}

static void check_no_writes(void)
{
    for ( unsigned int i = 0; i < ARRAY_SIZE(reused); i++ )
        for ( size_t j = 0; j < reused_bytes(i); j++ )
            if ( reused[i][j] != 0xff )
                ck_abort_msg("freed memory was written to");
}

/* The CPU returns with different per-CPU memory. */
START_TEST(moved_while_overwriting)
{
    static struct rig other;

    start_hotplug(false, 1);
    rig_attach(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    on_cpu(1, "R12 R16", "");
    take_down(1);
    reuse_freed_memory();
    bring_up(2);
    bring_up(1);
    rig_attach(&other, 2);
    xensim_become_cpu(2);
    rig_play(&other, "R40 R40 R40");
    on_cpu(1, "R20 R24", "");
    xensim_become_cpu(2);
    rig_play(&other, "R36");
    on_cpu(1, "R28", "");
    ck_assert_int_eq(kit_freeze(), 0);
    rig_expect(&rig, "?", "R12 R16 R20 R24 R28");
    rig_expect(&other, "?", "R40*3 R36");
    check_no_writes();
}
END_TEST

/* Tracing is enabled or disabled while the CPU is offline. */
START_TEST(switched_while_away)
{
    start_hotplug(_i, 1);
    rig_attach(&rig, 1);
    take_down(1);
    ck_assert_int_eq(kit_disable(), 0);
    bring_up(1);
    xensim_become_cpu(1);
    kit_emit(1, 1, false);
    on_cpu(1, "?", "");

    take_down(1);
    ck_assert_int_eq(kit_enable(), 0);
    bring_up(1);
    on_cpu(1, "R12 ?", "R12");
}
END_TEST

/* The ring is freed while the CPU is offline. */
START_TEST(freed_while_away)
{
    start_hotplug(_i, 1);
    take_down(1);
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
    bring_up(1);
    xensim_become_cpu(1);
    trace_record(TRACE_HEADER(KIT_EVENT, true, 0), NULL);
    xensim_become_cpu(0);
    ck_assert_uint_eq(flags_of(1), XEN_TBUF_CPU_ONLINE);

    ck_assert_int_eq(kit_set_size(1), 0);
    rig_attach(&rig, 1);
    on_cpu(1, "R12 ?", "R12");
}
END_TEST

/* Resized: only online CPUs get a ring, this one when it returns. */
START_TEST(resized_while_away)
{
    start_hotplug(_i, 1);
    rig_attach(&rig, 1);
    on_cpu(1, "@0 = r4", "");
    kit_close(&rig.reader);
    take_down(1);
    ck_assert_int_eq(kit_resize(3), 0);
    ck_assert_int_eq(kit_open(&rig.reader, 1), -ENODEV);
    bring_up(1);
    rig_attach(&rig, 1);
    ck_assert_uint_eq(rig.reader.pages, 3);
    on_cpu(1, "R12 ?", "R12");
    ck_assert_uint_eq(lost_of(1), 1);
}
END_TEST

/* Other CPUs are not disturbed, and no memory leaks. */
START_TEST(others_unaffected)
{
    unsigned long frames, heap;
    unsigned int i;

    start_hotplug(_i, 1);
    bring_up(2);
    take_down(2);
    frames = xensim_frames_in_use();
    heap = xensim_xmallocs_in_use();
    rig_attach(&rig, 0);
    for ( i = 0; i < 50; i++ )
    {
        rig_expect(&rig, "R12 r8 ?", "R12 r8");
        bring_up(2);
        rig_expect(&rig, "R40 ?", "R40");
        take_down(2);
        ck_assert_uint_eq(xensim_frames_in_use(), frames);
        ck_assert_uint_eq(xensim_xmallocs_in_use(), heap);
    }
    rig_balance(&rig);
}
END_TEST

/* A mapped ring of an offline CPU cannot be freed, either. */
START_TEST(mapped_while_away)
{
    start_hotplug(_i, 2);
    rig_attach(&rig, 1);
    on_cpu(1, "R40", "");
    take_down(1);
    ck_assert_int_eq(kit_free(), -EBUSY);
    bring_up(1);
    on_cpu(1, "R12 ?", "R40 R12");
    kit_close(&rig.reader);
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("hotplug");

    tcase_add_loop_test(tests, late_after_failure, 0, 2);
    tcase_add_loop_test(tests, late, 0, 2);
    tcase_add_loop_test(tests, late_while_off, 0, 2);
    tcase_add_loop_test(tests, late_and_masked, 0, 2);
    tcase_add_loop_test(tests, late_while_overwriting, 0, 2);
    tcase_add_loop_test(tests, late_without_rings, 0, 2);
    tcase_add_loop_test(tests, late_without_memory, 0, 3);
    tcase_add_loop_test(tests, operation_while_coming, 0,
                        2 * ARRAY_SIZE(operations));
    tcase_add_loop_test(tests, back, 0, 2);
    tcase_add_loop_test(tests, reported_when_offline, 0, 2);
    tcase_add_loop_test(tests, late_record_when_offline, 0, 2);
    tcase_add_loop_test(tests, notified_when_offline, 0, 2);
    tcase_add_loop_test(tests, away_while_overwriting, 0, 2);
    tcase_add_test(tests, moved_while_overwriting);
    tcase_add_loop_test(tests, switched_while_away, 0, 2);
    tcase_add_loop_test(tests, freed_while_away, 0, 2);
    tcase_add_loop_test(tests, resized_while_away, 0, 2);
    tcase_add_loop_test(tests, others_unaffected, 0, 2);
    tcase_add_loop_test(tests, mapped_while_away, 0, 2);

    return rig_main(tests);
}
