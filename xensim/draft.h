/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that an option names.  It is opened before the play, so that a bad
 * name does not cost one; and appears under its name only when it is whole.
 */
#ifndef XENSIM_DRAFT_H
#define XENSIM_DRAFT_H

#include <stdio.h>

#include "common/err.h"

struct draft
{
    const char *option; /* for messages: "--report" */
    const char *name;   /* NULL: none is wanted */
    char *path;         /* the name it has until then; NULL: none */
    FILE *file;         /* NULL: none is wanted */
};

int draft_open(struct draft *d, const char *option, const char *name,
               struct err *e);

/* Give it its name if all went well so far (rc 0); drop it if not. */
int draft_close(struct draft *d, int rc, struct err *e);

#endif /* XENSIM_DRAFT_H */
