/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records by time: equal to a plain sort of all records, for any number of
 * pcpus, any clumps in time, and any kind of source.
 */
#include "tests/unit/libxentrace/unit.h"

#include <errno.h>

#include "tests/unit/libxentrace/trace-files.h"

static struct make m;
static struct expected want[EXPECTED_MAX], got[EXPECTED_MAX];

/* The distribution of a made trace over time. */
struct shape
{
    unsigned int cpus, passes, records;     /* records: maximum per window */
    uint64_t step;              /* cycles between records, at most */
    unsigned int clump;         /* one in `clump` pauses takes long; 0: none */
    unsigned int cpu_step;      /* distance of used pcpu numbers */
};

/*
 * Passes as a collector writes them: each up to a time that all pcpus have
 * reached; some pcpus have no records.
 */
static void make_passes(const struct shape *s, uint64_t seed)
{
    static uint64_t now[1024];
    static bool begun[1024];    /* a pcpu's first record is timed */
    uint64_t end = 1000000;     /* end of the pass */

    m.size = 0;
    for ( unsigned int c = 0; c < s->cpus; c++ )
    {
        now[c] = end;
        begun[c] = false;
    }
    for ( unsigned int pass = 0; pass < s->passes; pass++ )
    {
        end += s->step * s->records + 1;
        for ( unsigned int c = 0; c < s->cpus; c++ )
        {
            size_t opened, n = make_random(&seed) % (s->records + 1);

            if ( now[c] >= end || !n )
            {
                now[c] = now[c] < end ? end : now[c];
                continue;
            }
            opened = make_open(&m, c * s->cpu_step);
            for ( ; n && now[c] < end; n-- )
            {
                now[c] += make_random(&seed) % (s->step + 1);
                if ( s->clump && !(make_random(&seed) % s->clump) )
                    now[c] += s->step * 20;
                if ( now[c] >= end )
                    break;
                make_record(&m, 0x81000 + n % 7,
                            !begun[c] || make_random(&seed) % 4 ? now[c] : 0,
                            n % 8);
                begun[c] = true;
            }
            make_close(&m, opened);
            now[c] = now[c] < end ? end : now[c];
        }
    }
}

static const struct shape shapes[] = {
    { 1, 20, 100, 50, 0, 1 },
    { 2, 20, 200, 1, 0, 1 },
    { 4, 30, 200, 1000, 0, 1 },
    { 4, 10, 300, 0, 0, 1 },            /* all at the same time */
    { 7, 20, 50, 100000, 9, 5 },
    { 16, 20, 100, 30, 50, 1000 },
    { 300, 6, 20, 5000, 10, 54 },
    { 1000, 3, 10, 700, 0, 16 },
};

#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void expect_order_of_file(const char *path, unsigned int flags,
                                 size_t nr)
{
    struct xt_trace *t = trace_file_open(path, flags);
    struct xt_trace_bounds bounds;

    expect_same(got, read_order(t, got), want, nr);
    xt_trace_bounds(t, &bounds);
    ck_assert_uint_eq(bounds.late, 0);
    ck_assert_int_eq(bounds.exact, !flags);
    ck_assert_int_eq(xt_damage_grade(xt_trace_damage(t)), XT_GRADE_NONE);
    xt_trace_close(t);
}

START_TEST(as_sorted)
{
    char path[32];
    size_t nr;

    for ( uint64_t seed = 1; seed < 5; seed++ )
    {
        make_passes(&shapes[_i], seed);
        nr = expect_order(&m, want);
        ck_assert_uint_gt(nr, 100);
        trace_file(path, &m);
        expect_order_of_file(path, 0, nr);
        expect_order_of_file(path, XT_SOURCE_STREAM, nr);
        unlink(path);
    }
}
END_TEST

/*
 * Far steps of the only pcpu in its last window but one: the last window has
 * metadata without a time stamp, as at the end of a capture.
 */
START_TEST(before_metadata)
{
    size_t opened, nr;
    char path[32];

    m.size = 0;
    opened = make_open(&m, 0);
    for ( unsigned int i = 1; i <= 10; i++ )
        make_record(&m, 0x81000, 1000000000 + i * 15000000, 2);
    make_close(&m, opened);
    opened = make_open(&m, 0);
    make_record(&m, 0x1f08f, 0, 4);
    make_close(&m, opened);
    nr = expect_order(&m, want);
    ck_assert_uint_eq(nr, 11);
    trace_file(path, &m);
    expect_order_of_file(path, 0, nr);
    unlink(path);
}
END_TEST

