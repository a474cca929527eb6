/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Believable traces of any size: HVM guests that exit and enter, with a change
 * of runstate now and then, written as a collector writes them.
 */
#ifndef BENCH_MAKETRACE_H
#define BENCH_MAKETRACE_H

#include <stdint.h>
#include <stdio.h>

struct maketrace
{
    unsigned int cpus;
    uint64_t records;           /* in all, nearly */
    uint32_t window;            /* records of one, nearly */
    uint64_t seed;
};

/* Cycles between two records of a pcpu, on average; a second has 10^9. */
#define MAKETRACE_GAP 1000u

/* 0, or -errno if it could not be written. */
int maketrace(const struct maketrace *m, FILE *out);

#endif /* BENCH_MAKETRACE_H */
