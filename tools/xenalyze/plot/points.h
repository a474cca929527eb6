/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points of a scatterplot, and where they go: to stock's lines at once,
 * likewise to programs (export/), or to a plot, which keeps them.
 */
#ifndef XENALYZE_PLOT_POINTS_H
#define XENALYZE_PLOT_POINTS_H

#include <stdint.h>
#include <stdio.h>

/* How stock names who a point is of. */
enum point_who
{
    POINT_NOBODY,               /* "t value" */
    POINT_VCPU,                 /* "1v0 t value" */
    POINT_D_VCPU,               /* "d1v0 t value" */
    POINT_IRQ,                  /* "i1f t value" */
};

enum point_unit
{
    POINT_NUMBER,               /* signed */
    POINT_TIME,                 /* nanoseconds, as seconds */
    POINT_LARGE,                /* unsigned */
};

struct point
{
    enum point_who who;
    enum point_unit unit;
    uint32_t domain, vcpu;      /* of an irq, vcpu is its number */
    uint64_t at;                /* the time stamp */
    int64_t time;               /* nanoseconds since the trace began */
    int64_t value;
};

struct points
{
    void (*put)(void *state, const struct point *p);
    void *state;
};

#define POINTS_LINE_MAX 128u

/* A line of stock's; the place behind it. */
char *points_line(char *p, const struct point *point);

/* To a file, line by line. */
struct points points_to_file(FILE *out);

#endif /* XENALYZE_PLOT_POINTS_H */
