/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of traces with known contents.
 */
#include "libxentrace/counts.h"

#include <errno.h>

#include "common/fault.h"
#include "libxentrace/window.h"

#include "tests/unit/libxentrace/count-all.h"
#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

static uint64_t get_times(const struct xt_event_counts *t, uint32_t event)
{
    for ( size_t i = 0; i < t->used; i++ )
        if ( t->rows[i].event == event )
            return t->rows[i].times;
    return 0;
}

/* Two windows of pcpu 2, one of pcpu 0, none of pcpu 1. */
static void make_three(struct make *m)
{
    size_t w;

    m->size = 0;
    w = make_open(m, 2);
    make_record(m, 0x21011, 5000, 2);
    make_record(m, 0x82004, 0, 1);
    make_lost(m, 6000, 41);
    make_record(m, 0x82004, 6001, 1);
    make_close(m, w);
    w = make_open(m, 0);
    make_record(m, 0x21011, 4000, 2);
    make_close(m, w);
    w = make_open(m, 2);
    make_lost(m, 7000, 1);
    make_record(m, 0x21021, 7001, 2);
    make_record(m, 0x1f002, 1, 3);      /* stale "time" of a filler */
    make_close(m, w);
}

START_TEST(known_numbers)
{
    static struct make m;
    struct xt_counts c;

    make_three(&m);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.size, m.size);
    ck_assert_uint_eq(c.total.records, 8);
    ck_assert_uint_eq(xt_count_events(&c.total), 5);
    ck_assert_uint_eq(c.total.windows, 3);
    ck_assert_uint_eq(c.total.bytes, m.size - 3 * XT_WINDOW_HEADER);
    ck_assert_uint_eq(c.total.losses, 2);
    ck_assert_uint_eq(c.total.lost, 42);
    ck_assert_uint_eq(c.total.wraps, 1);
    ck_assert_uint_eq(c.total.tsc.first, 4000);
    ck_assert_uint_eq(c.total.tsc.last, 7001);

    ck_assert_uint_ge(c.nr_cpus, 3);
    ck_assert_uint_eq(c.cpus[1].windows, 0);
    ck_assert_uint_eq(c.cpus[2].windows, 2);
    ck_assert_uint_eq(c.cpus[2].lost, 42);
    ck_assert_uint_eq(c.cpus[2].tsc.first, 5000);
    ck_assert_uint_eq(c.cpus[2].tsc.last, 7001);
    ck_assert_uint_eq(c.cpus[0].records, 1);

    ck_assert_uint_eq(c.events.used, 5);
    ck_assert_uint_eq(get_times(&c.events, 0x21011), 2);
    ck_assert_uint_eq(get_times(&c.events, 0x82004), 2);
    ck_assert_int_eq(xt_damage_grade(&c.damage), XT_GRADE_NONE);
    xt_counts_fini(&c);
}
END_TEST

/* A meta_lost record; `why` as in events/11-meta. */
static void make_meta_lost(struct make *m, uint32_t cpu, uint32_t why,
                           uint64_t lost)
{
    uint32_t words[4] = { cpu, why, (uint32_t)lost, lost >> 32 };

    make_record(m, TRC_META_LOST, 0, 4);
    memcpy(m->bytes + m->size - sizeof(words), words, sizeof(words));
}

static void make_meta_end(struct make *m)
{
    make_record(m, TRC_META_END, 0, 6);
}

/* A window of pcpu 0 with a record of 5 lost records. */
static size_t make_lossy_window(struct make *m)
{
    size_t w;

    m->size = 0;
    w = make_open(m, 0);
    make_record(m, 0x21011, 5000, 2);
    make_lost(m, 6000, 5);
    return w;
}

