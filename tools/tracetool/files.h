/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file out, of which there is all or nothing.
 */
#ifndef TRACETOOL_FILES_H
#define TRACETOOL_FILES_H

#include <stdio.h>

#include "common/err.h"

/*
 * None of the inputs may be what `output` names, nor may that look like an
 * input ("-" is a standard stream).
 */
int tt_input_check(char *const *paths, size_t nr, const char *output,
                   struct err *e);

struct tt_output
{
    FILE *file;                 /* memory */
    char *text;
    size_t length;
};

int tt_output_begin(struct tt_output *out, struct err *e);

/*
 * Both end it.  tt_output_end() makes `path` what was written ("-": standard
 * output), in one step; if it fails, path is what it was.
 */
int tt_output_end(struct tt_output *out, const char *path, struct err *e);
void tt_output_drop(struct tt_output *out);

#endif /* TRACETOOL_FILES_H */
