/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control operations: results and effects.  test_memory.c covers failed
 * allocations, test_overwrite.c the flight recorder.
 */
#include "tests/unit/xen/rig.h"

#include <stdlib.h>

static struct rig rig;

/* ---- errors ----------------------------------------------------------- */

/* Results depend on the existence of rings (of 2 pages, here). */
static const struct
{
    uint32_t cmd, size;
    int without, with;
} answers[] = {
    { XEN_SYSCTL_TBUFOP_get_info,  0, 0,       0 },
    { XEN_SYSCTL_TBUFOP_set_size,  0, -EINVAL, -EINVAL },
    { XEN_SYSCTL_TBUFOP_set_size,  2, 0,       -EBUSY },
    { XEN_SYSCTL_TBUFOP_set_size,  3, 0,       -EINVAL },
    { XEN_SYSCTL_TBUFOP_enable,    0, -EINVAL, 0 },
    { XEN_SYSCTL_TBUFOP_disable,   0, 0,       0 },
    { XEN_SYSCTL_TBUFOP_state,     0, -EINVAL, -EINVAL }, /* no version */
    { XEN_SYSCTL_TBUFOP_overwrite, 0, -EINVAL, 0 },
    { XEN_SYSCTL_TBUFOP_freeze,    0, -EINVAL, -EINVAL },
    { XEN_SYSCTL_TBUFOP_free,      0, -EINVAL, 0 },
    { XEN_SYSCTL_TBUFOP_resize,    0, -EINVAL, -EINVAL },
    { XEN_SYSCTL_TBUFOP_resize,    1, -EINVAL, 0 },
    { XEN_SYSCTL_TBUFOP_resize,    2, -EINVAL, 0 },
    { 6,     2, -EINVAL, -EINVAL },
    { 0xff,  2, -EINVAL, -EINVAL },
    { 0x105, 2, -EINVAL, -EINVAL },
    { ~0U,   2, -EINVAL, -EINVAL },
};

START_TEST(answer)
{
    ck_assert_int_eq(kit_start_simple(2), 0);
    ck_assert_int_eq(kit_op(answers[_i].cmd, answers[_i].size),
                     answers[_i].without);
}
END_TEST

START_TEST(answer_with_rings)
{
    ck_assert_int_eq(kit_start_simple(2), 0);
    ck_assert_int_eq(kit_set_size(2), 0);
    ck_assert_int_eq(kit_op(answers[_i].cmd, answers[_i].size),
                     answers[_i].with);
}
END_TEST

/* The size is set once; another size causes a message on the console. */
START_TEST(size_is_fixed)
{
    ck_assert_int_eq(kit_start_simple(1), 0);
    ck_assert_int_eq(kit_set_size(2), 0);
    xensim_capture_console();
    ck_assert_int_eq(kit_set_size(2), -EBUSY);
    rig_console("", 0);
    ck_assert_int_eq(kit_set_size(3), -EINVAL);
    rig_console("xentrace: tb_set_size from 2 to 3 not implemented", 1);
    ck_assert_int_eq(kit_set_size(0), -EINVAL);
    rig_console("xentrace: tb_set_size from 2 to 0 not implemented", 1);
}
END_TEST

/* ---- get_info --------------------------------------------------------- */

START_TEST(get_info)
{
    struct xen_sysctl_tbuf_op info;

    ck_assert_int_eq(kit_start_simple(2), 0);
    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.evt_mask, TRC_ALL);
    ck_assert_uint_eq(info.buffer_mfn, 0);
    ck_assert_uint_eq(info.size, 0);

    ck_assert_int_eq(kit_set_size(2), 0);
    ck_assert_int_eq(kit_set_evt_mask(0x12345678), 0);
    ck_assert_int_eq(kit_get_info(&info), 0);
    ck_assert_uint_eq(info.evt_mask, 0x12345678);
    ck_assert_uint_ne(info.buffer_mfn, 0);
    ck_assert_uint_eq(info.size, PAGE_SIZE);

    /* Dom0 may map t_info read-only. */
    ck_assert_int_eq(xensim_map_frame(info.buffer_mfn, true), -EPERM);
    ck_assert_int_eq(xensim_map_frame(info.buffer_mfn, false), 0);
}
END_TEST

