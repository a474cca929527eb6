/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace as a compressed file, in frames of chosen sizes.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_ZSTD_FILE_H
#define TESTS_UNIT_LIBXENTRACE_ZSTD_FILE_H

#include <stdio.h>
#include <unistd.h>

#include "libxentrace/zstd.h"

#include "tests/unit/libxentrace/trace-files.h"

static inline int packed_sink(void *to, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, to) == size ? 0 : -5;
}

/*
 * next() returns the offset at which the next frame begins, in a window or not.
 */
static inline void packed_frames(struct xt_zstd_writer *w,
                                 const struct make *m,
                                 size_t (*next)(const struct make *m,
                                                size_t at))
{
    for ( size_t at = 0, end; at < m->size; at = end )
    {
        end = next(m, at);
        ck_assert(!xt_zstd_write(w, &(struct iovec){ (void *)(m->bytes + at),
                                                     end - at }, 1));
        ck_assert(!xt_zstd_flush(w));
    }
}

/*
 * Write the file; path[32] receives its name.  False if this build has no zstd,
 * or m is empty.
 */
static inline bool packed_file(char *path, const struct make *m, bool table,
                               size_t (*next)(const struct make *m,
                                              size_t at))
{
    static const struct make none = { .size = 0 };
    struct xt_zstd_writer *w;
    struct err e = ERR_INIT;
    FILE *file;

    trace_file(path, &none);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    if ( !m->size || xt_zstd_writer_new(&w, 1, packed_sink, file, &e) )
    {
        fclose(file);
        unlink(path);
        return false;
    }
    packed_frames(w, m, next);
    if ( table )
        ck_assert(!xt_zstd_end(w));
    xt_zstd_writer_free(w);
    ck_assert(!fclose(file));
    return true;
}

#endif /* TESTS_UNIT_LIBXENTRACE_ZSTD_FILE_H */
