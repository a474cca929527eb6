/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All records of a segment in the order of time.  Time is cut into slices of
 * some thousands of records; of each slice every pcpu's records are collected
 * and then sorted at once (slice.c), which costs nearly the same for any
 * number of pcpus.  Records of the same time come in the order of their
 * pcpus, and those of a pcpu in the order in which they were traced.
 *
 * What is wrong with time, as far as one record goes, is put right here: one
 * whose time stamp is out of line gets the time of the one before it.
 *
 * Of an input that is still coming, only what is before the LIMIT can be
 * ordered: what else is to come will not be before that.
 */
#ifndef LIBXENTRACE_ORDER_H
#define LIBXENTRACE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/batch.h"
#include "libxentrace/cursor.h"
#include "libxentrace/slice.h"

struct xt_order
{
    struct xt_read_context context;  /* what it points to is borrowed */
    struct xt_cursor *cursors;  /* by pcpu ... */
    struct xt_cursor *saved;    /* ... and as they were before this slice */
    uint64_t *next;             /* ... and the time of the next record */
    unsigned int nr, room;      /* pcpus */
    uint16_t *touched;          /* those whose records are in this slice */
    unsigned int nr_touched;
    struct xt_slice slice;
    uint64_t length;            /* of the next slice */
    uint64_t now;               /* nothing before this will follow */
    unsigned int tick;          /* the pcpu that a slice of one tick is at */
    bool in_tick;
    uint64_t late;              /* records that came when `now` was later */
};

int xt_order_init(struct xt_order *o, const struct xt_read_context *r);
void xt_order_fini(struct xt_order *o);

/* Begin again, before all windows of the index that are in a line. */
int xt_order_restart(struct xt_order *o);

/* Begin before the first records that are not before `time`, nearly. */
int xt_order_seek(struct xt_order *o, uint64_t time);

/* Window `number` was added to the index.  0 or -ENOMEM. */
int xt_order_add_window(struct xt_order *o, uint64_t number);

/*
 * Fill in b->items and b->nr with what comes next and is not after `limit`.
 * False: nothing.
 */
bool xt_order_next(struct xt_order *o, uint64_t limit, struct xt_batch *b);

#endif /* LIBXENTRACE_ORDER_H */
