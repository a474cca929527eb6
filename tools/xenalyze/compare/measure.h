/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of measures: values of a vcpu, domain or pcpu that are compared.
 * A header for the files of this folder only.
 */
#ifndef XENALYZE_COMPARE_MEASURE_H
#define XENALYZE_COMPARE_MEASURE_H

#include "xenalyze/compare/profile.h"

enum measure_unit
{
    MEASURE_SHARE,              /* time per time; 1 is all of a pcpu */
    MEASURE_RATE,               /* events per second */
    MEASURE_MEAN,               /* ns */
    MEASURE_QUANTILE,           /* ns */
    MEASURE_UNITS
};

/* Classes of events; a measure needs records of one class. */
enum measure_class
{
    MEASURE_SCHED, MEASURE_EXITS, MEASURE_HYPERCALLS, MEASURE_INTERRUPTS,
    MEASURE_CLASSES
};

struct measure
{
    const char *name;           /* for programs */
    const char *label;          /* for people */
    enum measure_unit unit;
    enum measure_class needs;
    enum figure_kind kind;      /* time, or number of events */
    enum figure_kind time;      /* length of the events; equal to `kind`:
                                   the table of series has them */
    unsigned int place;         /* percentile; 100: the maximum */
    bool is_host;               /* about pcpus, not vcpus */
    double weight;              /* share of events with that cost */
};

/* A value, and an array with a sample per interval. */
struct measured
{
    bool has_value;             /* false: there are no events */
    double value;
    double rate;                /* events per second */
    double length;              /* their mean length in ns; 0: unknown */
    struct shift_samples samples;       /* merged intervals, for ranks */
    struct shift_samples parts; /* all intervals of a share, for bursts */
};

/* The table of measures, and its number of rows. */
const struct measure *measure_table(size_t *nr);

/* Measure the vcpu, domain or pcpu of `key`, a key of m->kind. */
void measure_profile(const struct measure *m, const struct profile *p,
                     uint64_t key, struct measured *out);

/* The cost of a change in ns per second; 0: no cost is known. */
double measure_cost(const struct measure *m, const struct measured *a,
                    const struct measured *b);

/* The mean share of time in which a pcpu ran a vcpu. */
double measure_busy(const struct profile *p);

/* The cycles in which records were lost in the span, summed over pcpus. */
uint64_t measure_lost_time(const struct profile *p);

/* Does the trace have events of the class? */
bool measure_is_recorded(const struct profile *p, enum measure_class class);

#endif /* XENALYZE_COMPARE_MEASURE_H */
