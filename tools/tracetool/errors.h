/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complaints are collected, not thrown: a person mends a file once, and not
 * once for every error in it.  They are kept until all files were seen, for
 * some errors show only then, and told in the order of the files.  A file
 * that is no trace-events file at all has errors without end, so no more
 * than TT_MAX_ERRORS are kept; the others are counted.
 */
#ifndef TRACETOOL_ERRORS_H
#define TRACETOOL_ERRORS_H

#include "tracetool/parse.h"

#define TT_MAX_ERRORS 100u
#define TT_ERROR_SIZE 320u

struct tt_error
{
    struct tt_place at;
    size_t order;               /* of its file, then of itself */
    char text[TT_ERROR_SIZE];
};

struct tt_errors
{
    const struct tt_source *sources;
    size_t nr_sources;
    struct tt_error *kept;  /* TT_MAX_ERRORS of them, or NULL */
    size_t nr;                  /* also those that were not kept */
};

/* 0 or -ENOMEM; there is nothing to undo, it is all in the arena. */
int tt_errors_init(struct tt_errors *c, struct arena *a,
                   const struct tt_source *sources, size_t nr);

/* What is wrong there, a colon, and how to mend it.  c NULL: not now. */
void tt_errors_add(struct tt_errors *c, const struct tt_place *at,
                   const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void tt_errors_report(struct tt_errors *c, tt_report_fn *report,
                      void *ctx);

#endif /* TRACETOOL_ERRORS_H */
