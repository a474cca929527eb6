/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the bytes of a trace come from.  All of an input is offered at once,
 * as one range of memory: a regular file is mapped, anything else (a pipe, a
 * terminal, standard input) is read to its end first.
 *
 * This is the simplest thing that works, and two promises are still open: a
 * trace that does not fit into memory has to be readable from a pipe, and a
 * file that somebody cuts while it is mapped must not be a SIGBUS.  Both are
 * for a source that hands out one bounded piece after the other; it will
 * take the place of source_bytes() here, and the walks of window.h then
 * get their input from it.
 */
#ifndef LIBXENTRACE_SOURCE_H
#define LIBXENTRACE_SOURCE_H

#include <stddef.h>

#include "common/err.h"

struct xt_source;

/* `path` may be "-": standard input.  0, or -errno and *e says why. */
int xt_source_open(struct xt_source **s, const char *path, struct err *e);
void xt_source_close(struct xt_source *s);

/* Borrowed: valid until close.  NULL if there are none. */
const void *xt_source_bytes(const struct xt_source *s, size_t *size);

#endif /* LIBXENTRACE_SOURCE_H */
