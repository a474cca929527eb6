/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of windows: a file, a pipe, or a series of numbered files.
 *
 * The writer handles signals, short writes and full pipes, which are no errors.
 * After the first error the writer rejects all further windows with the same
 * error.  After a failed write the file is truncated to its last whole window.
 */
#ifndef XENTRACE_WRITER_H
#define XENTRACE_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/err.h"
#include "common/log.h"
#include "libxentrace/internal.h"

struct writer;

struct writer_plan
{
    const char *path;           /* NULL or "-": standard output */
    bool numbered;              /* PATH.1, PATH.2 ... instead of PATH */
    unsigned int first_behind;  /* the first number is this + 1 */
    bool plain;                 /* without seals */
    unsigned int level;         /* compression level; 0: none */
    uint64_t reserve;           /* bytes to leave free on the disk */
    uint64_t rotate_bytes;      /* limit of a file; 0: none */
    uint64_t rotate_ns;
    unsigned int keep;          /* number of files to keep; 0: all */
    const struct log *log;      /* for files that are replaced; NULL: none */

    /* True: the user wants a blocked write to fail.  Called after EINTR. */
    bool (*is_forced)(void);
};

#define WRITER_BATCH 128        /* maximum of windows in one write */

struct writer
{
    const struct writer_plan *plan; /* borrowed */
    int fd;
    char name[PATH_MAX];        /* name of the open file, for messages */
    bool is_own_file;           /* not standard output */
    bool is_new;                /* there was no older file of this name */
    bool is_begun;              /* an older file is no longer there */
    int failed;                 /* -errno of the first failure, or 0 */
    uint64_t windows, bytes;    /* written to all files, with headers */
    uint64_t nr_given;          /* windows written, without prefaces */
    uint64_t nr_safe;           /* the first nr_safe windows are in a file */
    unsigned int files;         /* number of files opened */

    /* The first window of each file: see writer_begin(). */
    unsigned int preface_cpu;
    struct iovec preface;       /* borrowed, or owned as `copy` */
    void *copy;                 /* returned by renew() */
    void *(*renew)(void *arg, size_t *bytes);
    void *renew_arg;

    /* The open file. */
    uint32_t number;            /* of its next window */
    uint32_t nr_whole;          /* number of whole windows in the file */
    uint64_t at;                /* bytes written */
    uint64_t whole;             /* end of the last whole window */
    uint64_t opened_ns, flushed_ns;
    struct xt_zstd_writer *zstd;

    /* The windows of the next write; their bytes belong to the caller. */
    struct xt_frame batch[WRITER_BATCH];
    unsigned int nr_batch;
    unsigned int nr_preface;    /* number of preface windows in `batch` */
    uint64_t batch_bytes;
};

/*
 * Open the first file.  An older file is replaced only by writer_begin(), so it
 * survives a capture that cannot begin.  Fails for a terminal, for the file of
 * another running capture, and for a symbolic link: in /tmp, another user may
 * have created the link.
 */
int writer_open(struct writer *w, const struct writer_plan *plan,
                struct err *e);

/*
 * Write a window with these records at the start of each file; none if `bytes`
 * is 0.
 */
int writer_begin(struct writer *w, unsigned int cpu, const void *preface,
                 size_t bytes, struct err *e);

/*
 * Set a callback that returns the preface of each further file, in memory that
 * the writer frees.  The callback runs in the thread that writes.
 */
void writer_renew(struct writer *w, void *(*renew)(void *arg, size_t *bytes),
                  void *arg);

/* Remove PATH.nr. */
void writer_remove(const struct writer_plan *plan, unsigned int nr);

/* Add a window of one or two spans; their bytes stay valid until a flush. */
int writer_window(struct writer *w, unsigned int cpu,
                  const struct iovec *spans, int nr_spans, struct err *e);

/* Write the batch.  `hard`: also flush the compressor. */
int writer_flush(struct writer *w, bool hard, struct err *e);

/* Clear the error of a file that was truncated: the trailer may still fit. */
void writer_retry(struct writer *w);

/*
 * Returns 0 or the first failure: some file systems report a full disk only at
 * close.
 */
int writer_close(struct writer *w, struct err *e);

#endif /* XENTRACE_WRITER_H */
