/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mapped files that nobody can pull from under us.  Whoever cuts a file that
 * is mapped, or pulls out the disk, has the kernel send SIGBUS to whoever
 * reads there next.  A guarded mapping reads as zeroes from then on, and
 * says that it was hit.
 *
 * For this a handler of SIGBUS is put in place with the first mapping.  What
 * is not ours goes on to whoever had the signal before.  A program that puts
 * in its own handler later should call the one that it replaces, or open its
 * traces with XT_SOURCE_STREAM; and no thread that reads may block SIGBUS.
 */
#ifndef LIBXENTRACE_SIGBUS_GUARD_H
#define LIBXENTRACE_SIGBUS_GUARD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Guard `size` bytes at `at`, which fd is mapped to from its beginning; fd
 * stays open meanwhile.  A number for the calls below, or -ENOSPC: too many.
 */
int guard_add(const void *at, size_t size, int fd);
void guard_remove(int guard);

/* Offset of the first page that was lost, or UINT64_MAX: none was. */
uint64_t guard_hit_at(int guard);

#endif /* LIBXENTRACE_SIGBUS_GUARD_H */
