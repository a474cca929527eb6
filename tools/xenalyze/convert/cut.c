/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the trace in the order of time, from its beginning or from a
 * checkpoint of its index: states at the begin of the span follow from any
 * record before.  By window, the pass leaves out the span itself.
 *
 *     before the span    -> early records (early-records.h); those long before
 *                           it do not enter their ring
 *     the first record from the span's begin on: the early records are written
 *     in the span        -> window buffer (window-buffer.h)
 *     behind             -> only ends: see ENDS
 *
 * ENDS.  A reader knows the state of a pcpu up to its last record, and the
 * length of a VM exit from its end.  So for each pcpu the next record is
 * written, and in an open exit all records up to its end; for each vcpu that is
 * blocked in an exit the next record.
 */
#include "xenalyze/convert/cut.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/meta-event.h"
#include "xenalyze/convert/cut-windows.h"
#include "xenalyze/convert/early-damage.h"
#include "xenalyze/convert/early-records.h"
#include "xenalyze/convert/window-buffer.h"
#include "xenalyze/lines/lines.h"

/* The search for ends gives up after these bytes of the trace. */
#define MAX_BEHIND (256u << 20)

/* Bytes of the trace with many times the records that the ring has room for. */
#define RING_DISTANCE (16u << 20)

/* Metadata from before the span, with the meta_cut record. */
#define MAX_METADATA (4u << 20)

/* The records of a pcpu behind the span. */
enum end { MISSING, BEGUN, COMPLETE };

struct cut
{
    const struct cut_options *o;
    struct cut_counts *counts;
    struct who_runs runs;       /* for the filter */
    struct early_records early;
    struct early_damage damage; /* only by window */
    struct window_buffer windows;
    uint64_t ring_from;         /* earlier records do not enter the ring; 0
                                   behind the first one that does */
    size_t metadata;            /* bytes before the span */
    bool has_clock;             /* in the metadata */
    bool wants_mark;            /* the last reading of clocks, which is the
                                   moment of a mark behind it, is in the span */
    bool begun;                 /* early records are written */
    bool behind, over;
    uint64_t horizon;           /* later records may be incomplete: the trace
                                   is read up to here */
    bool at_horizon;            /* there are later records */
    uint64_t behind_from;       /* position in the trace */
    unsigned int last_cpu;      /* the last written record */
    uint8_t *ends;              /* by pcpu, from MISSING on */
    unsigned int segment;
};

/* --- metadata ------------------------------------------------------------- */

/* Metadata from before the span, unless it has no meaning without its time. */
static bool survives(struct cut *c, const struct xt_meta *m)
{
    bool had_clock = c->has_clock;

    assert(!c->begun);
    if ( m->event == TRC_META_CLOCK )
    {
        c->has_clock = true;
        return !had_clock || c->wants_mark;
    }
    return m->event != TRC_META_LOST && m->event != TRC_META_END;
}

/*
 * A mark that is not of the span.  A metadata record has the time of the record
 * before it, so the reading of clocks decides.
 */
static bool is_foreign_mark(struct cut *c, const struct xt_meta *m)
{
    assert(c->o->from <= c->o->until);
    if ( m->event == TRC_META_CLOCK )
        c->wants_mark = m->clock.tsc >= c->o->from &&
                        m->clock.tsc <= c->o->until;
    return m->event == TRC_META_TEXT && m->text.kind == FILE_TEXT_MARK &&
           !c->wants_mark;
}

static int add_preface(struct cut *c, const void *bytes, size_t size)
{
    assert(!c->begun && size <= XT_RECORD_MAX_BYTES);
    if ( c->metadata + size > MAX_METADATA )
    {
        c->counts->metadata_left_out++;
        return 0;
    }
    c->metadata += size;
    return window_buffer_preface(&c->windows, bytes, size);
}

/* Metadata concerns all pcpus: records of a left out pcpu move to another. */
static int add_metadata(struct cut *c, unsigned int cpu, const void *bytes,
                        size_t size)
{
    assert(c->begun && c->o->filter);
    if ( !filter_wants_pcpu(c->o->filter, cpu) )
        cpu = c->last_cpu;
    return window_buffer_add_metadata(&c->windows, cpu, bytes, size);
}

