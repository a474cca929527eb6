/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chunks: items and copies of their records, notes, and buffers that grow.
 */
#include <errno.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/line-job.h"
#include "xenalyze/lines/chunk.h"

#define RECORDS 300u

static struct make m;
static struct xt_item items[RECORDS];

/* Records of 0 to 7 words, every third without a time stamp. */
static struct xt_batch make_batch(void)
{
    m.size = 0;
    for ( uint32_t i = 0; i < RECORDS; i++ )
    {
        struct job_record r = {
            .event = 0x28000 + i, .tsc = i % 3 ? 1000 + i : 0, .nr = i % 8,
            .words = { i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6 },
        };

        items[i] = (struct xt_item){
            .time = 1000 + i,
            .where = (uint64_t)(i % 5) << XT_ITEM_CPU_SHIFT | m.size,
        };
        job_put_record(&m, &r);
    }
    return (struct xt_batch){ .items = items, .nr = RECORDS,
                              .bytes = m.bytes, .origin = 4096 };
}

/* The items of the chunk are records from `first` on, each `step`th. */
static void expect_records(const struct chunk *c, size_t nr, size_t first,
                           size_t step)
{
    ck_assert_uint_eq(c->nr, nr);
    for ( size_t i = 0; i < nr; i++ )
    {
        uint32_t number = first + i * step;
        struct xt_record r;

        xt_record_view(&r, c->bytes + xt_item_offset(&c->items[i]));
        UNIT_CHECK(c->items[i].time == 1000 + number);
        UNIT_CHECK(xt_item_cpu(&c->items[i]) == number % 5);
        UNIT_CHECK(r.event == 0x28000 + number && r.words == number % 8);
        UNIT_CHECK(r.has_tsc == (number % 3 != 0));
        for ( unsigned int w = 0; w < r.words; w++ )
            UNIT_CHECK(xt_record_word(&r, w) == number + w);
    }
}

/* --- records -------------------------------------------------------------- */

START_TEST(copies_outlive_the_batch)
{
    for ( unsigned int copy = 0; copy < 2; copy++ )
    {
        struct xt_batch b = make_batch();
        struct chunk c;

        ck_assert_int_eq(chunk_init(&c, copy), 0);
        chunk_begin(&c, &b);
        ck_assert_uint_eq(c.origin, 4096);
        for ( size_t i = 0; i < b.nr; i += 3 )
            chunk_add(&c, &b, &items[i]);
        if ( copy )
            memset(m.bytes, 0xff, m.size);
        expect_records(&c, 100, 0, 3);
        chunk_fini(&c);
    }
}
END_TEST

START_TEST(counted_records_are_added)
{
    for ( unsigned int copy = 0; copy < 2; copy++ )
    {
        struct xt_batch b = make_batch();
        struct chunk c;

        ck_assert_int_eq(chunk_init(&c, copy), 0);
        chunk_begin(&c, &b);
        c.nr = 50;
        chunk_add_counted(&c, &b, 20);
        if ( copy )
            memset(m.bytes, 0xff, m.size);
        expect_records(&c, 50, 20, 1);
        chunk_fini(&c);
    }
}
END_TEST

/* A batch in parts of any size, and the place where each one ends. */
START_TEST(read_all_stops_when_full)
{
    static const size_t mosts[] = { 1, 7, 100, RECORDS, CHUNK_ITEMS };
    struct xt_batch b = make_batch();
    struct chunk c;

    ck_assert_int_eq(chunk_init(&c, false), 0);
    for ( size_t i = 0; i < sizeof(mosts) / sizeof(mosts[0]); i++ )
        for ( size_t at = 0, part; at < b.nr; at += part )
        {
            size_t rest = b.nr - at;

            chunk_begin(&c, &b);
            c.most = mosts[i];
            part = chunk_read_all(NULL, &c, &b, at);
            ck_assert_uint_eq(part, rest < mosts[i] ? rest : mosts[i]);
            expect_records(&c, part, at, 1);
        }
    chunk_fini(&c);
}
END_TEST

/* A chunk is used again and again: nothing of the last use is left. */
START_TEST(begin_empties_the_chunk)
{
    struct xt_batch b = make_batch();
    struct chunk c;

    ck_assert_int_eq(chunk_init(&c, true), 0);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        chunk_begin(&c, &b);
        ck_assert_uint_eq(c.nr + c.nr_notes + c.used + c.copied, 0);
        ck_assert(!c.fresh);
        chunk_read_all(NULL, &c, &b, 0);
        chunk_note(&c, NOTE_VALUE, 1);
        c.fresh = true;
        c.used = 10;
    }
    chunk_fini(&c);
}
END_TEST

/* --- notes ---------------------------------------------------------------- */

