/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammars of -e and -c, row by row.
 */
#include "xentrace/mask.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/libxentrace/unit.h"

#define NR(rows) (sizeof(rows) / sizeof((rows)[0]))

START_TEST(events)
{
    static const struct
    {
        const char *text;
        uint32_t mask;      /* 0: refused */
    } rows[] = {
        { "gen", 0x1f000 }, { "sched", 0x2f000 }, { "dom0op", 0x4f000 },
        { "hvm", 0x8f000 }, { "mem", 0x10f000 }, { "pv", 0x20f000 },
        { "shadow", 0x40f000 }, { "hw", 0x80f000 }, { "guest", 0x800f000 },
        { "all", 0xffff000 },
        { "sched:min", 0x21000 }, { "sched:class", 0x22000 },
        { "sched:verbose", 0x28000 }, { "hvm:entryexit", 0x81000 },
        { "hvm:handler", 0x82000 }, { "hvm:emul", 0x84000 },
        { "pv:entry", 0x201000 }, { "pv:subcall", 0x202000 },
        { "hw:pm", 0x801000 }, { "hw:irq", 0x802000 },
        { "sched,hvm", 0xaf000 }, { "hvm:entryexit,hvm:emul", 0x85000 },
        { "0x21000", 0x21000 }, { "135168", 0x21000 },
        { "0x1f000,pv", 0x21f000 },
        { "0xfffff000", 0xffff000 }, { "0xffffffff", 0xfffffff },
        { "", 0 }, { ",", 0 }, { "hvm,", 0 }, { ",hvm", 0 }, { "HVM", 0 },
        { "hvm:", 0 }, { "hvm:nothing", 0 }, { ":min", 0 }, { "hv", 0 },
        { "0x", 0 }, { "0x100000000", 0 }, { "12x", 0 }, { "-1", 0 },
        { "hvm sched", 0 }, { " hvm", 0 },
        { "sched_wake", 0x28000 }, { "TRC_SCHED_WAKE", 0x28000 },
        { "sched_wake,hvm_vmentry", 0xa9000 }, { "sched_wak", 0 },
        { "TRC_HVM_VMEXIT64", 0x81000 }, { "lost_records", 0x1f000 },
        { "sched_wakesched_wakesched_wakesched_wakesched_wakesched_wakesche",
          0 },
        { "0x000000000000000000000000000000000000001f000", 0x1f000 },
    };

    for ( size_t i = 0; i < NR(rows); i++ )
    {
        struct err e = ERR_INIT;
        struct mask_events m = { .mask = 0 };
        int rc = mask_events(rows[i].text, &m, &e);

        ck_assert_msg(rc == (rows[i].mask ? 0 : -EINVAL), "%s: %d",
                      rows[i].text, rc);
        ck_assert_int_eq(e.code, rc);
        if ( !rc )
            ck_assert_msg(m.mask == rows[i].mask, "%s: %#x", rows[i].text,
                          m.mask);
    }
}
END_TEST

START_TEST(events_add_up)
{
    struct err e = ERR_INIT;
    struct mask_events m = { .mask = 0 };

    ck_assert_int_eq(mask_events("hvm", &m, &e), 0);
    ck_assert_int_eq(mask_events("0x2f000", &m, &e), 0);
    ck_assert_uint_eq(m.mask, 0xaf000);
    ck_assert_uint_eq(m.names, 0);
    ck_assert_int_eq(mask_events("mem,sched_wake", &m, &e), 0);
    ck_assert_uint_eq(m.mask, 0x1af000);
    ck_assert_uint_eq(m.names, 1);
}
END_TEST

START_TEST(events_are_counted)
{
    ck_assert_uint_eq(mask_events_count(0), 0);
    ck_assert_uint_eq(mask_events_count(0x20f000), mask_events_count(0x201000)
                      + mask_events_count(0x202000));
    ck_assert_uint_eq(mask_events_count(0xffff000), mask_events_count(0x1f000)
                      + mask_events_count(0xffef000));
    ck_assert_uint_ge(mask_events_count(0x81000), 3);
}
END_TEST

