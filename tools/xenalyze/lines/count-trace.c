/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of metadata records of a window is the difference of two counts of
 * its pcpu.
 */
#include "xenalyze/lines/count-trace.h"

#include <assert.h>

static uint64_t count_metadata(const struct xt_counts *c, unsigned int cpu)
{
    assert(cpu < XT_MAX_CPUS);
    return cpu < c->nr_cpus ? c->cpus[cpu].metas : 0;
}

int count_trace(struct xt_counts *c, struct xt_trace *t, counted_window_fn *fn,
                void *arg, struct err *e)
{
    struct xt_records records;
    struct xt_window w;
    int rc;

    assert(!c->total.records);
    while ( (rc = xt_trace_copy_window(t, &w, e)) > 0 )
    {
        uint64_t before = count_metadata(c, w.cpu);

        xt_trace_begin_records(t, &w, &records);
        rc = xt_counts_add_window(c, &w, records.damage);
        if ( !rc && fn )
            rc = fn(arg, &w, count_metadata(c, w.cpu) - before);
        if ( rc )
            return rc;
    }
    return rc ? rc : xt_counts_finish(c, xt_trace_position(t),
                                      xt_trace_damage(t));
}
