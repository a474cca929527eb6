/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The chunks are a list, newest first; allocations come from the first chunk:
 *
 *     chunks -> [ header | piece | piece | free ....... ]
 *                                        ^at            ^end
 *                 |
 *                 v
 *               [ header | piece | piece | piece |too small]
 *
 * A request larger than the next regular chunk gets a dedicated chunk, linked
 * *behind* the first, so that the free bytes of the first stay usable.  Free
 * bytes are poisoned for the address sanitizer: an access behind the last
 * piece of an arena is found like an out-of-bounds access to malloc's memory.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/arena.h"
#include "common/debug.h"
#include "common/fault.h"

#if defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define ARENA_POISONS 1
# endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(ARENA_POISONS)
# include <sanitizer/asan_interface.h>
#else
# define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
# define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

#define MAX_ALIGN 4096u

struct arena_chunk
{
    struct arena_chunk *next;
    size_t size;                /* bytes of data[] */
    char data[];
};

void arena_init(struct arena *a, size_t first_size)
{
    *a = (struct arena){
        .first_size = first_size != 0 ? first_size : ARENA_FIRST_SIZE,
    };
    a->next_size = a->first_size;
}

static void free_chunks(struct arena *a, struct arena_chunk *c)
{
    struct arena_chunk *next;

    for ( ; c != NULL; c = next )
    {
        next = c->next;
        a->held -= sizeof(*c) + c->size;
        ASAN_UNPOISON_MEMORY_REGION(c->data, c->size);
        fault_free(c);
    }
}

void arena_fini(struct arena *a)
{
    free_chunks(a, a->chunks);
    assert(a->held == 0);
    arena_init(a, a->first_size);
}

/* Make c the chunk of the next allocations. */
static void use_chunk(struct arena *a, struct arena_chunk *c)
{
    a->at = c->data;
    a->end = c->data + c->size;
    ASAN_POISON_MEMORY_REGION(c->data, c->size);
}

void arena_reset(struct arena *a)
{
    struct arena_chunk **at, **best = &a->chunks, *keep = a->chunks;

    if ( keep == NULL )
        return;

    for ( at = &keep->next; *at != NULL; at = &(*at)->next )
        if ( (*at)->size > (*best)->size )
            best = at;

    keep = *best;
    *best = keep->next;
    free_chunks(a, a->chunks);
    assert(a->held == sizeof(*keep) + keep->size);
    keep->next = NULL;
    a->chunks = keep;
    use_chunk(a, keep);
}

void arena_adopt(struct arena *a, struct arena *from)
{
    struct arena_chunk **end = &from->chunks;

    assert(a != from);
    if ( from->chunks == NULL )
        return;

    while ( *end != NULL )
        end = &(*end)->next;
    if ( a->chunks == NULL )
    {
        a->chunks = from->chunks;
        a->at = from->at;
        a->end = from->end;
    }
    else
    {
        *end = a->chunks->next;
        a->chunks->next = from->chunks;
    }
    a->held += from->held;
    arena_init(from, from->first_size);
}

static size_t align_padding(const char *at, size_t align)
{
    return -(uintptr_t)at & (align - 1);
}

static struct arena_chunk *new_chunk(struct arena *a, size_t size)
{
    struct arena_chunk *c = NULL;

    if ( size <= PTRDIFF_MAX - sizeof(*c) )
        c = fault_malloc(sizeof(*c) + size);
    if ( c == NULL )
        return NULL;

    c->next = NULL;
    c->size = size;
    a->held += sizeof(*c) + size;
    return c;
}

/* A dedicated chunk for one piece, behind the first chunk. */
static void *alloc_alone(struct arena *a, size_t size, size_t align)
{
    struct arena_chunk *c = new_chunk(a, size + align - 1);

    assert(a->chunks != NULL);
    if ( c == NULL )
        return NULL;

    c->next = a->chunks->next;
    a->chunks->next = c;
    return c->data + align_padding(c->data, align);
}

static bool grow_arena(struct arena *a, size_t least)
{
    size_t size = a->next_size > least ? a->next_size : least;
    struct arena_chunk *c = new_chunk(a, size);

    if ( c == NULL )
        return false;

    c->next = a->chunks;
    a->chunks = c;
    use_chunk(a, c);
    if ( a->next_size < ARENA_MAX_STEP )
        a->next_size *= 2;
    return true;
}

static bool chunk_fits(const struct arena *a, size_t size, size_t align)
{
    debug_assert(a->at <= a->end);
    return a->chunks != NULL &&
           size + align_padding(a->at, align) <= (size_t)(a->end - a->at);
}

void *arena_alloc(struct arena *a, size_t size, size_t align)
{
    char *piece;

    assert(align != 0 && (align & (align - 1)) == 0 && align <= MAX_ALIGN);
    if ( size > PTRDIFF_MAX - align )
        return NULL;

    if ( !chunk_fits(a, size, align) )
    {
        if ( a->chunks != NULL && size + align > a->next_size )
            return alloc_alone(a, size, align);
        if ( !grow_arena(a, size + align - 1) )
            return NULL;
    }

    piece = a->at + align_padding(a->at, align);
    a->at = piece + size;
    assert(a->at <= a->end);
    debug_assert(align_padding(piece, align) == 0);
    ASAN_UNPOISON_MEMORY_REGION(piece, size);
    return piece;
}

void *arena_zalloc(struct arena *a, size_t size, size_t align)
{
    void *piece = arena_alloc(a, size, align);

    return piece != NULL ? memset(piece, 0, size) : NULL;
}

void *arena_array(struct arena *a, size_t n, size_t size, size_t align)
{
    if ( __builtin_mul_overflow(n, size, &size) )
        return NULL;

    return arena_zalloc(a, size, align);
}

char *arena_strndup(struct arena *a, const char *text, size_t max)
{
    size_t len = strnlen(text, max);
    char *copy = arena_alloc(a, len + 1, 1);

    if ( copy == NULL )
        return NULL;

    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return arena_strndup(a, text, PTRDIFF_MAX);
}

size_t arena_held(const struct arena *a)
{
    return a->held;
}
