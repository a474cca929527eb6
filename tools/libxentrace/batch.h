/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records in the order of time, some thousands at once: the output of order.c.
 * An item has 16 bytes, so that a batch stays in the cache while order.c sorts
 * the items; the record itself stays at its place in the input.
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
     * The time stamp of the record.  A record without a time stamp has the time
     * of the pcpu's previous record; or of its window, if the pcpu has no
     * record in the same or the previous pass of the collector, or if metadata
     * at the beginning of a window is the only record without a time stamp.
     * Times never fall from item to item: where time goes backwards, this field
     * differs from the record's own time stamp.
     */
    uint64_t time;
    uint64_t where;     /* pcpu << 48 | offset of the record in `bytes` */
};

/* Borrowed: valid until the next batch. */
struct xt_batch
{
    const struct xt_item *items;
    size_t nr;
    const unsigned char *bytes;
    uint64_t origin;    /* offset of `bytes` in the input */

    /*
     * Number of the segment.  Times of two segments cannot be compared: they
     * are two traces in one file, or the times before and after a boot.
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

/* Decode the record of an item.  Returns the record's size in bytes. */
static inline size_t xt_batch_record(const struct xt_batch *b,
                                     const struct xt_item *item,
                                     struct xt_record *r)
{
    return xt_record_view(r, b->bytes + xt_item_offset(item));
}

/* The event id alone, without decoding the record. */
static inline uint32_t xt_batch_event(const struct xt_batch *b,
                                      const struct xt_item *item)
{
    return TRC_HD_TO_EVENT(xt_load32(b->bytes + xt_item_offset(item)));
}

/* Offset of the record in the input. */
static inline uint64_t xt_batch_offset(const struct xt_batch *b,
                                       const struct xt_item *item)
{
    return b->origin + xt_item_offset(item);
}

#endif /* LIBXENTRACE_BATCH_H */