/* From any time on: the records before are left out, and no others. */
START_TEST(from_a_moment)
{
    unsigned int flags[] = { 0, XT_SOURCE_STREAM };
    struct err e = ERR_INIT;
    uint64_t seed = 7;
    char path[32];
    size_t nr;

    make_passes(&shapes[_i], 3);
    nr = expect_order(&m, want);
    trace_file(path, &m);
    for ( unsigned int n = 0; n < 40; n++ )
    {
        struct xt_trace *t = trace_file_open(path, flags[n % 2]);
        size_t first = make_random(&seed) % nr;
        uint64_t time = want[first].time + make_random(&seed) % 2;

        for ( first = 0; first < nr && want[first].time < time; )
            first++;
        ck_assert_int_eq(xt_trace_seek(t, time, &e), 0);
        expect_same(got, read_order(t, got), want + first, nr - first);
        xt_trace_close(t);
    }
    unlink(path);
}
END_TEST

#define SLICE_ROOM (1u << 17)   /* ROOM_A_TARGET * TARGET_MOST in order.c */

/* More records in one tick than a slice has room for, in two pcpus. */
START_TEST(one_tick)
{
    char path[32];
    size_t opened, nr;

    m.size = 0;
    for ( uint32_t c = 0; c < 2; c++ )
    {
        opened = make_open(&m, c);
        for ( unsigned int i = 0; i < 40000; i++ )
            make_record(&m, 0x21011, i % 10 ? 0 : 77, 0);
        make_close(&m, opened);
        opened = make_open(&m, c);
        for ( unsigned int i = 0; i < 29000; i++ )
            make_record(&m, 0x21011, i % 10 ? 0 : 77 + i / 20000, 0);
        make_close(&m, opened);
    }
    nr = expect_order(&m, want);
    ck_assert_uint_gt(nr, SLICE_ROOM);
    trace_file(path, &m);
    expect_order_of_file(path, 0, nr);
    expect_order_of_file(path, XT_SOURCE_STREAM, nr);
    unlink(path);
}
END_TEST

/* A window of a pcpu from this time on: 10 records for each cycle. */
static void make_burst(uint32_t cpu, uint64_t time, unsigned int nr)
{
    size_t opened = make_open(&m, cpu);

    for ( unsigned int i = 0; i < nr; i++ )
        make_record(&m, 0x21011, i % 10 ? 0 : time + i / 10, 0);
    make_close(&m, opened);
}

/*
 * More records than a slice has room for, so the first slice is undone and
 * shortened: windows that began in it begin behind the shorter one.
 */
START_TEST(burst)
{
    char path[32];
    size_t nr;

    m.size = 0;
    make_burst(9, 1000, SLICE_ROOM + 10000);
    for ( uint32_t c = 1; c < 4; c++ )
        make_burst(c, 1000 + 4000 * c, 50);
    for ( uint32_t c = 1; c < 4; c++ )
        make_burst(c, 3000 + 4000 * c, 50);
    nr = expect_order(&m, want);
    trace_file(path, &m);
    expect_order_of_file(path, 0, nr);
    expect_order_of_file(path, XT_SOURCE_STREAM, nr);
    unlink(path);
}
END_TEST

/* The last possible times. */
START_TEST(end_of_time)
{
    char path[32];
    struct xt_trace *t;
    size_t opened;

    m.size = 0;
    for ( uint32_t c = 0; c < 3; c++ )
    {
        opened = make_open(&m, c);
        make_record(&m, 0x21011, 1, 0);
        for ( unsigned int i = 3; i--; )
            make_record(&m, 0x21011, UINT64_MAX - i, 0);
        make_close(&m, opened);
    }
    trace_file(path, &m);
    t = trace_file_open(path, 0);
    ck_assert_uint_eq(read_order(t, got), 12);
    for ( size_t i = 1; i < 12; i++ )
        ck_assert_uint_le(got[i - 1].time, got[i].time);
    xt_trace_close(t);
    unlink(path);
}
END_TEST

/* --- damaged time --------------------------------------------------------- */

static void poke_time(size_t record, uint64_t time)
{
    memcpy(m.bytes + record + 4, &time, sizeof(time));
}

/* A window each of pcpu 0 and 1: times 1000, 1010, ... and 1005, 1015, ... */
static void make_two(size_t *records)
{
    m.size = 0;
    for ( uint32_t c = 0; c < 2; c++ )
    {
        size_t opened = make_open(&m, c);

        for ( unsigned int i = 0; i < 100; i++ )
        {
            records[100 * c + i] = m.size;
            make_record(&m, 0x21011, 1000 + 10 * i + 5 * c, 1);
        }
        make_close(&m, opened);
    }
}

