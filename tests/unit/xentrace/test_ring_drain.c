/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the directory of rings to windows in a file, with a correct hypervisor
 * and with faulty ones.
 */
#include "xentrace/ring-drain.h"
#include "xentrace/window-fifo.h"

#include <errno.h>

#include "libxentrace/counts.h"

#include "tests/unit/libxentrace/count-all.h"
#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/xentrace/fake.h"

#define ROOM (8u << 20)

/* The fixture of most tests: rings, and a sink controlled by the test. */
struct bench
{
    struct fake f;
    struct rings rings;
    struct log_capture heard;
    struct window_fifo fifo;     /* a trace, from its first byte on */
    struct window_sink store;
    uint64_t safe;
    bool full;
    struct err e;
};

static uint64_t bench_put(void *bench, unsigned int cpu,
                          const struct iovec *spans, int nr_spans)
{
    struct bench *b = bench;

    if ( b->full )
        return 0;
    window_fifo_put(&b->fifo, cpu, spans, nr_spans);
    return b->fifo.head;
}

static uint64_t bench_safe(void *bench)
{
    return ((struct bench *)bench)->safe;
}

static void bench_init(struct bench *b)
{
    *b = (struct bench){ .e = ERR_INIT, .safe = UINT64_MAX };
    fake_init(&b->f, true);
    log_capture_init(&b->heard);
    ck_assert_int_eq(rings_open(&b->rings, &b->f.hv, FAKE_CPUS, &b->e), 0);
    ck_assert_int_eq(window_fifo_init(&b->fifo, ROOM, &b->e), 0);
    b->store = (struct window_sink){ .put = bench_put, .safe = bench_safe,
                                     .window_max = ROOM / 4, .arg = b };
}

static void bench_fini(struct bench *b)
{
    window_fifo_fini(&b->fifo);
    rings_close(&b->rings);
    log_capture_fini(&b->heard);
    fake_fini(&b->f);
}

static bool drain_windows(struct bench *b)
{
    return drain_all(&b->rings, &b->store, false, &b->heard.log);
}

static void count_events(struct bench *b, struct xt_counts *c)
{
    ck_assert_int_eq(count_all(c, b->fifo.bytes, b->fifo.head), 0);
    ck_assert_int_eq(xt_damage_grade(&c->damage), XT_GRADE_NONE);
}

/* Random records, wrapping around many times: all arrive, and nothing else. */
START_TEST(round_and_round)
{
    static struct make m;
    uint64_t seed = 3, put[FAKE_CPUS] = { 0 };
    struct xt_counts c;
    struct bench b;

    bench_init(&b);
    for ( size_t round = 0; round < 300; round++ )
    {
        for ( unsigned int cpu = 0; cpu < FAKE_CPUS; cpu++ )
        {
            uint32_t n = make_random(&seed) % 150;

            m.size = 0;
            for ( uint32_t i = 0; i < n; i++ )
                make_record(&m, 0x81000 + cpu, make_random(&seed) % 2,
                            make_random(&seed) % 8);
            fake_put(&b.f, cpu, &m);
            put[cpu] += n;
        }
        ck_assert(drain_windows(&b));
    }
    count_events(&b, &c);
    for ( unsigned int cpu = 0; cpu < FAKE_CPUS; cpu++ )
    {
        ck_assert_uint_eq(c.cpus[cpu].records, put[cpu]);
        ck_assert_uint_eq(fake_ring(&b.f, cpu)->cons,
                          fake_ring(&b.f, cpu)->prod);
        ck_assert_uint_eq(b.rings.ring[cpu].bytes, c.cpus[cpu].bytes);
        ck_assert_uint_eq(b.rings.ring[cpu].windows, c.cpus[cpu].windows);
    }
    xt_counts_fini(&c);
    bench_fini(&b);
}
END_TEST

/* The records that another reader takes are counted, or estimated. */
START_TEST(taken)
{
    static struct make m;
    struct bench b;
    struct t_buf *ring;

    bench_init(&b);
    ring = fake_ring(&b.f, 1);
    m.size = 0;
    for ( unsigned int i = 0; i < 10; i++ )
        make_record(&m, 0x81001, 0, 1);
    fake_put(&b.f, 1, &m);
    drain_windows(&b);
    drain_release(&b.rings, &b.store);
    ck_assert_uint_eq(b.rings.ring[1].records, 10);

    m.size = 0;
    make_record(&m, 0x81001, 1000, 2);
    make_lost(&m, 1000, 7);
    make_record(&m, 0x81001, 0, 7);
    fake_put(&b.f, 1, &m);
    ring->cons = ring->prod;
    drain_windows(&b);
    ck_assert_uint_eq(b.rings.ring[1].taken, 2);
    ck_assert(!b.rings.ring[1].taken_is_estimate);

    /* More than a ring since the last visit, in records of 8 bytes. */
    ring->prod = (ring->prod + FAKE_DATA_SIZE + 400) % (2 * FAKE_DATA_SIZE);
    ring->cons = ring->prod;
    drain_windows(&b);
    ck_assert_uint_eq(b.rings.ring[1].taken, 2 + (FAKE_DATA_SIZE + 400) / 8);
    ck_assert(b.rings.ring[1].taken_is_estimate);
    ck_assert_uint_eq(b.rings.ring[1].records, 10);
    ck_assert_uint_eq(b.rings.ring[0].taken, 0);
    bench_fini(&b);
}
END_TEST