static int cut_metadata(struct cut *c, const struct xt_item *item,
                        const struct xt_record *r, const void *bytes,
                        size_t size)
{
    struct xt_meta m;
    bool is_known = xt_meta_decode(&m, r);

    assert(xt_event_is_meta(r->event));
    /* Behind the span's windows: they have it. */
    if ( c->begun && item->time < c->ring_from )
        return 0;
    if ( is_known && is_foreign_mark(c, &m) )
        return 0;
    c->windows.sealed |= r->event == TRC_META_WINDOW;
    if ( r->event == TRC_META_WINDOW || r->event == TRC_META_CUT ||
         item->time > c->o->until )
        return 0;
    if ( c->begun )
        return add_metadata(c, xt_item_cpu(item), bytes, size);
    return !is_known || survives(c, &m) ? add_preface(c, bytes, size) : 0;
}

static int add_preface_record(struct cut *c, const struct xt_meta *m)
{
    unsigned char bytes[XT_META_MAX_BYTES];

    return window_buffer_preface(&c->windows, bytes, xt_meta_encode(m, bytes));
}

static int add_cut_record(struct cut *c)
{
    const struct xt_meta m = {
        .event = TRC_META_CUT,
        .cut = { .from = c->o->from, .until = c->o->until,
                 .origin = c->o->origin },
    };

    assert(c->o->from <= c->o->until);
    return add_preface_record(c, &m);
}

static int add_selection(struct cut *c)
{
    const char *text = c->o->selection;
    unsigned int parts = text ? xt_meta_count_parts(strlen(text)) : 0;
    struct xt_meta m = { .event = TRC_META_TEXT,
                         .text.kind = FILE_TEXT_SELECTION };
    int rc = 0;

    for ( unsigned int i = 0; !rc && i < parts; i++ )
    {
        xt_meta_set_part(&m, text, i);
        rc = add_preface_record(c, &m);
    }
    return rc;
}

/* --- early records -------------------------------------------------------- */

/* A record outside of the span is written. */
static void check_times(struct cut *c, uint64_t time, const void *bytes)
{
    struct xt_record r;

    if ( !c->damage.all )
        return;
    xt_record_view(&r, bytes);
    c->counts->is_inexact |= early_damage_is_doubtful(c->damage.all, time, &r);
}

static int write_kept(void *arg, const struct early_record *r)
{
    struct cut *c = arg;

    assert(r->size);
    check_times(c, r->time, r->bytes);
    c->last_cpu = r->cpu;
    return window_buffer_add(&c->windows, r->cpu, r->bytes, r->size);
}

/*
 * The first record from W on.  Time may step far from those before: a window of
 * its own shows that the step is no damage.
 */
static int write_recent(void *arg, const struct early_record *r)
{
    struct cut *c = arg;
    int rc = c->begun ? 0 : window_buffer_flush(&c->windows);

    c->begun = true;
    return rc ? rc : write_kept(arg, r);
}

static int begin_span(struct cut *c)
{
    int rc = add_cut_record(c);

    assert(!c->begun);
    rc = rc ? rc : add_selection(c);
    c->counts->is_inexact |= early_damage_has_suspects(&c->damage, &c->early);
    rc = rc ? rc : early_deliver(&c->early, write_kept, write_recent, c);
    if ( !rc && !c->begun )
        rc = window_buffer_flush(&c->windows);
    c->begun = true;
    return rc;
}

/* --- records -------------------------------------------------------------- */

/* Whether a record matches the filter: 1, 0, or -ENOMEM. */
static int match_filter(struct cut *c, const struct xt_item *item,
                        const struct xt_record *r)
{
    const struct filter *f = c->o->filter;
    unsigned int cpu = xt_item_cpu(item);
    uint32_t vcpu = FILTER_NO_VCPU;
    int matches;

    if ( filter_is_empty(f) )
        return 1;
    if ( filter_needs_vcpu(f) )
    {
        if ( who_runs_show_pcpu(&c->runs, cpu) )
            return -ENOMEM;
        vcpu = c->runs.pcpus[cpu].column.vcpu;
    }
    matches = filter_wants(f, c->o->catalogue, cpu, vcpu, r);
    assert(matches == 0 || matches == 1);
    if ( filter_needs_vcpu(f) &&
         who_runs_apply_slow(&c->runs, NULL, false, cpu, item->time, r) )
        return -ENOMEM;
    return matches;
}

static int add_selected(struct cut *c, unsigned int cpu, const void *bytes,
                      size_t size)
{
    assert(c->begun);
    c->last_cpu = cpu;
    return window_buffer_add(&c->windows, cpu, bytes, size);
}

/*
 * A record behind the span: see ENDS.  Without a time stamp, its time in the
 * part is that of the record before, which has to be behind the span, too.
 */
