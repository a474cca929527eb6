/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is no file that can be mapped, but has to be read again, or pcpu by
 * pcpu: it is kept in a file that has no name, expanded if it was compressed.
 */
#ifndef XENALYZE_SPOOL_H
#define XENALYZE_SPOOL_H

#include "common/err.h"

#define SPOOL_PATH_MAX 32u

struct spool
{
    int fd;                     /* -1: it was not needed */
    char path[SPOOL_PATH_MAX];
};

/*
 * If `path` (or "-") cannot be mapped, copy all of it; *use is then what to
 * read instead, and valid until spool_close.  0, or -errno and *e says why.
 */
int spool_open(struct spool *s, const char *path, const char **use,
               struct err *e);
void spool_close(struct spool *s);

#endif /* XENALYZE_SPOOL_H */
