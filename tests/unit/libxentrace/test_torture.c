/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces with much damage: flipped bits, missing bytes, holes, garbage between
 * windows, wrong sizes and pcpus, a torn tail; several of these in one trace.
 * Each intact window is read unchanged, no record of a broken sealed window is
 * read, all damage is noted, and the result is the same for a whole input and
 * for pieces.
 */
#include "libxentrace/window.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/libxentrace/seen-windows.h"

#define NR 24

struct trace
{
    bool sealed;
    struct make in, out;        /* before and after */
    struct walk before, after;
    size_t moved[NR];           /* offset of window i now */
    bool hurt[NR];
    uint64_t seed;
};

static uint32_t pick_one(struct trace *t, uint32_t below)
{
    return make_random(&t->seed) % below;
}

/* --- a trace ------------------------------------------------------------- */

static void add_window(struct trace *t, uint32_t number)
{
    static struct make body;
    struct iovec span;
    struct xt_frame f;

    body.size = 0;
    for ( uint32_t n = pick_one(t, 30) + 2; n; n-- )
        make_record(&body, 0x21001 + pick_one(t, 8), pick_one(t, 3) * 1000,
                    pick_one(t, 8));
    span = (struct iovec){ body.bytes, body.size };
    xt_frame_init(&f, pick_one(t, 5), &span, 1);
    if ( t->sealed )
        xt_frame_seal(&f, number);
    make_spans(&t->in, f.iov, f.nr_iov);
}

static void make_trace(struct trace *t)
{
    t->in.size = 0;
    for ( uint32_t i = 0; i < NR; i++ )
        add_window(t, i);
    walk_whole(&t->before, t->in.bytes, t->in.size);
    ck_assert_uint_eq(t->before.nr, NR);
    ck_assert_uint_eq(xt_damage_times(&t->before.damage), 0);
}

/* --- damage to a window, `at` and `size` in t->out ------------------------ */

static void flip_bit(struct trace *t, size_t at, size_t size)
{
    at += pick_one(t, size);
    t->out.bytes[at] ^= 1u << pick_one(t, 8);
}

static void cut_bytes(struct trace *t, size_t at, size_t size)
{
    size_t from = pick_one(t, size - 1), n = 1 + pick_one(t, size - from - 1);

    memmove(t->out.bytes + at + from, t->out.bytes + at + from + n,
            size - from - n);
    t->out.size -= n;
}

static void cut_hole(struct trace *t, size_t at, size_t size)
{
    size_t from = pick_one(t, size);

    t->out.bytes[at + from] = ~t->out.bytes[at + from];
    memset(t->out.bytes + at + from, 0, 1 + pick_one(t, size - from));
    t->out.bytes[at] = 0; /* may change nothing */
}

static void change_word(struct trace *t, size_t at, uint32_t value)
{
    memcpy(t->out.bytes + at, &value, sizeof(value));
}

static void lying_size(struct trace *t, size_t at, size_t size)
{
    uint32_t more = 1 + pick_one(t, pick_one(t, 2) ? 8 : 1u << 27);

    change_word(t, at + 8, size - 12 + 4 * more);
}

static void wild_cpu(struct trace *t, size_t at, size_t size)
{
    (void)size;
    change_word(t, at + 4, pick_one(t, 2) ? ~0u
                                          : 16384 + pick_one(t, 1u << 30));
}

static void no_class(struct trace *t, size_t at, size_t size)
{
    (void)size;
    change_word(t, at + (t->sealed ? 24 : 12), pick_one(t, 1u << 16));
}

static void (*const ways[])(struct trace *t, size_t at, size_t size) = {
    flip_bit, cut_bytes, cut_hole, lying_size, wild_cpu, no_class,
};

#define NR_WAYS (sizeof(ways) / sizeof(ways[0]))

static void add_garbage(struct trace *t)
{
    for ( uint32_t n = 1 + pick_one(t, 300); n; n-- )
        t->out.bytes[t->out.size++] = pick_one(t, 4) ? pick_one(t, 256) : 0;
}

/* Damage one window in four, and put garbage before one in ten. */
static void torture_input(struct trace *t)
{
    t->out.size = 0;
    for ( size_t i = 0; i < NR; i++ )
    {
        const struct walk_window *w = &t->before.window[i];
        size_t size = XT_WINDOW_HEADER + w->size, at;

        if ( !pick_one(t, 10) )
            add_garbage(t);
        t->moved[i] = at = t->out.size;
        memcpy(t->out.bytes + at, t->in.bytes + w->at, size);
        t->out.size += size;
        t->hurt[i] = !pick_one(t, 4);
        if ( t->hurt[i] )
            ways[pick_one(t, NR_WAYS)](t, at, size);
    }
    if ( !pick_one(t, 4) )
    {
        t->hurt[NR - 1] = true;
        t->out.size -= 1 + pick_one(t, t->out.size - t->moved[NR - 1] - 1);
    }
}

/* --- windows that must be read -------------------------------------------- */

