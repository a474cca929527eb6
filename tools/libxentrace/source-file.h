/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between source.c and source-open.c: a descriptor as a source, not looked
 * into, and its first bytes for whoever wants to know what it is.
 */
#ifndef LIBXENTRACE_SOURCE_FILE_H
#define LIBXENTRACE_SOURCE_FILE_H

#include "libxentrace/source.h"

/* Takes fd, also if it fails. */
int xt_source_file_open(struct xt_source **s, int fd, const char *name,
                        unsigned int flags, struct err *e);

/* The first bytes, XT_SOURCE_HEAD at most; they will be read again. */
size_t xt_source_file_head(const struct xt_source *s,
                           const unsigned char **head);

/* Set s->name: all of it, or "..." and its end. */
void xt_source_set_name(struct xt_source *s, const char *name);

#endif /* LIBXENTRACE_SOURCE_FILE_H */