/*
 * One time stamp of pcpu 0 is wrong, by any bit: no other record loses its
 * place, and the damage is noted.
 */
START_TEST(one_wrong_time)
{
    size_t records[200], nr, wrong;
    char path[32];

    for ( unsigned int bit = 0; bit < 64; bit++ )
    {
        struct xt_trace *t;
        uint64_t time;

        make_two(records);
        nr = expect_order(&m, want);
        time = 1500 ^ UINT64_C(1) << bit;
        poke_time(records[50], time);
        trace_file(path, &m);
        t = trace_file_open(path, 0);
        ck_assert_uint_eq(read_order(t, got), nr);
        wrong = 0;
        for ( size_t i = 0, j = 0; i < nr; i++ )
        {
            if ( got[i].offset == records[50] )
                continue;
            j += want[j].offset == records[50];
            wrong += got[i].offset != want[j].offset;
            j++;
        }
        /* 1480, 1490, 1484: nothing shows which of the two is wrong. */
        ck_assert_msg(wrong <= (time >= 1480 && time < 1490 ? 2 : 0),
                      "bit %u: %zu records elsewhere", bit, wrong);
        if ( time < 1480 || time > 1510 )
        {
            const struct xt_damage *d = xt_trace_damage(t);

            ck_assert_uint_eq(d->times[XT_DAMAGE_BACKWARD], 1);
            ck_assert_uint_eq(d->first[0].offset, records[50]);
        }
        xt_trace_close(t);
        unlink(path);
    }
}
END_TEST

/* --- clocks that differ --------------------------------------------------- */

#define CPUS 7

static int64_t offset_of(unsigned int cpu)
{
    return (cpu & 1 ? 1 : -1) * (int64_t)(cpu * 5000);
}

/* Shift each pcpu's clock by the offset that is then added. */
static void set_wrong(size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
    {
        unsigned char *at = m.bytes + want[i].offset;
        uint64_t time = want[i].time - offset_of(want[i].cpu);

        if ( at[3] & 0x80 )
            memcpy(at + 4, &time, 8);
    }
}

static void set_offsets(struct xt_trace *t)
{
    struct err e = ERR_INIT;

    for ( unsigned int cpu = CPUS; cpu--; )
        ck_assert_int_eq(xt_trace_set_offset(t, cpu, offset_of(cpu), &e), 0);
    ck_assert_int_eq(xt_trace_offset(t, 3), 15000);
    ck_assert_int_eq(xt_trace_offset(t, 1000), 0);
}

START_TEST(wrong_clocks)
{
    static const struct shape s = { .cpus = CPUS, .passes = 40, .records = 60,
                                    .step = 30, .cpu_step = 1 };
    unsigned int flags[] = { 0, XT_SOURCE_STREAM };
    uint64_t first, last;
    char path[32];
    size_t nr;

    make_passes(&s, 8);
    nr = expect_order(&m, want);
    set_wrong(nr);
    trace_file(path, &m);
    for ( size_t i = 0; i < 2; i++ )
    {
        struct xt_trace *t = trace_file_open(path, flags[i]);
        struct err e = ERR_INIT;

        set_offsets(t);
        expect_same(got, read_order(t, got), want, nr);
        ck_assert_int_eq(xt_trace_set_offset(t, 0, 1, &e), -EBUSY);
        xt_trace_close(t);

        t = trace_file_open(path, flags[i]);
        set_offsets(t);
        if ( !i )
        {
            ck_assert_int_eq(xt_trace_span(t, &first, &last, &e), 0);
            ck_assert_uint_eq(first, want[0].time);
            ck_assert_uint_eq(last, want[nr - 1].time);
        }
        ck_assert_int_eq(xt_trace_seek(t, want[nr / 2].time, &e), 0);
        for ( first = nr / 2; want[first - 1].time == want[nr / 2].time; )
            first--;
        expect_same(got, read_order(t, got), want + first, nr - first);
        xt_trace_close(t);
    }
    unlink(path);
}
END_TEST

/* --- clocks that drift ---------------------------------------------------- */

#define DRIFT_FROM 20000u       /* in the middle of the trace */

/* A clock that is slow by 1 %, corrected in steps. */
static uint64_t speed_up(uint64_t tsc)
{
    return tsc < DRIFT_FROM ? tsc : tsc + (tsc - DRIFT_FROM) / 6400 * 64;
}

/* The clocks of all even pcpus are slow. */
static void set_drifting(size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
    {
        unsigned char *at = m.bytes + want[i].offset;

        want[i].time = speed_up(want[i].time);
        if ( at[3] & 0x80 && want[i].cpu & 1 )
            memcpy(at + 4, &want[i].time, 8);
    }
}

