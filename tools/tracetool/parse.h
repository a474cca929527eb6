/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace-events files to a model.  All errors of all files are found in one
 * run: each is told to `complain`, one line without its end, as
 * FILE:LINE:COL: what, and how to mend it.
 */
#ifndef TRACETOOL_PARSE_H
#define TRACETOOL_PARSE_H

#include "tracetool/model.h"

typedef void tt_report_fn(void *ctx, const struct tt_place *at,
                          const char *text);

struct tt_source                /* one file, in memory */
{
    const char *name;
    const char *text;
    size_t length;
};

/*
 * 0, or -EINVAL if anything was complained of, or -ENOMEM.  The model and all
 * it points to live in *a.
 */
int tt_parse(struct arena *a, const struct tt_source *sources, size_t nr,
             struct tt_model *model, tt_report_fn *report, void *ctx);

#endif /* TRACETOOL_PARSE_H */
