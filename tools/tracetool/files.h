/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output file, which is written completely or not at all.
 */
#ifndef TRACETOOL_FILES_H
#define TRACETOOL_FILES_H

#include <stdio.h>

#include "common/err.h"

/*
 * Check that `output` is none of the inputs, and has no name of an input ("-"
 * is a standard stream).
 */
int tt_input_check(char *const *paths, size_t nr, const char *output,
                   struct err *e);

struct tt_output
{
    FILE *file;                 /* in memory */
    char *text;
    size_t length;
};

int tt_output_begin(struct tt_output *out, struct err *e);

/*
 * Each of these ends the output.  tt_output_end() replaces `path` ("-":
 * standard output) by the written text, atomically; on failure the file is
 * unchanged.
 */
int tt_output_end(struct tt_output *out, const char *path, struct err *e);
void tt_output_drop(struct tt_output *out);

#endif /* TRACETOOL_FILES_H */
