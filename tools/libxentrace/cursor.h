/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A position in the records of one pcpu, which moves from window to window.
 * Both walks over a pcpu use cursors: order.c, with its own inner loop for
 * speed, and walk.h.
 */
#ifndef LIBXENTRACE_CURSOR_H
#define LIBXENTRACE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/index.h"
#include "libxentrace/view.h"
#include "libxentrace/window-bytes.h"

/*
 * The input of a reader, and the log for its damage.  All borrowed.  A reader
 * of one pcpu reads windows into `bytes`; NULL: records are in the view.
 */
struct xt_read_context
{
    struct xt_index *index;
    struct xt_view *view;
    struct xt_damage *damage;
    struct xt_window_bytes *bytes;
};

/* The records of a window. */
const unsigned char *xt_context_records(const struct xt_read_context *r,
                                        const struct xt_index_entry *p);

struct xt_cursor
{
    uint64_t entry;     /* number of its window; XT_NOWHERE at the end */
    uint64_t at, end;   /* offsets of the next record, and of the window's end
                         */
    uint64_t time;      /* time of the last record; or that of the window, if
                           later, unless the window inherits the former */
    uint64_t before;    /* the last time stamp that differs from `time` */
    bool gap;           /* records of the pcpu may be missing in front of the
                           window, or at the end ... */
    uint64_t gap_from;  /* ... but none before this time, except for those
                           behind its last record */
};

/*
 * True if the window has credible records.  The checksum is computed once; the
 * window has to be in view.
 */
bool xt_index_entry_verify(const struct xt_read_context *r,
                           struct xt_index_entry *p);

/*
 * Begin before the first record of window `entry`, which may be XT_NOWHERE.
 * Without a previous record, untimed records at the beginning of the window get
 * the time of the window.
 */
void xt_cursor_init(struct xt_cursor *c, const struct xt_read_context *r,
                    uint64_t entry);

/*
 * Continue in window `entry`: all windows of the pcpu before the window are
 * read.
 */
void xt_cursor_resume(struct xt_cursor *c, const struct xt_read_context *r,
                      uint64_t entry);

/*
 * Leave the window, all records of which are read, for the pcpu's next credible
 * window.  Untimed records at the beginning of that window get the time of the
 * pcpu's previous record; metadata without such records, the time of the
 * window.  False if there is no next window (yet).
 */
bool xt_cursor_next_window(struct xt_cursor *c,
                           const struct xt_read_context *r);

/*
 * No record can be decoded at c->at: end the window there, permanently, and
 * note the rest of the window as damage.
 */
void xt_cursor_end_window(struct xt_cursor *c, const struct xt_read_context *r);

/* Number of untimed records at the cursor, up to the end of its window. */
uint64_t xt_cursor_count_untimed(const struct xt_cursor *c,
                                 const struct xt_read_context *r);

/* Note, once per window, that the record at c->at is before its predecessor. */
void xt_cursor_note_backward(struct xt_cursor *c,
                             const struct xt_read_context *r);

#endif /* LIBXENTRACE_CURSOR_H */