/* Does a damaged window end by chance where a window behind i begins? */
static bool is_swallowed(const struct trace *t, size_t i)
{
    for ( size_t j = 0; j < i; j++ )
        for ( size_t k = i + 1; t->hurt[j] && k < NR; k++ )
            if ( t->moved[j] + XT_WINDOW_HEADER +
                 xt_load32(t->out.bytes + t->moved[j] + 8) == t->moved[k] )
                return true;
    return false;
}

/*
 * An unsealed window may be lost inside a larger one; and a window so small
 * that a payload could contain it is not always credible.
 */
static bool must_be_there(const struct trace *t, size_t i)
{
    if ( t->hurt[i] )
        return false;
    return t->sealed || (t->before.window[i].size > 4 * XT_RECORD_MAX_WORDS &&
                         !is_swallowed(t, i));
}

static void check_input(struct trace *t)
{
    bool any = t->out.size != t->in.size;

    walk_whole(&t->after, t->out.bytes, t->out.size);
    for ( size_t i = 0; i < NR; i++ )
    {
        struct walk_window w = t->before.window[i];

        any |= t->hurt[i] && t->sealed;
        w.at = t->moved[i];
        ck_assert_msg(!must_be_there(t, i) || walk_has(&t->after, &w),
                      "window %zu is lost", i);
    }
    ck_assert(!any || xt_damage_times(&t->after.damage));
}

/*
 * In sealed traces every window that is read was there, but for the torn end.
 */
static void check_nothing_new(const struct trace *t)
{
    for ( size_t n = 0; n + 1 < t->after.nr; n++ )
    {
        const struct walk_window *w = &t->after.window[n];
        size_t i = 0;

        while ( i < NR && (t->moved[i] != w->at ||
                           t->before.window[i].sum != w->sum ||
                           t->before.window[i].cpu != w->cpu) )
            i++;
        ck_assert_msg(i < NR || !w->size, "window at %lu is new",
                      (unsigned long)w->at);
    }
}

static void count_rounds(bool sealed, unsigned int nr)
{
    static const size_t pieces[] = { 1, 13, 100, 1000, 4096, 100000 };
    static struct trace t;
    static struct walk w;
    size_t held;

    for ( t.seed = 1, t.sealed = sealed; nr; nr-- )
    {
        make_trace(&t);
        torture_input(&t);
        check_input(&t);
        if ( sealed )
            check_nothing_new(&t);
        walk_pieces(&w, t.out.bytes, t.out.size, pieces[nr % 6], &held);
        walk_same(&t.after, &w);
    }
}

START_TEST(stock)
{
    count_rounds(false, 1500);
}
END_TEST

START_TEST(sealed)
{
    count_rounds(true, 1500);
}
END_TEST

/* A long stretch of junk is skipped without being held, and is one place. */
START_TEST(long_junk)
{
    static struct make m;
    static struct walk whole, w;
    uint64_t seed = 5;
    size_t held, from;

    make_window(&m, 1, 20);
    from = m.size;
    while ( m.size < 900000 )
        make_u32(&m, make_random(&seed) % 50 ? make_random(&seed) : 0x2001f003);
    make_window(&m, 2, 20);
    walk_whole(&whole, m.bytes, m.size);
    ck_assert_uint_eq(whole.nr, 2);
    ck_assert_uint_eq(xt_damage_times(&whole.damage), 1);
    ck_assert_uint_eq(whole.damage.first[0].offset, from);
    walk_pieces(&w, m.bytes, m.size, 5000, &held);
    walk_same(&whole, &w);
    ck_assert_uint_lt(held, 11000);
}
END_TEST

/*
 * Records with headers in their payloads that claim all bytes behind; and an
 * impossible record at the end.  Linear, or a time-out.
 */
static void check_claims(const uint32_t *payload)
{
    const size_t nr = (8u << 20) / 32;
    uint32_t *words = malloc(32 * nr + 16), *at = words;
    struct xt_damage damage = { .nr_first = 0 };
    struct xt_windows windows;
    struct xt_window w;
    uint64_t seen = 0;

    for ( size_t i = 0; i < nr; i++ )
    {
        *at++ = 0x70081001;
        memcpy(at, payload, 28);
        at += 7;
    }
    memset(at, 0, 16);
    xt_windows_init(&windows, words, 32 * nr + 16, &damage);
    while ( xt_windows_next(&windows, &w) )
        seen += xt_window_verify(&w, &damage)
                ? XT_WINDOW_HEADER + w.size : 0;
    ck_assert_uint_eq(seen + xt_damage_bytes(&damage), 32 * nr + 16);
    free(words);
}

START_TEST(claims_in_payloads)
{
    static const uint32_t payloads[][7] = {
        { 0x2001f003, 0, XT_WINDOW_MAX, 0x00081001, 0x00081001, 0x00081001,
          0x00081001 },
        { 0x2001f003, 0, XT_WINDOW_MAX, 0x2001f080, 0, 0, 0x00081001 },
        { 0x2001f003, 0, 4u << 20, 0x2001f080, 0, 0, 0x00081001 },
        { 0x2001f003, 0, 4u << 20, 0x00081001, 0x00081001, 0x00081001,
          0x00081001 },
    };

    for ( size_t i = 0; i < 4; i++ )
        check_claims(payloads[i]);
}
END_TEST

UNIT_MAIN("torture", stock, sealed, long_junk, claims_in_payloads)