static int cut_end(struct cut *c, const struct xt_item *item,
                   const struct xt_record *r, const void *bytes, size_t size)
{
    unsigned int cpu = xt_item_cpu(item);
    bool ends_exit = early_ends_exit(&c->early, r);
    int rc;

    assert(cpu < XT_MAX_CPUS && c->behind);
    if ( (c->ends[cpu] == COMPLETE && !ends_exit) ||
         (c->ends[cpu] == MISSING && !xt_record_is_timed(r)) )
        return 0;
    check_times(c, item->time, bytes);
    rc = early_follow(&c->early, cpu, item->time, r);
    c->ends[cpu] = c->o->ends_exits && early_in_exit(&c->early, cpu)
                   ? BEGUN : COMPLETE;
    return rc ? rc : add_selected(c, cpu, bytes, size);
}

static int cut_record(struct cut *c, const struct xt_item *item,
                      const struct xt_record *r, const void *bytes,
                      size_t size)
{
    unsigned int cpu = xt_item_cpu(item);
    int rc = 0;

    if ( !c->begun && item->time >= c->o->from )
        rc = begin_span(c);
    assert(cpu < XT_MAX_CPUS);
    if ( !rc && item->time > c->o->until )
        return cut_end(c, item, r, bytes, size);
    rc = rc ? rc : early_follow(&c->early, cpu, item->time, r);
    if ( rc )
        return rc;
    if ( item->time < c->o->from && !c->begun )
        return early_keep(&c->early, cpu, item->time, bytes, size);
    c->counts->matched++;
    return add_selected(c, cpu, bytes, size);
}

/* Is something missing that a later record can provide? */
static bool needs_ends(const struct cut *c)
{
    assert(c->behind);
    for ( unsigned int i = 0; i < c->early.nr_pcpus; i++ )
        if ( early_has_pcpu(&c->early, i) && c->ends[i] != COMPLETE )
            return true;
    return c->o->ends_exits && early_count_open_exits(&c->early);
}

/* --- the pass ------------------------------------------------------------- */

/* Times of another segment cannot be compared with those before. */
static int cut_begin_segment(struct cut *c, const struct xt_batch *b)
{
    int rc = 0;

    assert(b->nr);
    if ( b->segment == c->segment )
        return 0;
    c->segment = b->segment;
    c->counts->is_inexact = true;
    if ( c->begun )
        rc = window_buffer_flush(&c->windows);
    early_reset(&c->early);
    who_runs_reset(&c->runs);
    return rc;
}

/*
 * Times of a damaged trace may go back: once a record has entered the ring, all
 * do.
 */
static int cut_selected(struct cut *c, const struct xt_item *item,
                        const struct xt_record *r, const void *bytes,
                        size_t size)
{
    unsigned char room[XT_RECORD_MAX_BYTES];
    int matches;

    if ( c->damage.all && !c->behind )
    {
        if ( early_damage_ignores(&c->damage, &c->early, xt_item_cpu(item),
                                  r) )
            return 0;
        bytes = early_damage_correct(item->time, r, bytes, size, room);
    }
    if ( item->time < c->ring_from )
        return early_pass(&c->early, xt_item_cpu(item), item->time, r, bytes,
                          size);
    c->ring_from = 0;
    matches = match_filter(c, item, r);
    return matches > 0 ? cut_record(c, item, r, bytes, size) : matches;
}

/*
 * A gap in front of the record: early records have a loss in its place, but the
 * ends behind the span have none.
 */
static int cut_gap(struct cut *c, const struct xt_item *item,
                   const struct xt_record *r)
{
    unsigned char bytes[XT_RECORD_MAX_BYTES];
    struct xt_record loss;
    size_t size = early_damage_leave_gap(&c->damage, xt_item_cpu(item), r,
                                         bytes);

    if ( c->behind )
        c->counts->is_inexact |= needs_ends(c);
    if ( c->behind || !size )
        return 0;
    xt_record_view(&loss, bytes);
    return cut_selected(c, item, &loss, bytes, size);
}

static int cut_batch(struct cut *c, const struct xt_batch *b)
{
    int rc = cut_begin_segment(c, b);

    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        const struct xt_item *item = &b->items[i];
        struct xt_record r;
        size_t size = xt_batch_record(b, item, &r);
        const void *bytes = b->bytes + xt_item_offset(item);

        c->at_horizon = item->time > c->horizon;
        if ( c->at_horizon )
            return 0;
        c->behind |= item->time > c->o->until;
        if ( early_damage_ends_gap(&c->damage, xt_item_cpu(item),
                                   xt_batch_offset(b, item)) )
            rc = cut_gap(c, item, &r);
        if ( rc )
            return rc;
        if ( xt_event_is_meta(r.event) )
            rc = cut_metadata(c, item, &r, bytes, size);
        else if ( r.event != TRC_TRACE_WRAP_BUFFER )
            rc = cut_selected(c, item, &r, bytes, size);
    }
    c->counts->records += b->nr;
    assert(rc <= 0);
    return rc;
}

