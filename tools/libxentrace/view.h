/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of an input that is in memory: bytes lo .. hi, contiguous.
 *
 *     0        lo                          hi
 *     |--------|###########################|- - - - - -
 *              bytes                       more, unless `ended`
 *
 * The view of a mapped source is the whole input.  The view of any other source
 * is a sliding buffer: xt_view_more() reads behind its end, and releases bytes
 * at its beginning that the caller no longer needs.  The buffer grows with the
 * caller's needs, so the caller has to bound its size.
 */
#ifndef LIBXENTRACE_VIEW_H
#define LIBXENTRACE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/source.h"

struct xt_view
{
    struct xt_source *source;       /* borrowed */
    const unsigned char *bytes;     /* the input from `lo` on */
    uint64_t lo, hi;
    bool ended;                     /* nothing follows `hi` */
    unsigned char *buffer;          /* holds lo..hi at offset `begin` */
    size_t room, begin;
};

void xt_view_init(struct xt_view *v, struct xt_source *source);
void xt_view_fini(struct xt_view *v);

/*
 * Read more, or set v->ended.  Bytes before `keep` may be released, and
 * v->bytes moves.  Returns 0; -EAGAIN if no byte is there yet; or another
 * -errno with the reason in *e.
 */
int xt_view_more(struct xt_view *v, uint64_t keep, struct err *e);

/* Continue at byte `at`, of a source that can seek. */
int xt_view_seek(struct xt_view *v, uint64_t at, struct err *e);

static inline const unsigned char *xt_view_at(const struct xt_view *v,
                                              uint64_t at)
{
    return v->bytes + (at - v->lo);
}

#endif /* LIBXENTRACE_VIEW_H */
