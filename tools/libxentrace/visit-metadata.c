/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metadata is in few windows, and may be anywhere in a file: so the header of
 * each window is read, and the first records behind it.  In a mapped file that
 * would take a page fault for each window, and on a disk most of the file would
 * be read ahead.  Copies of some bytes show which windows can be skipped; all
 * others are read as in any other walk.
 */
#include "libxentrace/visit-metadata.h"

#include <assert.h>

#include "libxentrace/internal.h"
#include "libxentrace/meta-event.h"
#include "libxentrace/resync.h"
#include "libxentrace/seal.h"
#include "libxentrace/trace-private.h"

/*
 * Windows that are worth a copy: of smaller ones, a page fault maps several
 * (XT_SOURCE_FAULT_AROUND).
 */
#define LARGE (16u << 10)

/* The begin of a window: its header, its seal, the header of a record. */
struct head
{
    struct xt_header header;
    unsigned char records[XT_SEAL_BYTES + 4];
};

_Static_assert(sizeof(struct head) == XT_WINDOW_HEADER + XT_SEAL_BYTES + 4,
               "layout");
_Static_assert(LARGE >= sizeof(struct head), "a large window has a head");

static bool copy_head(const struct xt_trace *t, uint64_t at, struct head *h)
{
    return xt_source_peek(t->source, at, h, sizeof(*h)) &&
           xt_header_is_credible(&h->header) && h->header.size >= LARGE;
}

/* The number of the seal, or XT_NO_SEAL. */
static uint64_t read_seal(const struct head *h)
{
    uint32_t number;

    return xt_seal_number(h->records, sizeof(h->records), &number)
           ? number : XT_NO_SEAL;
}

static uint64_t get_following(uint64_t seal)
{
    return seal == XT_NO_SEAL ? seal : (uint32_t)(seal + 1);
}

/* Metadata precedes all other records. */
static bool begins_with_metadata(const struct head *h, uint64_t seal)
{
    size_t at = seal == XT_NO_SEAL ? 0 : XT_SEAL_BYTES;

    return xt_event_is_meta(TRC_HD_TO_EVENT(xt_load32(h->records + at)));
}

/*
 * Step over large windows without metadata, up to the first one that is not
 * certain: both it and the next one are sealed, with consecutive numbers, or
 * neither is.
 */
static void skip_windows(const struct xt_trace *t, struct xt_windows *look)
{
    struct head head, next;
    uint64_t end, seal, following;

    assert(look->next <= look->size);
    if ( !copy_head(t, look->next, &head) )
        return;
    for ( seal = read_seal(&head); !begins_with_metadata(&head, seal);
          seal = following )
    {
        end = look->next + XT_WINDOW_HEADER + head.header.size;
        if ( !copy_head(t, end, &next) )
            return;
        following = read_seal(&next);
        if ( following != get_following(seal) )
            return;
        look->next = end;
        look->expected_seal = following;
        head = next;
    }
}

/* Deliver the metadata of a window.  True if there is any. */
static bool visit_window(const struct xt_window *w, xt_meta_fn *fn, void *arg)
{
    struct xt_damage ignored = { 0 };
    struct xt_records records;
    struct xt_record r;
    struct xt_meta m;
    bool found = false;

    xt_records_init(&records, w, &ignored);
    while ( xt_records_next(&records, &r) && xt_event_is_meta(r.event) )
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
    struct xt_window w;
    bool found = false;

    if ( t->metadata )
    {
        visit_known(t, fn, arg);
        return;
    }
    look.damage = &ignored;
    while ( xt_windows_next(&look, &w) &&
            (found || w.at < XT_INFO_BYTES) )
    {
        xt_source_count_header(t->source, w.size);
        found |= visit_window(&w, fn, arg);
        if ( found && w.size >= LARGE )
            skip_windows(t, &look);
    }
}
