/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seeking by samples, against indexing all windows: the same span and the same
 * records, for traces in passes and for others.
 */
#include "tests/unit/libxentrace/unit.h"

#include "libxentrace/trace-private.h"

#include "tests/unit/libxentrace/zstd-file.h"

#define ALWAYS 0u
#define NEVER UINT64_MAX

static struct make m;
static struct expected want[EXPECTED_MAX], got[EXPECTED_MAX];
static unsigned int taken;      /* shortcuts taken */

/* --- traces --------------------------------------------------------------- */

struct shape
{
    const char *name;
    uint32_t cpus, windows, records;
    uint32_t silent;            /* one in `silent` windows is missing */
    uint64_t skew;              /* cycles between the clocks of two pcpus */
    uint64_t ends;              /* pcpu 1 stops at this part of a thousand */
    uint64_t begins;            /* pcpu 2 begins then */
    uint64_t again;             /* time starts again then */
    uint64_t ahead;             /* lead of pcpu 3's clock, which no sample finds
                                 */
    uint32_t metadata;          /* windows without time, at the begin, and
                                   again at every eleventh of the trace */
    bool by_cpu;                /* no passes: pcpu by pcpu */
};

static const struct shape shapes[] = {
    { .name = "passes", .cpus = 4, .windows = 4000, .records = 8 },
    { .name = "one pcpu", .cpus = 1, .windows = 3000, .records = 8 },
    { .name = "many pcpus", .cpus = 300, .windows = 6000, .records = 4 },
    { .name = "silence", .cpus = 8, .windows = 4000, .records = 8,
      .silent = 3 },
    { .name = "rare windows", .cpus = 8, .windows = 4000, .records = 30,
      .silent = 100 },
    { .name = "hotplug", .cpus = 4, .windows = 4000, .records = 8,
      .ends = 300, .begins = 900 },
    { .name = "late pcpu", .cpus = 4, .windows = 4000, .records = 8,
      .begins = 999 },
    { .name = "clocks apart", .cpus = 4, .windows = 4000, .records = 8,
      .skew = 5000 },
    { .name = "clocks far apart", .cpus = 4, .windows = 4000, .records = 8,
      .skew = 500000 },
    { .name = "two traces", .cpus = 4, .windows = 4000, .records = 8,
      .again = 400 },
    { .name = "a short one behind", .cpus = 4, .windows = 4000, .records = 8,
      .again = 990 },
    { .name = "pcpu by pcpu", .cpus = 4, .windows = 4000, .records = 8,
      .by_cpu = true },
    { .name = "a clock ahead", .cpus = 8, .windows = 640, .records = 100,
      .ahead = 20000 },
    { .name = "flight recorder", .cpus = 16, .windows = 16, .records = 3000,
      .by_cpu = true },
    { .name = "few windows", .cpus = 4, .windows = 40, .records = 800 },
    { .name = "metadata", .cpus = 4, .windows = 4000, .records = 8,
      .metadata = 40 },
};

#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static bool has_record(const struct shape *s, uint32_t i, uint32_t c,
                       uint64_t *seed)
{
    uint64_t part = i * UINT64_C(1000) / s->windows;

    if ( (s->ends && c == 1 && part >= s->ends) ||
         (s->begins && c == 2 && part < s->begins) )
        return false;
    /* Mostly silent: then one in `silent` windows is there. */
    if ( s->silent >= 10 )
        return !c || make_random(seed) % s->silent == 0;
    return !s->silent || make_random(seed) % s->silent;
}

/* The collector writes metadata as windows of pcpu 0. */
static void make_metadata(uint32_t windows)
{
    for ( uint32_t i = 0; i < windows; i++ )
    {
        size_t opened = make_open(&m, 0);

        make_record(&m, TRC_META_TEXT, 0, 2);
        make_close(&m, opened);
    }
}

static void make_shape(const struct shape *s, uint64_t *seed)
{
    uint64_t now = 10000000;
    uint32_t each = s->windows / s->cpus;

    m.size = 0;
    for ( uint32_t i = 0; i < s->windows; i++ )
    {
        uint32_t c = s->by_cpu ? i / each % s->cpus : i % s->cpus;
        uint32_t untimed;
        size_t opened;

        if ( i % (s->windows / 11) == 0 )
            make_metadata(s->metadata);
        if ( s->again && i == s->windows * s->again / 1000 )
            now = 10000000;
        if ( s->by_cpu && i % each == 0 )
            now = 10000000 + 10 * c;
        if ( !has_record(s, i, c, seed) )
            continue;
        opened = make_open(&m, c);
        /* The first record of a window follows that of a recent window. */
        untimed = s->silent >= 10 ? 1 : (4 - i % 4) % 4;
        for ( uint32_t k = 0; k < (s->ahead && c == 2 ? 1 : s->records); k++ )
        {
            uint64_t time = now + c * s->skew + (c == 3 ? s->ahead : 0);

            now += make_random(seed) % 9;
            make_record(&m, 0x81001 + k % 3, k % 4 != untimed ? time : 0,
                        k % 3);
        }
        make_close(&m, opened);
    }
}

