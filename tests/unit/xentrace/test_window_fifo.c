/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows in memory: at every position of a small queue, and in the memory
 * buffer of -M, where the oldest windows are dropped.
 */
#include "xentrace/memory-buffer.h"
#include "xentrace/record-scan.h"

#include <errno.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/window.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define CPUS 3u

/* Make `nr` random records. */
static void make_some(struct make *m, uint64_t *seed, uint32_t nr)
{
    m->size = 0;
    for ( uint32_t i = 0; i < nr; i++ )
        make_record(m, 0x81000 + i, make_random(seed) % 2,
                    make_random(seed) % 8);
}

static struct iovec make_span(const struct make *m)
{
    return (struct iovec){ (void *)m->bytes, m->size };
}

/* The bytes of a window are the same wherever the window is stored. */
START_TEST(round_and_round)
{
    struct err e = ERR_INIT;
    static struct make m;
    uint64_t seed = 11, at;
    struct window_fifo_entry w;
    struct iovec span;
    struct window_fifo s;
    unsigned int over = 0;

    ck_assert_int_eq(window_fifo_init(&s, WINDOW_FIFO_MIN + 3, &e), 0);
    ck_assert_uint_eq(s.size % 4, 0);
    for ( unsigned int i = 0; i < 3000; i++ )
    {
        make_some(&m, &seed, 1 + make_random(&seed) % 30);
        span = make_span(&m);
        ck_assert_uint_le(m.size, window_fifo_window_max(&s));
        while ( !window_fifo_has_room(&s, m.size) )
        {
            window_fifo_get(&s, s.tail, &w);
            s.tail = w.end;
        }
        at = s.head;
        window_fifo_put(&s, i % CPUS, &span, 1);
        window_fifo_get(&s, at, &w);
        ck_assert_uint_eq(w.cpu, i % CPUS);
        ck_assert_uint_eq(w.end, s.head);
        ck_assert_int_eq(memcmp(w.span[0].iov_base, m.bytes,
                                w.span[0].iov_len), 0);
        ck_assert_int_eq(memcmp(w.span[1].iov_base,
                                m.bytes + w.span[0].iov_len,
                                w.span[1].iov_len), 0);
        ck_assert_uint_eq(w.span[0].iov_len + w.span[1].iov_len, m.size);
        ck_assert_uint_eq(scan_count_events(w.span, w.nr_spans),
                          scan_count_events(&span, 1));
        over += w.nr_spans == 2;
    }
    ck_assert_uint_ge(over, 100);
    window_fifo_fini(&s);
}
END_TEST

START_TEST(what_is_an_event)
{
    static struct make m;
    struct iovec span;

    make_record(&m, 0x81001, 1, 3);
    make_lost(&m, 1, 7);
    make_record(&m, TRC_TRACE_WRAP_BUFFER, 0, 2);
    make_record(&m, TRC_META_WINDOW, 0, 2);
    make_record(&m, TRC_META_LOST, 0, 4);
    make_record(&m, 0x1f004, 0, 0);
    make_record(&m, 0x1f0ff, 0, 0);
    make_record(&m, 0x1f100, 1, 0);
    span = make_span(&m);
    ck_assert_uint_eq(scan_count_events(&span, 1), 3);
    /* The last record ends behind the span, and counts. */
    span.iov_len -= 4;
    ck_assert_uint_eq(scan_count_events(&span, 1), 3);
}
END_TEST

/* Losses are counted wherever a loss record is split; not without its end. */
START_TEST(losses_in_pieces)
{
    static struct make m;
    struct iovec whole, pieces[2];

    make_record(&m, 0x81001, 1, 3);
    make_lost(&m, 1, 7);
    make_record(&m, 0x1f001, 1, 0);     /* too short */
    make_lost(&m, 1, 30);
    whole = make_span(&m);
    for ( size_t cut = 0; cut <= whole.iov_len; cut += 4 )
    {
        struct scan_counts c = { .events = 0 }, cut_off = c;

        pieces[0] = (struct iovec){ m.bytes, cut };
        pieces[1] = (struct iovec){ m.bytes + cut, whole.iov_len - cut };
        scan_add(&c, pieces, 2);
        ck_assert_uint_eq(c.events, 1);
        ck_assert_uint_eq(c.lost, 37);
        scan_add(&cut_off, pieces, 1);
        ck_assert_uint_eq(cut_off.lost, cut == whole.iov_len ? 37 :
                          cut >= whole.iov_len - 28 - 12 ? 7 :
                          cut >= 24 + 28 ? 7 : 0);
    }
}
END_TEST

/* The buffer has the newest windows in order, and the others are counted. */
START_TEST(newest_in_memory)
{
    uint64_t seed = 5, put[CPUS] = { 0 }, kept[CPUS] = { 0 };
    struct err e = ERR_INIT;
    static struct make m;
    struct window_fifo_entry w;
    struct memory_buffer memory;
    struct window_sink s;
    struct iovec span;

    ck_assert_int_eq(memory_buffer_open(&memory, 10000, CPUS, &e), 0);
    s = memory_buffer_sink(&memory);
    for ( unsigned int i = 0; i < 500; i++ )
    {
        make_some(&m, &seed, 1 + make_random(&seed) % 60);
        span = make_span(&m);
        put[i % CPUS] += scan_count_events(&span, 1);
        ck_assert_uint_eq(s.put(s.arg, i % CPUS, &span, 1),
                          memory.fifo.head);
    }
    for ( uint64_t at = memory.fifo.tail; at < memory.fifo.head; at = w.end )
    {
        window_fifo_get(&memory.fifo, at, &w);
        kept[w.cpu] += scan_count_events(w.span, w.nr_spans);
    }
    ck_assert_uint_eq(w.cpu, 499 % CPUS);
    for ( unsigned int cpu = 0; cpu < CPUS; cpu++ )
        ck_assert_uint_eq(put[cpu], kept[cpu] + memory.dropped[cpu]);
    ck_assert_uint_gt(memory.fifo.head - memory.fifo.tail, 5000);
    memory_buffer_close(&memory);
}
END_TEST

START_TEST(no_memory)
{
    struct err e = ERR_INIT;
    struct memory_buffer m;

    fault_arm(FAULT_MMAP, 1);
    ck_assert_int_eq(memory_buffer_open(&m, 10000, CPUS, &e), -ENOMEM);
    fault_disarm();
    fault_arm(FAULT_ALLOC, 1);
    e = (struct err)ERR_INIT;
    ck_assert_int_eq(memory_buffer_open(&m, 10000, CPUS, &e), -ENOMEM);
    fault_disarm();
}
END_TEST

UNIT_MAIN("spool", round_and_round, what_is_an_event, losses_in_pieces,
          newest_in_memory, no_memory)
