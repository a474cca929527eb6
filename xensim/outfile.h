/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An output file named by an option. The file is opened before the run, so a
 * bad name fails early, and gets its name only when the file is complete.
 */
#ifndef XENSIM_OUTFILE_H
#define XENSIM_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/err.h"

struct outfile
{
    const char *option; /* for messages: "--report" */
    const char *name;   /* NULL: not requested */
    char *path;         /* temporary name; NULL: none */
    FILE *file;         /* NULL: not requested */
};

/*
 * Do both names lead to one file, which would replace the other?  Devices and
 * pipes are not replaced.
 */
bool outfile_is_same(const char *a, const char *b);

int outfile_open(struct outfile *d, const char *option, const char *name,
                 struct err *e);

/*
 * Close the file. If rc is 0, rename the temporary file to its final name,
 * else remove the file. Return rc, or the error of closing.
 */
int outfile_close(struct outfile *d, int rc, struct err *e);

#endif /* XENSIM_OUTFILE_H */