START_TEST(nothing_there)
{
    struct bench b;

    bench_init(&b);
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(b.fifo.head, 0);
    bench_fini(&b);
}
END_TEST

START_TEST(discard)
{
    static struct make m;
    uint64_t lost[FAKE_CPUS] = { 0 };
    struct bench b;

    bench_init(&b);
    make_record(&m, 0x81001, 0, 0);
    make_lost(&m, 1, 12);
    fake_put(&b.f, 1, &m);
    drain_map(&b.rings, &b.heard.log);
    drain_discard(&b.rings, lost, &b.heard.log);
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(b.fifo.head, 0);
    ck_assert_uint_eq(lost[1], 12);
    ck_assert_uint_eq(b.rings.ring[1].reported, 0);
    bench_fini(&b);
}
END_TEST

/* A ring with invalid data is reported and given up; the others are read on. */
START_TEST(one_ring_lies)
{
    static struct make m;
    struct xt_counts c;
    struct bench b;

    bench_init(&b);
    make_record(&m, 0x81001, 0, 3);
    for ( size_t round = 0; round < 3; round++ )
    {
        fake_put(&b.f, 0, &m);
        fake_put(&b.f, 2, &m);
        if ( round == 1 )
            fake_ring(&b.f, 1)->prod = 0xfffffff0;
        ck_assert(drain_windows(&b));
        ck_assert_int_eq(log_capture_count(&b.heard, "pcpu 1"), round > 0);
    }
    ck_assert(b.rings.ring[1].given_up);
    ck_assert_uint_eq(fake_ring(&b.f, 1)->cons, 0);
    count_events(&b, &c);
    ck_assert_uint_eq(c.cpus[0].records, 3);
    ck_assert_uint_eq(c.cpus[1].records, 0);
    ck_assert_uint_eq(c.cpus[2].records, 3);
    xt_counts_fini(&c);
    bench_fini(&b);
}
END_TEST

/* No room in the sink: the rest stays in the ring. */
START_TEST(no_room)
{
    static struct make m;
    uint64_t left[FAKE_CPUS] = { 0 };
    struct bench b;

    bench_init(&b);
    make_record(&m, 0x81001, 0, 3);
    fake_put(&b.f, 1, &m);
    b.full = true;
    ck_assert(!drain_windows(&b));
    ck_assert_uint_eq(fake_ring(&b.f, 1)->cons, 0);
    drain_count(&b.rings, left);
    ck_assert_uint_eq(left[0], 0);
    ck_assert_uint_eq(left[1], 1);
    b.full = false;
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(fake_ring(&b.f, 1)->cons, m.size);
    bench_fini(&b);
}
END_TEST

/*
 * Bytes that are not safe stay in the ring, and new records wait behind them,
 * until the ring is half full or the pass is the last one.
 */
START_TEST(safe_before_free)
{
    static struct make m, half;
    struct t_buf *ring;
    struct bench b;

    bench_init(&b);
    ring = fake_ring(&b.f, 1);
    make_record(&m, 0x81001, 0, 3);
    while ( half.size <= FAKE_DATA_SIZE / 2 )
        make_record(&half, 0x81001, 0, 3);
    b.safe = 0;
    fake_put(&b.f, 1, &m);
    ck_assert(drain_windows(&b));
    fake_put(&b.f, 1, &m);
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(ring->cons, 0);
    ck_assert_uint_eq(b.rings.ring[1].records, 1);

    b.safe = b.fifo.head;
    drain_release(&b.rings, &b.store);
    ck_assert_uint_eq(ring->cons, m.size);
    b.safe = 0;
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(ring->cons, m.size);
    ck_assert_uint_eq(b.rings.ring[1].records, 2);

    fake_put(&b.f, 1, &half);
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(ring->cons, ring->prod);
    ck_assert_uint_gt(b.rings.ring[1].records, 2);

    fake_put(&b.f, 2, &m);
    ck_assert(drain_windows(&b));
    fake_put(&b.f, 2, &m);
    ck_assert(drain_all(&b.rings, &b.store, true, &b.heard.log));
    ck_assert_uint_eq(b.rings.ring[2].records, 2);
    ck_assert_uint_eq(fake_ring(&b.f, 2)->cons, 0);
    bench_fini(&b);
}
END_TEST

