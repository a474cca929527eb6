/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Damage is marked in the index where a cursor finds it: a window with a wrong
 * checksum is marked, a window with an impossible record is shortened.  So
 * damage is noted once, however often the window is read.  And since a window
 * belongs to one pcpu, walks over different pcpus may run in different threads.
 */
#include "libxentrace/cursor.h"

#include <assert.h>

#include "common/debug.h"
#include "libxentrace/seal.h"

const unsigned char *xt_context_records(const struct xt_read_context *r,
                                        const struct xt_index_entry *p)
{
    const uint64_t at = p->at + XT_WINDOW_HEADER;
    const unsigned char *bytes = NULL;

    assert(p->at >= r->view->lo && at + p->size <= r->view->hi);
    if ( r->bytes )
        bytes = xt_window_bytes_next(r->bytes, r->view->source, at, p->size);
    return bytes ? bytes : xt_view_at(r->view, at);
}

bool xt_index_entry_verify(const struct xt_read_context *r,
                           struct xt_index_entry *p)
{
    struct xt_window w;

    if ( !p->verified )
    {
        w = xt_index_entry_window(p, xt_context_records(r, p));
        p->wrong = !xt_window_verify(&w, r->damage);
        p->verified = true;
    }
    return !p->wrong;
}

/*
 * Look for gaps between window `from` and that of the cursor.  A wrong window
 * between them is a gap of this pcpu only.
 */
static void find_gap(struct xt_cursor *c, const struct xt_read_context *r,
                     uint64_t from)
{
    const struct xt_index *i = r->index;
    bool at_end = c->entry == XT_NOWHERE;
    uint64_t limit = at_end ? i->horizon
                            : xt_index_get_entry(i, c->entry)->time;
    const struct xt_gap *g = xt_gaps_find(&i->gaps, from, c->entry);

    c->gap_from = g && !c->gap && g->from <= limit ? g->from : 0;
    c->gap |= g != NULL;
    debug_assert(c->gap || !c->gap_from);
}

/* Enter the cursor's window, or else the next credible window. */
static bool enter_window(struct xt_cursor *c, const struct xt_read_context *r)
{
    while ( c->entry != XT_NOWHERE )
    {
        struct xt_index_entry *p = xt_index_get_entry(r->index, c->entry);

        if ( xt_index_entry_verify(r, p) )
        {
            if ( c->time < p->time && !(p->inherits_time && c->time) )
            {
                c->before = c->time;
                c->time = p->time;
            }
            c->at = p->at + XT_WINDOW_HEADER;
            c->end = c->at + p->size;
            return true;
        }
        p->done = c->gap = true;
        c->entry = p->next;
    }
    c->at = c->end = 0;
    return false;
}

void xt_cursor_init(struct xt_cursor *c, const struct xt_read_context *r,
                    uint64_t entry)
{
    /* A window with a wrong checksum has no credible time, either. */
    *c = (struct xt_cursor){ .entry = entry };
    enter_window(c, r);
    if ( c->entry != XT_NOWHERE && c->entry >= r->index->dropped )
        find_gap(c, r, XT_NOWHERE);
    c->before = c->time;
    assert(c->entry == XT_NOWHERE || c->at >= r->view->lo);
}

void xt_cursor_resume(struct xt_cursor *c, const struct xt_read_context *r,
                      uint64_t entry)
{
    assert(c->entry == XT_NOWHERE);
    c->entry = entry;
    enter_window(c, r);
}

bool xt_cursor_next_window(struct xt_cursor *c, const struct xt_read_context *r)
{
    struct xt_index_entry *p;
    uint64_t from;
    bool entered;

    if ( c->entry == XT_NOWHERE )
        return false;
    p = xt_index_get_entry(r->index, c->entry);
    p->done = true;
    c->gap |= p->shortened;
    from = c->entry;
    c->entry = p->next;
    entered = enter_window(c, r);
    if ( c->gap || r->index->gaps.nr )
        find_gap(c, r, from);
    return entered;
}

void xt_cursor_end_window(struct xt_cursor *c, const struct xt_read_context *r)
{
    struct xt_index_entry *p = xt_index_get_entry(r->index, c->entry);

    assert(c->at <= c->end && c->end - c->at <= p->size);
    if ( c->at == c->end )
        return;
    xt_damage_add(r->damage, XT_DAMAGE_RECORD, c->at, c->end - c->at);
    p->size -= c->end - c->at;
    p->shortened = true;
    c->end = c->at;
}

uint64_t xt_cursor_count_untimed(const struct xt_cursor *c,
                                 const struct xt_read_context *r)
{
    const unsigned char *at = xt_view_at(r->view, c->at);
    const unsigned char *end = xt_view_at(r->view, c->end);
    struct xt_record record;
    uint64_t nr = 0;
    size_t size;

    while ( (size = xt_record_decode(&record, at, end)) &&
            xt_record_is_possible(&record) && !xt_record_is_timed(&record) )
    {
        at += size;
        nr++;
    }
    return nr;
}

void xt_cursor_note_backward(struct xt_cursor *c,
                             const struct xt_read_context *r)
{
    struct xt_index_entry *p = xt_index_get_entry(r->index, c->entry);

    /* Records of the window before may have been corrected: see order.c. */
    debug_assert(c->at < r->view->hi);
    if ( !p->goes_backward )
        xt_damage_add(r->damage, XT_DAMAGE_BACKWARD, c->at, 0);
    p->goes_backward = true;
}
