/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measured program, run as a child that answers questions (pace.h).
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdio.h>
#include <sys/types.h>

struct child
{
    const char *name;   /* of its column */
    pid_t pid;          /* 0: none */
    FILE *ask, *answer;
};

#define CHILD_KNOWS_NOT (-1.0)  /* no such case there */
#define CHILD_FAILED    (-2.0)

/* 0 or -errno.  `name` must outlive the child. */
int child_open(struct child *c, const char *name, const char *program);

/* ns a call, or one of the two above. */
double child_measure(struct child *c, const char *name, unsigned int calls);

/* 0: it ended as it should. */
int child_close(struct child *c);

#endif /* BENCH_CHILD_H */
