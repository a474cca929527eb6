/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between source-file.c and source-open.c: a descriptor as a source of raw
 * bytes, and its first bytes, which identify the kind.
 */
#ifndef LIBXENTRACE_SOURCE_FILE_H
#define LIBXENTRACE_SOURCE_FILE_H

#include "libxentrace/source.h"

/* Owns fd, also on failure. */
int xt_source_file_open(struct xt_source **s, int fd, const char *name,
                        unsigned int flags, struct err *e);

/* The first bytes, at most XT_SOURCE_HEAD; they will be read again. */
size_t xt_source_file_head(const struct xt_source *s,
                           const unsigned char **head);

/* Set s->name: the whole name, or "..." and its end. */
void xt_source_set_name(struct xt_source *s, const char *name);

#endif /* LIBXENTRACE_SOURCE_FILE_H */
