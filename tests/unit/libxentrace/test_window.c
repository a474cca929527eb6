/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window codec: reading inverts writing, and each kind of damage costs no
 * more than it has to.  Inputs are allocated to the byte, so under the address
 * sanitizer these tests also detect reads out of bounds.
 */
#include "libxentrace/window.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define MAX_WINDOWS 64

struct seen
{
    struct xt_window window[MAX_WINDOWS];
    size_t nr;
    uint64_t records;
    struct xt_damage damage;
};

/* Read everything, and check that every byte is accounted for. */
static void see_window(struct seen *s, const unsigned char *bytes, size_t size)
{
    struct xt_windows windows;
    struct xt_window w;
    struct xt_records records;
    struct xt_record r;
    uint64_t good = 0;

    *s = (struct seen){ .nr = 0 };
    xt_windows_init(&windows, bytes, size, &s->damage);
    while ( xt_windows_next(&windows, &w) )
    {
        ck_assert_uint_lt(s->nr, MAX_WINDOWS);
        s->window[s->nr++] = w;
        ck_assert_ptr_eq(w.bytes, bytes + w.at + XT_WINDOW_HEADER);
        xt_records_init(&records, &w, &s->damage);
        while ( xt_records_next(&records, &r) )
            s->records++;
        good += XT_WINDOW_HEADER + (records.at - w.bytes);
    }
    ck_assert_uint_eq(good + xt_damage_bytes(&s->damage), size);
}

static void see_exact(struct seen *s, const struct make *m, size_t size)
{
    unsigned char *exact = make_exact(m, size);

    see_window(s, exact, size);
    free(exact);
}

/*
 * Is the window that was made at [at, at + 12 + size) among the windows read?
 */
static bool has_window(const struct seen *s, const struct xt_window *w)
{
    for ( size_t i = 0; i < s->nr; i++ )
        if ( s->window[i].at == w->at && s->window[i].cpu == w->cpu &&
             s->window[i].size == w->size )
            return true;
    return false;
}

START_TEST(nothing_at_all)
{
    struct seen s;

    see_window(&s, NULL, 0);
    ck_assert_uint_eq(s.nr, 0);
    ck_assert_int_eq(xt_damage_grade(&s.damage), XT_GRADE_NONE);
}
END_TEST

/* Frames of random sizes, in one or two spans, are read unchanged. */
START_TEST(round_trip)
{
    static struct make m, body;
    unsigned int cpus[40];
    uint64_t seed = 1;
    struct seen s;

    for ( size_t i = 0; i < 40; i++ )
    {
        struct iovec spans[2];
        struct xt_frame f;
        size_t cut;

        body.size = 0;
        for ( uint32_t n = make_random(&seed) % 30 + 1; n; n-- )
            make_record(&body, 0x21000 + n, make_random(&seed) % 2 * n,
                        make_random(&seed) % 8);
        cut = make_random(&seed) % (body.size / 4) * 4;
        spans[0] = (struct iovec){ body.bytes, cut ? cut : body.size };
        spans[1] = (struct iovec){ body.bytes + cut, body.size - cut };
        cpus[i] = make_random(&seed) % XT_MAX_CPUS;
        xt_frame_init(&f, cpus[i], spans, cut ? 2 : 1);
        ck_assert_int_eq(f.nr_iov, cut ? 3 : 2);
        make_spans(&m, f.iov, f.nr_iov);
        ck_assert_uint_eq(m.size % 4, 0);
    }
    see_exact(&s, &m, m.size);
    ck_assert_uint_eq(s.nr, 40);
    for ( size_t i = 0; i < 40; i++ )
        ck_assert_uint_eq(s.window[i].cpu, cpus[i]);
    ck_assert_int_eq(xt_damage_grade(&s.damage), XT_GRADE_NONE);
}
END_TEST

static void make_six(struct make *m)
{
    m->size = 0;
    for ( uint32_t i = 0; i < 6; i++ )
        make_window(m, i % 3, 3 + 2 * i);
}