START_TEST(events_that_select_nothing)
{
    static const struct
    {
        uint32_t mask;
        int rc;
    } rows[] = {
        { 0, 0 }, { 0xffff000, 0 }, { 0x81000, 0 }, { 0x80000, -EINVAL },
        { 0xf000, -EINVAL }, { 0x3, -EINVAL },
    };

    for ( size_t i = 0; i < NR(rows); i++ )
    {
        struct err e = ERR_INIT;

        ck_assert_int_eq(mask_events_check(rows[i].mask, &e), rows[i].rc);
    }
}
END_TEST

/* Compare bits 0-15, and the number of bits set out of `nr`. */
static void check_cpus(const char *text, unsigned int nr, int code,
                       unsigned int low, unsigned int total)
{
    unsigned char bits[2049];
    struct err e = ERR_INIT;
    unsigned int sum = 0;
    int rc;

    memset(bits, 0xa5, sizeof(bits));
    rc = mask_cpus(text, nr, bits, &e);
    ck_assert_msg(rc == code, "%s of %u: %d (%s)", text, nr, rc, e.text);
    ck_assert_int_eq(e.code, code);
    if ( rc )
        return;
    for ( unsigned int i = 0; i < 8 * ((nr + 7) / 8); i++ )
        sum += bits[i / 8] >> i % 8 & 1;
    ck_assert_msg((bits[0] | (nr > 8 ? bits[1] << 8 : 0)) == (int)low,
                  "%s of %u: %02x%02x", text, nr, bits[1], bits[0]);
    ck_assert_uint_eq(sum, total);
    ck_assert_uint_eq(bits[(nr + 7) / 8], 0xa5);
}

START_TEST(cpus)
{
    static const struct
    {
        const char *text;
        unsigned int nr;
        int code;
        unsigned int low, total;
    } rows[] = {
        { "all", 3, 0, 0x7, 3 }, { "all", 16, 0, 0xffff, 16 },
        { "all", 16383, 0, 0xffff, 16383 },
        { "0", 4, 0, 0x1, 1 }, { "3", 4, 0, 0x8, 1 },
        { "0,2-5,8-", 12, 0, 0xf3d, 9 }, { "-2", 8, 0, 0x7, 3 },
        { "5-", 8, 0, 0xe0, 3 }, { "0-0", 8, 0, 0x1, 1 },
        { "-0", 8, 0, 0x1, 1 }, { "2,2,1-2", 8, 0, 0x6, 2 },
        { "9", 10, 0, 0x200, 1 },
        { "0x5", 4, 0, 0x5, 2 }, { "0X5", 4, 0, 0x5, 2 },
        { "0xffffffff", 4, 0, 0xf, 4 }, { "0xfF", 16, 0, 0xff, 8 },
        { "0x1000000000000000000000001", 200, 0, 0x1, 2 },

        { "", 4, -EINVAL, 0, 0 }, { ",", 4, -EINVAL, 0, 0 },
        { "3,", 4, -EINVAL, 0, 0 }, { ",3", 4, -EINVAL, 0, 0 },
        { "-", 4, -EINVAL, 0, 0 }, { "1--2", 4, -EINVAL, 0, 0 },
        { "1-2-3", 4, -EINVAL, 0, 0 }, { "1 2", 4, -EINVAL, 0, 0 },
        { "a", 4, -EINVAL, 0, 0 }, { "ALL", 4, -EINVAL, 0, 0 },
        { "2-1", 4, -EINVAL, 0, 0 }, { "0x", 4, -EINVAL, 0, 0 },
        { "0xg", 4, -EINVAL, 0, 0 }, { "0x1,2", 4, -EINVAL, 0, 0 },
        { "4", 4, -ERANGE, 0, 0 }, { "0-4", 4, -ERANGE, 0, 0 },
        { "4-", 4, -ERANGE, 0, 0 }, { "0x10", 4, -ERANGE, 0, 0 },
        { "0x0", 4, -ERANGE, 0, 0 }, { "4294967296", 4, -ERANGE, 0, 0 },
        { "99999999999999999999999", 4, -ERANGE, 0, 0 },
    };

    for ( size_t i = 0; i < NR(rows); i++ )
        check_cpus(rows[i].text, rows[i].nr, rows[i].code, rows[i].low,
                   rows[i].total);
}
END_TEST

UNIT_MAIN("mask", events, events_add_up, events_are_counted,
          events_that_select_nothing, cpus)