/* t_info has the lists of frames one after the other, in order of CPUs. */
START_TEST(directory)
{
    const unsigned int head = (2 + 2 * NR_CPUS + 3) / 4;
    struct xen_sysctl_tbuf_op info;
    const struct t_info *t;
    const uint32_t *mfn;
    unsigned int cpu, i;

    ck_assert_int_eq(kit_start_simple(3), 0);
    ck_assert_int_eq(kit_set_size(5), 0);
    ck_assert_int_eq(kit_get_info(&info), 0);
    t = mfn_to_virt(info.buffer_mfn);
    ck_assert_uint_eq(t->tbuf_size, 5);
    for ( cpu = 0; cpu < 3; cpu++ )
    {
        ck_assert_uint_eq(t->mfn_offset[cpu], head + 5 * cpu);
        mfn = (const uint32_t *)t + t->mfn_offset[cpu];
        for ( i = 0; i < 5; i++ )
            ck_assert_int_eq(xensim_map_frame(mfn[i], true), 0);
    }
    for ( ; cpu < NR_CPUS; cpu++ )
        ck_assert_uint_eq(t->mfn_offset[cpu], 0);
    for ( i = (head + 15) * 4; i < PAGE_SIZE; i++ )
        ck_assert_uint_eq(((const uint8_t *)t)[i], 0);
}
END_TEST

/* New rings are empty and contain no old data of the memory. */
START_TEST(fresh_rings)
{
    const struct xensim_config config = {
        .cpus = 1, .frames = 64, .poison = true,
    };
    uint32_t i;

    ck_assert_int_eq(kit_start(&config), 0);
    ck_assert_int_eq(kit_set_size(2), 0);
    rig_attach(&rig, 0);
    for ( i = 0; i < 2 * PAGE_SIZE; i++ )
        ck_assert_uint_eq(((uint8_t *)rig.reader.ring)[i], 0);
}
END_TEST

/* ---- on and off ------------------------------------------------------- */

/* set_size starts tracing, as in stock Xen. */
START_TEST(on_and_off)
{
    rig_start(&rig, 1);
    ck_assert(tb_init_done);
    rig_expect(&rig, "r8 ?", "r8");

    ck_assert_int_eq(kit_disable(), 0);
    ck_assert(!tb_init_done);
    kit_emit(1, 1, false);
    ck_assert_int_eq(kit_disable(), 0);
    rig_expect(&rig, "?", "");

    ck_assert_int_eq(kit_enable(), 0);
    ck_assert(tb_init_done);
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "r8 ?", "r8");
    rig_balance(&rig);
}
END_TEST

/* Records unread at disable are still there, and further ones follow. */
START_TEST(unread_stays)
{
    rig_start(&rig, 1);
    rig_play(&rig, "R12 R16");
    ck_assert_int_eq(kit_disable(), 0);
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "R20 ?", "R12 R16 R20");
}
END_TEST

/* Owed losses are reported when tracing stops, if there is room. */
START_TEST(late_lost)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@0 = r4 r8 ?1");
    ck_assert_int_eq(kit_disable(), 0);
    rig_expect(&rig, "?", "r32*126 r24 L2");

    /* The loss is not reported again. */
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "r4 ?", "r4");
}
END_TEST

START_TEST(late_lost_at_the_end)
{
    static const char *const texts[] = {
        "", "p4 L1", "p8 L1", "p12 L1", "p16 L1", "p20 L1", "p24 L1", "L1",
        "L1",
    };

    rig_start(&rig, 1);
    rig_play(&rig, rig_script("@-%u = r4 ?", 4 * _i));
    ck_assert_int_eq(kit_disable(), 0);
    rig_expect(&rig, "?", texts[_i]);
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "R40 ?", _i == 8 ? "p4 R40" : "R40");
    rig_balance(&rig);
}
END_TEST

