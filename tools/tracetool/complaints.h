/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complaints are collected, not thrown: a person mends a file once, and not
 * once for every error in it.  They are kept until all files were seen, for
 * some errors show only then, and told in the order of the files.  A file
 * that is no trace-events file at all has errors without end, so no more
 * than TT_MAX_COMPLAINTS are kept; the others are counted.
 */
#ifndef TRACETOOL_COMPLAINTS_H
#define TRACETOOL_COMPLAINTS_H

#include "tracetool/parse.h"

#define TT_MAX_COMPLAINTS 100u
#define TT_COMPLAINT_SIZE 320u

struct tt_complaint
{
    struct tt_place at;
    size_t order;               /* of its file, then of itself */
    char text[TT_COMPLAINT_SIZE];
};

struct tt_complaints
{
    const struct tt_source *sources;
    size_t nr_sources;
    struct tt_complaint *kept;  /* TT_MAX_COMPLAINTS of them, or NULL */
    size_t nr;                  /* also those that were not kept */
};

/* 0 or -ENOMEM; there is nothing to undo, it is all in the arena. */
int tt_complaints_init(struct tt_complaints *c, struct arena *a,
                       const struct tt_source *sources, size_t nr);

/* What is wrong there, a colon, and how to mend it.  c NULL: not now. */
void tt_complaints_add(struct tt_complaints *c, const struct tt_place *at,
                       const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void tt_complaints_tell(struct tt_complaints *c, tt_complain *complain,
                        void *ctx);

#endif /* TRACETOOL_COMPLAINTS_H */
