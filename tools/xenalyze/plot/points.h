/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The points of a scatterplot.  A receiver prints them at once, in stock's
 * lines or for programs (export/), or keeps them for a picture.
 */
#ifndef XENALYZE_PLOT_POINTS_H
#define XENALYZE_PLOT_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The owner of a point, as stock prints it. */
enum point_owner
{
    POINT_NO_OWNER,             /* "t value" */
    POINT_VCPU,                 /* "1v0 t value" */
    POINT_D_VCPU,               /* "d1v0 t value" */
    POINT_IRQ,                  /* "i1f t value" */
};

enum point_unit
{
    POINT_NUMBER,               /* signed */
    POINT_TIME,                 /* nanoseconds; printed in seconds */
    POINT_LARGE,                /* unsigned */
    POINT_CYCLES,               /* printed as they are; drawn in nanoseconds */
};

struct point
{
    enum point_owner owner;
    enum point_unit unit;
    uint32_t domain, vcpu;      /* for POINT_IRQ, vcpu is the irq */
    uint64_t at;                /* time stamp */
    int64_t time;               /* nanoseconds since the trace began */
    int64_t value;
    int64_t duration;           /* for POINT_CYCLES: nanoseconds */
    bool by_state;              /* pictures colour it by runstate ... */
    uint8_t state;              /* ... which is this */
};

/* A receiver of points. */
struct points
{
    void (*put)(void *state, const struct point *p);
    void (*end)(void *state);   /* a segment ends; or NULL */
    void *state;
};

/* A receiver that prints stock's lines. */
struct points points_to_file(FILE *out);

#endif /* XENALYZE_PLOT_POINTS_H */