/* Cut at any byte: all complete windows stay, and the damage is `torn`. */
START_TEST(cut_at_every_byte)
{
    static struct make m;
    struct seen all, s;

    make_six(&m);
    see_exact(&all, &m, m.size);
    ck_assert_uint_eq(all.nr, 6);
    for ( size_t size = 0; size < m.size; size++ )
    {
        size_t whole = 0;
        bool clean;

        see_exact(&s, &m, size);
        for ( ; all.window[whole].at + 12 + all.window[whole].size <= size;
              whole++ )
            ck_assert(has_window(&s, &all.window[whole]));
        clean = size == all.window[whole].at;
        ck_assert_int_eq(xt_damage_grade(&s.damage),
                         clean ? XT_GRADE_NONE : XT_GRADE_CUT);
        ck_assert_uint_eq(xt_damage_times(&s.damage), clean ? 0 : 1);
        ck_assert_uint_lt(xt_damage_bytes(&s.damage), 40);
    }
}
END_TEST

/* Flip any bit: at most its own window is lost. */
START_TEST(flip_every_bit)
{
    static struct make m;
    struct seen all, s;
    size_t in = 0;

    make_six(&m);
    see_exact(&all, &m, m.size);
    for ( size_t bit = 0; bit < 8 * m.size; bit++ )
    {
        if ( in + 1 < all.nr && bit / 8 >= all.window[in + 1].at )
            in++;
        m.bytes[bit / 8] ^= 1u << bit % 8;
        see_exact(&s, &m, m.size);
        m.bytes[bit / 8] ^= 1u << bit % 8;
        for ( size_t i = 0; i < all.nr; i++ )
            if ( i != in )
                ck_assert_msg(has_window(&s, &all.window[i]),
                              "bit %zu of window %zu costs window %zu", bit,
                              in, i);
    }
}
END_TEST

/*
 * Bytes missing in the middle, so that the rest is not aligned.  The next
 * window may be lost with them, but no later one.
 */
START_TEST(bytes_missing)
{
    static struct make m, n;
    struct seen all, s;

    make_six(&m);
    see_exact(&all, &m, m.size);
    for ( size_t missing = 1; missing < 24; missing++ )
    {
        size_t from = all.window[2].at + 20;

        n.size = m.size - missing;
        memcpy(n.bytes, m.bytes, from);
        memcpy(n.bytes + from, m.bytes + from + missing, n.size - from);
        see_exact(&s, &n, n.size);
        ck_assert(has_window(&s, &all.window[1]));
        for ( size_t i = 4; i < 6; i++ )
        {
            struct xt_window moved = all.window[i];

            moved.at -= missing;
            ck_assert(has_window(&s, &moved));
        }
        ck_assert_int_ne(xt_damage_grade(&s.damage), XT_GRADE_NONE);
    }
}
END_TEST

/* A row: some bytes between two good windows, and the damage that is noted. */
static void check_between(const uint32_t *words, size_t nr, uint64_t bytes,
                          enum xt_damage_kind kind)
{
    static struct make m;
    struct seen s;
    size_t at;

    m.size = 0;
    make_window(&m, 1, 5);
    at = m.size;
    for ( size_t i = 0; i < nr; i++ )
        make_u32(&m, words[i]);
    make_window(&m, 2, 5);
    see_exact(&s, &m, m.size);
    ck_assert_uint_ge(s.nr, 2);
    ck_assert_uint_eq(s.window[0].cpu, 1);
    ck_assert_uint_eq(s.window[s.nr - 1].cpu, 2);
    ck_assert_uint_eq(s.damage.times[kind], 1);
    ck_assert_uint_eq(xt_damage_times(&s.damage), 1);
    ck_assert_uint_eq(s.damage.first[0].bytes, bytes);
    ck_assert_uint_ge(s.damage.first[0].offset, at);
}