/* After a batch: look for ends for a while. */
static bool is_over(struct cut *c, const struct xt_batch *b)
{
    uint64_t at = xt_batch_offset(b, &b->items[b->nr - 1]);

    if ( !c->behind )
        return false;
    if ( !c->behind_from )
        c->behind_from = at;
    assert(c->ends);
    return (at > c->behind_from && at - c->behind_from > MAX_BEHIND) ||
           !needs_ends(c);
}

static int fail_cut(const struct cut *c, int rc, struct err *e)
{
    assert(rc < 0);
    if ( rc == -ENOMEM )
        return err_sys(e, rc, "cannot cut %s", xt_trace_name(c->o->trace));
    return err_sys(e, rc, "cannot write %s", c->o->output);
}

static int read_records(struct cut *c, struct err *e)
{
    const struct cut_options *o = c->o;
    struct xt_batch b;
    int rc = 0;

    c->at_horizon = false;
    while ( !c->at_horizon &&
            (rc = xt_trace_next_batch(o->trace, &b, e)) > 0 )
    {
        rc = cut_batch(c, &b);
        if ( rc )
            return fail_cut(c, rc, e);
        if ( o->progress )
            o->progress(o->progress_arg, b.items[b.nr - 1].time);
        c->over = is_over(c, &b);
        if ( c->over )
            return 0;
    }
    return rc;
}

/* Read from a time on, without the windows long behind `until`. */
static int seek_to(struct cut *c, uint64_t time, uint64_t until, struct err *e)
{
    int rc = xt_trace_rewind(c->o->trace, e);

    assert(time <= until && c->horizon <= until);
    xt_trace_read_until(c->o->trace, until);
    return rc ? rc : xt_trace_seek(c->o->trace, time, e);
}

#define FIRST_BEHIND (UINT64_C(1) << 24)        /* cycles */

/* Read up to the horizon, and beyond as long as ends are missing. */
static int read_in_steps(struct cut *c, struct err *e)
{
    uint64_t behind = FIRST_BEHIND, first, last = 0;
    int rc = read_records(c, e);

    if ( !rc && c->horizon < UINT64_MAX )
        rc = xt_trace_span(c->o->trace, &first, &last, e);
    while ( !rc && c->horizon < last && !c->over )
    {
        uint64_t next = c->horizon + 1;

        behind *= 8;
        c->horizon = behind < UINT64_MAX - next ? next + behind : UINT64_MAX;
        rc = seek_to(c, next, c->horizon, e);
        rc = rc ? rc : read_records(c, e);
    }
    return rc;
}

/* A filter may leave few records: then the ring has them all. */
static int find_ring_from(struct cut *c, struct err *e)
{
    const struct cut_options *o = c->o;
    int rc;

    if ( !filter_is_empty(o->filter) || !o->from )
        return 0;
    rc = xt_trace_find_start(o->trace, o->from, RING_DISTANCE, &c->ring_from,
                             e);
    assert(rc || c->ring_from <= o->from);
    return rc ? rc : xt_trace_rewind(o->trace, e);
}

static int replay_metadata(void *arg, const struct xt_item *item,
                           const struct xt_record *r, const void *bytes,
                           size_t size)
{
    return cut_metadata(arg, item, r, bytes, size);
}

static int fail_index(const struct cut *c, int rc, struct err *e)
{
    return err_sys(e, rc, "cannot read the index of %s",
                   xt_trace_name(c->o->trace));
}

static uint64_t find_first_horizon(const struct cut *c)
{
    return c->o->until < UINT64_MAX - FIRST_BEHIND
           ? c->o->until + FIRST_BEHIND : UINT64_MAX;
}

/* The records from the checkpoint on follow. */
static int begin_damage(struct cut *c, const struct index_checkpoint *at)
{
    early_damage_fini(&c->damage);
    return early_damage_init(&c->damage, time_index_get_damages(c->o->index),
                             &c->early, at->time);
}

/* Continue behind the checkpoint as if all before it had been read. */
static int begin_at_checkpoint(struct cut *c, const struct index_checkpoint *at,
                               struct err *e)
{
    const struct cut_options *o = c->o;
    int rc = time_index_load(o->index, at, &c->early);

