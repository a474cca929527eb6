/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measured trace points: each function passes one `calls` times.  calls.c
 * explains why they are in a translation unit of their own.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

/* The event of all trace points, and a mask without it. */
#define CALLS_EVENT     TRC_HVM_PF_XEN
#define CALLS_OTHERS    (TRC_SCHED | TRC_GEN)

typedef void calls_fn(unsigned int calls);

calls_fn calls_empty;       /* the loop alone */
calls_fn calls_clock;       /* get_cycles() alone */
calls_fn calls_0d, calls_1d, calls_3d, calls_5d;
calls_fn calls_untimed;     /* three words without a time stamp */

#endif /* BENCH_CALLS_H */
