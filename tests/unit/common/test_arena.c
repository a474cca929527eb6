/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arenas: allocations are aligned, disjoint and never move; all memory is
 * freed.  Tests that arm FAULT_ALLOC with 0 only count blocks.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/arena.h"
#include "common/fault.h"
#include "unit.h"

#define PIECES 2000

struct piece
{
    unsigned char *at;
    size_t size;
};

/* A byte that depends on its address, so that any overlap is detected. */
static unsigned char mark(size_t piece, size_t byte)
{
    return piece * 31 + byte * 7 + 1;
}

static void fill(struct piece *p, size_t i)
{
    size_t b;

    for ( b = 0; b < p->size; b++ )
        p->at[b] = mark(i, b);
}

static void check_marks(const struct piece *pieces, size_t n)
{
    size_t i, b;

    for ( i = 0; i < n; i++ )
        for ( b = 0; b < pieces[i].size; b++ )
            if ( pieces[i].at[b] != mark(i, b) )
                ck_abort_msg("piece %zu is damaged at byte %zu", i, b);
}

START_TEST(empty_arena_holds_nothing)
{
    struct arena a;

    fault_arm(FAULT_ALLOC, 0);
    arena_init(&a, 0);
    ck_assert_uint_eq(arena_held(&a), 0);
    arena_reset(&a);
    arena_fini(&a);
    arena_fini(&a);
    ck_assert_int_eq(fault_blocks(), 0);
}
END_TEST

START_TEST(pieces_are_apart_and_aligned)
{
    static struct piece pieces[PIECES];
    uint64_t state = unit_seed();
    struct arena a;
    size_t i;

    fault_arm(FAULT_ALLOC, 0);
    arena_init(&a, 64);
    for ( i = 0; i < PIECES; i++ )
    {
        size_t align = (size_t)1 << (unit_random(&state) % 13);

        pieces[i].size = unit_random_length(&state) % 5000;
        pieces[i].at = arena_alloc(&a, pieces[i].size, align);
        ck_assert_ptr_nonnull(pieces[i].at);
        ck_assert_uint_eq((uintptr_t)pieces[i].at % align, 0);
        fill(&pieces[i], i);
    }
    check_marks(pieces, PIECES);
    arena_fini(&a);
    ck_assert_int_eq(fault_blocks(), 0);
}
END_TEST

/* Around the end of a chunk: the last byte is used, the next is not. */
START_TEST(chunk_is_used_to_its_last_byte)
{
    struct arena a;
    size_t held;
    char *first, *second;

    arena_init(&a, 100);
    first = arena_alloc(&a, 60, 1);
    held = arena_held(&a);
    second = arena_alloc(&a, 40, 1);
    ck_assert_ptr_eq(second, first + 60);
    ck_assert_uint_eq(arena_held(&a), held);
    ck_assert_ptr_nonnull(arena_alloc(&a, 1, 1));
    ck_assert_uint_gt(arena_held(&a), held);
    arena_fini(&a);
}
END_TEST

START_TEST(large_piece_leaves_the_chunk_in_use)
{
    struct arena a;
    char *first, *large, *second;

    fault_arm(FAULT_ALLOC, 0);
    arena_init(&a, 1000);
    first = arena_alloc(&a, 10, 1);
    large = arena_alloc(&a, 100000, 8);
    second = arena_alloc(&a, 10, 1);
    ck_assert_ptr_eq(second, first + 10);
    memset(large, 1, 100000);
    arena_fini(&a);
    ck_assert_int_eq(fault_blocks(), 0);
}
END_TEST

START_TEST(large_piece_can_be_the_first)
{
    struct arena a;
    char *large;

    arena_init(&a, 16);
    large = arena_alloc(&a, 5000, 4096);
    ck_assert_uint_eq((uintptr_t)large % 4096, 0);
    memset(large, 1, 5000);
    arena_fini(&a);
}
END_TEST

START_TEST(chunks_grow)
{
    struct arena a;
    unsigned int i;
    size_t before = 0, steps = 0;

    arena_init(&a, 1024);
    for ( i = 0; i < 100000; i++ )
    {
        UNIT_CHECK(arena_alloc(&a, 100, 4) != NULL);
        steps += arena_held(&a) != before;
        before = arena_held(&a);
    }
    /* 10 MB: ten doublings up to 1 MB, then a step a MB. */
    ck_assert_uint_le(steps, 25);
    arena_fini(&a);
}
END_TEST

START_TEST(impossible_sizes_are_refused)
{
    struct arena a;
    size_t held;

    arena_init(&a, 0);
    ck_assert_ptr_nonnull(arena_alloc(&a, 1, 1));
    held = arena_held(&a);
    ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX, 1));
    ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX - 4095, 4096));
    ck_assert_ptr_null(arena_alloc(&a, PTRDIFF_MAX, 1));
    ck_assert_ptr_null(arena_array(&a, SIZE_MAX / 2, 3, 1));
    ck_assert_uint_eq(arena_held(&a), held);
    arena_fini(&a);
}
END_TEST

START_TEST(reset_keeps_the_largest_chunk)
{
    struct arena a;
    unsigned int round, i;
    int64_t blocks = 0;

    fault_arm(FAULT_ALLOC, 0);
    arena_init(&a, 128);
    for ( round = 0; round < 20; round++ )
    {
        for ( i = 0; i < 100; i++ )
            ck_assert_ptr_nonnull(arena_alloc(&a, 64, 8));
        if ( round > 10 )
            ck_assert_int_eq(fault_blocks(), blocks);
        arena_reset(&a);
        blocks = fault_blocks();
        ck_assert_int_eq(blocks, 1);
    }
    arena_fini(&a);
    ck_assert_int_eq(fault_blocks(), 0);
}
END_TEST

