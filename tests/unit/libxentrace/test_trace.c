/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct xt_trace: three modes with the same records, refused calls, and files
 * that change or grow while they are read. test_order.c has the order.
 */
#include "tests/unit/libxentrace/unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "common/fault.h"
#include "libxentrace/meta.h"

#include "tests/unit/libxentrace/trace-files.h"

static struct make m;
static struct expected want[EXPECTED_MAX], got[EXPECTED_MAX];

/* Passes over three pcpus; times rise with every record. */
static void make_some(unsigned int passes, unsigned int records)
{
    uint64_t now = 1000;

    m.size = 0;
    for ( unsigned int pass = 0; pass < passes; pass++ )
        for ( uint32_t c = 0; c < 3; c++ )
        {
            size_t opened = make_open(&m, c);

            for ( unsigned int i = 0; i < records; i++ )
            {
                make_record(&m, 0x81001 + i % 3, i % 4 == 3 ? 0 : now, i % 8);
                now += 3;
            }
            make_close(&m, opened);
        }
}

/* Count the records by window and by pcpu. */
static uint64_t count_windows(struct xt_trace *t)
{
    struct err e = ERR_INIT;
    struct xt_records records;
    struct xt_record r;
    struct xt_window w;
    uint64_t nr = 0;
    int rc;

    while ( (rc = xt_trace_next_window(t, &w, &e)) > 0 )
    {
        xt_trace_begin_records(t, &w, &records);
        while ( xt_records_next(&records, &r) )
            nr++;
    }
    ck_assert_msg(!rc, "%s", e.text);
    return nr;
}

static uint64_t count_walks(struct xt_trace *t)
{
    struct err e = ERR_INIT;
    struct xt_record r;
    struct xt_walk w;
    unsigned int nr_cpus;
    uint64_t nr = 0;

    ck_assert_int_eq(xt_trace_cpus(t, &nr_cpus, &e), 0);
    for ( unsigned int cpu = 0; cpu < nr_cpus + 1; cpu++ )
    {
        uint64_t last = 0;

        xt_trace_begin_walk(t, cpu, &w);
        for ( ; xt_walk_next(&w, &r); nr++ )
        {
            ck_assert(!r.has_tsc || r.tsc > last);
            last = r.has_tsc ? r.tsc : last;
        }
        xt_trace_end_walk(t, &w);
    }
    return nr;
}

START_TEST(three_ways)
{
    struct err e = ERR_INIT;
    struct xt_window w;
    struct xt_batch b;
    struct xt_trace *t;
    char path[32];
    size_t nr;

    make_some(20, 100);
    nr = expect_order(&m, want);
    trace_file(path, &m);
    t = trace_file_open(path, 0);
    ck_assert_uint_eq(xt_trace_size(t), m.size);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        ck_assert_uint_eq(count_windows(t), nr);
        ck_assert_uint_eq(xt_trace_position(t), m.size);
        ck_assert_int_eq(xt_trace_next_batch(t, &b, &e), -EBUSY);
        ck_assert_int_eq(xt_trace_rewind(t, &e), 0);
        expect_same(got, read_order(t, got), want, nr);
        e = (struct err)ERR_INIT;
        ck_assert_int_eq(xt_trace_next_window(t, &w, &e), -EBUSY);
        ck_assert_int_eq(xt_trace_rewind(t, &e), 0);
        ck_assert_uint_eq(count_walks(t), nr);
        ck_assert_int_eq(xt_trace_rewind(t, &e), 0);
    }
    xt_trace_close(t);
    unlink(path);
}
END_TEST

/* An impossible record costs the rest of its window, and is noted once. */
START_TEST(damage_once)
{
    uint64_t records[3], skipped[3];
    struct err e = ERR_INIT;
    struct xt_trace *t;
    char path[32];

    make_some(5, 100);
    memset(m.bytes + 12, 0, 4);         /* no class */
    trace_file(path, &m);
    t = trace_file_open(path, 0);
    for ( unsigned int way = 0; way < 3; way++ )
    {
        const struct xt_damage *d = xt_trace_damage(t);

        records[way] = way == 0 ? count_windows(t) :
                       way == 1 ? read_order(t, got) : count_walks(t);
        if ( way == 2 )
            count_walks(t);             /* again: no new damage */
        ck_assert_uint_eq(xt_damage_times(d), 1);
        ck_assert_uint_eq(d->first[0].offset, 12);
        skipped[way] = xt_damage_bytes(d);
        ck_assert_int_eq(xt_trace_rewind(t, &e), 0);
        ck_assert_uint_eq(xt_damage_times(d), 0);
    }
    ck_assert_uint_eq(records[0], 14 * 100);
    ck_assert_uint_eq(records[0], records[1]);
    ck_assert_uint_eq(records[0], records[2]);
    ck_assert_uint_eq(skipped[0], skipped[1]);
    ck_assert_uint_eq(skipped[0], skipped[2]);
    xt_trace_close(t);
    unlink(path);
}
END_TEST

