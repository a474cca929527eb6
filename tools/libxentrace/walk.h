/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A walk over all records of one pcpu, from window to window: the fastest way
 * through a trace, for whatever does not depend on other pcpus.  Walks of
 * different pcpus may be in different threads.
 */
#ifndef LIBXENTRACE_WALK_H
#define LIBXENTRACE_WALK_H

#include <stdbool.h>

#include "libxentrace/cursor.h"

struct xt_walk
{
    const unsigned char *at;    /* the next record */
    const unsigned char *end;   /* of its window */
    const unsigned char *released; /* up to there it is known to be done with */
    struct xt_cursor cursor;    /* which window that is */
    struct xt_read_context context;
    struct xt_damage damage;    /* what this walk found */
};

/* Over a pcpu of an index that is complete, in an input that is mapped. */
void xt_walk_init(struct xt_walk *w, const struct xt_read_context *r,
                  unsigned int cpu);

/* The walk is at the end of what it can read: go to the next window. */
bool xt_walk_next_window(struct xt_walk *w);

/*
 * The walk rests.  What is behind it need not stay in memory: of many pcpus,
 * and in large windows, that is the whole of a file.
 */
void xt_walk_pause(struct xt_walk *w);

/*
 * The next record, or false at the end.  *at is the caller's copy of w->at: in
 * a register, where the way from one record to the next is not by memory.
 */
static inline bool xt_walk_next_at(struct xt_walk *w, const unsigned char **at,
                                   struct xt_record *r)
{
    size_t size;

    while ( !(size = xt_record_decode(r, *at, w->end)) ||
            !xt_record_is_possible(r) )
    {
        if ( !xt_walk_next_window(w) )
            return false;
        *at = w->at;
    }
    *at += size;
    w->at = *at;
    return true;
}

static inline bool xt_walk_next(struct xt_walk *w, struct xt_record *r)
{
    const unsigned char *at = w->at;

    return xt_walk_next_at(w, &at, r);
}

#endif /* LIBXENTRACE_WALK_H */
