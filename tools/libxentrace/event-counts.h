/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table with the number of records of each event id.  A real trace has
 * about thirty ids and millions of records, so the common case is one probe of
 * a small table, inline.  A hostile trace can have 2^28 ids: after
 * XT_EVENT_COUNTS_MAX ids, further ones only count in `others`.
 */
#ifndef LIBXENTRACE_EVENT_COUNTS_H
#define LIBXENTRACE_EVENT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#define XT_EVENT_COUNTS_MAX 65536u
#define XT_EVENT_COUNTS_FREE UINT32_MAX    /* no event: ids have 28 bits */

struct xt_event_count
{
    uint32_t event;
    uint64_t times;
};

/* Open addressing, at most half full; all zero until xt_event_counts_init(). */
struct xt_event_counts
{
    struct xt_event_count *rows;
    size_t nr_rows;             /* a power of two */
    size_t used;
    uint64_t others;            /* records of further ids */
};

int xt_event_counts_init(struct xt_event_counts *t);
void xt_event_counts_fini(struct xt_event_counts *t);

/*
 * The first slot to probe for an event.  Ids differ in few bits, of which the
 * product has all in its upper half.
 */
static inline size_t xt_event_counts_slot(uint32_t event, size_t nr_rows)
{
    return (uint64_t)(event * 2654435761u) * nr_rows >> 32;
}

/* For an event that is not in its first slot.  0 or -ENOMEM. */
int xt_event_counts_add_slow(struct xt_event_counts *t, uint32_t event);

static inline int xt_event_counts_add(struct xt_event_counts *t, uint32_t event)
{
    struct xt_event_count *row = &t->rows[xt_event_counts_slot(event,
                                                               t->nr_rows)];

    if ( row->event != event )
        return xt_event_counts_add_slow(t, event);
    row->times++;
    return 0;
}

/*
 * Sort by id: rows[0..used) are then the events.  No event can be added after.
 */
void xt_event_counts_sort(struct xt_event_counts *t);

#endif /* LIBXENTRACE_EVENT_COUNTS_H */