static struct xt_trace *open_drifting(const char *path, unsigned int flags)
{
    struct xt_trace *t = trace_file_open(path, flags);
    struct err e = ERR_INIT;

    for ( unsigned int cpu = 0; cpu < CPUS; cpu += 2 )
        ck_assert_int_eq(xt_trace_set_drift(t, cpu, DRIFT_FROM, 10000000, &e),
                         0);
    ck_assert_int_eq(xt_trace_set_drift(t, 1, 0, XT_DRIFT_MAX + 1, &e),
                     -EINVAL);
    ck_assert_uint_eq(xt_trace_correct(t, 2, DRIFT_FROM + 12800),
                      DRIFT_FROM + 12928);
    ck_assert_uint_eq(xt_trace_correct(t, 3, DRIFT_FROM + 12800),
                      DRIFT_FROM + 12800);
    return t;
}

START_TEST(drifting_clocks)
{
    static const struct shape s = { .cpus = CPUS, .passes = 40, .records = 60,
                                    .step = 30, .cpu_step = 1 };
    unsigned int flags[] = { 0, XT_SOURCE_STREAM };
    uint64_t first, last;
    char path[32];
    size_t nr;

    make_passes(&s, 8);
    nr = expect_order(&m, want);
    set_drifting(nr);
    ck_assert_uint_gt(want[nr - 1].time, DRIFT_FROM + 3 * 6464);
    trace_file(path, &m);
    for ( size_t i = 0; i < 2; i++ )
    {
        struct xt_trace *t = open_drifting(path, flags[i]);
        struct err e = ERR_INIT;

        if ( !i )
        {
            ck_assert_int_eq(xt_trace_span(t, &first, &last, &e), 0);
            ck_assert_uint_eq(last, want[nr - 1].time);
        }
        expect_same(got, read_order(t, got), want, nr);
        ck_assert_int_eq(xt_trace_set_drift(t, 0, 0, 1, &e), -EBUSY);
        xt_trace_close(t);
    }
    unlink(path);
}
END_TEST

/* Times stay at or above 0; no pcpu is beyond the last. */
START_TEST(absurd_offsets)
{
    struct err e = ERR_INIT;
    struct xt_trace *t;
    char path[32];
    size_t nr;

    make_passes(&shapes[0], 1);
    nr = expect_order(&m, want);
    trace_file(path, &m);
    t = trace_file_open(path, 0);
    ck_assert_int_eq(xt_trace_set_offset(t, XT_MAX_CPUS, 1, &e), -EINVAL);
    ck_assert_int_eq(xt_trace_set_offset(t, 0, INT64_MIN, &e), 0);
    ck_assert_int_eq(xt_trace_set_offset(t, 1, INT64_MAX, &e), 0);
    ck_assert_uint_eq(read_order(t, got), nr);
    xt_trace_close(t);
    unlink(path);
}
END_TEST

/* Two traces in one file, the second with earlier times. */
START_TEST(segments)
{
    static struct make first;
    unsigned int flags[] = { 0, XT_SOURCE_STREAM };
    unsigned int last_segment = 0;
    struct err e = ERR_INIT;
    struct xt_trace *t;
    struct xt_batch b;
    char path[32];
    size_t nr;

    make_passes(&shapes[2], 1);
    nr = expect_order(&m, want);
    first = m;
    memcpy(m.bytes + m.size, first.bytes, first.size);
    m.size += first.size;
    trace_file(path, &m);
    for ( size_t i = 0; i < 2; i++ )
    {
        t = trace_file_open(path, flags[i]);
        ck_assert_uint_eq(read_order(t, got), 2 * nr);
        expect_same(got, nr, want, nr);
        for ( size_t j = 0; j < nr; j++ )
            got[nr + j].offset -= first.size;
        expect_same(got + nr, nr, want, nr);
        xt_trace_close(t);

        t = trace_file_open(path, flags[i]);
        while ( xt_trace_next_batch(t, &b, &e) > 0 )
            last_segment = b.segment;
        ck_assert_uint_eq(last_segment, 1);
        xt_trace_close(t);
    }
    unlink(path);
}
END_TEST

UNIT_ROWS("order", { as_sorted, NR_SHAPES }, { from_a_moment, NR_SHAPES },
          { one_tick, 1 }, { burst, 1 }, { end_of_time, 1 },
          { one_wrong_time, 1 }, { wrong_clocks, 1 }, { drifting_clocks, 1 },
          { absurd_offsets, 1 }, { before_metadata, 1 },
          { segments, 1 })
