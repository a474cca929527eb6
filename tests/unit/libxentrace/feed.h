/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deliver all windows of an input, which is given whole, or in pieces as from a
 * pipe.  The bytes in memory are always an allocation of their exact size, so
 * that the address sanitizer detects reads out of bounds.  For unit tests and
 * fuzzers.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_FEED_H
#define TESTS_UNIT_LIBXENTRACE_FEED_H

#include <stdlib.h>
#include <string.h>

#include "libxentrace/window.h"

typedef void feed_take(void *arg, const struct xt_window *w);

static inline unsigned char *feed_copy(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size + !size);

    if ( !copy )
        abort();
    memcpy(copy, bytes, size);
    return copy;
}

static inline void feed_whole(const unsigned char *bytes, size_t size,
                              feed_take *take, void *arg,
                              struct xt_damage *damage)
{
    unsigned char *exact = feed_copy(bytes, size);
    struct xt_windows windows;
    struct xt_window w;

    xt_windows_init(&windows, exact, size, damage);
    while ( xt_windows_next(&windows, &w) )
        take(arg, &w);
    free(exact);
}

/* Feed `piece` more bytes each time.  Returns the most bytes that were kept. */
static inline size_t feed_pieces(const unsigned char *bytes, size_t size,
                                 size_t piece, feed_take *take, void *arg,
                                 struct xt_damage *damage)
{
    unsigned char *exact = NULL;
    size_t lo, hi = 0, held = 0;
    struct xt_windows windows;
    struct xt_window w;

    xt_windows_init(&windows, NULL, 0, damage);
    windows.more = true;
    for ( ; ; )
    {
        while ( xt_windows_next(&windows, &w) )
            take(arg, &w);
        if ( !windows.more )
            break;
        lo = windows.origin + windows.next;
        hi = size - hi < piece ? size : hi + piece;
        free(exact);
        exact = feed_copy(bytes + lo, hi - lo);
        xt_windows_move(&windows, exact, hi - lo, lo, hi < size);
        held = held < hi - lo ? hi - lo : held;
    }
    free(exact);
    return held;
}

#endif /* TESTS_UNIT_LIBXENTRACE_FEED_H */
