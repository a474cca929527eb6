/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the windows go.  The writer survives what is no error (signals,
 * short writes, a pipe that is full) and remembers the first one that is:
 * from then on it takes nothing more, and says so again.
 */
#ifndef XENTRACE_WRITER_H
#define XENTRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/err.h"

struct writer
{
    int fd;
    const char *name;           /* for messages; borrowed */
    int failed;                 /* -errno of the first failure, or 0 */
    bool (*insisted)(void);     /* is somebody waiting for us to give up? */
    uint64_t windows, bytes;    /* written, headers included */
};

/*
 * Create `path`, or empty it; NULL or "-": standard output.  Refuses a
 * terminal, and a symbolic link, which in /tmp would be somebody else's.
 * `insisted` is asked when a write is interrupted: true ends it.
 */
int writer_open(struct writer *w, const char *path, bool (*insisted)(void),
                struct err *e);

/* One window, of one or two spans. */
int writer_window(struct writer *w, unsigned int cpu,
                  const struct iovec *spans, int nr_spans, struct err *e);

/* 0, or what failed first: a full disk may only say so here. */
int writer_close(struct writer *w, struct err *e);

#endif /* XENTRACE_WRITER_H */