START_TEST(notes_belong_to_the_last_record)
{
    struct xt_batch b = make_batch();
    struct chunk c;

    ck_assert_int_eq(chunk_init(&c, false), 0);
    chunk_begin(&c, &b);
    for ( size_t i = 0; i < 10; i++ )
    {
        chunk_add(&c, &b, &items[i]);
        chunk_set_exit_time(&c, i ? 100 * i : IN_GUEST);
        if ( i % 2 )
            chunk_note(&c, NOTE_VALUE, i);
    }
    ck_assert_uint_eq(c.nr_notes, 5);
    for ( size_t i = 0; i < 5; i++ )
    {
        ck_assert_uint_eq(c.notes[i].item, 2 * i + 1);
        ck_assert_uint_eq(c.notes[i].value, 2 * i + 1);
        ck_assert_int_eq(c.notes[i].kind, NOTE_VALUE);
    }
    ck_assert_uint_eq(c.exit_times[0], IN_GUEST);
    ck_assert_uint_eq(c.exit_times[9], 900);
    chunk_fini(&c);
}
END_TEST

/* The reader stops while the notes of one more record still fit. */
START_TEST(notes_have_an_end)
{
    struct xt_batch b = make_batch();
    struct chunk c;
    size_t records = 0;

    ck_assert_int_eq(chunk_init(&c, false), 0);
    chunk_begin(&c, &b);
    chunk_add(&c, &b, items);
    for ( ; chunk_has_notes(&c); records++ )
        for ( unsigned int i = 0; i < NOTES_PER_RECORD; i++ )
            chunk_note(&c, NOTE_VALUE, i);
    ck_assert_uint_eq(records, CHUNK_ITEMS);
    ck_assert_uint_le(c.nr_notes, CHUNK_NOTES);
    chunk_fini(&c);
}
END_TEST

/* --- buffers -------------------------------------------------------------- */

START_TEST(text_grows)
{
    struct chunk c;
    char *p;
    size_t room;

    ck_assert_int_eq(chunk_init(&c, false), 0);
    room = c.room;
    p = c.text;
    memset(p, 'a', 1000);
    ck_assert_ptr_eq(chunk_reserve(&c, p, room), p);
    ck_assert_uint_eq(c.room, room);
    p = chunk_reserve(&c, p + 1000, room);
    ck_assert_uint_ge(c.room, room + 1000);
    ck_assert_int_eq(p - c.text, 1000);
    for ( unsigned int i = 0; i < 1000; i++ )
        UNIT_CHECK(c.text[i] == 'a');
    /* A single request of many times the size. */
    room = c.room;
    p = chunk_reserve(&c, p, 9 * room);
    ck_assert_uint_ge(c.room, 9 * room + 1000);

    fault_arm(FAULT_ALLOC, 1);
    ck_assert_ptr_null(chunk_reserve(&c, p, 2 * c.room));
    fault_disarm();
    ck_assert(c.no_memory);
    chunk_fini(&c);
}
END_TEST

START_TEST(columns_grow)
{
    static const unsigned int nrs[] = { 1, 4, 2, 4, 1000, 3 };
    struct chunk c;

    ck_assert_int_eq(chunk_init(&c, false), 0);
    for ( size_t i = 0; i < sizeof(nrs) / sizeof(nrs[0]); i++ )
    {
        ck_assert_int_eq(chunk_set_cpus(&c, nrs[i]), 0);
        ck_assert_uint_eq(c.nr_cpus, nrs[i]);
        memset(c.columns, 0, nrs[i] * sizeof(*c.columns));
        memset(c.times, 0, nrs[i] * sizeof(*c.times));
    }
    for ( unsigned int n = 1; n <= 2; n++ )
    {
        fault_arm(FAULT_ALLOC, n);
        ck_assert_int_eq(chunk_set_cpus(&c, 2000), -ENOMEM);
        fault_disarm();
    }
    chunk_fini(&c);
}
END_TEST

START_TEST(init_fails_cleanly)
{
    for ( unsigned int copy = 0; copy < 2; copy++ )
        for ( uint64_t n = 1; ; n++ )
        {
            struct chunk c;
            int rc;

            fault_arm(FAULT_ALLOC, n);
            rc = chunk_init(&c, copy);
            if ( !fault_fired(FAULT_ALLOC) )
            {
                ck_assert_int_eq(rc, 0);
                ck_assert_uint_eq(n, copy ? 6 : 5);
                chunk_fini(&c);
                break;
            }
            ck_assert_int_eq(rc, -ENOMEM);
            ck_assert_ptr_null(c.items);
            ck_assert_ptr_null(c.text);
        }
    fault_disarm();
}
END_TEST

UNIT_MAIN("chunk", copies_outlive_the_batch, counted_records_are_added,
          read_all_stops_when_full, begin_empties_the_chunk,
          notes_belong_to_the_last_record, notes_have_an_end, text_grows,
          columns_grow, init_fails_cleanly)
