/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output files that options name.  A file is opened before the run, so a bad
 * name fails early, and gets its name when it is complete.
 */
#ifndef XENSIM_OUTFILE_H
#define XENSIM_OUTFILE_H

#include <stdbool.h>

#include "common/err.h"
#include "common/output-file.h"

/*
 * Do both names lead to one file, which would replace the other?  Devices and
 * pipes are not replaced.
 */
bool outfile_is_same(const char *a, const char *b);

/* Without a name nothing is opened: f->out is NULL. */
int outfile_open(struct output_file *f, const char *name, struct err *e);

/* Keep the file if rc is 0, or else remove it.  rc, or the error of closing. */
int outfile_close(struct output_file *f, int rc, struct err *e);

#endif /* XENSIM_OUTFILE_H */