/* The chunk of an oversized piece is behind the first chunk. */
START_TEST(reset_finds_the_largest_behind_the_first)
{
    struct arena a;

    fault_arm(FAULT_ALLOC, 0);
    arena_init(&a, 128);
    ck_assert_ptr_nonnull(arena_alloc(&a, 8, 8));
    ck_assert_ptr_nonnull(arena_alloc(&a, 50000, 8));
    arena_reset(&a);
    ck_assert_int_eq(fault_blocks(), 1);
    ck_assert_uint_ge(arena_held(&a), 50000);
    ck_assert_ptr_nonnull(arena_alloc(&a, 50000, 8));
    ck_assert_int_eq(fault_blocks(), 1);
    arena_fini(&a);
}
END_TEST

START_TEST(cleared_memory_is_cleared_also_after_reset)
{
    struct thing { uint64_t a; char b; } *thing;
    struct arena a;
    uint32_t *row;
    unsigned int i;

    arena_init(&a, 0);
    memset(arena_alloc(&a, 4000, 1), 0xff, 4000);
    arena_reset(&a);
    thing = arena_new(&a, struct thing);
    ck_assert_uint_eq(thing->a, 0);
    ck_assert_int_eq(thing->b, 0);
    row = arena_array(&a, 100, sizeof(*row), _Alignof(uint32_t));
    for ( i = 0; i < 100; i++ )
        ck_assert_uint_eq(row[i], 0);
    arena_fini(&a);
}
END_TEST

/* Pieces keep their place, and are freed with their new arena. */
START_TEST(pieces_are_adopted)
{
    struct arena a, b, empty;
    char *first, *second;

    fault_arm(FAULT_ALLOC, 0);
    arena_init(&a, 128);
    arena_init(&b, 128);
    arena_init(&empty, 128);
    first = arena_strdup(&b, "first");
    memset(arena_alloc(&b, 50000, 8), 1, 50000);
    arena_adopt(&a, &empty);
    ck_assert_uint_eq(arena_held(&a), 0);
    arena_adopt(&a, &b);
    ck_assert_uint_eq(arena_held(&b), 0);
    second = arena_strdup(&b, "second");
    arena_adopt(&a, &b);
    memset(arena_alloc(&a, 100, 1), 2, 100);
    ck_assert_str_eq(first, "first");
    ck_assert_str_eq(second, "second");
    ck_assert_int_eq(fault_blocks(), 3);
    arena_fini(&b);
    arena_fini(&a);
    ck_assert_int_eq(fault_blocks(), 0);
}
END_TEST

START_TEST(strings)
{
    struct arena a;
    char *text, *part, *none;

    arena_init(&a, 0);
    text = arena_strdup(&a, "domain");
    part = arena_strndup(&a, "domain", 3);
    none = arena_strndup(&a, "", 0);
    ck_assert_str_eq(text, "domain");
    ck_assert_str_eq(part, "dom");
    ck_assert_str_eq(none, "");
    ck_assert_str_eq(arena_strndup(&a, "ab", 100), "ab");
    arena_fini(&a);
}
END_TEST

/* Call all allocating functions; -ENOMEM, or 0 with n pieces. */
static int use(struct arena *a, struct piece *pieces, size_t *n)
{
    size_t i;

    *n = 0;
    for ( i = 0; i < 40; i++ )
    {
        pieces[i].size = i % 10 == 9 ? 20000 : i * 50;
        pieces[i].at = arena_alloc(a, pieces[i].size, 16);
        if ( pieces[i].at == NULL )
            return -ENOMEM;
        fill(&pieces[i], i);
        *n = i + 1;
    }
    return arena_strdup(a, "end") != NULL ? 0 : -ENOMEM;
}

/*
 * Fail the Nth allocation: earlier pieces are intact, the arena remains usable,
 * and nothing leaks.
 */
START_TEST(each_allocation_may_fail)
{
    struct piece pieces[40];
    unsigned int n;
    bool fired = true;

    for ( n = 1; fired; n++ )
    {
        struct arena a;
        size_t got;
        int rc;

        arena_init(&a, 256);
        fault_arm(FAULT_ALLOC, n);
        rc = use(&a, pieces, &got);
        fired = fault_fired(FAULT_ALLOC) != 0;
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        check_marks(pieces, got);
        ck_assert_ptr_nonnull(arena_alloc(&a, 5000, 8));
        check_marks(pieces, got);
        arena_fini(&a);
        ck_assert_int_eq(fault_blocks(), 0);
    }
    /* Check that the loop did reach all allocations. */
    ck_assert_uint_gt(n, 8);
}
END_TEST

UNIT_MAIN("arena", empty_arena_holds_nothing, pieces_are_apart_and_aligned,
          chunk_is_used_to_its_last_byte, large_piece_leaves_the_chunk_in_use,
          large_piece_can_be_the_first, chunks_grow,
          impossible_sizes_are_refused, reset_keeps_the_largest_chunk,
          reset_finds_the_largest_behind_the_first,
          cleared_memory_is_cleared_also_after_reset, pieces_are_adopted,
          strings, each_allocation_may_fail)