/* A view larger than a window becomes several windows of whole records. */
START_TEST(in_pieces)
{
    static struct make m;
    uint64_t put = 0;
    struct xt_counts c;
    struct bench b;

    bench_init(&b);
    b.store.window_max = 100;
    for ( size_t round = 0; round < 50; round++ )
    {
        m.size = 0;
        /* Records of 8 bytes, so that no record wraps around. */
        for ( uint32_t i = 0; i < 150; i++, put++ )
            make_record(&m, 0x81000, 0, 1);
        fake_put(&b.f, 1, &m);
        ck_assert(drain_windows(&b));
    }
    count_events(&b, &c);
    ck_assert_uint_eq(c.cpus[1].records, put);
    ck_assert_uint_ge(c.cpus[1].windows, c.cpus[1].bytes / 100);
    xt_counts_fini(&c);
    bench_fini(&b);
}
END_TEST

/* A pcpu that comes online during the capture. */
START_TEST(late_cpu)
{
    static struct make m;
    uint16_t offset;
    struct bench b;

    bench_init(&b);
    offset = fake_info(&b.f)[1 + 2];
    fake_info(&b.f)[1 + 2] = 0;
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(b.rings.nr_mapped, 2);

    make_record(&m, 0x81001, 0, 3);
    fake_put(&b.f, 2, &m);
    fake_info(&b.f)[1 + 2] = offset;
    ck_assert(drain_windows(&b));
    ck_assert_uint_eq(b.rings.nr_mapped, 3);
    ck_assert_uint_eq(b.rings.ring[2].windows, 1);
    bench_fini(&b);
}
END_TEST

/* --- an invalid directory ------------------------------------------------- */

static void check_cpu_lie(unsigned int offset, int map_error, bool lost)
{
    struct log_capture heard;
    struct rings rings;
    struct err e = ERR_INIT;
    struct fake f;

    fake_init(&f, true);
    log_capture_init(&heard);
    f.refuse_map = map_error;
    fake_info(&f)[1 + 1] = offset;
    ck_assert_int_eq(rings_open(&rings, &f.hv, FAKE_CPUS, &e), 0);
    drain_map(&rings, &heard.log);
    drain_map(&rings, &heard.log);
    ck_assert_int_eq(rings.ring[1].given_up, lost);
    ck_assert_int_eq(log_capture_count(&heard, "pcpu 1"), lost);
    if ( !map_error )
        ck_assert_uint_eq(rings.nr_mapped, lost ? 2 : 3);
    rings_close(&rings);
    log_capture_fini(&heard);
    fake_fini(&f);
}

START_TEST(directory_lies_about_a_cpu)
{
    check_cpu_lie(FAKE_LIST + FAKE_PAGES, 0, false);
    check_cpu_lie(1024 - FAKE_PAGES + 1, 0, true);  /* a page has 1024 words */
    check_cpu_lie(65535, 0, true);
    check_cpu_lie(FAKE_LIST + 3 * FAKE_PAGES - 1, 0, true); /* frame 0 */
    check_cpu_lie(FAKE_LIST, -EPERM, true);
}
END_TEST

static void check_open(unsigned int nr_cpus, unsigned int pages, int code)
{
    struct rings rings;
    struct err e = ERR_INIT;
    struct fake f;
    int rc;

    fake_init(&f, true);
    fake_info(&f)[0] = pages;
    rc = rings_open(&rings, &f.hv, nr_cpus, &e);
    ck_assert_int_eq(rc, code);
    ck_assert_int_eq(e.code, code);
    if ( !rc )
    {
        ck_assert_uint_le(rings.nr_cpus, HV_PAGE_SIZE / 2 - 1);
        rings_close(&rings);
    }
    fake_fini(&f);
}

START_TEST(directory_lies)
{
    check_open(FAKE_CPUS, FAKE_PAGES, 0);
    check_open(FAKE_CPUS, 0, -EPROTO);
    check_open(FAKE_CPUS, 65535, 0);    /* no list of this length fits */
    check_open(16384, FAKE_PAGES, 0);   /* larger than the directory */
}
END_TEST

START_TEST(no_directory)
{
    struct rings rings;
    struct err e = ERR_INIT;
    struct fake f;

    fake_init(&f, false);
    ck_assert_int_eq(rings_open(&rings, &f.hv, FAKE_CPUS, &e), -ENODEV);
    fake_fini(&f);
}
END_TEST

UNIT_MAIN("drain", round_and_round, taken, nothing_there, discard,
          one_ring_lies,
          no_room, safe_before_free, in_pieces, late_cpu,
          directory_lies_about_a_cpu, directory_lies, no_directory)
