/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other byte order: a trace comes out as this machine would have written
 * it, in pieces of any size and from any window on, and damage keeps its place.
 */
#include "libxentrace/swap.h"

#include "libxentrace/window.h"

#include "tests/unit/libxentrace/memory-source.h"
#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

static struct make here, there; /* the same trace in both orders */
static unsigned char got[MAKE_MAX + 1];
static size_t at_window[10];

static void swap_trace(unsigned char *bytes, size_t size)
{
    for ( size_t i = 0; i + 4 <= size; i += 4 )
    {
        uint32_t word = __builtin_bswap32(xt_load32(bytes + i));

        memcpy(bytes + i, &word, 4);
    }
}

static void make_both(void)
{
    here.size = 0;
    for ( unsigned int i = 0; i < 10; i++ )
    {
        at_window[i] = here.size;
        make_window(&here, i, i < 9 ? 20 + i : 20000);
    }
    there = here;
    swap_trace(there.bytes, there.size);
}

static size_t swap_all(size_t size, size_t piece, size_t room)
{
    struct err e = ERR_INIT;
    struct xt_source *s;
    size_t n;

    ck_assert(!xt_swap_open(&s, layer_open(there.bytes, size, piece, false),
                            &e));
    n = layer_all(s, got, sizeof(got), room);
    xt_source_close(s);
    return n;
}

START_TEST(wanted)
{
    make_both();
    ck_assert(xt_swap_detect(there.bytes, 16));
    ck_assert(!xt_swap_detect(there.bytes, 3));
    ck_assert(!xt_swap_detect(here.bytes, 16));
}
END_TEST

START_TEST(whole)
{
    static const size_t pieces[] = { 5, 999, 4096, 1u << 20 };

    make_both();
    for ( size_t p = 0; p < 4; p++ )
        for ( size_t room = 0; room < 4; room++ )
        {
            ck_assert_uint_eq(swap_all(there.size, pieces[p], pieces[room]),
                              here.size);
            ck_assert_int_eq(memcmp(got, here.bytes, here.size), 0);
        }
}
END_TEST

/* Bytes of an incomplete word or header are not changed. */
START_TEST(cut_anywhere)
{
    size_t window = 0;

    make_both();
    for ( size_t size = 0; size < at_window[3]; size++ )
    {
        size_t words = size / 4 * 4;

        window += size == at_window[window + 1];
        if ( size < at_window[window] + XT_WINDOW_HEADER )
            words = at_window[window];
        ck_assert_uint_eq(swap_all(size, 1000, 1000), size);
        ck_assert_int_eq(memcmp(got, here.bytes, words), 0);
        ck_assert_int_eq(memcmp(got + words, there.bytes + words,
                                size - words), 0);
    }
}
END_TEST

/* Missing bytes shift all later bytes: no later window is lost. */
START_TEST(bytes_missing)
{
    for ( size_t missing = 1; missing < 12; missing++ )
    {
        size_t from, next;

        make_both();
        from = at_window[2] + 40;
        next = at_window[4] - missing;
        memmove(there.bytes + from, there.bytes + from + missing,
                there.size - from - missing);
        there.size -= missing;
        ck_assert_uint_eq(swap_all(there.size, 5000, 5000), there.size);
        ck_assert_int_eq(memcmp(got, here.bytes, from / 4 * 4), 0);
        ck_assert_int_eq(memcmp(got + next, here.bytes + at_window[4],
                                here.size - at_window[4]), 0);
    }
}
END_TEST

START_TEST(seek)
{
    struct err e = ERR_INIT;
    struct xt_source *s;
    size_t n;

    make_both();
    ck_assert(!xt_swap_open(&s, layer_open(there.bytes, there.size, 10000,
                                           true), &e));
    ck_assert_uint_eq(s->size, here.size);
    for ( size_t i = 10; i--; )
    {
        ck_assert(!s->ops->seek(s, at_window[i], &e));
        n = layer_all(s, got, sizeof(got), 3000);
        ck_assert_uint_eq(n, here.size - at_window[i]);
        ck_assert_int_eq(memcmp(got, here.bytes + at_window[i], n), 0);
    }
    xt_source_close(s);
}
END_TEST

UNIT_MAIN("swap", wanted, whole, cut_anywhere, bytes_missing, seek)
