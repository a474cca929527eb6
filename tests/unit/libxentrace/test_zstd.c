/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed traces: expanded unchanged, from a file and from a pipe, in pieces
 * of any size; from any offset if there is a table; and damage costs its frame.
 */
#include "libxentrace/zstd.h"

#include "common/fault.h"

#include "tests/unit/libxentrace/memory-source.h"
#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define NR 40
#define MOST (24u << 20) /* also for zeroes of one frame */

static struct make windows[NR];
static unsigned char trace[MOST], packed[MOST], got[MOST];
static size_t at_window[NR + 1], trace_size, packed_size;
static size_t frame_at[2 * NR], nr_frames; /* in packed[] */

static int append_packed(void *to, const void *bytes, size_t size)
{
    (void)to;
    ck_assert_uint_le(packed_size + size, MOST);
    ck_assert_uint_lt(nr_frames, 2 * NR);
    frame_at[nr_frames++] = packed_size;
    memcpy(packed + packed_size, bytes, size);
    packed_size += size;
    return 0;
}

/* Windows of 0 to 100 KiB; also flush after every `every` windows. */
static void pack_trace(size_t every)
{
    struct xt_zstd_writer *w;
    struct err e = ERR_INIT;
    uint64_t seed = 4;

    trace_size = packed_size = nr_frames = 0;
    ck_assert(!xt_zstd_writer_new(&w, 1, append_packed, NULL, &e));
    for ( size_t i = 0; i < NR; i++ )
    {
        struct make *m = &windows[i];
        struct iovec iov[2];

        m->size = 0;
        make_window(m, i, make_random(&seed) % (1u << i % 13));
        iov[0] = (struct iovec){ m->bytes, 12 };
        iov[1] = (struct iovec){ m->bytes + 12, m->size - 12 };
        ck_assert(!xt_zstd_write(w, iov, 2));
        if ( i % every == every - 1 )
            ck_assert(!xt_zstd_flush(w));
        at_window[i] = trace_size;
        memcpy(trace + trace_size, m->bytes, m->size);
        trace_size += m->size;
    }
    at_window[NR] = trace_size;
    ck_assert(!xt_zstd_end(w));
    xt_zstd_writer_free(w);
}

static struct xt_source *open_packed(size_t piece, bool mapped)
{
    struct xt_source *inner = layer_open(packed, packed_size, piece, mapped);
    struct err e = ERR_INIT;
    struct xt_source *s;

    ck_assert(xt_zstd_detect(packed, packed_size));
    ck_assert(!xt_zstd_open(&s, inner, &e));
    return s;
}

static size_t unpack_trace(size_t piece, bool mapped, size_t room)
{
    struct xt_source *s = open_packed(piece, mapped);
    size_t size = layer_all(s, got, MOST, room);

    xt_source_close(s);
    return size;
}

START_TEST(there_and_back)
{
    static const size_t sizes[] = { 7, 4096, MOST };

    for ( size_t every = 1; every < NR; every += 9 )
    {
        pack_trace(every);
        for ( size_t i = 0; i < 6; i++ )
        {
            memset(got, 0, trace_size);
            ck_assert_uint_eq(unpack_trace(sizes[i % 3], i & 1, sizes[i / 2]),
                              trace_size);
            ck_assert_int_eq(memcmp(got, trace, trace_size), 0);
        }
    }
}
END_TEST

START_TEST(from_any_place)
{
    struct err e = ERR_INIT;
    const uint64_t *points;
    struct xt_source *s;
    size_t nr, size;

    pack_trace(5);
    s = open_packed(MOST, true);
    ck_assert_uint_eq(s->size, trace_size);
    points = s->ops->points(s, &nr);
    ck_assert_uint_eq(nr, nr_frames - 1);
    for ( size_t i = 0, window = 0; i < nr; i++ )
    {
        while ( at_window[window] < points[i] )
            window++;
        ck_assert_uint_eq(at_window[window], points[i]);
    }
    for ( size_t at = trace_size + 1; at; )
    {
        at = at > 99991 ? at - 99991 : 0;
        ck_assert(!s->ops->seek(s, at, &e));
        size = layer_all(s, got, MOST, 65536);
        ck_assert_uint_eq(size, trace_size - at);
        ck_assert_int_eq(memcmp(got, trace + at, size), 0);
    }
    ck_assert(!s->ops->seek(s, trace_size, &e));
    ck_assert_uint_eq(layer_all(s, got, MOST, 10), 0);
    ck_assert(s->ops->seek(s, trace_size + 1, &e));
    xt_source_close(s);
}
END_TEST