/* --- both methods --------------------------------------------------------- */


static size_t from_on(const char *path, uint64_t shortcuts, uint64_t time,
                      bool ask, struct expected *all, uint64_t *span)
{
    struct xt_trace *t = trace_file_open(path, 0);
    struct err e = ERR_INIT;
    size_t nr;

    t->shortcut_min_size = shortcuts;
    if ( ask )
        ck_assert_int_eq(xt_trace_span(t, &span[0], &span[1], &e), 0);
    ck_assert_int_eq(xt_trace_seek(t, time, &e), 0);
    taken += t->index_partial;
    nr = read_order(t, all);
    xt_trace_close(t);
    return nr;
}

static void compare_seek(const char *path, uint64_t time, bool ask)
{
    uint64_t span[2][2] = { { 0 } };
    size_t nr = from_on(path, NEVER, time, ask, want, span[0]);
    size_t nr_got = from_on(path, ALWAYS, time, ask, got, span[1]);

    expect_same(got, nr_got, want, nr);
    ck_assert_int_eq(memcmp(span[0], span[1], sizeof(span[0])), 0);
}

/* Times throughout the trace, more of them near both ends. */
static void compare_moments(const char *path, uint64_t *seed)
{
    uint64_t span[2];
    size_t nr = from_on(path, NEVER, 0, true, want, span);
    uint64_t length = span[1] - span[0];

    ck_assert_uint_gt(nr, 1000);
    for ( unsigned int i = 0; i < 24; i++ )
    {
        uint64_t off = make_random(seed) % (length >> i % 12) + i % 2;

        compare_seek(path, i & 1 ? span[1] - off : span[0] + off, i % 3);
    }
    compare_seek(path, span[1] + 1, true);
}

/* --- up to a time --------------------------------------------------------- */

static unsigned int ended;      /* indexes that stop before the end */

static size_t up_to(const char *path, uint64_t shortcuts, uint64_t from,
                    uint64_t to, struct expected *all)
{
    struct xt_trace *t = trace_file_open(path, 0);
    struct err e = ERR_INIT;
    uint64_t span[2];
    size_t nr;

    t->shortcut_min_size = shortcuts;
    ck_assert_int_eq(xt_trace_span(t, &span[0], &span[1], &e), 0);
    xt_trace_read_until(t, to);
    if ( from )
        ck_assert_int_eq(xt_trace_seek(t, from, &e), 0);
    nr = read_order(t, all);
    ended += t->order_limit == to;
    xt_trace_close(t);
    while ( nr && all[nr - 1].time > to )
        nr--;
    return nr;
}

START_TEST(spans)
{
    const struct shape *s = &shapes[_i];
    uint64_t seed = _i, span[2], length;
    char path[32];

    make_shape(s, &seed);
    trace_file(path, &m);
    from_on(path, NEVER, 0, true, want, span);
    length = span[1] - span[0];
    ended = 0;
    for ( unsigned int i = 0; i < 24; i++ )
    {
        uint64_t from = span[0] + make_random(&seed) % length;
        uint64_t to = from + make_random(&seed) % (length >> i % 8);
        size_t nr;

        from = i % 3 ? from : 0;
        nr = up_to(path, NEVER, from, to, want);
        expect_same(got, up_to(path, ALWAYS, from, to, got), want, nr);
    }
    unlink(path);
    if ( _i < 4 )
        ck_assert_msg(ended >= 8, "%s: %u ended", s->name, ended);
    if ( s->again == 400 || s->by_cpu )
        ck_assert_msg(!ended, "%s: %u ended", s->name, ended);
}
END_TEST

START_TEST(shapes_of_traces)
{
    const struct shape *s = &shapes[_i];
    uint64_t seed = _i;
    char path[32];

    make_shape(s, &seed);
    trace_file(path, &m);
    compare_moments(path, &seed);
    unlink(path);
    /* Traces of plain passes have to use the shortcut. */
    if ( _i < 4 )
        ck_assert_msg(taken >= 12, "%s: %u shortcuts", s->name, taken);
    if ( s->again == 400 || s->by_cpu )
        ck_assert_msg(!taken, "%s: %u shortcuts", s->name, taken);
}
END_TEST

/* --- compressed ----------------------------------------------------------- */

/* Frames of about three windows. */
static size_t some_windows(const struct make *all, size_t at)
{
    for ( unsigned int i = 0; i < 3 && at < all->size; i++ )
    {
        uint32_t size;

        memcpy(&size, all->bytes + at + 8, sizeof(size));
        at += 12 + size;
    }
    return at;
}

static size_t from_on_packed(const char *path, uint64_t time,
                             struct expected *all)
{
    struct xt_trace *t = trace_file_open(path, 0);
    struct err e = ERR_INIT;
    size_t nr;