/* Without room, losses appear only in the total of *state*. */
START_TEST(late_lost_does_not_fit)
{
    struct xen_tbuf_cpu cpu;

    rig_start(&rig, 1);
    rig_play(&rig, "@0 =-24 R28 R28");
    ck_assert_int_eq(kit_disable(), 0);
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "? r4 ?", "r32*127 | r4");
    ck_assert_int_eq(kit_cpu_state(0, &cpu), 0);
    ck_assert_uint_eq(cpu.lost, 2);
}
END_TEST

/* ---- state ------------------------------------------------------------ */

START_TEST(state)
{
    struct xen_sysctl_tbuf_state s;
    struct xen_tbuf_cpu cpu;
    static const uint8_t mask[] = { 2 };

    ck_assert_int_eq(kit_start_simple(2), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.flags, 0);
    ck_assert_uint_eq(s.pages, 0);
    ck_assert_uint_eq(s.nr_cpus, 2);
    ck_assert_uint_eq(s.evt_mask, TRC_ALL);
    ck_assert_int_eq(kit_cpu_state(1, &cpu), 0);
    ck_assert_uint_eq(cpu.flags, XEN_TBUF_CPU_ONLINE);

    ck_assert_int_eq(kit_set_size(3), 0);
    ck_assert_int_eq(kit_set_evt_mask(TRC_HVM), 0);
    ck_assert_int_eq(kit_set_cpu_mask(mask, 8), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.flags, XEN_TBUF_ENABLED);
    ck_assert_uint_eq(s.pages, 3);
    ck_assert_uint_eq(s.evt_mask, TRC_HVM);
    ck_assert_int_eq(kit_cpu_state(0, &cpu), 0);
    ck_assert_uint_eq(cpu.flags, XEN_TBUF_CPU_ONLINE | XEN_TBUF_CPU_RING |
                                 XEN_TBUF_CPU_MASKED);
    ck_assert_int_eq(kit_cpu_state(1, &cpu), 0);
    ck_assert_uint_eq(cpu.flags, XEN_TBUF_CPU_ONLINE | XEN_TBUF_CPU_RING);
    ck_assert_uint_eq(cpu.lost, 0);
    ck_assert_uint_eq(cpu.pad, 0);

    ck_assert_int_eq(kit_disable(), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.flags, 0);
    ck_assert_int_eq(kit_overwrite(), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.flags, XEN_TBUF_ENABLED | XEN_TBUF_OVERWRITE);
    ck_assert_int_eq(kit_freeze(), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.flags, 0);
}
END_TEST

/* An array of any length gets the CPUs that fit, and their number. */
START_TEST(state_arrays)
{
    struct xen_tbuf_cpu all[8], part[8];
    struct xen_sysctl_tbuf_state s;
    unsigned int room;

    ck_assert_int_eq(kit_start_simple(3), 0);
    memset(all, 0xee, sizeof(all));
    ck_assert_int_eq(kit_read_state(&s, all, 8), 0);
    for ( room = 0; room <= 8; room++ )
    {
        memset(part, 0xee, sizeof(part));
        ck_assert_int_eq(kit_read_state(&s, part, room), 0);
        ck_assert_uint_eq(s.nr_cpus, 3);
        ck_assert_uint_eq(s.evt_mask, TRC_ALL);
        /* ck_assert_mem_eq is an overflow to gcc 12 with -fsanitize=thread */
        ck_assert_int_eq(memcmp(part, all, min(room, 3U) * sizeof(*part)), 0);
        for ( unsigned char *p = (void *)&part[min(room, 3U)];
              p < (unsigned char *)&part[8]; p++ )
            ck_assert_uint_eq(*p, 0xee);
    }
}
END_TEST

