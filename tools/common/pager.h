/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output to a terminal goes through a pager: $PAGER, or less.
 */
#ifndef COMMON_PAGER_H
#define COMMON_PAGER_H

#include <stdio.h>
#include <sys/types.h>

struct pager
{
    FILE *out;                  /* stream for the output */
    pid_t pid;                  /* 0: no pager, and out is stdout */
};

/* Start the pager.  If that fails, the output goes to stdout. */
void pager_open(struct pager *p);

/* Wait until the user quits the pager.  0 if all output was written; -errno. */
int pager_close(struct pager *p);

#endif /* COMMON_PAGER_H */
