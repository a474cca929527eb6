/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of colours, each for a light and a dark page.  A reader with
 * red-green blindness tells colours apart by lightness, and blue from yellow.
 * So neighbouring domains alternate between bluish and yellowish hues, and the
 * index of a vcpu selects a shade from dark to light.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>

static const struct plot_paint roles[PAINT_SERIES] = {
    [PAINT_PAGE] = { 0xffffff, 0x14171a },
    [PAINT_INK] = { 0x222222, 0xdddddd },
    [PAINT_GRID] = { 0xdddddd, 0x33383d },
    [PAINT_GROUND] = { 0xf4f4f4, 0x1b1f23 },
    [PAINT_NO_DATA] = { 0x8f8f8f, 0x7c7c7c },
    [PAINT_LOST] = { 0x990033, 0xffe8ef },
    [PAINT_IDLE] = { 0xd5e1ec, 0x2a3946 },
    /* Pale yellow to dark blue; on a dark page the reverse. */
    [PAINT_SCALE] =
        { 0xfffbc4, 0x1d2b6b }, { 0xdff0a5, 0x23408f }, { 0xc0e3a5, 0x2457a3 },
        { 0x96d3b0, 0x2272b5 }, { 0x66c1bb, 0x2a8fc0 }, { 0x41a9c2, 0x45a8c2 },
        { 0x2a8abc, 0x6bc0bb }, { 0x2567ab, 0x98d3b0 }, { 0x24459b, 0xc5e5a5 },
        { 0x111f66, 0xf4f2a6 },
};

static const struct plot_paint states[STATES] = {
    [STATE_RUNNING] = { 0x0072b2, 0x3f9fe0 },
    [STATE_RUNNABLE] = { 0xf09000, 0xf5a623 },
    [STATE_BLOCKED] = { 0xd5e1ec, 0x2a3946 },
    [STATE_OFFLINE] = { 0xc7b299, 0x5a4a30 },
    [STATE_LOST] = { 0x990033, 0xffe8ef },
    [STATE_QUEUED] = { 0xefefef, 0x202428 },
    [STATE_INIT] = { 0xefefef, 0x202428 },
    [STATE_NO_DATA] = { 0x8f8f8f, 0x7c7c7c },
};

/* The shades of the first and the last vcpu of a domain. */
static const struct { uint32_t dark, light; } hues[] = {
    { 0x005a9c, 0x6db8e8 },     /* blue */
    { 0xb85c00, 0xffbe66 },     /* orange */
    { 0x5b2a86, 0xb89ae0 },     /* purple */
    { 0x6b6b00, 0xc9c94a },     /* olive */
    { 0x006f85, 0x5cc4dc },     /* cyan */
    { 0xb5502a, 0xf0a888 },     /* brown */
    { 0x3444b0, 0x93a3f0 },     /* indigo */
    { 0x8a6700, 0xe8c33c },     /* yellow */
};

#define HUES (sizeof(hues) / sizeof(hues[0]))

_Static_assert(HUES % 2 == 0, "bluish and yellowish hues alternate");

static uint32_t mix_channel(uint32_t dark, uint32_t light, int shift,
                            double share)
{
    double a = dark >> shift & 0xff, b = light >> shift & 0xff;

    return (uint32_t)(a + (b - a) * share + 0.5) << shift;
}

struct plot_paint plot_domain_paint(unsigned int domain, double shade)
{
    uint32_t dark = hues[domain % HUES].dark;
    uint32_t light = hues[domain % HUES].light;
    uint32_t colour;

    assert(shade >= 0 && shade <= 1);
    colour = mix_channel(dark, light, 16, shade) |
             mix_channel(dark, light, 8, shade) |
             mix_channel(dark, light, 0, shade);
    return (struct plot_paint){ colour, colour };
}

/* Domains that share a hue differ in lightness. */
struct plot_paint plot_whole_domain_paint(unsigned int domain)
{
    static const double shades[] = { 0.4, 1, 0, 0.7 };

    return plot_domain_paint(domain, shades[domain / HUES % 4]);
}

struct plot_paint plot_state_paint(unsigned int state)
{
    return states[state < STATES ? state : STATE_NO_DATA];
}

struct plot_paint plot_series_paint(uint64_t key, unsigned int domain,
                                    double shade, bool dots)
{
    static const struct plot_paint idle = { 0xb4c0cc, 0x55636f };
    static const struct plot_paint blocked = { 0x4d4d4d, 0xe8e8e8 };
    static const struct plot_paint others = { 0xc3bcb0, 0x544e44 };

    switch ( (enum plot_kind)(key >> 48) )
    {
    case PLOT_OF_VCPU:
        return plot_domain_paint(domain, shade);
    case PLOT_OF_STATE:
        return dots && (key & 0xff) == STATE_BLOCKED
               ? blocked : plot_state_paint(key & 0xff);
    case PLOT_OF_IDLE:
        return dots ? idle : roles[PAINT_IDLE];
    case PLOT_OF_LOST:
        return roles[PAINT_LOST];
    case PLOT_OF_OTHERS:
        return others;
    default:
        return plot_whole_domain_paint(domain);
    }
}

struct plot_paint plot_paint(const struct plot_view *v, unsigned int paint)
{
    assert(paint < PLOT_PAINTS);
    return paint < PAINT_SERIES ? roles[paint]
                                : v->series[paint - PAINT_SERIES].paint;
}

uint32_t plot_colour(const struct plot_view *v, unsigned int paint)
{
    struct plot_paint p = plot_paint(v, paint);

    return v->theme == PLOT_DARK ? p.dark : p.light;
}