START_TEST(kinds_of_damage)
{
    static const uint32_t zeroes[10];
    static const uint32_t wild_cpu[] = { 0x2001f003, XT_MAX_CPUS, 0 };
    static const uint32_t odd_size[] = { 0x2001f003, 0, 6, 0x81001 };
    static const uint32_t huge_size[] = { 0x2001f003, 0, 0xfffffff0 };
    static const uint32_t too_large[] = { 0x2001f003, 0, 4096, 0x81001 };
    static const uint32_t too_small[] = { 0x2001f003, 0, 4, 0x81001, 0x81001 };
    static const uint32_t no_class[] = { 0x2001f003, 0, 12,
                                         0x81001, 0, 0x81001 };
    static const uint32_t both[] = { 0x2001f003, 0, 4096, 0x81001, 0 };

    check_between(zeroes, 10, 40, XT_DAMAGE_JUNK);
    check_between(wild_cpu, 3, 12, XT_DAMAGE_JUNK);
    check_between(odd_size, 4, 16, XT_DAMAGE_JUNK);
    check_between(huge_size, 3, 12, XT_DAMAGE_JUNK);
    check_between(too_large, 4, 0, XT_DAMAGE_SIZE);
    check_between(too_small, 5, 4, XT_DAMAGE_JUNK);
    check_between(no_class, 6, 8, XT_DAMAGE_RECORD);
    check_between(both, 5, 4, XT_DAMAGE_RECORD);
}
END_TEST

/* Bytes in a payload that look like a header lack further evidence. */
static void check_fake(const uint32_t *fake, size_t nr)
{
    static struct make m;
    struct seen s;

    m.size = 0;
    make_window(&m, 0, 4);
    make_u32(&m, 0);
    for ( size_t i = 0; i < nr; i++ )
        make_u32(&m, fake[i]);
    make_window(&m, 1, 4);
    see_exact(&s, &m, m.size);
    ck_assert_uint_eq(s.nr, 2);
    ck_assert_uint_eq(s.window[1].cpu, 1);
    ck_assert_uint_eq(s.damage.bytes[XT_DAMAGE_JUNK], 4 + 4 * nr);
}

START_TEST(header_in_a_payload)
{
    static const uint32_t no_record[] = { 0x60081001, 0x2001f003, 5, 12, 0, 0,
                                          0 };
    static const uint32_t no_header[] = { 0x60081001, 0x2001f003, 5, 8,
                                          0x00081001, 0x00081001, 0 };

    check_fake(no_record, 7);
    check_fake(no_header, 7);
}
END_TEST

/* Random bytes with many header words: reading ends, and the bytes add up. */
START_TEST(noise)
{
    static struct make m;
    uint64_t seed = 7;
    struct seen s;

    for ( size_t round = 0; round < 2000; round++ )
    {
        m.size = 0;
        while ( m.size < 400 )
            make_u32(&m, make_random(&seed) % 4 ? make_random(&seed) % 64
                                                : 0x2001f003);
        see_exact(&s, &m, m.size - make_random(&seed) % 4);
    }
}
END_TEST

/* Headers that all claim everything behind them: linear, or a time-out. */
START_TEST(nested_claims)
{
    const size_t nr = (4u << 20) / 12;
    const uint32_t header[3] = { 0x2001f003, 0, XT_WINDOW_MAX };
    unsigned char *bytes = malloc(12 * nr);
    struct xt_damage damage = { .nr_first = 0 };
    struct xt_windows windows;
    struct xt_window w;
    size_t seen = 0;

    for ( size_t i = 0; i < nr; i++ )
        memcpy(bytes + 12 * i, header, 12);
    xt_windows_init(&windows, bytes, 12 * nr, &damage);
    while ( xt_windows_next(&windows, &w) )
        seen++;
    ck_assert_uint_eq(seen, nr);
    ck_assert_uint_eq(damage.nr_first, XT_DAMAGE_PLACES);
    ck_assert_uint_eq(xt_damage_times(&damage), nr);
    free(bytes);
}
END_TEST

UNIT_MAIN("window", nothing_at_all, round_trip, cut_at_every_byte,
          flip_every_bit, bytes_missing, kinds_of_damage,
          header_in_a_payload, noise, nested_claims)
