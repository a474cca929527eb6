/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keep complaints, sort them, tell them.
 */
#include "tracetool/complaints.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int tt_complaints_init(struct tt_complaints *c, struct arena *a,
                       const struct tt_source *sources, size_t nr)
{
    *c = (struct tt_complaints){ .sources = sources, .nr_sources = nr };
    c->kept = arena_array(a, TT_MAX_COMPLAINTS, sizeof(*c->kept),
                          _Alignof(struct tt_complaint));
    return c->kept ? 0 : -ENOMEM;
}

/* A file may be given twice: then its first place is as good. */
static size_t order_of(const struct tt_complaints *c, const char *file)
{
    size_t i;

    for ( i = 0; i < c->nr_sources; i++ )
        if ( c->sources[i].name == file )
            break;
    return i;
}

void tt_complaints_add(struct tt_complaints *c, const struct tt_place *at,
                       const char *fmt, ...)
{
    struct tt_complaint *new;
    va_list ap;

    if ( !c || c->nr++ >= TT_MAX_COMPLAINTS )
        return;
    new = &c->kept[c->nr - 1];
    new->at = *at;
    new->order = order_of(c, at->file) * TT_MAX_COMPLAINTS + c->nr - 1;
    va_start(ap, fmt);
    vsnprintf(new->text, sizeof(new->text), fmt, ap);
    va_end(ap);
}

static int by_place(const void *left, const void *right)
{
    const struct tt_complaint *a = left, *b = right;
    size_t file_a = a->order / TT_MAX_COMPLAINTS;
    size_t file_b = b->order / TT_MAX_COMPLAINTS;

    if ( file_a != file_b )
        return file_a < file_b ? -1 : 1;
    if ( a->at.line != b->at.line )
        return a->at.line < b->at.line ? -1 : 1;
    if ( a->at.column != b->at.column )
        return a->at.column < b->at.column ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void tt_complaints_tell(struct tt_complaints *c, tt_complain *complain,
                        void *ctx)
{
    size_t nr = c->nr < TT_MAX_COMPLAINTS ? c->nr : TT_MAX_COMPLAINTS;
    char text[80];
    size_t i;

    qsort(c->kept, nr, sizeof(*c->kept), by_place);
    for ( i = 0; i < nr; i++ )
        complain(ctx, &c->kept[i].at, c->kept[i].text);
    if ( c->nr == nr )
        return;
    snprintf(text, sizeof(text),
             "and %zu more errors that are not shown: mend these first",
             c->nr - nr);
    complain(ctx, &c->kept[nr - 1].at, text);
}
