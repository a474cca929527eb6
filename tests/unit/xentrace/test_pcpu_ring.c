/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader's side of a ring, in plain memory.
 */
#include "xentrace/pcpu-ring.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/libxentrace/unit.h"

#define SIZE (4096u - 8)

static struct
{
    struct t_buf head;
    unsigned char data[SIZE];
} memory;

static struct ring make_ring(uint32_t cons, uint32_t prod)
{
    memory.head = (struct t_buf){ .cons = cons, .prod = prod };
    return (struct ring){ .buf = &memory.head, .data_size = SIZE, .cpu = 7 };
}

START_TEST(empty)
{
    static const uint32_t at[] = { 0, 4, SIZE, SIZE + 4, 2 * SIZE - 4 };
    struct err e = ERR_INIT;
    struct ring_view v;

    for ( size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++ )
    {
        struct ring r = make_ring(at[i], at[i]);

        ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
        ck_assert_int_eq(v.nr_spans, 0);
        ck_assert_uint_eq(v.bytes, 0);
    }
}
END_TEST

/* Every length at every position: the spans are the bytes in order. */
START_TEST(every_place)
{
    struct err e = ERR_INIT;
    struct ring_view v;

    for ( uint32_t cons = 0; cons < 2 * SIZE; cons += 4 )
        for ( uint32_t used = 4; used <= SIZE; used += used < 64 ? 4 : 508 )
        {
            struct ring r = make_ring(cons, (cons + used) % (2 * SIZE));
            size_t start = cons % SIZE;
            bool over = start + used > SIZE;

            ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
            ck_assert_uint_eq(v.bytes, used);
            ck_assert_int_eq(v.nr_spans, over ? 2 : 1);
            ck_assert_ptr_eq(v.span[0].iov_base, memory.data + start);
            ck_assert_uint_eq(v.span[0].iov_len, over ? SIZE - start : used);
            if ( over )
            {
                ck_assert_ptr_eq(v.span[1].iov_base, memory.data);
                ck_assert_uint_eq(v.span[1].iov_len, used - (SIZE - start));
            }
            ring_take(&r, v.bytes);
            ring_release(&r);
            ck_assert_uint_eq(memory.head.cons, memory.head.prod);
        }
}
END_TEST

/* Records that arrive after the peek are not released. */
START_TEST(release_what_was_seen)
{
    struct ring r = make_ring(8, 24);
    struct err e = ERR_INIT;
    struct ring_view v;

    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    memory.head.prod = 400;
    ring_take(&r, v.bytes);
    ring_release(&r);
    ck_assert_uint_eq(memory.head.cons, 24);
    ck_assert_uint_eq(memory.head.prod, 400);
}
END_TEST

/* Copied bytes that are not released are not seen again, but count as used. */
START_TEST(take_and_keep)
{
    struct ring r = make_ring(SIZE - 8, SIZE + 4);
    struct err e = ERR_INIT;
    struct ring_view v;

    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ring_take(&r, 8);
    ck_assert_uint_eq(memory.head.cons, SIZE - 8);
    memory.head.prod = SIZE + 20;
    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ck_assert_uint_eq(v.bytes, 20);
    ck_assert_uint_eq(v.used, 28);
    ck_assert_ptr_eq(v.span[0].iov_base, memory.data);
    ck_assert_uint_eq(r.peak, 28);
    ring_release(&r);
    ck_assert_uint_eq(memory.head.cons, SIZE);
    ck_assert_uint_eq(r.cons_moves, 0);

    /* prod must not move back behind this index. */
    ring_take(&r, 20);
    memory.head.prod = SIZE + 8;
    ck_assert_int_eq(ring_peek(&r, &v, &e), -EBADMSG);
}
END_TEST

