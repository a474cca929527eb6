/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All records of a segment in the order of time.  Time is cut into slices of
 * some thousands of records.  The records of every pcpu in a slice are
 * collected and sorted together (slice.c), at nearly the same cost for any
 * number of pcpus.  Records of equal time are in the order of their pcpus, and
 * records of one pcpu in the order in which they were traced.
 *
 * Single damaged time stamps are corrected here: the record gets the time of
 * the previous record.
 *
 * Records of a stream can only be ordered up to a LIMIT, before which no
 * further record will come.
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
    struct xt_read_context context;  /* its pointers are borrowed */
    struct xt_cursor *cursors;  /* position of each pcpu */
    struct xt_cursor *saved;    /* positions at the begin of this slice */
    uint64_t *next;             /* time of each pcpu's next record */
    unsigned int nr, room;      /* pcpus, and space for pcpus */
    uint16_t *touched;          /* pcpus with records in this slice */
    unsigned int nr_touched;
    struct xt_slice slice;
    uint64_t length;            /* ticks of the next slice */
    uint64_t now;               /* no later item is before this time */
    unsigned int tick;          /* next pcpu of a slice of one tick */
    bool in_tick;
    uint64_t late;              /* records before `now` */
};

int xt_order_init(struct xt_order *o, const struct xt_read_context *r);
void xt_order_fini(struct xt_order *o);

/* Begin again, before the first window of each pcpu in the index. */
int xt_order_restart(struct xt_order *o);

/* Begin with the first record at or after `time`. */
int xt_order_seek(struct xt_order *o, uint64_t time);

/* Call when window `number` was added to the index.  0 or -ENOMEM. */
int xt_order_add_window(struct xt_order *o, uint64_t number);

/*
 * The index has a horizon now: a record behind it does not delay its pcpu any
 * more.
 */
void xt_order_check_next(struct xt_order *o);

/*
 * Set b->items and b->nr to the next items up to time `limit`.  False if there
 * are none.
 */
bool xt_order_next(struct xt_order *o, uint64_t limit, struct xt_batch *b);

#endif /* LIBXENTRACE_ORDER_H */
