/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a trace says of itself, or gives away, near its beginning: which Xen it
 * is of, how fast the clock was, when it was.  Of stock's traces none of that
 * but the dialect is known.
 */
#ifndef LIBXENTRACE_INFO_H
#define LIBXENTRACE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/clock.h"
#include "libxentrace/dialect.h"
#include "libxentrace/record.h"

struct xt_info
{
    struct xt_dialect dialect;
    uint64_t hz;                /* 0: not said */
    bool has_wall;              /* one moment on both clocks */
    uint64_t wall_tsc;
    int64_t wall;               /* nanoseconds since 1970 */
    uint64_t mono;              /* dom0's monotonic clock, at that moment ... */
    uint64_t cycles, ns;        /* ... and how far both were at the last one */
    bool has_start;
    uint64_t start;             /* the earliest time stamp of all that */
};

/* Note what this record says.  What comes first, stays. */
void xt_info_learn(struct xt_info *info, const struct xt_record *r);

/* Is it all there, as our collector says it in its first window? */
static inline bool xt_info_is_complete(const struct xt_info *info)
{
    return info->dialect.from_metadata && info->hz && info->has_wall;
}

/* Who says how fast a clock is. */
enum xt_speed
{
    XT_SPEED_ASSUMED,   /* nobody: it is XT_CLOCK_HZ, which may be wrong */
    XT_SPEED_RECORDED,      /* the trace, in so many words */
    XT_SPEED_MEASURED,  /* the trace, by moments on both clocks */
    XT_SPEED_GIVEN,     /* the user */
};

/*
 * The clock that all this makes; `hz` is what somebody typed, or 0.  Of those
 * above, the last one that there is.
 */
enum xt_speed xt_info_clock(const struct xt_info *info, uint64_t hz,
                            struct xt_clock *c);

#endif /* LIBXENTRACE_INFO_H */
