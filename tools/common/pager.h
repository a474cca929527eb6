/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is printed on a terminal goes through a pager: $PAGER, or less.
 */
#ifndef COMMON_PAGER_H
#define COMMON_PAGER_H

#include <stdio.h>
#include <sys/types.h>

struct pager
{
    FILE *out;                  /* where to print */
    pid_t pid;                  /* 0: there is none, and out is stdout */
};

/* If that cannot be, there is none. */
void pager_open(struct pager *p);

/* 0 if all of it got out; waits until the user is done reading.  -errno. */
int pager_close(struct pager *p);

#endif /* COMMON_PAGER_H */
