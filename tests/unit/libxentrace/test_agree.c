/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For any damage to an input, all modes of reading return the same records and
 * skip the same bytes: mapped, as a stream, compressed; by window, by time, by
 * pcpu in two threads.  The order is the same, too, unless a stream reports
 * that its order is not reliable: records were late, or a time stamp goes
 * backwards.  Traces are damaged at random, and a small trace in each of its
 * bits and at each length.
 */
#include "tests/unit/common/runs-long.h"
#include "tests/unit/libxentrace/unit.h"

#include "libxentrace/seal.h"
#include "tests/unit/libxentrace/zstd-file.h"
#include "tests/unit/libxentrace/read-modes.h"

static struct make m;

/* --- damage --------------------------------------------------------------- */

static void add_window(uint32_t c, uint32_t records, bool sealed,
                       uint32_t number, uint64_t *now)
{
    static struct make body;
    struct iovec span;
    struct xt_frame f;

    body.size = 0;
    for ( uint32_t i = 0; i < records; i++, *now += 7 )
        make_record(&body, 0x81001 + i % 3, i % 4 ? *now : 0, i % 8);
    span = (struct iovec){ body.bytes, body.size };
    xt_frame_init(&f, c, &span, 1);
    if ( sealed )
        xt_frame_seal(&f, number);
    make_spans(&m, f.iov, f.nr_iov);
}

static void make_sound(bool sealed, uint32_t passes, uint32_t cpus,
                       uint32_t records)
{
    uint64_t now = 1000;

    m.size = 0;
    for ( uint32_t i = 0; i < passes * cpus; i++ )
        add_window(i % cpus, records, sealed, i, &now);
}

static void damage_input(uint64_t *seed)
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

/* Frames that begin and end at any byte. */
static size_t some_bytes(const struct make *all, size_t at)
{
    size_t n = 1 + at * 7 % 700;

    return n < all->size - at ? at + n : all->size;
}

/* --- all modes ------------------------------------------------------------ */

static void expect_set(const struct set *got, const struct set *want,
                       const char *way, unsigned int seed)
{
    if ( got->records != want->records || got->sum != want->sum )
        ck_abort_msg("%u, %s: %llu records, not %llu, or others", seed, way,
                     (long long)got->records, (long long)want->records);
    if ( got->skipped != want->skipped || got->places != want->places )
        ck_abort_msg("%u, %s: %llu bytes skipped at %llu places, not %llu "
                     "at %llu", seed, way, (long long)got->skipped,
                     (long long)got->places, (long long)want->skipped,
                     (long long)want->places);
}

static const struct
{
    const char *name;
    struct set (*read)(const char *path, unsigned int flags);
    unsigned int flags;
    bool packed;
} ways[] = {
    { "windows of a stream", read_by_window, XT_SOURCE_STREAM, false },
    { "by time, again", read_by_time, 0, false },
    { "a stream by time", read_by_time, XT_SOURCE_STREAM, false },
    { "windows, compressed", read_by_window, 0, true },
    { "by time, compressed", read_by_time, 0, true },
    { "by time, a compressed stream", read_by_time, XT_SOURCE_STREAM, true },
};

static unsigned int sure;       /* streams with a reliable order */

static void expect_in_order(const struct set *got, const struct set *want,
                            const char *way, unsigned int seed)
{
    if ( !set_ordered(got, want) )
        ck_abort_msg("%u, %s: another order", seed, way);
    sure += got->sure;
}

/* Read m in all modes: number n. */
static struct set expect_same_all_ways(unsigned int n, bool packed)
{
    char path[32], packed_path[32];
    struct set want, by_file, got;

    trace_file(path, &m);
    packed = packed && packed_file(packed_path, &m, n & 1, some_bytes);
    want = read_by_window(path, 0);
    by_file = read_by_time(path, 0);
    for ( size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++ )
    {
        if ( ways[i].packed && !packed )
            continue;
        got = ways[i].read(ways[i].packed ? packed_path : path,
                           ways[i].flags);
        expect_set(&got, &want, ways[i].name, n);
        if ( ways[i].read == read_by_time )
            expect_in_order(&got, &by_file, ways[i].name, n);
    }
    if ( read_by_pcpu(path, &got) )
        expect_set(&got, &want, "by pcpu", n);
    unlink(path);
    if ( packed )
        unlink(packed_path);
    return want;
}

