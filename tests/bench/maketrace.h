/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Realistic traces of any size: HVM guests with exits and entries, and some
 * runstate changes, in windows as written by a collector.
 */
#ifndef BENCH_MAKETRACE_H
#define BENCH_MAKETRACE_H

#include <stdint.h>
#include <stdio.h>

struct trace_params
{
    unsigned int cpus;
    uint64_t records;           /* in total, approximately */
    uint32_t window;            /* records per window, approximately */
    uint64_t seed;
};

/* Mean cycles between two records of a pcpu, at 10^9 cycles per second. */
#define MAKETRACE_GAP 1000u

/* Returns 0, or -errno of the write. */
int make_trace_records(const struct trace_params *m, FILE *out);

#endif /* BENCH_MAKETRACE_H */
