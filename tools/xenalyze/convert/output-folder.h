/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atomic creation of an output folder: its files go to a temporary folder
 * beside it, which output_folder_commit() renames.  A folder of the name may
 * exist if it is empty.
 */
#ifndef XENALYZE_CONVERT_OUTPUT_FOLDER_H
#define XENALYZE_CONVERT_OUTPUT_FOLDER_H

#include <stddef.h>

#include "common/err.h"

struct output_folder
{
    char *path, *temporary;     /* NULL: not open */
};

int output_folder_open(struct output_folder *f, const char *path,
                       struct err *e);

/* Append bytes to the file `name`.  0 or -errno. */
int output_folder_append(const struct output_folder *f, const char *name,
                         const void *bytes, size_t size);

/* Rename.  -errno with *e: nothing of this name was created. */
int output_folder_commit(struct output_folder *f, struct err *e);

/* Remove everything; does nothing if the folder is not open. */
void output_folder_discard(struct output_folder *f);

#endif /* XENALYZE_CONVERT_OUTPUT_FOLDER_H */
