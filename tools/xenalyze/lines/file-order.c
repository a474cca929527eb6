/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A batch in the order of the file.  All items need a time, which the filter
 * compares with the span of time: a record without a time stamp gets the time
 * of the previous record of its pcpu, or before the first time stamp that one.
 */
#include "xenalyze/lines/file-order.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"

void file_order_init(struct file_order *o, struct xt_trace *trace)
{
    *o = (struct file_order){ .trace = trace };
}

void file_order_fini(struct file_order *o)
{
    free(o->items);
    free(o->times);
}

static int grow_arrays(struct file_order *o, size_t items, unsigned int cpu)
{
    if ( items > o->room )
    {
        struct xt_item *more = fault_realloc(o->items,
                                             2 * items * sizeof(*more));

        if ( !more )
            return -ENOMEM;
        o->items = more;
        o->room = 2 * items;
    }
    assert(items <= o->room);
    if ( cpu >= o->nr_cpus )
    {
        uint64_t *more = fault_realloc(o->times, (cpu + 1) * sizeof(*more));

        if ( !more )
            return -ENOMEM;
        for ( ; o->nr_cpus <= cpu; o->nr_cpus++ )
            more[o->nr_cpus] = 0;
        o->times = more;
    }
    return 0;
}

/* Set the time of the items before the first time stamp of a pcpu. */
static void set_leading_times(struct file_order *o, size_t nr, uint64_t time)
{
    for ( size_t i = 0; i < nr && !o->items[i].time; i++ )
        o->items[i].time = time;
}

static int fill_batch(struct file_order *o, const struct xt_window *w,
                      struct xt_batch *b)
{
    uint64_t cpu = (uint64_t)w->cpu << XT_ITEM_CPU_SHIFT, *time;
    struct xt_records records;
    struct xt_record r;

    if ( grow_arrays(o, 1, w->cpu) )
        return -ENOMEM;
    time = &o->times[w->cpu];
    o->items[0] = (struct xt_item){ .time = *time, .where = cpu };
    b->nr = 1;
    xt_trace_begin_records(o->trace, w, &records);
    while ( xt_records_next(&records, &r) )
    {
        uint64_t size = 4 + (r.has_tsc ? 8 : 0);

        if ( b->nr == o->room && grow_arrays(o, b->nr + 1, w->cpu) )
            return -ENOMEM;
        if ( xt_record_is_timed(&r) && !*time )
            set_leading_times(o, b->nr, r.tsc);
        *time = xt_record_is_timed(&r) ? r.tsc : *time;
        debug_assert(b->nr < o->room);
        o->items[b->nr++] = (struct xt_item){
            .time = *time,
            .where = cpu | (r.payload - size - b->bytes),
        };
    }
    return 0;
}

int file_order_next(void *order, struct xt_batch *b, struct err *e)
{
    struct file_order *o = order;
    struct xt_window w;
    int rc = xt_trace_next_window(o->trace, &w, e);

    if ( rc <= 0 )
        return rc;
    *b = (struct xt_batch){
        .bytes = w.bytes - XT_WINDOW_HEADER, .origin = w.at,
    };
    rc = fill_batch(o, &w, b);
    b->items = o->items;
    assert(rc || b->nr);
    return rc ? err_sys(e, rc, "cannot read %s", xt_trace_name(o->trace)) : 1;
}
