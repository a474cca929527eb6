/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A walk over all records of one pcpu, from window to window: the fastest way
 * to read a trace, for reports that treat each pcpu by itself.  Walks over
 * different pcpus may run in different threads.
 */
#ifndef LIBXENTRACE_WALK_H
#define LIBXENTRACE_WALK_H

#include <stdbool.h>

#include "libxentrace/cursor.h"

struct xt_walk
{
    const unsigned char *at;    /* the next record */
    const unsigned char *end;   /* end of its window */
    const unsigned char *released; /* bytes before are counted as used */
    const unsigned char *records;       /* first record of the window */
    struct xt_cursor cursor;    /* position of the window */
    struct xt_read_context context;
    struct xt_damage damage;    /* damage that this walk found */
    struct xt_window_bytes bytes;
};

/*
 * Begin a walk over a pcpu.  The index is complete, the input is mapped.  The
 * walk must not move; xt_walk_fini() frees its memory.
 */
void xt_walk_init(struct xt_walk *w, const struct xt_read_context *r,
                  unsigned int cpu);
void xt_walk_fini(struct xt_walk *w);

/*
 * Enter the next window, from the end of the readable records.  False at the
 * end of the pcpu.
 */
bool xt_walk_next_window(struct xt_walk *w);

/*
 * Pause a walk: mapped pages behind `at` may be released.  The walks of many
 * pcpus over large windows would otherwise hold the whole file in memory.
 */
void xt_walk_pause(struct xt_walk *w);

/* Offset in the input of a byte of the window. */
static inline uint64_t xt_walk_offset(const struct xt_walk *w,
                                      const unsigned char *at)
{
    return w->cursor.at + (at - w->records);
}

/*
 * The next record, or false at the end.  *at is the caller's copy of w->at,
 * which the compiler can keep in a register.
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

/*
 * Note, once per window, that the last record of the walk is not in the order
 * of time.  `payload` is that of the record, which has a time stamp; a pointer
 * to the record would keep it out of registers.
 */
void xt_walk_note_backward(struct xt_walk *w, const unsigned char *payload);

static inline bool xt_walk_next(struct xt_walk *w, struct xt_record *r)
{
    const unsigned char *at = w->at;

    return xt_walk_next_at(w, &at, r);
}

#endif /* LIBXENTRACE_WALK_H */
