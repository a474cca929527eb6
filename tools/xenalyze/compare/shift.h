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

#define SHIFT_SAMPLES 20u       /* most samples of a set */

struct shift_sample
{
    double low, high;           /* bounds; `high` may be INFINITY */
    double estimate;            /* if lost events are like the others */
};

struct shift_samples
{
    size_t nr;
    struct shift_sample all[SHIFT_SAMPLES];
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

#endif /* XENALYZE_COMPARE_SHIFT_H */
