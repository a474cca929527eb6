/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The colours of pictures for eyes with normal colour vision, and with
 * red-green blindness: protanopia and deuteranopia, simulated with the matrices
 * of Machado, Oliveira and Fernandes (2009).  Distances are those of CIE 1976
 * in L*a*b*, where 2.3 is just noticeable.
 */
#include <math.h>

#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/plot/plot-draw.h"

#define EYES 3u

static const double eyes[EYES][3][3] = {
    { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 },
      { -0.003882, -0.048116, 1.051998 } },
    { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 },
      { -0.011820, 0.042940, 0.968881 } },
};

/* Linear sRGB to XYZ, relative to white. */
static const double to_xyz[3][3] = {
    { 0.433953, 0.376219, 0.189828 }, { 0.212673, 0.715152, 0.072175 },
    { 0.017757, 0.109473, 0.872765 },
};

static void multiply(const double m[3][3], const double in[3], double out[3])
{
    for ( int i = 0; i < 3; i++ )
        out[i] = m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2];
}

static void to_lab(uint32_t colour, unsigned int eye, double lab[3])
{
    double rgb[3], seen[3], xyz[3];

    for ( int i = 0; i < 3; i++ )
    {
        double c = (colour >> (16 - 8 * i) & 0xff) / 255.0;

        rgb[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    multiply(eyes[eye], rgb, seen);
    for ( int i = 0; i < 3; i++ )
        seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
    multiply(to_xyz, seen, xyz);
    for ( int i = 0; i < 3; i++ )
        xyz[i] = xyz[i] > 0.008856 ? cbrt(xyz[i])
                                   : 7.787 * xyz[i] + 16.0 / 116;
    lab[0] = 116 * xyz[1] - 16;
    lab[1] = 500 * (xyz[0] - xyz[1]);
    lab[2] = 200 * (xyz[1] - xyz[2]);
}

/* The distance for the eye that tells the colours apart worst. */
static double colour_distance(uint32_t a, uint32_t b)
{
    double least = INFINITY;

    for ( unsigned int eye = 0; eye < EYES; eye++ )
    {
        double x[3], y[3], d;

        to_lab(a, eye, x);
        to_lab(b, eye, y);
        d = sqrt((x[0] - y[0]) * (x[0] - y[0]) +
                 (x[1] - y[1]) * (x[1] - y[1]) +
                 (x[2] - y[2]) * (x[2] - y[2]));
        least = d < least ? d : least;
    }
    return least;
}

/* On a light and on a dark page. */
static double paint_distance(struct plot_paint a, struct plot_paint b)
{
    return fmin(colour_distance(a.light, b.light),
                colour_distance(a.dark, b.dark));
}

/* The simulation itself: red and green of one lightness look alike. */
START_TEST(simulation_is_blind)
{
    ck_assert_double_gt(colour_distance(0x000000, 0xffffff), 99.9);
    ck_assert_double_lt(colour_distance(0xff0000, 0x6e6300), 25);
    /* The former colours of running and waiting. */
    ck_assert_double_lt(colour_distance(0x2ca02c, 0xff7f0e), 25);
}
END_TEST

START_TEST(states_differ)
{
    static const unsigned int states[] = {
        STATE_RUNNING, STATE_RUNNABLE, STATE_BLOCKED, STATE_NO_DATA, STATE_LOST,
    };
    const unsigned int nr = sizeof(states) / sizeof(states[0]);

    for ( unsigned int i = 0; i < nr; i++ )
        for ( unsigned int k = 0; k < i; k++ )
            ck_assert_double_gt(paint_distance(plot_state_paint(states[i]),
                                               plot_state_paint(states[k])),
                                28);
}
END_TEST

#define DOMAINS 32u
#define SHADES 5u

/* Any vcpu of a domain differs from any vcpu of the next. */
START_TEST(neighbouring_domains_differ)
{
    for ( unsigned int d = 0; d < DOMAINS; d++ )
    {
        ck_assert_double_gt(paint_distance(plot_whole_domain_paint(d),
                                           plot_whole_domain_paint(d + 1)),
                            35);
        for ( unsigned int i = 0; i < SHADES * SHADES; i++ )
            ck_assert_double_gt(
                paint_distance(plot_domain_paint(d, i / SHADES / 4.0),
                               plot_domain_paint(d + 1, i % SHADES / 4.0)),
                35);
    }
}
END_TEST

/* No domain looks as if nothing ran, or nothing was known. */
START_TEST(domains_differ_from_states)
{
    static const unsigned int kinds[] = { PLOT_OF_IDLE, PLOT_OF_LOST };
    struct plot_paint no_data = plot_state_paint(STATE_NO_DATA);

    for ( unsigned int d = 0; d < DOMAINS; d++ )
        for ( unsigned int i = 0; i < SHADES; i++ )
        {
            struct plot_paint p = plot_domain_paint(d, i / 4.0);

            ck_assert_double_gt(paint_distance(p, no_data), 14);
            for ( unsigned int k = 0; k < 2; k++ )
                ck_assert_double_gt(
                    paint_distance(p, plot_series_paint(PLOT_KEY(kinds[k], 0),
                                                        0, 0, false)), 14);
        }
}
END_TEST

/* The vcpus of a domain go from dark to light. */
START_TEST(shades_are_ordered)
{
    for ( unsigned int d = 0; d < DOMAINS; d++ )
        for ( unsigned int i = 1; i < SHADES; i++ )
        {
            double darker[3], lighter[3];

            to_lab(plot_domain_paint(d, (i - 1) / 4.0).light, 0, darker);
            to_lab(plot_domain_paint(d, i / 4.0).light, 0, lighter);
            ck_assert_double_gt(lighter[0], darker[0] + 4);
        }
}
END_TEST

/* Lightness alone orders the steps of a scale. */
START_TEST(scale_is_ordered)
{
    static const struct plot_view v = { .nr_series = 0 };

    for ( unsigned int eye = 0; eye < EYES; eye++ )
        for ( unsigned int i = 1; i < PLOT_STEPS; i++ )
        {
            struct plot_paint less = plot_paint(&v, PAINT_SCALE + i - 1);
            struct plot_paint more = plot_paint(&v, PAINT_SCALE + i);
            double a[3], b[3];

            to_lab(less.light, eye, a);
            to_lab(more.light, eye, b);
            ck_assert_double_gt(a[0], b[0] + 2);
            to_lab(less.dark, eye, a);
            to_lab(more.dark, eye, b);
            ck_assert_double_lt(a[0] + 2, b[0]);
        }
}
END_TEST

UNIT_MAIN("plot colours", simulation_is_blind, states_differ,
          neighbouring_domains_differ, domains_differ_from_states,
          shades_are_ordered, scale_is_ordered)
