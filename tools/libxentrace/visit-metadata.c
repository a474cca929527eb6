/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metadata is in few windows, and may be anywhere in a file: so the header of
 * each window is read, and the first records behind it.
 */
#include "libxentrace/visit-metadata.h"

#include <assert.h>

#include "libxentrace/internal.h"
#include "libxentrace/meta-event.h"
#include "libxentrace/trace-private.h"

/* Deliver the metadata of a window.  True if there is any. */
static bool visit_window(const struct xt_window *w, xt_meta_fn *fn, void *arg)
{
    const unsigned char *end, *at = xt_window_begin(w, &end);
    struct xt_record r;
    struct xt_meta m;
    bool found = false;
    size_t size;

    for ( ; (size = xt_record_decode(&r, at, end)) &&
            xt_record_is_possible(&r) && xt_event_is_meta(r.event); at += size )
        if ( xt_meta_decode(&m, &r) )
        {
            fn(arg, &m);
            found = true;
        }
    return found;
}

static void visit_known(const struct xt_trace *t, xt_meta_fn *fn, void *arg)
{
    const unsigned char *at = t->metadata, *end = at + t->metadata_size;
    struct xt_record r;
    struct xt_meta m;
    size_t size;

    assert(at);
    for ( ; (size = xt_record_decode(&r, at, end)); at += size )
        if ( xt_meta_decode(&m, &r) )
            fn(arg, &m);
}

void xt_trace_set_metadata(struct xt_trace *t, const unsigned char *records,
                           size_t size)
{
    assert(records || !size);
    t->metadata = records;
    t->metadata_size = size;
}

void xt_trace_visit_metadata(const struct xt_trace *t, xt_meta_fn *fn,
                             void *arg)
{
    struct xt_damage ignored = { 0 };
    struct xt_windows look = t->windows;
    struct xt_window_heads heads = { .last = 0 };
    struct xt_window w;
    bool found = false;

    if ( t->metadata )
    {
        visit_known(t, fn, arg);
        return;
    }
    look.damage = &ignored;
    look.heads = look.heads ? &heads : NULL;
    while ( xt_windows_next(&look, &w) &&
            (found || w.at < XT_INFO_BYTES) )
    {
        if ( !w.first )
            xt_source_count_header(t->source, w.size);
        found |= visit_window(&w, fn, arg);
    }
    xt_window_heads_fini(&heads);
}
