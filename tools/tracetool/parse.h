/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From trace-events files to a model.  One run finds all errors of all files:
 * `report` is called for each, with the place and a line "PROBLEM: REMEDY".
 */
#ifndef TRACETOOL_PARSE_H
#define TRACETOOL_PARSE_H

#include "tracetool/model.h"

typedef void tt_report_fn(void *ctx, const struct tt_place *at,
                          const char *text);

struct tt_source                /* a file in memory */
{
    const char *name;
    const char *text;
    size_t length;
    bool may_repeat;            /* equal events of earlier sources */
};

/*
 * 0; -EINVAL: errors were reported; -ENOMEM.  The model and all objects that it
 * points to live in *a.
 */
int tt_parse(struct arena *a, const struct tt_source *sources, size_t nr,
             struct tt_model *model, tt_report_fn *report, void *ctx);

#endif /* TRACETOOL_PARSE_H */
