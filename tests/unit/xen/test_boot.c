/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boot: the parameters, the messages, and that without parameters nothing is
 * allocated or traced.
 */
#include "tests/unit/xen/rig.h"

#include <xen/cpu.h>

static struct rig rig;

static int start_machine(const char *boot, unsigned long frames)
{
    const struct xensim_config config = {
        .cpus = 2, .frames = frames, .loglevel = 3, .boot = boot,
    };

    return kit_start(&config);
}

/* The effect of each command line. */
static const struct
{
    const char *boot;
    unsigned int pages;
    uint32_t mask;
} lines[] = {
    { NULL, 0, 0x0ffff000 },
    { "", 0, 0x0ffff000 },
    { "tbuf_size=0", 0, 0x0ffff000 },
    { "tevt_mask=0x2f000", 0, 0x0ffff000 },     /* nothing to start */
    { "tbuf_size=0 tevt_mask=0x2f000", 0, 0x0ffff000 },
    { "tbuf_size=5", 5, 0x0ffff000 },           /* starts with everything */
    { "tbuf_size=5 tevt_mask=0", 5, 0x0ffff000 },
    { "tevt_mask=0x0002f000 tbuf_size=0x10", 16, 0x0002f000 },
    { "tbuf_size=1 tevt_mask=0xffffffff", 1, 0xffffffff },
};

START_TEST(parameters)
{
    struct xen_sysctl_tbuf_state s;

    ck_assert_int_eq(start_machine(lines[_i].boot, 256), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.pages, lines[_i].pages);
    ck_assert_uint_eq(s.evt_mask, lines[_i].mask);
    ck_assert_uint_eq(s.flags, lines[_i].pages ? XEN_TBUF_ENABLED : 0);
    ck_assert_uint_eq(tb_init_done, lines[_i].pages != 0);
    if ( !lines[_i].pages )
    {
        ck_assert_uint_eq(xensim_frames_in_use(), 0);
        ck_assert_str_eq(xensim_capture_console(), "");
    }
}
END_TEST

/* Each CPU that is online at boot is traced from boot on. */
START_TEST(traces_from_boot)
{
    ck_assert_int_eq(start_machine("tbuf_size=2 tevt_mask=0x0002f000", 256), 0);
    rig_attach(&rig, 1);
    xensim_become_cpu(1);
    rig_expect(&rig, "R40 ?", "R40");
    TRACE_0D(TRC_HVM_VMENTRY);
    rig_expect(&rig, "?", "");
}
END_TEST

START_TEST(messages)
{
    const char *text, *line;
    static const char *const expected[] = {
        "requesting 1 t_info pages for 3 trace pages on 2 cpus\n",
        "p0 mfn ", " offset 513\n", "p1 mfn ", " offset 516\n",
        "initialised\n",
        "Starting tracing, enabling mask 2f000\n",
    };
    unsigned int i;

    ck_assert_int_eq(start_machine("tbuf_size=3 tevt_mask=0x2f000", 256), 0);
    text = xensim_capture_console();
    for ( i = 0; i < ARRAY_SIZE(expected); i++ )
    {
        line = strstr(text, expected[i]);
        ck_assert_msg(line != NULL, "%s is not, or not here, in\n%s",
                      expected[i], text);
        text = line;
    }
}
END_TEST

/* Without memory: a message, no tracing, and set_size works later. */
START_TEST(no_memory)
{
    struct xen_sysctl_tbuf_state s;

    ck_assert_int_eq(start_machine("tbuf_size=100 tevt_mask=0x2f000", 64), 0);
    ck_assert(strstr(xensim_capture_console(),
                     "allocation size 100 failed, disabling\n") != NULL);
    ck_assert_uint_eq(xensim_frames_in_use(), 0);
    ck_assert(!tb_init_done);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.evt_mask, TRC_ALL);
    ck_assert_int_eq(kit_set_size(2), 0);
}
END_TEST

/* 4.17's setup.c calls the function in addition to the initcall. */
START_TEST(init_twice)
{
    unsigned long in_use;

    ck_assert_int_eq(start_machine("tbuf_size=2", 256), 0);
    in_use = xensim_frames_in_use();
    rig_attach(&rig, 0);
    rig_play(&rig, "R40");
    ck_assert_int_eq(kit_set_evt_mask(TRC_SCHED), 0);
    init_trace_bufs();
    ck_assert_uint_eq(xensim_frames_in_use(), in_use);
    rig_expect(&rig, "R12 ?", "R40 R12");
    ck_assert_int_eq(cpu_down(1), 0);
    ck_assert_int_eq(cpu_up(1), 0);
}
END_TEST

/* Later versions have the initcall only. */
START_TEST(init_by_initcall)
{
    const struct xensim_config config = {
        .cpus = 2, .frames = 256, .loglevel = 3, .boot = "tbuf_size=2",
    };
    struct xen_sysctl_tbuf_state s;

    xensim_capture_console();
    ck_assert_int_eq(xensim_start(&config, NULL), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.pages, 2);
    ck_assert_uint_eq(s.flags, XEN_TBUF_ENABLED);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("boot");

    tcase_add_loop_test(tests, parameters, 0, ARRAY_SIZE(lines));
    tcase_add_test(tests, traces_from_boot);
    tcase_add_test(tests, messages);
    tcase_add_test(tests, no_memory);
    tcase_add_test(tests, init_twice);
    tcase_add_test(tests, init_by_initcall);

    return rig_main(tests);
}
