/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All windows of an input, which is given whole, or piece by piece as a pipe
 * does.  Each time what is there is an allocation of just that size, so that
 * the address sanitizer sees a look beyond.  For unit tests and fuzzers.
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

/* `piece` more bytes each time; the most that were kept for it. */
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
