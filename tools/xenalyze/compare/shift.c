/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounds of a shift by ranks.  The array of all differences between a
 * sample of B and a sample of A is sorted.  The index of the true shift in this
 * array is random, with a known distribution, whatever the distribution of the
 * samples is.  An index before the begin of the array means too few samples.
 *
 * Events of consecutive intervals may depend on each other, which is as if
 * there were fewer samples: the correlation of neighbours in the array widens
 * the bounds.
 */
#include "xenalyze/compare/shift.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define STEPS 64u               /* steps of a bisection */
#define MAX_QUANTILE 64.0
#define MAX_CORRELATION 0.9

double shift_quantile(double risk, size_t tests)
{
    double tail = risk / (2.0 * (double)(tests ? tests : 1));
    double low = 0, high = MAX_QUANTILE;

    assert(risk > 0 && risk < 1);
    for ( unsigned int i = 0; i < STEPS; i++ )
    {
        double middle = (low + high) / 2;

        if ( erfc(middle / sqrt(2.0)) / 2 > tail )
            low = middle;
        else
            high = middle;
    }
    return high;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double sum_estimates(const struct shift_samples *s)
{
    double sum = 0;

    for ( size_t i = 0; i < s->nr; i++ )
        sum += s->all[i].estimate;
    return sum;
}

/* The correlation of neighbours in the array; 0 if it is negative. */
static double get_correlation(const struct shift_samples *s)
{
    double mean = s->nr ? sum_estimates(s) / (double)s->nr : 0;
    double product = 0, square = 0;

    for ( size_t i = 0; i < s->nr; i++ )
    {
        double x = s->all[i].estimate - mean;

        square += x * x;
        if ( i + 1 < s->nr )
            product += x * (s->all[i + 1].estimate - mean);
    }
    if ( !(square > 0) || product <= 0 )
        return 0;
    return fmin(product / square, MAX_CORRELATION);
}

/* The factor by which dependent samples widen the bounds. */
static double get_widening(const struct shift_samples *a,
                       const struct shift_samples *b)
{
    double r = (get_correlation(a) + get_correlation(b)) / 2;

    assert(r >= 0 && r < 1);
    return sqrt((1 + r) / (1 - r));
}

/* The index of the lower bound in the sorted array, from 1; below 1: none. */
static double count_beyond(const struct shift_samples *a,
                           const struct shift_samples *b, double quantile)
{
    double na = (double)a->nr, nb = (double)b->nr;
    double spread = sqrt(na * nb * (na + nb + 1) / 12) * get_widening(a, b);

    return floor(na * nb / 2 - quantile * spread);
}

/* The difference at index `rank` of the sorted array, from 1. */
static double ranked_difference(const struct shift_samples *a,
                                const struct shift_samples *b, size_t rank,
                                double (*difference)(
                                    const struct shift_sample *,
                                    const struct shift_sample *))
{
    double all[SHIFT_SAMPLES * SHIFT_SAMPLES];
    size_t nr = 0;

    for ( size_t i = 0; i < a->nr; i++ )
        for ( size_t k = 0; k < b->nr; k++ )
            all[nr++] = difference(&a->all[i], &b->all[k]);
    assert(rank >= 1 && rank <= nr);
    qsort(all, nr, sizeof(all[0]), compare_doubles);
    return all[rank - 1];
}

static double least_difference(const struct shift_sample *a,
                               const struct shift_sample *b)
{
    return b->low - a->high;
}

static double most_difference(const struct shift_sample *a,
                              const struct shift_sample *b)
{
    return b->high - a->low;
}

static double estimated_difference(const struct shift_sample *a,
                                   const struct shift_sample *b)
{
    return b->estimate - a->estimate;
}

struct shift shift_between(const struct shift_samples *a,
                           const struct shift_samples *b, double quantile,
                           bool with_loss)
{
    double beyond = count_beyond(a, b, quantile);
    struct shift s = { .is_known = beyond >= 1 };
    size_t rank = s.is_known ? (size_t)beyond : 0;

    assert(a->nr <= SHIFT_SAMPLES && b->nr <= SHIFT_SAMPLES);
    if ( !s.is_known )
        return s;
    s.low = ranked_difference(a, b, rank, with_loss ? least_difference
                                                    : estimated_difference);
    s.high = ranked_difference(a, b, a->nr * b->nr + 1 - rank,
                               with_loss ? most_difference
                                         : estimated_difference);
    return s;
}

/* --- bursts --------------------------------------------------------------- */

/*
 * Store the bounds of samples that are nearest to the other array, so that a
 * burst is one whatever lost records hide.  Bursts below are bursts above of
 * the negative values.
 */
static void get_bounds(const struct shift_samples *s, bool negate,
                       bool use_low, bool with_loss,
                       double bounds[SHIFT_PARTS])
{
    for ( size_t i = 0; i < s->nr; i++ )
    {
        const struct shift_sample *x = &s->all[i];
        double value = !with_loss ? x->estimate
                                  : use_low != negate ? x->low : x->high;

        bounds[i] = negate ? -value : value;
    }
}

/* The maximum, and as much again as the maximum is above the median. */
static double find_limit(const double *bounds, size_t nr)
{
    double sorted[SHIFT_PARTS];

    assert(nr >= 1 && nr <= SHIFT_PARTS);
    for ( size_t i = 0; i < nr; i++ )
        sorted[i] = bounds[i];
    qsort(sorted, nr, sizeof(sorted[0]), compare_doubles);
    return 2 * sorted[nr - 1] - sorted[nr / 2];
}

/*
 * The probability that the greatest `length` of all samples are a run in one
 * array of `nr`, if the other array has `others`.
 */
static double run_probability(size_t length, size_t nr, size_t others)
{
    double p = (double)(nr + 1 - length);

    assert(length <= nr);
    for ( size_t i = 0; i < length; i++ )
        p *= (double)(i + 1) / (double)(nr + others - i);
    return p;
}

/*
 * A run counts as a shorter run if the other samples depend on each other by
 * more than the standard error of the correlation of independent samples.
 */
static size_t get_effective_length(size_t length,
                                   const struct shift_samples *others)
{
    double r = fmax(0, get_correlation(others) - 1 / sqrt((double)others->nr));

    return (size_t)floor((double)length * (1 - r) / (1 + r));
}

/*
 * How far all bursts of `x` are above the limit of `others`, as a mean of all
 * samples; 0: there is none.
 */
static double find_bursts(const struct shift_samples *x,
                          const struct shift_samples *others, bool negate,
                          double risk, bool with_loss)
{
    double bounds[SHIFT_PARTS], limits[SHIFT_PARTS], sum = 0, run = 0;
    double limit;
    size_t length = 0, effective;

    get_bounds(x, negate, true, with_loss, bounds);
    get_bounds(others, negate, false, with_loss, limits);
    limit = find_limit(limits, others->nr);
    for ( size_t i = 0; i <= x->nr; i++ )
    {
        if ( i < x->nr && bounds[i] > limit )
        {
            run += bounds[i] - limit;
            length++;
            continue;
        }
        effective = get_effective_length(length, others);
        if ( effective && run_probability(effective, x->nr, others->nr) < risk )
            sum += run;
        run = 0;
        length = 0;
    }
    return sum / (double)x->nr;
}

struct shift shift_by_bursts(const struct shift_samples *a,
                             const struct shift_samples *b, double risk,
                             bool with_loss)
{
    struct shift s = { .is_known = false };
    double up, down;

    assert(risk > 0 && risk < 1);
    if ( !a->nr || !b->nr )
        return s;
    /* A burst may be on either side, and in either direction. */
    risk /= 4;
    up = find_bursts(b, a, false, risk, with_loss) +
         find_bursts(a, b, true, risk, with_loss);
    down = find_bursts(b, a, true, risk, with_loss) +
           find_bursts(a, b, false, risk, with_loss);
    s.is_known = (up > 0) != (down > 0);
    s.low = up > 0 ? up : -INFINITY;
    s.high = down > 0 ? -down : INFINITY;
    return s;
}