/* Losses behind the last record of a pcpu: only the collector knows them. */
START_TEST(losses_of_the_collector)
{
    static struct make m;
    size_t w = make_lossy_window(&m);
    struct xt_counts c;

    make_meta_lost(&m, 0, 0, 7);        /* replaced */
    make_meta_lost(&m, 0, 0, 12);
    make_meta_lost(&m, 0, 3, 5);
    make_meta_lost(&m, 3, 0, 800);
    make_meta_lost(&m, 3, 1, 30);
    make_meta_lost(&m, 3, 2, 4);
    make_meta_lost(&m, 3, 4, 60);
    make_meta_lost(&m, 3, 5, 1000000);  /* a reason of later versions */
    make_meta_end(&m);
    make_close(&m, w);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.total.losses, 1);
    ck_assert_uint_eq(c.cpus[0].lost, 12);
    ck_assert_uint_eq(c.cpus[3].lost, 800);
    ck_assert_uint_eq(c.total.lost, 812);
    ck_assert_uint_eq(c.losses.dropped, 30);
    ck_assert_uint_eq(c.losses.unwritten, 4);
    ck_assert_uint_eq(c.losses.taken, 60);
    ck_assert(c.losses.counted);
    xt_counts_fini(&c);
}
END_TEST

/* The last file of a series: earlier files have 100 of the 107 losses. */
START_TEST(losses_of_a_series)
{
    static struct make m;
    size_t w = make_lossy_window(&m);
    struct xt_counts c;

    make_meta_lost(&m, 0, 0, 107);
    make_meta_lost(&m, 0, 3, 105);
    make_meta_end(&m);
    make_close(&m, w);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.total.lost, 5 + 2);
    xt_counts_fini(&c);
}
END_TEST

/* Counts of older collectors include what LOST records count. */
START_TEST(losses_of_old_collectors)
{
    static struct make m;
    size_t w = make_lossy_window(&m);
    struct xt_counts c;

    make_meta_lost(&m, 0, 0, 9);
    make_meta_end(&m);
    make_close(&m, w);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.total.lost, 9);
    xt_counts_fini(&c);
}
END_TEST

/* Two captures, one after the other. */
START_TEST(losses_of_two_captures)
{
    static struct make m;
    size_t w = make_lossy_window(&m);
    struct xt_counts c;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        make_meta_lost(&m, 1, 0, 10);
        make_meta_lost(&m, 1, 3, 0);
        make_meta_end(&m);
    }
    make_meta_lost(&m, 1, 0, 1000);     /* not final: no meta_end follows */
    make_close(&m, w);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.cpus[1].lost, 20);
    xt_counts_fini(&c);
}
END_TEST

/* Hostile numbers of pcpus, reasons, sums. */
START_TEST(hostile_losses)
{
    static struct make m;
    size_t w = make_lossy_window(&m);
    struct xt_counts c;

    make_meta_lost(&m, XT_MAX_CPUS, 0, 1);
    make_meta_lost(&m, UINT32_MAX, 0, 1);
    make_meta_lost(&m, XT_MAX_CPUS - 1, 0, 1);
    make_meta_lost(&m, 0, 99, 1);
    make_meta_lost(&m, 0, 0, 3);
    make_meta_lost(&m, 0, 3, UINT64_MAX);
    make_meta_end(&m);
    make_close(&m, w);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.total.lost, 5 + 1);
    ck_assert_uint_eq(c.cpus[XT_MAX_CPUS - 1].lost, 1);
    xt_counts_fini(&c);
}
END_TEST

START_TEST(no_time_stamps)
{
    static struct make m;
    size_t w = make_open(&m, 0);
    struct xt_counts c;

    make_record(&m, 0x0800f001, 0, 3);
    make_close(&m, w);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert(!c.total.tsc.known && !c.cpus[0].tsc.known);
    xt_counts_fini(&c);
}
END_TEST

