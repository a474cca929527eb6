/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records in the order of time, some thousands at once: what order.c hands
 * out.  An item is 16 bytes, so that a batch stays in a cache while it is
 * sorted; the record itself stays where it is in the input.
 *
 *     for ( item = batch.items; item < batch.items + batch.nr; item++ )
 *     {
 *         xt_batch_record(&batch, item, &record);
 *         ... xt_item_cpu(item), item->time, record ...
 *     }
 */
#ifndef LIBXENTRACE_BATCH_H
#define LIBXENTRACE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "libxentrace/record.h"

#define XT_ITEM_CPU_SHIFT 48

struct xt_item
{
    /*
     * When it was: its time stamp; without one, that of the record before it
     * in its window, or, if there is none, of the first one behind it.  (What
     * comes first in a window was traced some time between these two.  Of a
     * stream only the later one is known by then that is sure to be in order;
     * and the order is the same for all.)  Never before that of an earlier
     * item, so where time goes backwards it is not what the record says.
     */
    uint64_t time;
    uint64_t where;     /* pcpu << 48 | place of the record behind `bytes` */
};

/* Borrowed: valid until the next batch. */
struct xt_batch
{
    const struct xt_item *items;
    size_t nr;
    const unsigned char *bytes;
    uint64_t origin;    /* where `bytes` is in the input */

    /*
     * It rises where time cannot be compared with before: another trace, or
     * the time after a boot.
     */
    unsigned int segment;
};

static inline unsigned int xt_item_cpu(const struct xt_item *item)
{
    return item->where >> XT_ITEM_CPU_SHIFT;
}

static inline uint64_t xt_item_offset(const struct xt_item *item)
{
    return item->where & ((UINT64_C(1) << XT_ITEM_CPU_SHIFT) - 1);
}

/* Bytes of the record. */
static inline size_t xt_batch_record(const struct xt_batch *b,
                                     const struct xt_item *item,
                                     struct xt_record *r)
{
    return xt_record_view(r, b->bytes + xt_item_offset(item));
}

/* Of the record no more than what it is. */
static inline uint32_t xt_batch_event(const struct xt_batch *b,
                                      const struct xt_item *item)
{
    return TRC_HD_TO_EVENT(xt_load32(b->bytes + xt_item_offset(item)));
}

/* Where the record stands in the input. */
static inline uint64_t xt_batch_offset(const struct xt_batch *b,
                                       const struct xt_item *item)
{
    return b->origin + xt_item_offset(item);
}

#endif /* LIBXENTRACE_BATCH_H */
