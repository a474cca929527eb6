/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A entry in the records of one pcpu, and how it gets from window to window.
 * Both walks over a pcpu (order.c's, which is a loop of its own for speed,
 * and walk.h's) stand on this.
 */
#ifndef LIBXENTRACE_CURSOR_H
#define LIBXENTRACE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/index.h"
#include "libxentrace/view.h"

/* What is read, and who is told of damage.  All borrowed. */
struct xt_read_context
{
    struct xt_index *index;
    struct xt_view *view;
    struct xt_damage *damage;
};

struct xt_cursor
{
    uint64_t entry;     /* number of its window; XT_NOWHERE: at the end */
    uint64_t at, end;   /* in the input: the next record, the window's end */
    uint64_t time;      /* of the last record, or of the window if later */
    uint64_t before;    /* the one before that was another */
};

/* Is there anything to read in it?  Checked once; the window is in view. */
bool xt_index_entry_verify(const struct xt_read_context *r,
                           struct xt_index_entry *p);

/* Before the first record of window `entry`, which may be XT_NOWHERE. */
void xt_cursor_init(struct xt_cursor *c, const struct xt_read_context *r,
                    uint64_t entry);

/*
 * Leave the window, of which all records are read, for the next of the pcpu
 * that can be believed.  Records at its beginning that do not say when they
 * were have its time: so it does not matter here what windows there were
 * before.  False: there is none (yet).
 */
bool xt_cursor_next_window(struct xt_cursor *c,
                           const struct xt_read_context *r);

/*
 * No record can be read at c->at: note that the rest of the window is given
 * up, if there is any, and end it there, for good.
 */
void xt_cursor_end_window(struct xt_cursor *c, const struct xt_read_context *r);

/* Note, once a window, that the record at c->at is before its predecessor. */
void xt_cursor_note_backward(struct xt_cursor *c,
                             const struct xt_read_context *r);

#endif /* LIBXENTRACE_CURSOR_H */
