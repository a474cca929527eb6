/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Information about the machine from the first records of a trace: the dialect,
 * the frequency of the clock, the wall clock.  A trace of stock xentrace only
 * has the dialect.
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
    uint64_t hz;                /* 0: not recorded */
    bool has_wall;              /* one time on both clocks */
    uint64_t wall_tsc;
    int64_t wall;               /* nanoseconds since 1970 */
    uint64_t mono;              /* dom0's monotonic clock at that time ... */
    uint64_t cycles, ns;        /* ... and the progress of both at the last
                                   reading */
    bool has_start;
    uint64_t start;             /* the earliest time stamp */
    bool has_run, has_boot;     /* identity of the capture, from metadata */
    uint64_t run;               /* TSC at the start of the capture */
    uint32_t captured;          /* its event mask; 0: unknown */
    uint32_t cpus;              /* the highest pcpu, plus 1; 0: unknown */
    bool is_snapshot;           /* the newest records of a capture: from a
                                   memory buffer, or overwritten rings */
    uint32_t boot[4];           /* boot id of the host */
    bool is_cut;                /* a part of another trace ... */
    uint64_t cut_from, cut_until;       /* ... by its time stamps (0 and
                                           UINT64_MAX: no bound), ... */
    uint64_t cut_origin;        /* ... which begins here */
};

/* Learn from a record.  The first result is kept. */
void xt_info_learn(struct xt_info *info, const struct xt_record *r);

/* True if all is known, as after the first window of our collector. */
static inline bool xt_info_is_complete(const struct xt_info *info)
{
    return info->dialect.from_metadata && info->hz && info->has_wall;
}

/* Source of a clock's frequency, in rising order of preference. */
enum xt_speed
{
    XT_SPEED_ASSUMED,   /* XT_CLOCK_HZ, which may be wrong */
    XT_SPEED_RECORDED,      /* a frequency in the trace */
    XT_SPEED_MEASURED,  /* readings of both clocks in the trace */
    XT_SPEED_GIVEN,     /* an argument of the caller */
};

/*
 * Set up the clock from the best source of its frequency; `hz` is the caller's,
 * or 0.  Returns the source.
 */
enum xt_speed xt_info_clock(const struct xt_info *info, uint64_t hz,
                            struct xt_clock *c);

/*
 * Let a clock of xt_info_clock() begin at `origin`.  The wall clock then does
 * not depend on info->start, not even by rounding: a trace and its parts agree.
 */
void xt_info_set_origin(const struct xt_info *info, struct xt_clock *c,
                        uint64_t origin);

#endif /* LIBXENTRACE_INFO_H */
