/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of a file that are repeated, displaced or missing: the trace is one
 * segment, no record is read twice, the order is right.  Whole captures one
 * behind the other are segments.
 */
#include "tests/unit/libxentrace/unit.h"

#include "libxentrace/seal.h"
#include "tests/unit/libxentrace/trace-files.h"

#define PASSES 8
#define CPUS 3
#define RECORDS 40

static struct make whole, m;
static size_t place[PASSES * CPUS + 1];         /* offsets of the windows */

static void add_window(uint32_t cpu, bool sealed, uint32_t number, uint64_t now)
{
    static struct make body;
    struct iovec span;
    struct xt_frame f;

    body.size = 0;
    for ( uint32_t i = 0; i < RECORDS; i++ )
        make_record(&body, 0x81001, now + i * CPUS + cpu, 3);
    if ( number == PASSES * CPUS - 1 )
    {
        body.size = 0;
        make_record(&body, 0x1f085, 0, 6);      /* meta_end */
        make_record(&body, 0x81001, now, 0);
    }
    span = (struct iovec){ body.bytes, body.size };
    xt_frame_init(&f, cpu, &span, 1);
    if ( sealed )
        xt_frame_seal(&f, number);
    make_spans(&whole, f.iov, f.nr_iov);
}

static void make_capture(bool sealed, uint64_t now)
{
    whole.size = 0;
    for ( uint32_t i = 0; i < PASSES * CPUS; i++ )
    {
        place[i] = whole.size;
        add_window(i % CPUS, sealed, i, now + i / CPUS * 1000);
    }
    place[PASSES * CPUS] = whole.size;
}

/* Append the windows from..to-1 of the capture. */
static void add_windows(size_t from, size_t to)
{
    memcpy(m.bytes + m.size, whole.bytes + place[from],
           place[to] - place[from]);
    m.size += place[to] - place[from];
}

struct found
{
    size_t records;
    unsigned int segments;
    struct xt_damage damage;
};

static struct found read_file(const char *path, unsigned int flags)
{
    struct xt_trace *t = trace_file_open(path, flags);
    struct found f = { .records = 0 };
    struct err e = ERR_INIT;
    uint64_t last = 0;
    struct xt_batch b;

    while ( xt_trace_next_batch(t, &b, &e) > 0 )
        for ( size_t i = 0; i < b.nr; i++ )
        {
            ck_assert(b.segment + 1 != f.segments || b.items[i].time >= last);
            last = b.items[i].time;
            f.segments = b.segment + 1;
            f.records++;
        }
    f.damage = *xt_trace_damage(t);
    xt_trace_close(t);
    return f;
}

/*
 * Capture `n` is of these windows: pairs of the first and the end, up to a
 * pair of zeroes.
 */
static const struct
{
    const char *what;
    uint8_t blocks[5][2];
    unsigned int segments, repeated, out_of_order;
    int missing;                        /* windows */
} files[] = {
    { "sound", { { 0, 24 } }, 1, 0, 0, 0 },
    { "repeated at once", { { 0, 12 }, { 8, 12 }, { 12, 24 } }, 1, 4, 0, 0 },
    { "repeated later", { { 0, 20 }, { 5, 9 }, { 20, 24 } }, 1, 4, 0, 0 },
    { "repeated at the end", { { 0, 24 }, { 5, 9 } }, 1, 4, 0, 0 },
    { "repeated before", { { 0, 6 }, { 15, 18 }, { 6, 24 } }, 1, 3, 1, 0 },
    { "swapped", { { 0, 6 }, { 10, 14 }, { 6, 10 }, { 14, 24 } }, 1, 0, 1, 0 },
    { "swapped far", { { 0, 4 }, { 18, 21 }, { 7, 18 }, { 4, 7 }, { 21, 24 } },
      1, 0, 1, 0 },
    { "swapped at the begin", { { 6, 12 }, { 0, 6 }, { 12, 24 } }, 1, 0, 1, 0 },
    { "a piece is missing", { { 0, 6 }, { 12, 24 } }, 1, 0, 0, 6 },
    { "twice", { { 0, 24 }, { 0, 24 } }, 2, 0, 0, -24 },
};