/* The file loses its second half after it was indexed. */
START_TEST(cut_while_read)
{
    const struct xt_damage *d;
    struct err e = ERR_INIT;
    struct xt_trace *t;
    unsigned int nr_cpus;
    char path[32];
    size_t nr;

    make_some(100, 50);
    nr = expect_order(&m, want);
    trace_file(path, &m);
    t = trace_file_open(path, 0);
    ck_assert_int_eq(xt_trace_cpus(t, &nr_cpus, &e), 0);
    ck_assert_int_eq(truncate(path, m.size / 2), 0);
    ck_assert_uint_lt(read_order(t, got), nr);
    d = xt_trace_damage(t);
    ck_assert_uint_eq(d->times[XT_DAMAGE_CHANGED], 1);
    ck_assert_uint_gt(d->times[XT_DAMAGE_RECORD], 1);
    xt_trace_close(t);
    unlink(path);
}
END_TEST

/* --- streams -------------------------------------------------------------- */

/* A trace that is written while it is read, in odd pieces. */
START_TEST(follow)
{
    struct err e = ERR_INIT;
    struct make none = { .size = 0 };
    size_t nr, nr_got = 0, written = 0;
    struct xt_trace *t;
    struct xt_batch b;
    char path[32];
    int fd, rc;

    make_some(60, 40);
    nr = expect_order(&m, want);
    trace_file(path, &none);
    fd = open(path, O_WRONLY | O_APPEND);
    t = trace_file_open(path, XT_SOURCE_FOLLOW);
    while ( written < m.size )
    {
        size_t n = m.size - written < 1237 ? m.size - written : 1237;

        ck_assert_int_eq(write(fd, m.bytes + written, n), n);
        written += n;
        while ( (rc = xt_trace_next_batch(t, &b, &e)) > 0 )
            for ( size_t i = 0; i < b.nr; i++ )
                got[nr_got++] = (struct expected){
                    .time = b.items[i].time, .cpu = xt_item_cpu(&b.items[i]),
                    .offset = xt_batch_offset(&b, &b.items[i]),
                };
        ck_assert_int_eq(rc, -EAGAIN);
    }
    /* All records but those of the last passes. */
    ck_assert_uint_ge(nr_got, nr - 4 * 3 * 40);
    expect_same(got, nr_got, want, nr_got);
    xt_trace_close(t);
    close(fd);
    unlink(path);
}
END_TEST

/* Few passes of a long stream are in memory. */
START_TEST(little_is_held)
{
    struct xt_trace_bounds bounds;
    struct xt_trace *t;
    char path[32];
    size_t nr;
    FILE *f;

    make_some(3, 400);
    nr = expect_order(&m, want);
    trace_file(path, &m);
    /* The same windows repeatedly, later each time. */
    f = fopen(path, "a");
    ck_assert_ptr_nonnull(f);
    for ( unsigned int i = 1; i < 400; i++ )
    {
        for ( size_t j = 0; j < nr; j++ )
        {
            unsigned char *at = m.bytes + want[j].offset;
            uint64_t time;

            if ( !(at[3] & 0x80) )
                continue;
            memcpy(&time, at + 4, 8);
            time += 20000;
            memcpy(at + 4, &time, 8);
        }
        ck_assert_uint_eq(fwrite(m.bytes, m.size, 1, f), 1);
    }
    ck_assert_int_eq(fclose(f), 0);
    t = trace_file_open(path, XT_SOURCE_STREAM);
    for ( uint64_t left = 400 * nr; left; )
    {
        struct err e = ERR_INIT;
        struct xt_batch b;

        ck_assert_int_eq(xt_trace_next_batch(t, &b, &e), 1);
        left -= b.nr;
    }
    xt_trace_bounds(t, &bounds);
    ck_assert(!bounds.exact);
    ck_assert_uint_eq(bounds.late, 0);
    ck_assert_uint_eq(bounds.passes, 1200);
    ck_assert_uint_lt(bounds.held, 4 * m.size + (2u << 20));
    xt_trace_close(t);
    unlink(path);
}
END_TEST

