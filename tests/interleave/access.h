/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the calls that the compiler makes (access.c) and the search.
 */
#ifndef TESTS_INTERLEAVE_ACCESS_H
#define TESTS_INTERLEAVE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Somebody else may go on here; a signal may come. */
void access_step(void);

/*
 * The same before accesses that are not atomic; a run of them is one step,
 * since nobody who keeps to the rules looks into the middle of it.  Only what
 * is the thread's own is always a step by itself: for its signals.
 */
void access_plainly(const void *at, bool is_write);

/* With other threads, or with handlers; what is not is accessed in no time. */
bool access_is_shared(const void *at);

/* A load sees the thread's own late stores; drain: they are all seen now. */
uint64_t access_load(const void *at, unsigned int bytes);
void access_store_late(void *at, uint64_t value, unsigned int bytes);
void access_drain(void);

#endif /* TESTS_INTERLEAVE_ACCESS_H */
