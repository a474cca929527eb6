/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slow path of a walk, once per window.
 */
#include "libxentrace/walk.h"

#include <assert.h>

static void load_window(struct xt_walk *w)
{
    const struct xt_view *v = w->context.view;

    w->at = w->end = w->released = v->bytes;
    if ( w->cursor.entry == XT_NOWHERE )
        return;
    w->at = w->released = xt_view_at(v, w->cursor.at);
    w->end = xt_view_at(v, w->cursor.end);
    xt_source_count_header(v->source, w->end - w->at);
}

/*
 * A walk that pauses often has more pages mapped than it has read.  Counting
 * four times the bytes releases pages early enough when there are many walks,
 * and rarely maps a page again.
 */
void xt_walk_pause(struct xt_walk *w)
{
    uint64_t bytes = w->at - w->released, mapped = 4 * bytes;

    assert(w->released <= w->at && w->at <= w->end);
    if ( mapped > XT_SOURCE_FAULT_AROUND )
        mapped = bytes > XT_SOURCE_FAULT_AROUND ? bytes
                                                : XT_SOURCE_FAULT_AROUND;
    if ( bytes )
        xt_source_count_used(w->context.view->source, mapped);
    w->released = w->at;
}

void xt_walk_init(struct xt_walk *w, const struct xt_read_context *r,
                  unsigned int cpu)
{
    uint64_t first = cpu < r->index->nr_cpus ? r->index->cpus[cpu].first
                                             : XT_NOWHERE;

    assert(r->view->source->map);
    *w = (struct xt_walk){ .context = *r };
    w->context.damage = &w->damage;
    xt_cursor_init(&w->cursor, &w->context, first);
    load_window(w);
}

bool xt_walk_next_window(struct xt_walk *w)
{
    const struct xt_view *v = w->context.view;

    if ( w->cursor.entry == XT_NOWHERE )
        return false;
    assert(w->at <= w->end);
    w->cursor.at = v->lo + (w->at - v->bytes);
    xt_cursor_end_window(&w->cursor, &w->context);
    xt_walk_pause(w);
    xt_cursor_next_window(&w->cursor, &w->context);
    load_window(w);
    return w->cursor.entry != XT_NOWHERE;
}

void xt_walk_note_backward(struct xt_walk *w, const unsigned char *payload)
{
    const struct xt_view *v = w->context.view;
    struct xt_cursor here = w->cursor;

    assert(w->cursor.entry != XT_NOWHERE && payload <= w->at);
    here.at = v->lo + (payload - sizeof(uint32_t) - sizeof(uint64_t) -
                       v->bytes);
    xt_cursor_note_backward(&here, &w->context);
}
