/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in, and one file out, of which there is all or nothing.
 */
#ifndef TRACETOOL_FILES_H
#define TRACETOOL_FILES_H

#include <stdio.h>

#include "common/err.h"
#include "tracetool/parse.h"

/*
 * All of the files; "-" is standard input.  None of them may be what `output`
 * names.  *sources is for tt_input_free(), also after an error.
 */
int tt_input_read(char *const *paths, size_t nr, const char *output,
                  struct tt_source **sources, struct err *e);
void tt_input_free(struct tt_source *sources, size_t nr);

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
