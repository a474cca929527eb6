/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors in declarations.  Parsing continues behind an error, so that one run
 * reports all errors of all files.  They are stored until all files have been
 * parsed, since some errors are found at the end only, and reported in the
 * order of files and lines.  A file that is no trace-events file has an error
 * per line, so only TT_MAX_ERRORS are stored; further errors are counted.
 */
#ifndef TRACETOOL_ERRORS_H
#define TRACETOOL_ERRORS_H

#include "tracetool/parse.h"

#define TT_MAX_ERRORS 100u
#define TT_ERROR_SIZE 320u

struct tt_error
{
    struct tt_place at;
    size_t order;               /* sort key: file, then order of detection */
    char text[TT_ERROR_SIZE];
};

struct tt_errors
{
    const struct tt_source *sources;
    size_t nr_sources;
    struct tt_error *kept;  /* array of TT_MAX_ERRORS, or NULL */
    size_t nr;                  /* including errors that are not stored */
};

/* 0 or -ENOMEM.  All memory is in the arena. */
int tt_errors_init(struct tt_errors *c, struct arena *a,
                   const struct tt_source *sources, size_t nr);

/* Add an error, "PROBLEM: REMEDY".  c NULL: ignore the error. */
void tt_errors_add(struct tt_errors *c, const struct tt_place *at,
                   const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void tt_errors_report(struct tt_errors *c, tt_report_fn *report,
                      void *ctx);

#endif /* TRACETOOL_ERRORS_H */