    ck_assert_int_eq(xt_trace_seek(t, time, &e), 0);
    taken += t->windows.origin > 0;
    nr = read_order(t, all);
    xt_trace_close(t);
    return nr;
}

/* With a frame table, against reading without one. */
START_TEST(compressed)
{
    const struct shape *s = &shapes[_i];
    char with[32], without[32];
    uint64_t seed = _i;

    make_shape(s, &seed);
    if ( !packed_file(with, &m, true, some_windows) )
        return;
    packed_file(without, &m, false, some_windows);
    for ( unsigned int i = 0; i < 12; i++ )
    {
        size_t at = make_random(&seed) % m.size, nr, nr_got;
        struct xt_sample where;

        if ( !xt_sample_take(m.bytes, m.size, at, m.size, &where) )
            continue;
        nr = from_on_packed(without, where.time + i % 2, want);
        nr_got = from_on_packed(with, where.time + i % 2, got);
        expect_same(got, nr_got, want, nr);
    }
    unlink(with);
    unlink(without);
    if ( _i < 4 )
        ck_assert_msg(taken >= 6, "%s: %u shortcuts", s->name, taken);
    if ( s->again == 400 || s->by_cpu )
        ck_assert_msg(!taken, "%s: %u shortcuts", s->name, taken);
}
END_TEST

/* --- damage --------------------------------------------------------------- */

/* A damaged trace may be read by another method, but no record is invented. */
START_TEST(damaged)
{
    char path[32];

    for ( unsigned int n = 0; n < 30; n++ )
    {
        uint64_t seed = n, span[2] = { 0 };
        size_t nr, nr_got, i = 0;

        make_shape(&shapes[n % 4], &seed);
        for ( unsigned int k = 0; k <= n; k++ )
            m.bytes[((uint64_t)make_random(&seed) << 8) % m.size] ^=
                1u << k % 8;
        trace_file(path, &m);
        nr = from_on(path, NEVER, 0, false, want, span);
        nr_got = from_on(path, ALWAYS, want[nr / 2].time, true, got, span);
        ck_assert_uint_le(nr_got, nr);
        /* All records that are not near damage are the same. */
        while ( i < nr_got && got[nr_got - 1 - i].offset ==
                              want[nr - 1 - i].offset )
            i++;
        ck_assert_msg(i == nr_got, "seed %u: %zu of %zu records", n, i,
                      nr_got);
        unlink(path);
    }
}
END_TEST

/* A second read, and all other modes, return all records. */
START_TEST(and_back)
{
    struct err e = ERR_INIT;
    uint64_t first, last, seed = 1;
    struct xt_trace *t;
    unsigned int cpus;
    char path[32];
    size_t nr;

    make_shape(&shapes[0], &seed);
    nr = expect_order(&m, want);
    trace_file(path, &m);
    t = trace_file_open(path, 0);
    t->shortcut_min_size = ALWAYS;
    for ( unsigned int i = 0; i < 2; i++ )
    {
        ck_assert_int_eq(xt_trace_span(t, &first, &last, &e), 0);
        ck_assert(t->index_partial);
        ck_assert_uint_eq(last, want[nr - 1].time);
        ck_assert_int_eq(xt_trace_seek(t, last, &e), 0);
        ck_assert(t->index_partial);
        ck_assert_uint_lt(read_order(t, got), 100);
        ck_assert_int_eq(xt_trace_rewind(t, &e), 0);
    }
    ck_assert_int_eq(xt_trace_span(t, &first, &last, &e), 0);
    ck_assert_int_eq(xt_trace_cpus(t, &cpus, &e), 0);
    ck_assert(!t->index_partial);
    ck_assert_uint_eq(t->index.nr, 4000);
    expect_same(got, read_order(t, got), want, nr);

    /* A complete index is not built again. */
    for ( unsigned int i = 0; i < 2; i++ )
    {
        ck_assert_int_eq(xt_trace_rewind(t, &e), 0);
        ck_assert_uint_eq(xt_trace_position(t), 0);
        ck_assert(t->kept.valid);
        ck_assert_int_eq(xt_trace_seek(t, last, &e), 0);
        ck_assert(!t->index_partial);
        ck_assert_uint_eq(t->index.nr, 4000);
        ck_assert_uint_lt(read_order(t, got), 100);
    }
    ck_assert_int_eq(xt_trace_rewind(t, &e), 0);
    ck_assert_int_eq(xt_trace_set_offset(t, 1, 5, &e), 0);
    ck_assert(!t->kept.valid);
    ck_assert_uint_eq(read_order(t, got), nr);
    xt_trace_close(t);
    unlink(path);
}
END_TEST

UNIT_ROWS("seek", { shapes_of_traces, NR_SHAPES }, { spans, NR_SHAPES },
          { compressed, NR_SHAPES }, { damaged, 1 },
          { and_back, 1 })
