/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between the compiler's calls (access.c) and the search
 * (explore.c).
 */
#ifndef TESTS_INTERLEAVE_ACCESS_H
#define TESTS_INTERLEAVE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* A scheduling point: another thread may continue, or a signal arrive. */
void access_step(void);

/*
 * A scheduling point before plain accesses.  A run of plain accesses is one
 * step, since other threads must not access that memory meanwhile.  Memory of
 * one thread is always a step of its own, because of signals.
 */
void access_plain(const void *at, bool is_write);

/*
 * Is the memory shared with other threads or handlers?  Private memory needs
 * no scheduling point.
 */
bool access_is_shared(const void *at);

/*
 * access_load() sees the thread's own late stores; access_drain() makes all
 * late stores visible.
 */
uint64_t access_load(const void *at, unsigned int bytes);
void access_store_late(void *at, uint64_t value, unsigned int bytes);
void access_drain(void);

#endif /* TESTS_INTERLEAVE_ACCESS_H */