/* An array that faults at each of its bytes. */
START_TEST(state_faults)
{
    static struct xen_tbuf_cpu window[4];
    struct xen_sysctl_tbuf_state s;
    uint32_t bytes;

    ck_assert_int_eq(kit_start_simple(2), 0);
    for ( bytes = 0; bytes < 2 * sizeof(*window); bytes++ )
    {
        xensim_guest_window(window, bytes);
        ck_assert_int_eq(kit_read_state(&s, window, 4), -EFAULT);
    }
    xensim_guest_window(window, bytes);
    ck_assert_int_eq(kit_read_state(&s, window, 4), 0);
    ck_assert_int_eq(kit_state(&s), 0);
}
END_TEST

/* The struct of a later version is refused, and stays as it was. */
START_TEST(state_version)
{
    union
    {
        struct xen_sysctl_tbuf_op op;
        struct xen_sysctl_tbuf_state state;
    } u = { .state = { .cmd = XEN_SYSCTL_TBUFOP_state, .nr_cpus = 5 } };

    ck_assert_int_eq(kit_start_simple(2), 0);
    for ( u.state.version = 0; u.state.version < 5; u.state.version++ )
    {
        if ( u.state.version == XEN_TBUF_STATE_VERSION )
            continue;
        ck_assert_int_eq(tb_control(&u.op), -EINVAL);
        ck_assert_uint_eq(u.state.nr_cpus, 5);
    }
}
END_TEST

/* Each lost record counts at once and forever, reported or not. */
START_TEST(lost_totals)
{
    struct xen_tbuf_cpu cpu;
    unsigned int i;

    rig_start(&rig, 1);
    rig_play(&rig, "@0 =");
    for ( i = 1; i <= 100; i++ )
    {
        rig_play(&rig, "R40");
        ck_assert_int_eq(kit_cpu_state(0, &cpu), 0);
        ck_assert_uint_eq(cpu.lost, i);
    }
    rig_expect(&rig, "? r4 ?", "r32*127 r24 | L100 r4");
    ck_assert_int_eq(kit_cpu_state(0, &cpu), 0);
    ck_assert_uint_eq(cpu.lost, 100);
    kit_close(&rig.reader);

    ck_assert_int_eq(kit_resize(2), 0);
    ck_assert_int_eq(kit_free(), 0);
    ck_assert_int_eq(kit_set_size(1), 0);
    ck_assert_int_eq(kit_cpu_state(0, &cpu), 0);
    ck_assert_uint_eq(cpu.lost, 100);
}
END_TEST

/* ---- trace calls without rings ---------------------------------------- */

/* Without rings trace calls are harmless, even late ones. */
START_TEST(no_rings)
{
    ck_assert_int_eq(kit_start_simple(2), 0);
    ck_assert(!tb_init_done);
    kit_emit(1, 7, true);
    trace_record(TRACE_HEADER(KIT_EVENT, true, 0), NULL);
    ck_assert_int_eq(kit_set_size(1), 0);
    ck_assert_int_eq(kit_free(), 0);
    trace_record(TRACE_HEADER(KIT_EVENT, true, 0), NULL);
    xensim_become_cpu(1);
    trace_record(TRACE_HEADER(KIT_EVENT, true, 0), NULL);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("control");

    tcase_add_loop_test(tests, answer, 0, ARRAY_SIZE(answers));
    tcase_add_loop_test(tests, answer_with_rings, 0, ARRAY_SIZE(answers));
    tcase_add_test(tests, size_is_fixed);
    tcase_add_test(tests, get_info);
    tcase_add_test(tests, directory);
    tcase_add_test(tests, fresh_rings);
    tcase_add_test(tests, on_and_off);
    tcase_add_test(tests, unread_stays);
    tcase_add_test(tests, late_lost);
    tcase_add_loop_test(tests, late_lost_at_the_end, 1, 9);
    tcase_add_test(tests, late_lost_does_not_fit);
    tcase_add_test(tests, state);
    tcase_add_test(tests, state_arrays);
    tcase_add_test(tests, state_version);
    tcase_add_test(tests, state_faults);
    tcase_add_test(tests, lost_totals);
    tcase_add_test(tests, no_rings);

    return rig_main(tests);
}