/* A capture that ended abruptly: no table, and the last frame is torn. */
START_TEST(cut)
{
    size_t last;
    struct xt_source *s;

    pack_trace(3);
    last = frame_at[nr_frames - 2];
    for ( size_t size = packed_size - 1; size > last; size -= 1 + size % 97 )
    {
        size_t whole = at_window[NR / 3 * 3];

        packed_size = size;
        s = open_packed(MOST, true);
        ck_assert_ptr_null(s->ops->seek);
        xt_source_close(s);
        ck_assert_uint_ge(unpack_trace(1000, size & 1, MOST), whole);
        ck_assert_int_eq(memcmp(got, trace, whole), 0);
    }
}
END_TEST

/* A file that ends inside its first frame: its words so far, and a zero. */
START_TEST(cut_frame)
{
    size_t all;

    pack_trace(NR);
    ck_assert_uint_ge(nr_frames, 1);
    all = unpack_trace(1000, false, MOST);
    packed_size = frame_at[0] + (frame_at[1] - frame_at[0]) * 3 / 4;
    for ( unsigned int map = 0; map < 2; map++ )
    {
        size_t size = unpack_trace(1000, map, MOST);

        ck_assert_uint_gt(size, all / 4);
        ck_assert_uint_lt(size, all);
        ck_assert_uint_eq(size % 4, 1);
        ck_assert_int_eq(memcmp(got, trace, size - 1), 0);
    }
}
END_TEST

/* Each bit of a frame's beginning, and some of the rest. */
START_TEST(damage)
{
    size_t frame = 5, from, size, bits;

    pack_trace(3);
    from = frame_at[frame];
    bits = 8 * (frame_at[frame + 1] - from);
    for ( size_t bit = 0; bit < bits; bit += bit < 400 ? 1 : 1 + bits / 300 )
    {
        size_t before = at_window[3 * frame], behind = at_window[3 * frame + 3];

        packed[from + bit / 8] ^= 1u << bit % 8;
        size = unpack_trace(5000, bit & 1, MOST);
        packed[from + bit / 8] ^= 1u << bit % 8;

        /* Frames before are unchanged, and those behind come last. */
        ck_assert_uint_ge(size, before + trace_size - behind);
        ck_assert_int_eq(memcmp(got, trace, before), 0);
        ck_assert_int_eq(memcmp(got + size - (trace_size - behind),
                                trace + behind, trace_size - behind), 0);
        /* No byte of the damaged frame, or all if the change had no effect. */
        if ( size == trace_size && !memcmp(got, trace, size) )
            continue;
        for ( size_t i = before; i < size - (trace_size - behind); i++ )
            ck_assert_msg(!got[i], "bit %zu gives wrong bytes", bit);
    }
}
END_TEST

/* An inconsistent table is ignored. */
START_TEST(wrong_table)
{
    size_t from;
    struct xt_source *s;

    pack_trace(3);
    from = frame_at[nr_frames - 1];
    for ( size_t at = from; at < packed_size; at++ )
    {
        packed[at] ^= 1u << at % 8;
        s = open_packed(MOST, true);
        if ( s->ops->seek && s->size != trace_size )
            ck_assert_uint_ge(at, from + 8 + 4);
        xt_source_close(s);
        ck_assert_uint_eq(unpack_trace(1000000, true, MOST), trace_size);
        ck_assert_int_eq(memcmp(got, trace, trace_size), 0);
        packed[at] ^= 1u << at % 8;
    }
}
END_TEST

START_TEST(faults)
{
    struct err e = ERR_INIT;
    struct xt_source *s = NULL;
    int rc = -ENOMEM;

    pack_trace(3);
    for ( uint64_t n = 1; rc; n++ )
    {
        fault_arm(FAULT_ALLOC, n);
        rc = xt_zstd_open(&s, layer_open(packed, packed_size, MOST, true), &e);
        ck_assert(!rc || (rc == -ENOMEM && fault_fired(FAULT_ALLOC)));
    }
    fault_disarm();
    xt_source_close(s);
}
END_TEST

UNIT_MAIN("zstd", there_and_back, from_any_place, cut, cut_frame, damage,
          wrong_table, faults)
