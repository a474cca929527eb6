/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Far steps forward in time.  A damaged time stamp is mostly far in the future:
 * random bytes are a time of a thousand years.  A pcpu that believed such a
 * time stamp would have no later record, and the trace would seem as long.  So
 * each reader asks here before its time makes a far step.
 *
 *      window        next window of the pcpu
 *     |- - r t - - -|n - - -                    credible: r < t <= n
 *
 * The time of the next window bounds all time stamps of a window.  The last
 * windows of the pcpus have no next ones: their bound is the HORIZON, the
 * latest time of the segment that has evidence.  Within these bounds the next
 * records of the pcpu decide.
 *
 * A long silence is no damage.  The time after a silence counts if its record
 * is not in the pcpu's last window, if another pcpu has a similar time, if the
 * silence is no longer than the trace up to there, or than 2^48 cycles (a day
 * at 3 GHz), and if the only pcpu of a trace has several such records.  A few
 * records between a far step and a damaged record are no evidence for the step:
 * they are most likely damaged as well.
 */
#ifndef LIBXENTRACE_TIME_STEP_H
#define LIBXENTRACE_TIME_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/index.h"
#include "libxentrace/view.h"

/* A step of more cycles is far. */
#define XT_FAR_STEP (UINT64_C(1) << 22)

static inline bool xt_step_is_far(uint64_t from, uint64_t to)
{
    return to > from && to - from > XT_FAR_STEP;
}

/* The end of the near steps from `from`. */
static inline uint64_t xt_step_limit(uint64_t from)
{
    return from < UINT64_MAX - XT_FAR_STEP ? from + XT_FAR_STEP : UINT64_MAX;
}

/*
 * True if the pcpu of window `entry` may make the far step to `to`, the
 * corrected time stamp of the record that ends at `at`; `end` is the end of the
 * records of the window.
 */
bool xt_step_is_credible(const struct xt_index *i, uint64_t entry,
                         const unsigned char *at, const unsigned char *end,
                         uint64_t to);

/*
 * The latest time of a pcpu that no long silence precedes, and the latest time
 * behind such a silence.  Begin with a credible time.
 */
struct xt_latest
{
    bool known;                 /* the pcpu has a time */
    bool is_anchored;           /* earlier windows support `time` */
    uint64_t time, far;
    uint64_t last;              /* the time that was added last */
    unsigned int nr, nr_far;    /* times added; those behind the silence */
    uint64_t before_step;       /* the time before the latest far step ... */
    unsigned int nr_step;       /* ... and times from there on; 0: no step */
    bool precedes_damage;       /* `far` is just before a damaged record */
};

/*
 * A window of the pcpu begins at `time`, and may show that the few records
 * before had a damaged time.
 */
void xt_latest_begin(struct xt_latest *l, uint64_t time);

/* Add the next time stamp of the pcpu; `first` is the first of all pcpus. */
void xt_latest_add(struct xt_latest *l, uint64_t first, uint64_t time);

/*
 * Is the time that was added last the latest, and does it need no evidence by
 * the next times?  Then xt_latest_add_near() adds `nr` times that rise without
 * a far step, up to `time`.
 */
bool xt_latest_is_steady(const struct xt_latest *l);
void xt_latest_add_near(struct xt_latest *l, unsigned int nr, uint64_t time);

/*
 * All records of window `w`, from its header on in memory, have been added; the
 * last one ends at `at`.  Damage may follow there.
 */
void xt_latest_end_window(struct xt_latest *l, const struct xt_window *w,
                          const unsigned char *at);

/*
 * The latest time with evidence of `nr` pcpus; the maximum if no time is known.
 * 0 or -ENOMEM.
 */
int xt_latest_find_horizon(const struct xt_latest *l, size_t nr,
                           uint64_t first, uint64_t *horizon);

/*
 * All windows of a segment are in the index: set its horizon, and correct the
 * times of windows behind the horizon.  0 or -ENOMEM.
 */
int xt_index_set_horizon(struct xt_index *i, const struct xt_view *v);

#endif /* LIBXENTRACE_TIME_STEP_H */
