/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that --report names.  It is opened before the play, so that a bad
 * name does not cost one; and appears under its name only when it is whole.
 */
#ifndef XENSIM_REPORT_H
#define XENSIM_REPORT_H

#include <stdio.h>

#include "common/err.h"

struct workload;

struct report
{
    const char *name;   /* NULL: none is wanted */
    char *draft;        /* the name it has until then */
    FILE *file;
};

int report_open(struct report *r, const char *name, struct err *e);

/* Write and publish it; or, if the play went wrong (w NULL), drop it. */
int report_close(struct report *r, const struct workload *w, struct err *e);

#endif /* XENSIM_REPORT_H */
