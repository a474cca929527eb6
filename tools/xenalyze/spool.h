/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of an input that cannot be mapped, a pipe or a compressed file, for
 * outputs that read it more than once or pcpu by pcpu; and the concatenation of
 * several files, as xentrace --rotate-size or split(1) makes them.
 */
#ifndef XENALYZE_SPOOL_H
#define XENALYZE_SPOOL_H

#include <stddef.h>

#include "common/err.h"
#include "common/log.h"

#define SPOOL_PATH_MAX 32u

struct spool
{
    int fd;                     /* -1: no copy was needed */
    char path[SPOOL_PATH_MAX];
};

/*
 * Copy `path` (or "-") if it cannot be mapped.  *use is the path to open then,
 * and valid until spool_close().  0, or -errno and *e says why.
 */
int spool_open(struct spool *s, const char *path, const char **use,
               struct err *e);

/*
 * Copy several files of one capture, in the order of their names, where 2
 * precedes 10.  Log a warning of numbers that are missing, and a line on files
 * without identity (same-capture.h).  The array of paths is sorted.  -EINVAL: a
 * file belongs to another capture, has the records of another file, or is no
 * trace.
 */
int spool_join(struct spool *s, const char **paths, size_t nr,
               const char **use, const struct log *log, struct err *e);

void spool_close(struct spool *s);

#endif /* XENALYZE_SPOOL_H */