#define NR_FILES (sizeof(files) / sizeof(files[0]))

/* The last window has two records; each seal is a record. */
static size_t count_records(size_t windows, size_t captures, bool sealed)
{
    return windows * (RECORDS + sealed) - captures * (RECORDS - 2);
}

static void expect_found(const struct found *f, int n, bool sealed)
{
    size_t records = count_records(24 - files[n].missing, files[n].segments,
                                   sealed);

    ck_assert_msg(f->segments == files[n].segments, "%s: %u segments",
                  files[n].what, f->segments);
    ck_assert_msg(f->records == records, "%s: %zu records, not %zu",
                  files[n].what, f->records, records);
    ck_assert_uint_eq(f->damage.times[XT_DAMAGE_REPEATED], files[n].repeated);
    ck_assert_uint_eq(f->damage.times[XT_DAMAGE_TWICE], files[n].segments - 1);
    ck_assert_uint_eq(f->damage.times[sealed ? XT_DAMAGE_ORDER
                                             : XT_DAMAGE_BACKWARD] > 0,
                      files[n].out_of_order);
}

static void make_file(int n, bool sealed)
{
    m.size = 0;
    make_capture(sealed, 1000);
    for ( size_t i = 0; i < 5; i++ )
        add_windows(files[n].blocks[i][0], files[n].blocks[i][1]);
}

START_TEST(blocks)
{
    struct found f;
    char path[32];

    for ( int sealed = 0; sealed < 2; sealed++ )
    {
        make_file(_i, sealed);
        trace_file(path, &m);
        f = read_file(path, 0);
        expect_found(&f, _i, sealed);
        unlink(path);
    }
}
END_TEST

/* The seals of a stream are evidence without a search ahead. */
START_TEST(streams)
{
    struct found f;
    char path[32];

    make_file(_i, true);
    trace_file(path, &m);
    f = read_file(path, XT_SOURCE_STREAM);
    ck_assert_uint_eq(f.segments, files[_i].segments);
    ck_assert_uint_eq(f.damage.times[XT_DAMAGE_REPEATED], files[_i].repeated);
    ck_assert_uint_eq(f.damage.times[XT_DAMAGE_ORDER], files[_i].out_of_order);
    ck_assert_uint_eq(f.damage.times[XT_DAMAGE_TWICE], files[_i].segments - 1);
    unlink(path);
}
END_TEST

/* Another capture of an earlier time, of which the first windows are lost. */
START_TEST(another_boot)
{
    struct found f;
    char path[32];

    for ( int sealed = 0; sealed < 2; sealed++ )
    {
        m.size = 0;
        make_capture(sealed, UINT64_C(1) << 40);
        add_windows(0, 24);
        make_capture(sealed, 1000);
        add_windows(2, 24);
        trace_file(path, &m);
        f = read_file(path, 0);
        ck_assert_uint_eq(f.segments, 2);
        ck_assert_uint_eq(xt_damage_times(&f.damage), 0);
        unlink(path);
    }
}
END_TEST

/* Windows in reverse order: a limit bounds the work, and all are read. */
START_TEST(reverse)
{
    struct found f;
    char path[32];

    m.size = 0;
    make_capture(true, 1000);
    for ( size_t i = 24; i--; )
        add_windows(i, i + 1);
    trace_file(path, &m);
    f = read_file(path, 0);
    ck_assert_uint_eq(f.segments, 1);
    ck_assert_uint_eq(f.records, count_records(24, 1, true));
    unlink(path);
}
END_TEST

UNIT_ROWS("sequence", { blocks, NR_FILES }, { streams, NR_FILES },
          { another_boot, 1 }, { reverse, 1 })
