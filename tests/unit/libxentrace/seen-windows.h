/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of reading an input, in a comparable form: the credible windows,
 * checksums of their records, and the damage.  The input is given whole, or in
 * pieces as from a pipe.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_SEEN_WINDOWS_H
#define TESTS_UNIT_LIBXENTRACE_SEEN_WINDOWS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "libxentrace/crc.h"
#include "libxentrace/seal.h"
#include "tests/unit/libxentrace/feed.h"

#define WALK_MAX 256

struct walk_window
{
    uint64_t at;
    uint32_t cpu, sum, records;
    uint32_t size;              /* bytes of delivered records */
};

struct walk
{
    struct walk_window window[WALK_MAX];
    size_t nr;
    struct xt_damage damage;
};

static inline void walk_take(void *arg, const struct xt_window *w)
{
    struct walk *to = arg;
    struct walk_window *seen = &to->window[to->nr];
    struct xt_records records;
    struct xt_record r;

    if ( !xt_window_verify(w, &to->damage) )
        return;
    ck_assert_uint_lt(to->nr++, WALK_MAX);
    *seen = (struct walk_window){ .at = w->at, .cpu = w->cpu };
    xt_records_init(&records, w, &to->damage);
    while ( xt_records_next(&records, &r) )
        seen->records++;
    seen->size = records.at - w->bytes;
    seen->sum = xt_crc32c_table(0, w->bytes, seen->size);
}

/* Every byte is in a window, or counted as damage. */
static inline void walk_add_up(const struct walk *w, size_t size)
{
    uint64_t total = xt_damage_bytes(&w->damage);

    for ( size_t i = 0; i < w->nr; i++ )
        total += XT_WINDOW_HEADER + w->window[i].size;
    ck_assert_uint_eq(total, size);
}

static inline void walk_whole(struct walk *to, const unsigned char *bytes,
                              size_t size)
{
    to->nr = 0;
    to->damage = (struct xt_damage){ .nr_first = 0 };
    feed_whole(bytes, size, walk_take, to, &to->damage);
    walk_add_up(to, size);
}

/* *held: the most bytes that were kept in memory. */
static inline void walk_pieces(struct walk *to, const unsigned char *bytes,
                               size_t size, size_t piece, size_t *held)
{
    to->nr = 0;
    to->damage = (struct xt_damage){ .nr_first = 0 };
    *held = feed_pieces(bytes, size, piece, walk_take, to, &to->damage);
    walk_add_up(to, size);
}

static inline bool walk_has(const struct walk *w,
                            const struct walk_window *wanted)
{
    for ( size_t i = 0; i < w->nr; i++ )
        if ( !memcmp(&w->window[i], wanted, sizeof(*wanted)) )
            return true;
    return false;
}

static inline void walk_same(const struct walk *a, const struct walk *b)
{
    ck_assert_uint_eq(a->nr, b->nr);
    ck_assert_int_eq(memcmp(a->window, b->window, a->nr * sizeof(*a->window)),
                     0);
    ck_assert_int_eq(memcmp(a->damage.times, b->damage.times,
                            sizeof(a->damage.times)), 0);
    ck_assert_int_eq(memcmp(a->damage.bytes, b->damage.bytes,
                            sizeof(a->damage.bytes)), 0);
    for ( size_t i = 0; i < a->damage.nr_first; i++ )
    {
        ck_assert_uint_eq(a->damage.first[i].offset,
                          b->damage.first[i].offset);
        ck_assert_uint_eq(a->damage.first[i].bytes, b->damage.first[i].bytes);
        ck_assert_int_eq(a->damage.first[i].kind, b->damage.first[i].kind);
    }
}

#endif /* TESTS_UNIT_LIBXENTRACE_SEEN_WINDOWS_H */
