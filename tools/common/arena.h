/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An arena: memory that is taken piece by piece and given back all at once.
 * For things that live exactly as long as their owner (the domains and vcpus
 * of one analysis, the rules of one file): no free() per thing, no header per
 * thing, neighbours in memory.  A piece never moves, so pointers into an
 * arena stay good until arena_reset() or arena_fini().
 *
 * Not for many threads at once: each has its own.
 */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena
{
    struct arena_chunk *chunks; /* newest first; pieces come from the first */
    char *at, *end;             /* what is left of it */
    size_t next_size;           /* of the next chunk */
    size_t first_size;
    size_t held;                /* bytes taken from the system */
};

#define ARENA_FIRST_SIZE 4096u
#define ARENA_MAX_STEP (1u << 20)

/*
 * Allocates nothing yet.  Chunks grow from first_size (0: ARENA_FIRST_SIZE)
 * by doubling, up to ARENA_MAX_STEP.
 */
void arena_init(struct arena *a, size_t first_size);

/* Gives all of it back.  The arena is empty and usable afterwards. */
void arena_fini(struct arena *a);

/*
 * Forgets every piece, and keeps the largest chunk: an arena that is filled
 * and reset over and over comes to rest without calling malloc.
 */
void arena_reset(struct arena *a);

/*
 * A piece of `size` bytes (0 is allowed: an address of its own is not
 * promised), at a multiple of `align`, a power of two up to 4096.  Its bytes
 * are undefined; arena_zalloc clears them.  NULL: no memory; the arena is as
 * it was, and may be asked for less.
 */
void *arena_alloc(struct arena *a, size_t size, size_t align);
void *arena_zalloc(struct arena *a, size_t size, size_t align);

/* n things in a row, cleared; NULL also if n * size does not fit. */
void *arena_array(struct arena *a, size_t n, size_t size, size_t align);

/* One cleared `type`. */
#define arena_new(a, type) \
    ((type *)arena_zalloc(a, sizeof(type), _Alignof(type)))

/* Copies, with a final NUL. */
char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t max);

/* Bytes that the arena holds from the system, used or not. */
size_t arena_held(const struct arena *a);

#endif /* COMMON_ARENA_H */
