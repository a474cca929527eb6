/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An arena: memory that is allocated piece by piece and freed all at once, for
 * objects with the lifetime of their owner (the domains and vcpus of an
 * analysis, the rules of a file).  Objects need no free() and no header, and
 * are adjacent in memory.  A piece never moves, so pointers into an arena are
 * valid until arena_reset() or arena_fini().
 *
 * An arena is not locked: each thread needs its own.
 */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena
{
    struct arena_chunk *chunks; /* newest first; allocations use the first */
    char *at, *end;             /* free bytes of the first chunk */
    size_t next_size;           /* size of the next chunk */
    size_t first_size;
    size_t held;                /* bytes allocated from the system */
};

#define ARENA_FIRST_SIZE 4096u
#define ARENA_MAX_STEP (1u << 20)

/*
 * Allocates no memory yet.  Chunks grow from first_size (0: ARENA_FIRST_SIZE)
 * by doubling, up to ARENA_MAX_STEP.
 */
void arena_init(struct arena *a, size_t first_size);

/* Free all memory.  The arena is empty and usable afterwards. */
void arena_fini(struct arena *a);

/*
 * Free all pieces, but keep the largest chunk: an arena that is filled and
 * reset repeatedly soon calls malloc no more.
 */
void arena_reset(struct arena *a);

/* Move all pieces of `from`, which is empty afterwards, to arena a. */
void arena_adopt(struct arena *a, struct arena *from);

/*
 * Allocate `size` bytes at a multiple of `align`, a power of two up to 4096.
 * A size of 0 is allowed, and its address need not be unique.  The bytes are
 * undefined; arena_zalloc() clears them.  NULL: out of memory; the arena is
 * unchanged, and a smaller request may succeed.
 */
void *arena_alloc(struct arena *a, size_t size, size_t align);
void *arena_zalloc(struct arena *a, size_t size, size_t align);

/* A cleared array of n elements; NULL also if n * size overflows. */
void *arena_array(struct arena *a, size_t n, size_t size, size_t align);

/* A cleared object of this type. */
#define arena_new(a, type) \
    ((type *)arena_zalloc(a, sizeof(type), _Alignof(type)))

/* Copies of strings, with a final NUL. */
char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t max);

/* Bytes allocated from the system, used or free. */
size_t arena_held(const struct arena *a);

#endif /* COMMON_ARENA_H */
