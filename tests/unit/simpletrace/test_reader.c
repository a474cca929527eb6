/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each version in each byte order; files that are not traces; damaged traces.
 */
#include "made-trace.h"

#define EVENTS "# no event\n"                                           \
    "first(int a, const char *s) \"a %d s %s\"\n"                       \
    "disable off(void)\n"                                               \
    "second(uint64_t x, bool b) \"x 0x%\" PRIx64 \" b %d\"\n"

static void add_first(struct made *m, uint64_t id, uint64_t time)
{
    made_event(m, id, time, 42);
    made_u64(m, (uint64_t)-5);
    if ( m->version )
        made_string(m, "it's!");
    else
        made_u64(m, 0x1234);
    made_end(m);
}

static void add_second(struct made *m, uint64_t id, uint64_t time)
{
    made_event(m, id, time, 42);
    made_u64(m, 0xabcdef);
    made_u64(m, 1);
    made_end(m);
}

static void add_lost(struct made *m, uint64_t time)
{
    made_event(m, SIMPLE_DROPPED, time, 42);
    made_u64(m, 7);
    made_end(m);
}

/* In version 2, disabled events have no id. */
static void make_trace(struct made *m, unsigned int version, bool swapped)
{
    made_begin(m, version, swapped);
    if ( version == 4 )
    {
        made_mapping(m, 0, "first");
        made_mapping(m, 2, "second");
    }
    add_first(m, 0, 1000);
    add_lost(m, 900);
    add_second(m, version == 2 ? 1 : 2, 3500);
}

static const struct { unsigned int version; const char *text; } versions[] = {
    { 0, "first 0.000 a=0xfffffffffffffffb s=0x1234\n"
         "dropped -0.100 count=0x7\n"
         "second 2.600 x=0xabcdef b=0x1\n" },
    { 2, "first 0.000 a=0xfffffffffffffffb s=b\"it's!\"\n"
         "Dropped_Event -0.100 dropped_events=0x7\n"
         "second 2.600 x=0xabcdef b=0x1\n" },
    { 3, "first 0.000 pid=42 a=0xfffffffffffffffb s=b\"it's!\"\n"
         "Dropped_Event -0.100 pid=42 num_events_dropped=0x7\n"
         "second 2.600 pid=42 x=0xabcdef b=0x1\n" },
    { 4, "first 0.000 pid=42 a=0xfffffffffffffffb s=b\"it's!\"\n"
         "Dropped_Event -0.100 pid=42 num_events_dropped=0x7\n"
         "second 2.600 pid=42 x=0xabcdef b=0x1\n" },
};

START_TEST(every_version)
{
    static struct printed got;
    static struct made m;

    for ( size_t i = 0; i < 2 * sizeof(versions) / sizeof(versions[0]); i++ )
    {
        make_trace(&m, versions[i / 2].version, i % 2);
        made_print(&m, EVENTS, &st_style_qemu, NULL, &got);
        ck_assert_str_eq(got.text, versions[i / 2].text);
        ck_assert_uint_eq(got.lost, 7);
        ck_assert_uint_eq(got.gaps, 0);
    }
}
END_TEST

START_TEST(no_header)
{
    struct st_reader_options how = { .no_header = true };
    static struct printed got;
    static struct made m, whole;

    for ( int swapped = 0; swapped < 2; swapped++ )
    {
        whole = (struct made){ .version = 4, .swapped = swapped };
        add_first(&whole, 0, 1000);
        add_second(&whole, 2, 2000);
        m = whole;
        made_print(&m, EVENTS, &st_style_qemu, &how, &got);
        ck_assert_str_eq(got.text, "first 0.000 pid=42 a=0xfffffffffffffffb "
                         "s=b\"it's!\"\nsecond 1.000 pid=42 x=0xabcdef "
                         "b=0x1\n");
    }
}
END_TEST

START_TEST(which_ids)
{
    struct st_reader_options how = { .ids = ST_IDS_ENABLED };
    static struct printed got;
    static struct made m;

    made_begin(&m, 3, false);
    add_second(&m, 1, 0);
    made_print(&m, EVENTS, &st_style_log, &how, &got);
    ck_assert_str_eq(got.text, "second x 0xabcdef b 1\n");
    made_begin(&m, 2, false);
    add_second(&m, 2, 0);
    how.ids = ST_IDS_ALL;
    made_print(&m, EVENTS, &st_style_log, &how, &got);
    ck_assert_str_eq(got.text, "second x 0xabcdef b 1\n");
}
END_TEST

/*
 * The bytes are shown of events that are not declared, or declared otherwise.
 */
