/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collect, sort and report errors.
 */
#include "tracetool/errors.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int tt_errors_init(struct tt_errors *c, struct arena *a,
                   const struct tt_source *sources, size_t nr)
{
    assert(sources || !nr);
    *c = (struct tt_errors){ .sources = sources, .nr_sources = nr };
    c->kept = arena_array(a, TT_MAX_ERRORS, sizeof(*c->kept),
                          _Alignof(struct tt_error));
    return c->kept ? 0 : -ENOMEM;
}

/* The position of a file on the command line; the first if given twice. */
static size_t get_source_order(const struct tt_errors *c, const char *file)
{
    size_t i;

    for ( i = 0; i < c->nr_sources; i++ )
        if ( c->sources[i].name == file )
            break;
    return i;
}

void tt_errors_add(struct tt_errors *c, const struct tt_place *at,
                   const char *fmt, ...)
{
    struct tt_error *new;
    va_list ap;

    if ( !c || c->nr++ >= TT_MAX_ERRORS )
        return;
    assert(c->kept && at->file && at->line);
    new = &c->kept[c->nr - 1];
    new->at = *at;
    new->order = get_source_order(c, at->file) * TT_MAX_ERRORS + c->nr - 1;
    va_start(ap, fmt);
    vsnprintf(new->text, sizeof(new->text), fmt, ap);
    va_end(ap);
}

static int compare_places(const void *left, const void *right)
{
    const struct tt_error *a = left, *b = right;
    size_t file_a = a->order / TT_MAX_ERRORS;
    size_t file_b = b->order / TT_MAX_ERRORS;

    if ( file_a != file_b )
        return file_a < file_b ? -1 : 1;
    if ( a->at.line != b->at.line )
        return a->at.line < b->at.line ? -1 : 1;
    if ( a->at.column != b->at.column )
        return a->at.column < b->at.column ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void tt_errors_report(struct tt_errors *c, tt_report_fn *report,
                      void *ctx)
{
    size_t nr = c->nr < TT_MAX_ERRORS ? c->nr : TT_MAX_ERRORS;
    char text[80];
    size_t i;

    assert(report && c->kept);
    qsort(c->kept, nr, sizeof(*c->kept), compare_places);
    for ( i = 0; i < nr; i++ )
        report(ctx, &c->kept[i].at, c->kept[i].text);
    if ( c->nr == nr )
        return;
    snprintf(text, sizeof(text),
             "and %zu more error%s not shown: mend these first", c->nr - nr,
             c->nr - nr == 1 ? " that is" : "s that are");
    report(ctx, &c->kept[nr - 1].at, text);
}
