/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guarded mappings of files.  When a mapped file is truncated or its disk is
 * removed, the kernel sends SIGBUS to the next reader.  A guarded mapping then
 * reads as zeroes, and remembers the fault.
 *
 * The first mapping installs a handler of SIGBUS.  Other faults are passed to
 * the previous handler.  A program that installs its own handler later should
 * call the handler that it replaces, or open its traces with XT_SOURCE_STREAM;
 * and no thread that reads may block SIGBUS.
 */
#ifndef LIBXENTRACE_SIGBUS_GUARD_H
#define LIBXENTRACE_SIGBUS_GUARD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Guard `size` bytes at `at`, a mapping of fd from its beginning; fd stays
 * open.  Returns a number for the functions below, or -ENOSPC if all slots are
 * in use.
 */
int guard_add(const void *at, size_t size, int fd);
void guard_remove(int guard);

/* Offset of the first lost page, or UINT64_MAX if none was lost. */
uint64_t guard_hit_at(int guard);

#endif /* LIBXENTRACE_SIGBUS_GUARD_H */