START_TEST(not_as_declared)
{
    static struct printed got;
    static struct made m;

    made_begin(&m, 4, false);
    made_mapping(&m, 0, "second");
    made_mapping(&m, 1, "unheard_of");
    add_first(&m, 0, 1);
    add_second(&m, 1, 2);
    add_second(&m, 0, 3);
    add_second(&m, 77, 4);
    made_print(&m, EVENTS, &st_style_log, NULL, &got);
    ck_assert_str_eq(got.text, "second 0xfffffffffffffffb "
                     "0x7327746900000005 21\n"
                     "unheard_of 0xabcdef 0x1\n"
                     "second x 0xabcdef b 1\nevent-0x4d 0xabcdef 0x1\n");
    ck_assert_uint_eq(got.undeclared, 3);
    ck_assert_uint_eq(got.gaps, 0);
}
END_TEST

/* The trace itself declares its events, threads and clock. */
START_TEST(self_describing)
{
    static struct printed got;
    static struct made m;

    setenv("TZ", "UTC", 1);
    made_begin(&m, 4, false);
    made_mapping(&m, SIMPLE_PROCESS, "pid 42 host h boot b program p q");
    made_mapping(&m, SIMPLE_CLOCK, "1000 1000000000000001000");
    made_mapping(&m, 0, "first");
    made_mapping(&m, SIMPLE_DECLARE, "0 first(int a, const char *s) "
                 "\"%d<%s>\"");
    made_mapping(&m, SIMPLE_DECLARE, "rubbish");
    made_mapping(&m, SIMPLE_DECLARE + 0x1000, "of later versions");
    made_mapping(&m, SIMPLE_THREAD, "4711");
    add_first(&m, 0, 2500);
    made_print(&m, NULL, &st_style_text, NULL, &got);
    ck_assert_str_eq(got.text, "2001-09-09 01:46:40.000002500 42/4711 first "
                     "-5<it's!>\n");
}
END_TEST

/* Cut at any place: complete records are read, and the rest is counted. */
START_TEST(cut_anywhere)
{
    static struct printed got, whole;
    static struct made m, cut;

    for ( unsigned int v = 0; v <= 4; v += v ? 1 : 2 )
    {
        make_trace(&m, v, false);
        made_print(&m, EVENTS, &st_style_qemu, NULL, &whole);
        for ( cut = m, cut.size = v ? 24 : 64; cut.size < m.size; cut.size++ )
        {
            made_print(&cut, EVENTS, &st_style_qemu, NULL, &got);
            ck_assert(!strncmp(got.text, whole.text, strlen(got.text)));
            ck_assert_uint_le(got.gaps, 1);
            ck_assert_uint_lt(got.skipped, 68);
        }
    }
}
END_TEST

enum { MANY = 4 };

static size_t make_many(struct made *m, unsigned int version)
{
    uint64_t second = version == 2 ? 1 : 2;
    size_t from;

    made_begin(m, version, false);
    if ( version == 4 )
    {
        made_mapping(m, 0, "first");
        made_mapping(m, 2, "second");
    }
    from = m->size;
    for ( int i = 0; i < MANY; i++ )
        if ( i % 3 )
            add_second(m, second, 1000 + i);
        else
            add_first(m, 0, 1000 + i);
    return from;
}

/* One flipped bit costs two records at most. */
START_TEST(any_bit)
{
    static struct printed got;
    static struct made m, bad;
    size_t at;

    for ( unsigned int v = 0; v <= 4; v += v ? 1 : 2 )
        for ( at = 8 * make_many(&m, v); at < m.size * 8; at++ )
        {
            bad = m;
            bad.bytes[at / 8] ^= 1u << at % 8;
            made_print(&bad, EVENTS, &st_style_log, NULL, &got);
            ck_assert_msg(got.records >= MANY - 2, "version %u, bit %zu: %llu "
                          "records", v, at, (unsigned long long)got.records);
            ck_assert_uint_le(got.records, MANY);
        }
}
END_TEST

static void check_refused(const void *bytes, size_t size, const char *why)
{
    static const struct st_reader_options how;
    struct err e = ERR_INIT;
    struct st_events events;
    struct st_reader r;

    st_events_init(&events);
    ck_assert_int_lt(st_reader_open(&r, made_file(bytes, size), &events, &how,
                                    &e), 0);
    ck_assert_msg(strstr(e.text, why), "%s", e.text);
    st_events_fini(&events);
}

START_TEST(no_trace)
{
    static struct made m;

    check_refused("", 0, "is empty");
    check_refused("#!/bin/sh\necho this is no trace\n", 31, "it is text");
    check_refused("\x28\xb5\x2f\xfd\0", 5, "zstdcat");
    check_refused("\1\0\0\0\0\0\0\0\1", 9, "--no-header");
    made_begin(&m, 1, false);
    check_refused(m.bytes, m.size, "version 1 ");
    made_begin(&m, 5, true);
    check_refused(m.bytes, m.size, "version 5 ");
    made_begin(&m, 0, true);
    check_refused(m.bytes, 63, "within its header");
    made_begin(&m, 3, false);
    check_refused(m.bytes, m.size, "--events");
}
END_TEST

UNIT_MAIN("reader", every_version, no_header, which_ids, not_as_declared,
          self_describing, cut_anywhere, any_bit, no_trace)
