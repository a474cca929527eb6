/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop over batches, and the warm-up before a span of time, which only
 * follows the vcpus.
 */
#include "xenalyze/convert/record-walk.h"

#include <assert.h>
#include <errno.h>

#include "libxentrace/meta-event.h"

/* Times of a segment follow those of the segment before. */
static void shift_segment(struct record_walk *w, const struct xt_batch *b)
{
    assert(b->nr);
    if ( b->segment == w->segment )
        return;
    w->segment = b->segment;
    who_runs_reset(&w->runs);
    if ( w->nr && b->items->time + w->shift <= w->last )
        w->shift = w->last + w->hz / 1000 - b->items->time;
}

static int show_pcpu(struct record_walk *w, unsigned int cpu)
{
    assert(cpu < XT_MAX_CPUS);
    if ( cpu < w->runs.nr_cpus && w->runs.pcpus[cpu].shown )
        return 0;
    return who_runs_show_pcpu(&w->runs, cpu);
}

static int follow_vcpus(struct record_walk *w, unsigned int cpu, uint64_t time,
                        const struct xt_record *r)
{
    assert(cpu < w->runs.nr_cpus);
    return who_runs_needs_slow(r->event)
           ? who_runs_apply_slow(&w->runs, NULL, false, cpu, time, r) : 0;
}

static int pass_record(struct record_walk *w, unsigned int cpu, uint64_t time,
                       const struct xt_record *r)
{
    struct walked_record out = {
        .cpu = cpu, .segment = w->segment, .time = time + w->shift,
        .shift = w->shift, .vcpu = w->runs.pcpus[cpu].column.vcpu, .record = r,
    };

    assert(cpu < w->runs.nr_cpus);
    out.is_selected = !w->has_filter ||
                      filter_wants(w->filter, w->catalogue, cpu, out.vcpu, r);
    w->nr += out.is_selected;
    if ( out.is_selected && out.time > w->last )
        w->last = out.time;
    return out.is_selected || w->passes_all ? w->record(w->arg, &out) : 0;
}

static int walk_record(struct record_walk *w, const struct xt_batch *b,
                       const struct xt_item *item)
{
    unsigned int cpu = xt_item_cpu(item);
    struct xt_record r;
    int rc;

    xt_batch_record(b, item, &r);
    assert(cpu < XT_MAX_CPUS);
    if ( xt_event_is_meta(r.event) && xt_losses_add(&w->losses, &r) )
        return -ENOMEM;
    rc = show_pcpu(w, cpu);
    rc = rc ? rc : pass_record(w, cpu, item->time, &r);
    return rc ? rc : follow_vcpus(w, cpu, item->time, &r);
}

static int walk_batch(struct record_walk *w, const struct xt_batch *b)
{
    int rc = 0;

    shift_segment(w, b);
    for ( size_t i = 0; !rc && i < b->nr; i++ )
        rc = walk_record(w, b, &b->items[i]);
    assert(rc <= 0);
    return rc;
}

/* --- the warm-up ---------------------------------------------------------- */

/* Behind records of the span, too: times of a damaged trace may go back. */
static int feed_vcpus(void *arg, const struct xt_batch *b)
{
    struct record_walk *w = arg;
    struct xt_record r;
    int rc = 0;

    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        unsigned int cpu = xt_item_cpu(&b->items[i]);

        xt_batch_record(b, &b->items[i], &r);
        rc = show_pcpu(w, cpu);
        rc = rc ? rc : follow_vcpus(w, cpu, b->items[i].time, &r);
    }
    return rc;
}

static bool vcpus_are_known(const void *arg)
{
    const struct record_walk *w = arg;

    assert(w->record);
    return who_runs_is_complete(&w->runs);
}

static void forget_vcpus(void *arg)
{
    struct record_walk *w = arg;

    who_runs_reset(&w->runs);
}

static const struct warmup warmup = {
    .feed = feed_vcpus, .is_ready = vcpus_are_known, .reset = forget_vcpus,
};

/* --- the walk ------------------------------------------------------------- */

int record_walk_init(struct record_walk *w)
{
    assert(w->source && w->filter && w->catalogue && w->hz && w->record);
    w->has_filter = !filter_is_empty(w->filter);
    w->source->warmup = &warmup;
    w->source->warmup_arg = w;
    return who_runs_init(&w->runs);
}

void record_walk_fini(struct record_walk *w)
{
    xt_losses_fini(&w->losses);
    who_runs_fini(&w->runs);
}

int record_walk_run(struct record_walk *w, struct err *e)
{
    struct xt_batch b;
    int rc;

    assert(!w->nr);
    while ( (rc = record_filter_next(w->source, &b, e)) > 0 )
    {
        rc = walk_batch(w, &b);
        if ( rc )
            return err_sys(e, rc, "cannot write %s", w->output);
        if ( w->progress )
            w->progress(w->progress_arg, b.items[b.nr - 1].time);
    }
    return rc;
}
