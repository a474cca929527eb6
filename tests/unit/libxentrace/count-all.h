/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of an input that is in memory, for unit tests and fuzzers.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_COUNT_ALL_H
#define TESTS_UNIT_LIBXENTRACE_COUNT_ALL_H

#include "libxentrace/counts.h"
#include "libxentrace/seal.h"

/* 0 or -ENOMEM; the caller calls xt_counts_fini() either way. */
static inline int count_all(struct xt_counts *c, const void *bytes,
                            size_t size)
{
    struct xt_damage damage = { 0 };
    struct xt_windows windows;
    struct xt_window w;
    int rc = xt_counts_init(c);

    xt_windows_init(&windows, bytes, size, &damage);
    while ( !rc && xt_windows_next(&windows, &w) )
        if ( xt_window_verify(&w, &damage) )
            rc = xt_counts_add_window(c, &w, &damage);
    if ( !rc )
        rc = xt_counts_finish(c, size, &damage);
    return rc;
}

#endif /* TESTS_UNIT_LIBXENTRACE_COUNT_ALL_H */