    assert(at->time <= o->from && !c->begun);
    rc = rc ? rc : begin_damage(c, at);
    rc = rc ? rc : time_index_visit_metadata(o->index, at, replay_metadata, c);
    c->counts->records++;
    return rc ? fail_index(c, rc, e)
              : seek_to(c, at->time, find_first_horizon(c), e);
}

/*
 * Begin at the last checkpoint of the index before the ring, if there is one.
 * Checkpoints behind damage have losses in place of gaps.
 */
static int skip_to_checkpoint(struct cut *c, struct err *e)
{
    const struct index_checkpoint *at =
        c->o->index ? time_index_find(c->o->index, c->ring_from) : NULL;

    if ( !at || time_index_get_damages(c->o->index) )
        return 0;
    c->horizon = find_first_horizon(c);
    return begin_at_checkpoint(c, at, e);
}

/* --- by window ------------------------------------------------------------ */

/* The records between a checkpoint and the span, and what is kept of them. */
static int cut_before_span(struct cut *c, struct err *e)
{
    const struct cut_options *o = c->o;
    const struct index_checkpoint *at = time_index_find(o->index, o->from);
    int rc;

    assert(at && o->from);
    c->horizon = o->from - 1;
    rc = begin_at_checkpoint(c, time_index_get_previous(o->index, at), e);
    rc = rc ? rc : read_records(c, e);
    if ( rc || c->begun )
        return rc;
    rc = begin_span(c);
    return rc ? fail_cut(c, rc, e) : 0;
}

static int cut_span_windows(struct cut *c, struct err *e)
{
    const struct cut_options *o = c->o;
    int rc = 0;

    assert(c->begun);
    if ( c->damage.all )        /* reading has shortened windows */
        rc = seek_to(c, o->from, find_first_horizon(c), e);
    rc = rc ? rc
            : cut_windows(o->trace, o->from, o->until, &c->windows, e);
    c->counts->matched++;
    if ( rc )
        return e->code ? rc : fail_cut(c, rc, e);
    rc = xt_trace_next_segment(o->trace, e);
    c->counts->is_inexact |= rc > 0;
    return rc < 0 ? rc : 0;
}

/* The states at the end of the span, for the ends behind. */
static int cut_behind_span(struct cut *c, struct err *e)
{
    const struct cut_options *o = c->o;
    const struct index_checkpoint *at = time_index_find(o->index, o->until);
    int rc;

    assert(at && c->begun);
    if ( o->until == UINT64_MAX )
        return 0;
    early_fini(&c->early);
    rc = early_init(&c->early);
    rc = rc ? rc : time_index_load(o->index, at, &c->early);
    rc = rc ? rc : begin_damage(c, at);
    if ( rc )
        return fail_index(c, rc, e);
    c->ring_from = o->until + 1;
    c->horizon = find_first_horizon(c);
    rc = seek_to(c, at->time, c->horizon, e);
    return rc ? rc : read_in_steps(c, e);
}

static int cut_by_window(struct cut *c, struct err *e)
{
    int rc = cut_before_span(c, e);

    assert(filter_is_empty(c->o->filter));
    rc = rc ? rc : cut_span_windows(c, e);
    return rc ? rc : cut_behind_span(c, e);
}

static int cut_by_time(struct cut *c, struct err *e)
{
    int rc = find_ring_from(c, e);

    rc = rc ? rc : skip_to_checkpoint(c, e);
    return rc ? rc : read_in_steps(c, e);
}

static int init_cut(struct cut *c)
{
    int rc;

    assert(c->o->filter && c->o->out);
    window_buffer_init(&c->windows, c->o->out);
    c->ends = fault_calloc(XT_MAX_CPUS, sizeof(*c->ends));
    if ( !c->ends )
        return -ENOMEM;
    rc = who_runs_init(&c->runs);
    return rc ? rc : early_init(&c->early);
}

int cut_trace(const struct cut_options *o, struct cut_counts *counts,
              struct err *e)
{
    struct cut c = { .o = o, .counts = counts, .horizon = UINT64_MAX };
    int rc;

    *counts = (struct cut_counts){ .records = 0 };
    rc = init_cut(&c);
    rc = rc ? fail_cut(&c, rc, e)
         : o->by_window ? cut_by_window(&c, e) : cut_by_time(&c, e);
    if ( !rc )
    {
        rc = c.begun ? 0 : begin_span(&c);
        rc = rc ? rc : window_buffer_flush(&c.windows);
        rc = rc ? fail_cut(&c, rc, e) : 0;
    }
    who_runs_fini(&c.runs);
    early_fini(&c.early);
    early_damage_fini(&c.damage);
    window_buffer_fini(&c.windows);
    free(c.ends);
    return rc;
}