START_TEST(only_of_files)
{
    uint64_t first, last;
    struct err e = ERR_INIT;
    struct xt_trace *t;
    unsigned int nr;
    char path[32];

    make_some(3, 3);
    trace_file(path, &m);
    t = trace_file_open(path, XT_SOURCE_STREAM);
    ck_assert_int_eq(xt_trace_cpus(t, &nr, &e), -ESPIPE);
    ck_assert_ptr_nonnull(strstr(e.text, path));
    ck_assert_int_eq(xt_trace_span(t, &first, &last, &e), -ESPIPE);
    count_windows(t);
    ck_assert_int_eq(xt_trace_rewind(t, &e), -ESPIPE);
    xt_trace_close(t);
    unlink(path);
}
END_TEST

/* --- information ---------------------------------------------------------- */

START_TEST(what_it_says)
{
    unsigned int flags[] = { 0, XT_SOURCE_STREAM };
    uint64_t hz = 2893437000, wall[3] = { 5000, 77, 1700000000000000000 };
    struct xt_info info;
    struct xt_clock c;
    char path[32];
    size_t opened;

    m.size = 0;
    opened = make_open(&m, 3);
    make_record(&m, 0x1f082, 0, 4);
    memcpy(m.bytes + m.size - 16, &hz, 8);
    make_record(&m, 0x1f083, 0, 7);
    memcpy(m.bytes + m.size - 28, wall, 24);
    make_record(&m, 0x21011, 4000, 3);
    make_close(&m, opened);
    trace_file(path, &m);
    for ( size_t i = 0; i < 2; i++ )
    {
        struct xt_trace *t = trace_file_open(path, flags[i]);
        struct err e = ERR_INIT;

        ck_assert_int_eq(xt_trace_info(t, &info, &e), 0);
        ck_assert_uint_eq(info.hz, hz);
        ck_assert(info.has_wall && info.has_start);
        ck_assert_uint_eq(info.start, 4000);
        ck_assert_uint_eq(read_order(t, got), 3);
        ck_assert_int_eq(xt_trace_info(t, &info, &e), -EBUSY);
        xt_trace_close(t);
    }
    xt_info_clock(&info, 0, &c);
    ck_assert_uint_eq(xt_clock_hz(&c), hz);
    ck_assert_int_eq(xt_clock_ns(&c, 4000), 0);
    ck_assert_int_eq(c.wall + xt_clock_ns(&c, wall[0]), wall[2]);
    xt_info_clock(&info, 1000000000, &c);
    ck_assert_uint_eq(xt_clock_hz(&c), 1000000000);
    unlink(path);
}
END_TEST

static void add_moment(uint64_t tsc, uint64_t mono)
{
    uint64_t at[3] = { tsc, mono, 1700000000000000000 };

    make_record(&m, TRC_META_CLOCK, 0, 7);
    memcpy(m.bytes + m.size - 28, at, sizeof(at));
}

/* A window without information; its times rise from one window to the next. */
static void add_silence(uint64_t *now)
{
    size_t opened = make_open(&m, 2);

    for ( unsigned int i = 0; i < 200; i++ )
        make_record(&m, 0x21011, *now += 10, 3);
    make_close(&m, opened);
}

/* `bytes` of such windows, and then the contents of m. */
static void far_file(char *path, size_t bytes)
{
    static struct make tail;
    FILE *file;
    uint64_t now = 4000;

    tail = m;
    m.size = 0;
    add_silence(&now);
    trace_file(path, &m);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for ( size_t done = 0; done < bytes; done += m.size )
    {
        m.size = 0;
        add_silence(&now);
        ck_assert_uint_eq(fwrite(m.bytes, 1, m.size, file), m.size);
    }
    ck_assert_uint_eq(fwrite(tail.bytes, 1, tail.size, file), tail.size);
    ck_assert_int_eq(fclose(file), 0);
}

