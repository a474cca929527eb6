/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the windows go in the end: a file, a pipe, a row of files.
 *
 * The writer survives what is no error (signals, short writes, a pipe that is
 * full) and remembers the first one that is: from then on it takes nothing
 * more, and says so again.  A file that could not be written on is cut back to
 * its last whole window, so that nobody finds half of one.
 */
#ifndef XENTRACE_WRITER_H
#define XENTRACE_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/err.h"
#include "libxentrace/window.h"
#include "libxentrace/zstd.h"

struct writer;

struct writer_plan
{
    const char *path;           /* NULL or "-": standard output */
    bool numbered;              /* PATH.1, PATH.2 ... instead of PATH */
    unsigned int first_behind; /* or rather from the one behind this on */
    bool plain;                 /* without seals */
    unsigned int level;         /* of compression; 0: none */
    uint64_t reserve;           /* bytes that are to stay free on the disk */
    uint64_t rotate_bytes;      /* begin another file; 0: never */
    uint64_t rotate_ns;
    unsigned int keep;          /* so many files; 0: all */

    /* Is somebody waiting for us to give up?  Asked when interrupted. */
    bool (*is_forced)(void);
};

#define WRITER_BATCH 128        /* windows that are written at once */

struct writer
{
    const struct writer_plan *plan;     /* borrowed */
    int fd;
    char name[PATH_MAX];        /* of the file that is open, for messages */
    bool is_own_file;                  /* a file that we have made */
    int failed;                 /* -errno of the first failure, or 0 */
    uint64_t windows, bytes;    /* put into all files, headers included */
    uint64_t nr_given;             /* of these windows, no prefaces */
    uint64_t nr_safe; /* of those, the first so many are in a file */
    unsigned int files;         /* so many were opened */

    /* What each file begins with: see writer_begin(). */
    unsigned int preface_cpu;
    struct iovec preface;       /* borrowed, or the copy */
    void *copy;                 /* that renew() gave */
    void *(*renew)(void *arg, size_t *bytes);
    void *renew_arg;

    /* The file that is open. */
    uint32_t number;            /* of its next window */
    uint32_t nr_whole;          /* windows that are in it */
    uint64_t at;                /* bytes that were written */
    uint64_t whole;             /* up to here, windows are whole */
    uint64_t opened_ns, flushed_ns;
    struct xt_zstd_writer *zstd;

    /* What will be written next; windows point to their owner's memory. */
    struct xt_frame batch[WRITER_BATCH];
    unsigned int nr_batch;
    unsigned int nr_preface;    /* the first so many of them */
    uint64_t batch_bytes;
};

/*
 * Create the first file, or empty it.  Refuses a terminal, and a symbolic
 * link, which in /tmp would be somebody else's.
 */
int writer_open(struct writer *w, const struct writer_plan *plan,
                struct err *e);

/* Each file begins with a window of these records; none if `bytes` is 0. */
int writer_begin(struct writer *w, unsigned int cpu, const void *preface,
                 size_t bytes, struct err *e);

/*
 * Later files begin with what renew(of) says then, in memory that is handed
 * over; it is called by whoever writes.
 */
void writer_renew(struct writer *w, void *(*renew)(void *arg, size_t *bytes),
                  void *arg);

/* One window, of one or two spans that stay as they are until a flush. */
int writer_window(struct writer *w, unsigned int cpu,
                  const struct iovec *spans, int nr_spans, struct err *e);

/* Write them.  With `hard`, nothing is kept back in order to compress it. */
int writer_flush(struct writer *w, bool hard, struct err *e);

/*
 * Try again after a failure, with a file that has been cut back: there may be
 * room for a last word.
 */
void writer_retry(struct writer *w);

/* 0, or what failed first: a full disk may only say so here. */
int writer_close(struct writer *w, struct err *e);

#endif /* XENTRACE_WRITER_H */
