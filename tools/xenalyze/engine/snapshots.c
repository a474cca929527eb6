/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector asks once, after tracing has begun, which vcpu runs on each
 * pcpu.  A pcpu whose vcpu never changes has no record that names the vcpu.
 */
#include <assert.h>
#include <errno.h>

#include "libxentrace/internal.h"
#include "libxentrace/meta-event.h"
#include "xenalyze/engine/engine-private.h"

/*
 * A snapshot is used if the trace has the scheduler's records since before the
 * snapshot, which is taken at the begin of a capture.  So one of another
 * capture in the file is not used, nor one before what a flight recorder kept.
 */
static bool has_scheduler(const struct xt_info *info)
{
    return info->has_run &&
           (info->captured & TRC_SCHED_MIN) == TRC_SCHED_MIN;
}

static void add_snapshot(struct analysis *a, const struct xt_rec_meta_vcpu *m)
{
    struct snapshot *s;

    if ( m->state != STATE_RUNNING || m->cpu < 0 ||
         (uint32_t)m->cpu >= a->nr_snapshots )
        return;
    s = &a->snapshots[m->cpu];
    /* The vcpu may have moved between two questions: the last is right. */
    if ( m->tsc >= s->time )
        *s = (struct snapshot){ m->tsc, xt_vcpu_key(m->dom, m->vcpu) };
}

int snapshots_read(struct analysis *a)
{
    const struct xt_host *host = a->options->host;
    const struct xt_meta *m = NULL;

    assert(!a->snapshots);
    if ( !host || !has_scheduler(&a->info) ||
         !xt_host_next(host, TRC_META_VCPU, NULL) )
        return 0;
    a->snapshots = arena_array(&a->arena, XT_MAX_CPUS, sizeof(*a->snapshots),
                               _Alignof(struct snapshot));
    if ( !a->snapshots )
        return -ENOMEM;
    a->nr_snapshots = XT_MAX_CPUS;
    while ( (m = xt_host_next(host, TRC_META_VCPU, m)) )
        add_snapshot(a, &m->vcpu);
    return 0;
}

void snapshots_find(const struct analysis *a, struct pcpu *p)
{
    uint64_t first = a->global.first;
    struct snapshot s = { 0 };

    if ( p->id < a->nr_snapshots )
        s = a->snapshots[p->id];
    p->has_snapshot = s.time && s.time >= first &&
                      s.time - first <= xt_clock_cycles(&a->clock,
                                                        XT_HOST_SNAPSHOT_NS);
    p->snapshot_vcpu = s.vcpu;
    p->snapshot_time = s.time;
}
