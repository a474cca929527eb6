/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of an input that cannot be mapped, a pipe or a compressed file, for
 * outputs that read it more than once or pcpu by pcpu.
 */
#ifndef XENALYZE_SPOOL_H
#define XENALYZE_SPOOL_H

#include "common/err.h"

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
void spool_close(struct spool *s);

#endif /* XENALYZE_SPOOL_H */
