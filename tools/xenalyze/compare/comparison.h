/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a comparison, for the files of this folder only.
 */
#ifndef XENALYZE_COMPARE_COMPARISON_H
#define XENALYZE_COMPARE_COMPARISON_H

#include "xenalyze/compare/compare.h"
#include "xenalyze/compare/domain-match.h"
#include "xenalyze/compare/measure.h"
#include "xenalyze/compare/profile.h"

enum verdict
{
    VERDICT_CHANCE,              /* within noise */
    VERDICT_LOST,               /* lost records may be the cause */
    VERDICT_CHANGED,
};

struct comparison_row
{
    const struct measure *measure;
    uint64_t keys[2];           /* in the hash table of each profile */
    bool has_value[2];
    double values[2];
    struct shift shift;         /* including lost records */
    double cost;                /* ns per second; above 0: more in B */
    uint8_t verdict;            /* enum verdict */
};

struct comparison
{
    struct compare_side sides[2];
    struct domain_pair *pairs;
    size_t nr_pairs;
    struct comparison_row *rows;        /* most expensive first */
    size_t nr, room;
    bool is_recorded[MEASURE_CLASSES][2];
    bool lacks[MEASURE_CLASSES][2];     /* rows, since this trace has no events
                                           of the class */
};

/* The name of a trace in tables: A or B. */
static inline const char *comparison_letter(unsigned int side)
{
    return side ? "B" : "A";
}

/* The class for people, and as argument of "xentrace -e". */
const char *comparison_class_name(enum measure_class class);
const char *comparison_class_events(enum measure_class class);

/* The name of an exit reason or a hypercall; NULL for other rows. */
#define COMPARISON_DETAIL 40u

const char *comparison_detail(const struct comparison_row *row,
                              char text[COMPARISON_DETAIL]);

#endif /* XENALYZE_COMPARE_COMPARISON_H */