START_TEST(at_random)
{
    unsigned int nr = runs_long() ? 1200 : 400;

    for ( unsigned int n = 0; n < nr; n++ )
    {
        uint64_t seed = n;

        make_sound(n & 1, 8, 4, 20);
        for ( uint32_t times = make_random(&seed) % 6; times; times-- )
            damage_input(&seed);
        expect_same_all_ways(n, n % 4 == 0);
    }
    /* Each seed has two streams, or four. */
    ck_assert_uint_gt(sure, 3 * nr / 2);
}
END_TEST

/* --- all damage to a small trace ------------------------------------------ */

#define SMALL make_sound(_i, 2, 3, 4)

/*
 * Is one of the places in the window that contains byte `at`?  If the last
 * window claims a larger size, its missing bytes are noted behind it.
 */
static bool names_window(const struct xt_damage *d, const struct make *sound,
                         size_t at)
{
    struct xt_damage ignored = { 0 };
    struct xt_windows windows;
    struct xt_window w;
    uint64_t end = 0;

    xt_windows_init(&windows, sound->bytes, sound->size, &ignored);
    do
        ck_assert(xt_windows_next(&windows, &w));
    while ( (end = w.at + XT_WINDOW_HEADER + w.size) <= at );
    for ( size_t i = 0; i < d->nr_first; i++ )
        if ( d->first[i].offset >= w.at &&
             d->first[i].offset < end + (end == sound->size) )
            return true;
    return false;
}

static void expect_named(const struct make *sound, size_t at)
{
    const struct xt_damage *d;
    struct xt_trace *t;
    struct err e = ERR_INIT;
    struct xt_batch b;
    char path[32];

    trace_file(path, &m);
    t = trace_file_open(path, 0);
    while ( xt_trace_next_batch(t, &b, &e) > 0 )
        continue;
    d = xt_trace_damage(t);
    if ( !names_window(d, sound, at) )
        ck_abort_msg("byte %zu: its window is not named, but that at %llu "
                     "(%s)", at, (long long)d->first[0].offset,
                     xt_damage_text(d->first[0].kind));
    xt_trace_close(t);
    unlink(path);
}

/*
 * _i: sealed.  Then every flipped bit is detected, and the window is not read.
 */
START_TEST(every_bit)
{
    static struct make sound;
    size_t step = runs_long() ? 1 : 15;

    SMALL;
    sound = m;
    for ( size_t bit = 0; bit < 8 * sound.size; bit += step )
    {
        m = sound;
        m.bytes[bit / 8] ^= 1u << bit % 8;
        expect_same_all_ways(bit, bit % 105 == 0);
        if ( _i )
            expect_named(&sound, bit / 8);
    }
}
END_TEST

START_TEST(every_length)
{
    size_t most, step = runs_long() ? 1 : 9;
    uint64_t records = 0;

    SMALL;
    most = m.size;
    for ( size_t size = 1; size <= most; size += step )
    {
        struct set s;

        m.size = size;
        s = expect_same_all_ways(size, size % 15 == 0);
        ck_assert_uint_ge(s.records, records);
        records = s.records;
    }
}
END_TEST

/* The other byte order, uncompressed and compressed. */
START_TEST(turned_round)
{
    char path[32], packed_path[32];
    struct set want, got;

    make_sound(_i, 8, 4, 20);
    want = expect_same_all_ways(0, false);
    for ( size_t at = 0; at < m.size; at += 4 )
    {
        uint32_t word;

        memcpy(&word, m.bytes + at, 4);
        word = __builtin_bswap32(word);
        memcpy(m.bytes + at, &word, 4);
    }
    trace_file(path, &m);
    got = read_by_time(path, 0);
    expect_set(&got, &want, "turned round", 0);
    unlink(path);
    for ( unsigned int flags = 0; flags < 2; flags++ )
    {
        if ( !packed_file(packed_path, &m, true, some_bytes) )
            return;
        got = read_by_time(packed_path, flags ? XT_SOURCE_STREAM : 0);
        expect_set(&got, &want, "turned round and compressed", flags);
        unlink(packed_path);
    }
}
END_TEST

UNIT_ROWS("agree", { at_random, 1 }, { every_bit, 2 }, { every_length, 2 },
          { turned_round, 2 })
