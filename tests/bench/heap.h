/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What order.c is measured against: a binary heap of pcpus, the textbook way
 * to merge.  It lives here only to be measured.
 */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include "libxentrace/libxentrace.h"

/* Every record in the order of time to `see`. */
int heap_walk(struct xt_trace *t, unsigned int cpus,
              void (*see)(void *arg, unsigned int cpu, uint64_t time,
                          const struct xt_record *r), void *arg);

#endif /* BENCH_HEAP_H */
