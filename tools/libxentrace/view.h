/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of an input that is in memory: bytes lo .. hi of it, in a row.
 *
 *     0        lo                          hi
 *     |--------|###########################|- - - - - -
 *              bytes                       more, unless it has ended
 *
 * Of a mapped source that is all of it, always.  Of any other it is a buffer
 * that slides along: xt_view_more() brings more at its end, and forgets what
 * its caller says is done with at its beginning.  The buffer grows as far as
 * the caller's need goes, so its size is the caller's to bound.
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
    const unsigned char *bytes;     /* of the input, from `lo` on */
    uint64_t lo, hi;
    bool ended;                     /* nothing comes behind `hi` */
    unsigned char *buffer;          /* holds lo..hi at its offset `begin` */
    size_t room, begin;
};

void xt_view_init(struct xt_view *v, struct xt_source *source);
void xt_view_fini(struct xt_view *v);

/*
 * More, or v->ended; whatever lies before `keep` may go, and v->bytes moves.
 * 0; -EAGAIN: nothing yet; or another -errno, and *e says why.
 */
int xt_view_more(struct xt_view *v, uint64_t keep, struct err *e);

/* Start afresh at byte `at`, of a source that can seek. */
int xt_view_seek(struct xt_view *v, uint64_t at, struct err *e);

static inline const unsigned char *xt_view_at(const struct xt_view *v,
                                              uint64_t at)
{
    return v->bytes + (at - v->lo);
}

#endif /* LIBXENTRACE_VIEW_H */
