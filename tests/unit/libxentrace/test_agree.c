/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * However damaged an input is, all ways to read it hand out the same records
 * and skip the same bytes: mapped or as a stream, by window, by time, by pcpu
 * in two threads.  Of each seed the trace is damaged in another way.
 */
#include "tests/unit/libxentrace/unit.h"

#include <pthread.h>

#include "tests/unit/libxentrace/traces.h"

#define SEEDS 1500

static struct make m;

/* Records as a set: the order, and whoever finds them, does not matter. */
struct set
{
    uint64_t records, sum;
    uint64_t skipped, places;   /* without those that only order can see */
};

static void set_add(struct set *s, unsigned int cpu, uint64_t offset)
{
    uint64_t x = (offset << 14 | cpu) * UINT64_C(0x9e3779b97f4a7c15);

    s->records++;
    s->sum += x ^ x >> 29;
}

static void set_end(struct set *s, struct xt_trace *t)
{
    const struct xt_damage *d = xt_trace_damage(t);

    s->skipped = xt_damage_bytes(d);
    s->places = xt_damage_times(d) - d->times[XT_DAMAGE_BACKWARD];
    xt_trace_close(t);
}

static struct set by_window(const char *path, unsigned int flags)
{
    struct xt_trace *t = open_trace(path, flags);
    struct err e = ERR_INIT;
    struct set s = { 0 };
    struct xt_window w;

    while ( xt_trace_next_window(t, &w, &e) > 0 )
    {
        struct xt_records records;
        struct xt_record r;
        const unsigned char *at = w.bytes;

        xt_trace_records(t, &w, &records);
        for ( ; xt_records_next(&records, &r); at = records.at )
            set_add(&s, w.cpu, w.at + XT_WINDOW_HEADER + (at - w.bytes));
    }
    set_end(&s, t);
    return s;
}

static struct set by_time(const char *path, unsigned int flags)
{
    struct xt_trace *t = open_trace(path, flags);
    unsigned int segment = 0;
    struct err e = ERR_INIT;
    struct set s = { 0 };
    uint64_t last = 0;
    struct xt_batch b;

    for ( ; xt_trace_next_batch(t, &b, &e) > 0; segment = b.segment )
        for ( size_t i = 0; i < b.nr; i++ )
        {
            ck_assert(b.items[i].time >= last || b.segment != segment);
            last = b.items[i].time;
            segment = b.segment;
            set_add(&s, xt_item_cpu(&b.items[i]),
                    xt_batch_offset(&b, &b.items[i]));
        }
    set_end(&s, t);
    return s;
}

struct worker
{
    struct xt_trace *t;
    struct xt_walk walk[2];     /* of pcpus first and first + 2 */
    unsigned int first;
    struct set set;
};

static void *work(void *arg)
{
    struct worker *w = arg;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        struct xt_walk *walk = &w->walk[i];
        struct xt_record r;

        xt_trace_walk(w->t, w->first + 2 * i, walk);
        while ( xt_walk_next(walk, &r) )
            set_add(&w->set, w->first + 2 * i,
                    walk->at - walk->reading.view->bytes -
                    xt_record_size((r.has_tsc ? 1u << 31 : 0) |
                                   (uint32_t)r.words << 28));
    }
    return NULL;
}

/* Two threads; what is of a pcpu beyond 3 is then all that is missing. */
static bool by_pcpu(const char *path, struct set *s)
{
    struct xt_trace *t = open_trace(path, 0);
    struct err e = ERR_INIT;
    bool all = true;
    unsigned int nr;

    *s = (struct set){ 0 };
    do
    {
        struct worker w[2] = { { .t = t }, { .t = t, .first = 1 } };
        pthread_t thread;

        ck_assert_int_eq(xt_trace_cpus(t, &nr, &e), 0);
        all = all && nr <= 4;
        ck_assert_int_eq(pthread_create(&thread, NULL, work, &w[0]), 0);
        work(&w[1]);
        pthread_join(thread, NULL);
        for ( unsigned int i = 0; i < 4; i++ )
            xt_trace_walked(t, &w[i % 2].walk[i / 2]);
        s->records += w[0].set.records + w[1].set.records;
        s->sum += w[0].set.sum + w[1].set.sum;
    } while ( xt_trace_next_segment(t, &e) > 0 );
    set_end(s, t);
    return all;
}

/* --- damage --------------------------------------------------------------- */

static void make_sound(void)
{
    uint64_t now = 1000;

    m.size = 0;
    for ( uint32_t pass = 0; pass < 8; pass++ )
        for ( uint32_t c = 0; c < 4; c++ )
        {
            size_t opened = make_open(&m, c);

            for ( uint32_t i = 0; i < 20; i++, now += 7 )
                make_record(&m, 0x81001 + i % 3, i % 4 ? now : 0, i % 8);
            make_close(&m, opened);
        }
}

static void damage(uint64_t *seed)
{
    size_t at = make_random(seed) % m.size, n = make_random(seed) % 200;

    n = n < m.size - at ? n : m.size - at;
    switch ( make_random(seed) % 5 )
    {
    case 0:
        m.bytes[at] ^= 1u << make_random(seed) % 8;
        break;
    case 1:
        memset(m.bytes + at, 0, n);
        break;
    case 2:                                     /* a hole */
        memmove(m.bytes + at, m.bytes + at + n, m.size - at - n);
        m.size -= n;
        break;
    case 3:                                     /* twice */
        memmove(m.bytes + at + n, m.bytes + at, m.size - at);
        m.size += n;
        break;
    default:
        for ( size_t i = 0; i < n; i++ )
            m.bytes[at + i] = make_random(seed);
    }
}

static void expect_set(const struct set *got, const struct set *want,
                       const char *way, unsigned int seed)
{
    ck_assert_msg(got->records == want->records && got->sum == want->sum,
                  "seed %u, %s: %llu records, not %llu, or others", seed, way,
                  (long long)got->records, (long long)want->records);
    ck_assert_msg(got->skipped == want->skipped &&
                  got->places == want->places,
                  "seed %u, %s: %llu bytes skipped at %llu places, not %llu "
                  "at %llu", seed, way, (long long)got->skipped,
                  (long long)got->places, (long long)want->skipped,
                  (long long)want->places);
}

START_TEST(all_ways)
{
    struct set want, got;
    char path[32];

    for ( unsigned int n = 0; n < SEEDS; n++ )
    {
        uint64_t seed = n;

        make_sound();
        for ( uint32_t times = make_random(&seed) % 6; times; times-- )
            damage(&seed);
        trace_file(path, &m);
        want = by_window(path, 0);
        got = by_window(path, XT_SOURCE_STREAM);
        expect_set(&got, &want, "windows of a stream", n);
        got = by_time(path, 0);
        expect_set(&got, &want, "by time", n);
        got = by_time(path, XT_SOURCE_STREAM);
        expect_set(&got, &want, "a stream by time", n);
        if ( by_pcpu(path, &got) )
            expect_set(&got, &want, "by pcpu", n);
        unlink(path);
    }
}
END_TEST

UNIT_MAIN("agree", all_ways)
