/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slow path of a walk, once per window.
 */
#include "libxentrace/walk.h"

#include <assert.h>

/* In the buffers of all walks of a trace. */
#define BYTES_ALL (64u << 20)

static bool is_mapped(const struct xt_walk *w)
{
    return w->records != w->bytes.buffer;
}

static void load_window(struct xt_walk *w)
{
    const struct xt_read_context *r = &w->context;

    w->at = w->end = w->released = w->records = r->view->bytes;
    if ( w->cursor.entry == XT_NOWHERE )
        return;
    w->records = xt_context_records(r, xt_index_get_entry(r->index,
                                                          w->cursor.entry));
    w->at = w->released = w->records;
    w->end = w->at + (w->cursor.end - w->cursor.at);
    if ( is_mapped(w) )
        xt_source_count_header(r->view->source, w->end - w->at);
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
    if ( bytes && is_mapped(w) )
        xt_source_count_used(w->context.view->source, mapped);
    w->released = w->at;
}

static size_t choose_most_bytes(unsigned int nr_walks)
{
    size_t most = BYTES_ALL / (nr_walks ? nr_walks : 1);

    return most < XT_WINDOW_BYTES_MOST ? most : XT_WINDOW_BYTES_MOST;
}

void xt_walk_init(struct xt_walk *w, const struct xt_read_context *r,
                  unsigned int cpu)
{
    uint64_t first = cpu < r->index->nr_cpus ? r->index->cpus[cpu].first
                                             : XT_NOWHERE;

    assert(r->view->source->map);
    *w = (struct xt_walk){ .context = *r };
    w->context.damage = &w->damage;
    w->context.bytes = &w->bytes;
    w->bytes.most = choose_most_bytes(r->index->nr_cpus);
    xt_cursor_init(&w->cursor, &w->context, first);
    load_window(w);
}

void xt_walk_fini(struct xt_walk *w)
{
    xt_window_bytes_fini(&w->bytes);
}

bool xt_walk_next_window(struct xt_walk *w)
{
    if ( w->cursor.entry == XT_NOWHERE )
        return false;
    assert(w->at <= w->end);
    w->cursor.at = xt_walk_offset(w, w->at);
    xt_cursor_end_window(&w->cursor, &w->context);
    xt_walk_pause(w);
    xt_cursor_next_window(&w->cursor, &w->context);
    load_window(w);
    return w->cursor.entry != XT_NOWHERE;
}

void xt_walk_note_backward(struct xt_walk *w, const unsigned char *payload)
{
    struct xt_cursor here = w->cursor;

    assert(w->cursor.entry != XT_NOWHERE && payload <= w->at);
    here.at = xt_walk_offset(w, payload - sizeof(uint32_t) - sizeof(uint64_t));
    xt_cursor_note_backward(&here, &w->context);
}