/* The same information from a stream and a file, only from their beginning. */
START_TEST(any_source_says_it)
{
    unsigned int flags[] = { 0, XT_SOURCE_STREAM };
    struct xt_info info;
    char path[32];
    size_t opened;

    for ( unsigned int i = 0; i < 4; i++ )
    {
        struct err e = ERR_INIT;
        struct xt_trace *t;
        bool near = i < 2;

        m.size = 0;
        opened = make_open(&m, 3);
        add_moment(1000, 1000);
        make_record(&m, TRC_HVM_INTR, 0, 0);
        make_close(&m, opened);
        opened = make_open(&m, 1);
        add_moment(2000001000, 1000001000);
        make_close(&m, opened);
        far_file(path, near ? XT_INFO_BYTES / 2 : XT_INFO_BYTES);
        t = trace_file_open(path, flags[i % 2]);
        ck_assert_int_eq(xt_trace_info(t, &info, &e), 0);
        ck_assert_uint_eq(info.ns, near ? 1000000000 : 0);
        ck_assert_int_eq(info.dialect.hardware, near ? XT_HARDWARE_SVM : 0);
        ck_assert(info.has_start);
        xt_trace_close(t);
        unlink(path);
    }
}
END_TEST

/* Preference for the clock's frequency: the user, readings, a record. */
START_TEST(how_fast)
{
    struct xt_meta moment = { .event = TRC_META_CLOCK };
    struct xt_meta figure = { .event = TRC_META_TSC };
    unsigned char bytes[XT_META_MAX_BYTES];
    struct xt_info info = { .hz = 0 };
    struct xt_record r;
    struct xt_clock c;

    ck_assert_int_eq(xt_info_clock(&info, 0, &c), XT_SPEED_ASSUMED);
    for ( uint64_t i = 0; i < 4; i++ )
    {
        /* 2.5 cycles per nanosecond, and then invalid values. */
        moment.clock.tsc = 1000 + 1250000000 * i;
        moment.clock.mono = i < 3 ? 77 + 500000000 * i : i;
        xt_record_decode(&r, bytes, bytes + xt_meta_encode(&moment, bytes));
        xt_info_learn(&info, &r);
        figure.tsc.hz = i ? 2400000000 : 3;
        xt_record_decode(&r, bytes, bytes + xt_meta_encode(&figure, bytes));
        xt_info_learn(&info, &r);
        ck_assert_int_eq(xt_info_clock(&info, 0, &c),
                         i ? XT_SPEED_MEASURED : XT_SPEED_ASSUMED);
    }
    ck_assert_uint_eq(xt_clock_hz(&c), 2500000000);
    ck_assert_int_eq(xt_info_clock(&info, 77, &c), XT_SPEED_GIVEN);
    ck_assert_uint_eq(xt_clock_hz(&c), 77);
    info.ns = 0;
    ck_assert_int_eq(xt_info_clock(&info, 0, &c), XT_SPEED_RECORDED);
    ck_assert_uint_eq(xt_clock_hz(&c), 2400000000);
}
END_TEST

/* --- failures ------------------------------------------------------------- */

static int read_all_batches(const char *path, unsigned int flags, struct err *e)
{
    struct xt_trace *t;
    struct xt_batch b;
    int rc = xt_trace_open(&t, path, flags, e);

    if ( rc )
        return rc;
    while ( (rc = xt_trace_next_batch(t, &b, e)) > 0 )
        continue;
    xt_trace_close(t);
    return rc;
}

/* Fail the Nth call of each kind, N = 1, 2, ...: an errno, and no leak. */
START_TEST(faults)
{
    static const struct
    {
        enum fault_kind kind;
        unsigned int flags;
        int code;
    } rows[] = {
        { FAULT_ALLOC, 0, -ENOMEM },
        { FAULT_ALLOC, XT_SOURCE_STREAM, -ENOMEM },
        { FAULT_READ, XT_SOURCE_STREAM, -EIO },
        { FAULT_OPEN, 0, -EMFILE },
    };
    char path[32];

    make_some(20, 40);
    trace_file(path, &m);
    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]);
          i++, fault_disarm() )
        for ( uint64_t n = 1; ; n++ )
        {
            struct err e = ERR_INIT;
            int rc;

            fault_arm(rows[i].kind, n);
            rc = read_all_batches(path, rows[i].flags, &e);
            if ( !fault_fired(rows[i].kind) )
            {
                ck_assert_int_eq(rc, 0);
                break;
            }
            ck_assert_int_eq(rc, rows[i].code);
            ck_assert_int_eq(e.code, rc);
        }
    unlink(path);
}
END_TEST

UNIT_MAIN("trace", three_ways, damage_once, cut_while_read, follow,
          little_is_held, only_of_files, what_it_says, any_source_says_it,
          how_fast, faults)