/* The last record in the file is not the latest one. */
START_TEST(time_goes_backwards)
{
    static struct make m;
    struct xt_counts c;
    size_t w;

    m.size = 0;
    w = make_open(&m, 0);
    make_record(&m, 0x21011, 1000, 2);
    make_record(&m, 0x21011, 5000, 2);
    make_close(&m, w);
    w = make_open(&m, 0);
    make_record(&m, 0x21011, 4000, 2);
    make_record(&m, 0x21011, 4500, 2);
    make_close(&m, w);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.cpus[0].tsc.last, 5000);
    ck_assert_uint_eq(c.total.tsc.last, 5000);
    ck_assert_uint_eq(c.damage.times[XT_DAMAGE_BACKWARD], 1);
    xt_counts_fini(&c);
}
END_TEST

/* Damage inside a window: the records before it count. */
START_TEST(damaged_window)
{
    static struct make m;
    struct xt_counts c;

    make_three(&m);
    memset(m.bytes + XT_WINDOW_HEADER + 20, 0, 4);
    ck_assert_int_eq(count_all(&c, m.bytes, m.size), 0);
    ck_assert_uint_eq(c.total.windows, 3);
    ck_assert_uint_eq(c.total.records, 8 - 3);
    ck_assert_uint_eq(c.total.lost, 1);
    ck_assert_uint_eq(c.damage.times[XT_DAMAGE_RECORD], 1);
    ck_assert_uint_eq(c.damage.first[0].offset, XT_WINDOW_HEADER + 20);
    xt_counts_fini(&c);
}
END_TEST

START_TEST(tally_is_exact)
{
    struct xt_event_counts t;

    ck_assert_int_eq(xt_event_counts_init(&t), 0);
    for ( uint32_t round = 0; round < 3; round++ )
        for ( uint32_t i = 0; i < 5000; i++ )
            ck_assert_int_eq(xt_event_counts_add(&t, i * 4096 & 0x0fffffff), 0);
    xt_event_counts_sort(&t);
    ck_assert_uint_eq(t.used, 5000);
    for ( uint32_t i = 0; i < 5000; i++ )
    {
        ck_assert_uint_eq(t.rows[i].event, i * 4096);
        ck_assert_uint_eq(t.rows[i].times, 3);
    }
    xt_event_counts_fini(&t);
}
END_TEST

/* A hostile trace can have 2^28 ids: memory is bounded, the total is not. */
START_TEST(tally_is_bounded)
{
    struct xt_event_counts t;

    ck_assert_int_eq(xt_event_counts_init(&t), 0);
    for ( uint32_t i = 0; i < XT_EVENT_COUNTS_MAX + 1000; i++ )
        ck_assert_int_eq(xt_event_counts_add(&t, i), 0);
    ck_assert_uint_eq(t.used, XT_EVENT_COUNTS_MAX);
    ck_assert_uint_eq(t.others, 1000);
    ck_assert_int_eq(xt_event_counts_add(&t, 5), 0);
    ck_assert_uint_eq(t.others, 1000);
    xt_event_counts_fini(&t);
}
END_TEST

START_TEST(no_memory)
{
    static struct make m;
    struct xt_counts c;
    uint64_t n = 0;
    int rc;

    /* Many pcpus and many events: every table has to grow. */
    for ( uint32_t cpu = 0; cpu < 40; cpu++ )
    {
        size_t w = make_open(&m, cpu);

        for ( uint32_t i = 0; i < 20; i++ )
            make_record(&m, 0x21000 + 20 * cpu + i, 0, 0);
        make_meta_lost(&m, 2 * cpu, 0, 1);
        make_close(&m, w);
    }
    do
    {
        fault_arm(FAULT_ALLOC, ++n);
        rc = count_all(&c, m.bytes, m.size);
        ck_assert_int_eq(rc, fault_fired(FAULT_ALLOC) ? -ENOMEM : 0);
        xt_counts_fini(&c);
    }
    while ( fault_fired(FAULT_ALLOC) );
    ck_assert_uint_gt(n, 3);
    fault_disarm();
}
END_TEST

UNIT_MAIN("counts", known_numbers, losses_of_the_collector, losses_of_a_series,
          losses_of_old_collectors, losses_of_two_captures, hostile_losses,
          no_time_stamps, time_goes_backwards, damaged_window,
          tally_is_exact, tally_is_bounded, no_memory)
