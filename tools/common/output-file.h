/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic replacement of an output file: the bytes go to a temporary file in the
 * same directory, which output_file_commit() renames.  A device or pipe gets
 * the bytes directly.
 *
 * The temporary file has no name until it is complete, so a killed process
 * leaves nothing.  On file systems without such files, and without /proc, it
 * has the name TARGET.PID-N.part (at most 200 bytes of TARGET's), and signals
 * remove it (signal-unlink.h).
 *
 *     rc = output_file_open(&f, path, e);
 *     if ( !rc )
 *     {
 *         print_something(f.out);
 *         rc = output_file_commit(&f, e);      -- or output_file_discard(&f)
 *     }
 */
#ifndef COMMON_OUTPUT_FILE_H
#define COMMON_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/err.h"

struct output_file
{
    int fd;                     /* -1: not open */
    FILE *out;                  /* NULL: only the descriptor is open */
    const char *path;           /* borrowed */
    char *real;                 /* NULL: a device */
    char *temporary;            /* NULL: the file has no name */
};

int output_file_open(struct output_file *f, const char *path, struct err *e);

/* The same without a stream, for a caller that writes to f->fd. */
int output_file_open_fd(struct output_file *f, const char *path, struct err *e);

/* Is the output `path` this input, a regular file, which it would replace? */
bool output_file_replaces(const char *path, const struct stat *input);

/* Close and rename.  -errno with *e: the file of that name is unchanged. */
int output_file_commit(struct output_file *f, struct err *e);

/* Close and remove; does nothing if the file is not open. */
void output_file_discard(struct output_file *f);

#endif /* COMMON_OUTPUT_FILE_H */
