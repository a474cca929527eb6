/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rank test of a comparison: bounds of the shift from one array of samples
 * to another.
 *
 * A sample is the value of one interval of a trace: a struct with a lower and
 * an upper bound, since lost records may hide events.
 */
#ifndef XENALYZE_COMPARE_SHIFT_H
#define XENALYZE_COMPARE_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

#define SHIFT_SAMPLES 20u       /* most samples of a set, for ranks */
#define SHIFT_PARTS 40u         /* the same for bursts */

struct shift_sample
{
    double low, high;           /* bounds; `high` may be INFINITY */
    double estimate;            /* if lost events are like the others */
};

struct shift_samples
{
    size_t nr;
    struct shift_sample all[SHIFT_PARTS];
};

/* The confidence interval of a shift, in the unit of the samples. */
struct shift
{
    bool is_known;              /* false: too few samples */
    double low, high;
};

/*
 * The quantile of the normal distribution that any of `tests` two-sided tests
 * exceeds by chance with the probability `risk` (Bonferroni): in a table of
 * many rows, each row is tested more strictly.
 */
double shift_quantile(double risk, size_t tests);

/*
 * Returns the shift from array `a` to array `b`: the Hodges-Lehmann confidence
 * interval of the Mann-Whitney rank test.  `with_loss`: of the fields `low` and
 * `high`, so that the bounds hold whatever lost records hide; else of the field
 * `estimate`.
 */
struct shift shift_between(const struct shift_samples *a,
                           const struct shift_samples *b, double quantile,
                           bool with_loss);

/*
 * The rank test compares medians, and sees no load that lasts for less than
 * half of a trace.  A BURST is a run of consecutive samples of one array beyond
 * all samples of the other one, by more than the distance of these from their
 * median.  If all samples were drawn alike, and in any order, a run of this
 * length would appear with a probability below `risk`.
 *
 * Returns the bounds of the change from `a` to `b` by bursts, as the mean of
 * all samples: low > 0 if b has a burst above a, or a has a burst below b; high
 * < 0 for the reverse.  Not known: there is no burst.  A sample for each
 * interval.
 */
struct shift shift_by_bursts(const struct shift_samples *a,
                             const struct shift_samples *b, double risk,
                             bool with_loss);

#endif /* XENALYZE_COMPARE_SHIFT_H */
