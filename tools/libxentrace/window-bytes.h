/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of a window of a mapped file, read into a buffer.  A reader of all
 * records uses each page once, and to map a page can cost more than to copy it:
 * in a guest of a hypervisor that shadows its page tables, as in a PV domain,
 * each page table entry is an exit.  Measured for 240 MB in the page cache: 130
 * ms to map, touch and unmap the pages, 31 ms to read 64 KiB at a time.  Where
 * the hardware walks the guest's page tables, the difference is some ms, in
 * either direction.
 */
#ifndef LIBXENTRACE_WINDOW_BYTES_H
#define LIBXENTRACE_WINDOW_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "libxentrace/source.h"

/* A window of more bytes stays mapped. */
#define XT_WINDOW_BYTES_MOST (1u << 20)

/* Short windows are read so many bytes at a time. */
#define XT_WINDOW_BYTES_MANY (64u << 10)

struct xt_window_bytes
{
    unsigned char *buffer;
    size_t room, most;          /* bytes; the buffer does not exceed `most` */
    uint64_t at;                /* offset of buffer[0] in the input */
    size_t size;                /* bytes in the buffer */
    uint64_t last;              /* offset that was asked for last */
};

void xt_window_bytes_fini(struct xt_window_bytes *b);

/* `size` bytes from offset `at`, which the buffer has; else NULL. */
const unsigned char *xt_window_bytes_find(const struct xt_window_bytes *b,
                                          uint64_t at, size_t size);

/*
 * Read `size` bytes from offset `at`.  Valid until the next call.  NULL: more
 * than b->most, or not readable; use the mapping.
 */
const unsigned char *xt_window_bytes_load(struct xt_window_bytes *b,
                                          const struct xt_source *s,
                                          uint64_t at, size_t size);

/*
 * Likewise, unless the buffer has them, and reads ahead where short windows
 * follow each other: a system call for each takes longer than its records.
 */
const unsigned char *xt_window_bytes_next(struct xt_window_bytes *b,
                                          const struct xt_source *s,
                                          uint64_t at, size_t size);

#endif /* LIBXENTRACE_WINDOW_BYTES_H */