START_TEST(somebody_else_reads)
{
    struct ring r = make_ring(0, 80);
    struct err e = ERR_INIT;
    struct ring_view v;

    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ring_take(&r, 20);
    memory.head.cons = 60;
    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ck_assert_uint_eq(r.cons_moves, 1);
    ck_assert_uint_eq(v.bytes, 20);
    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ck_assert_uint_eq(r.cons_moves, 1);
    ck_assert_uint_eq(v.taken, 0);
}
END_TEST

/*
 * Another reader moves cons from 0, where 20 bytes were copied, to each place:
 * the bytes behind the copied ones are taken, and copied bytes come only once.
 */
START_TEST(taken_by_another_reader)
{
    for ( uint32_t cons = 4; cons <= 2 * SIZE - 24; cons += 4 )
        for ( uint32_t used = 0; used <= 40; used += 20 )
        {
            uint32_t prod = cons + used, from = cons < 20 ? 20 : cons;
            struct ring r = make_ring(0, 20);
            struct err e = ERR_INIT;
            struct ring_view v;
            bool is_old;

            if ( prod < 20 || prod >= 2 * SIZE )
                continue;
            ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
            ring_take(&r, 20);
            memory.head.cons = cons;
            memory.head.prod = prod;
            ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
            ck_assert_uint_eq(r.cons_moves, 1);
            ck_assert_uint_eq(v.taken, from - 20);
            ck_assert_uint_eq(v.bytes, prod - from);
            is_old = prod - 20 > SIZE;
            ck_assert_int_eq(v.nr_taken_spans, !v.taken || is_old ? 0 :
                             cons > SIZE ? 2 : 1);
            ck_assert_int_eq(ring_has_taken_spans(&r, &v), v.taken &&
                             prod - 20 + 512 <= SIZE);
            ring_release(&r);
            ck_assert_uint_eq(memory.head.cons, from);
        }
}
END_TEST

/* When Xen has overwritten the taken records, their number is not exact. */
START_TEST(taken_and_overwritten)
{
    struct ring r = make_ring(0, 0);
    struct err e = ERR_INIT;
    struct ring_view v;

    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    memory.head.cons = memory.head.prod = 400;
    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ck_assert_uint_eq(v.taken, 400);
    ck_assert(ring_has_taken_spans(&r, &v));
    memory.head.prod = SIZE - 8;
    ck_assert(!ring_has_taken_spans(&r, &v));
    memory.head.prod = UINT32_MAX;
    ring_has_taken_spans(&r, &v);
}
END_TEST

/* cons must not go back to where this reader is. */
START_TEST(release_behind_another_reader)
{
    struct ring r = make_ring(0, 80);
    struct err e = ERR_INIT;
    struct ring_view v;

    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ring_take(&r, 20);
    memory.head.cons = 60;
    ring_release(&r);
    ck_assert_uint_eq(memory.head.cons, 60);
    ck_assert_int_eq(ring_peek(&r, &v, &e), 0);
    ck_assert_uint_eq(r.cons_moves, 1);
    ck_assert_uint_eq(v.taken, 40);
    ck_assert_uint_eq(v.bytes, 20);
}
END_TEST

START_TEST(lies)
{
    static const uint32_t rows[][2] = {
        { 0, 1 }, { 2, 4 }, { 0, 2 * SIZE }, { 2 * SIZE, 0 },
        { 0, UINT32_MAX }, { UINT32_MAX - 3, 0 }, { 0xfffffff0, 0xfffffff0 },
        { 0, SIZE + 4 }, { 4, 0 }, { SIZE, 4 }, { 2 * SIZE - 4, SIZE },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct ring r = make_ring(rows[i][0], rows[i][1]);
        struct err e = ERR_INIT;
        struct ring_view v;

        ck_assert_msg(ring_peek(&r, &v, &e) == -EBADMSG, "row %zu", i);
        ck_assert_ptr_nonnull(strstr(e.text, "pcpu 7"));
    }
}
END_TEST

UNIT_MAIN("ring", empty, every_place, release_what_was_seen, take_and_keep,
          somebody_else_reads, taken_by_another_reader,
          taken_and_overwritten, release_behind_another_reader, lies)
