/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reference for order.c: merging by a binary heap of pcpus, the textbook
 * method.  Used for measurements only.
 */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include "libxentrace/libxentrace.h"

/* Call `see` for every record in time order. */
int heap_walk(struct xt_trace *t, unsigned int cpus,
              void (*see)(void *arg, unsigned int cpu, uint64_t time,
                          const struct xt_record *r), void *arg);

#endif /* BENCH_HEAP_H */
