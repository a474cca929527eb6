/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measured program, run as a child that answers requests (pace.h).
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdio.h>
#include <sys/types.h>

struct child
{
    const char *name;   /* column of the table */
    pid_t pid;          /* 0: none */
    FILE *ask, *answer;
};

#define CHILD_KNOWS_NOT (-1.0)  /* the child has no such case */
#define CHILD_FAILED    (-2.0)

/* Returns 0 or -errno.  `name` must outlive the child. */
int child_open(struct child *c, const char *name, const char *program);

/* ns per call, or one of the two values above. */
double child_measure(struct child *c, const char *name, unsigned int calls);

/* Returns 0 if the child ended normally. */
int child_close(struct child *c);

#endif /* BENCH_CHILD_H */
