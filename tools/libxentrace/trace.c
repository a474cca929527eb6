/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * xt_trace: open, rewind, close, and reading window by window.
 */
#include "libxentrace/trace-private.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/meta-event.h"
#include "libxentrace/resync.h"
#include "libxentrace/seal.h"
#include "libxentrace/visit-metadata.h"

/*
 * Most bytes that are held in memory for one window; behind them the input
 * counts as ended.  No window is that large.
 */
#define LOOK_MOST (2u * XT_WINDOW_MAX)

/* A smaller file is indexed in milliseconds. */
#define SHORTCUTS_FROM (64u << 20)

void trace_init_windows(struct xt_trace *t, uint64_t from)
{
    const struct xt_view *v = &t->view;
    struct xt_windows *w = &t->windows;

    assert(!from || (v->lo <= from && from <= v->hi));
    xt_windows_init(w, v->bytes, v->hi - v->lo, &t->damage);
    w->source = t->source;
    w->heads = t->source->map ? &t->heads : NULL;
    w->origin = v->lo;
    w->more = !v->ended;
    xt_sequence_fini(&t->sequence);
    t->index.nr_gaps = 0;
    if ( from )
        xt_resync_find_first(w, from - v->lo, w->size);
}

static void reset_trace(struct xt_trace *t)
{
    struct xt_read_context context = {
        .index = &t->index, .view = &t->view, .damage = &t->damage,
    };

    trace_keep_index(t);
    t->damage = (struct xt_damage){ 0 };
    trace_init_windows(t, 0);
    t->mode = MODE_NONE;
    t->complete = t->have_next = t->truncated = false;
    t->index_partial = t->index_suffices = t->have_span = false;
    t->segment = 0;
    t->until = (struct until){ 0 };
    t->passes = (struct pass_state){ 0 };
    t->first_pass = (struct first_pass){ 0 };
    t->order_limit = t->first_undone = 0;
    t->skip_before = t->missing_before = 0;
    t->bounds = (struct xt_trace_bounds){ .exact = t->source->map };
    t->order.context = context;
    t->order.late = 0;
}

int xt_trace_open(struct xt_trace **out, const char *path, unsigned int flags,
                  struct err *e)
{
    struct xt_trace *t = fault_calloc(1, sizeof(*t));
    int rc = -ENOMEM;

    assert(path);
    *out = NULL;
    if ( !t )
        return err_sys(e, rc, "cannot read %s", path);
    rc = xt_source_open(&t->source, path, flags, e);
    if ( rc )
    {
        free(t);
        return rc;
    }
    xt_view_init(&t->view, t->source);
    xt_index_init(&t->index);
    t->index.is_whole = t->source->map;
    t->shortcut_min_size = SHORTCUTS_FROM;
    t->origin = UINT64_MAX;
    reset_trace(t);
    *out = t;
    return 0;
}

void xt_trace_close(struct xt_trace *t)
{
    if ( !t )
        return;
    xt_order_fini(&t->order);
    xt_index_fini(&t->index);
    xt_sequence_fini(&t->sequence);
    free(t->corrections);
    xt_view_fini(&t->view);
    xt_window_heads_fini(&t->heads);
    xt_window_bytes_fini(&t->bytes);
    xt_source_close(t->source);
    free(t);
}

int xt_trace_rewind(struct xt_trace *t, struct err *e)
{
    int rc = t->mode == MODE_NONE ? 0 : xt_view_seek(&t->view, 0, e);

    if ( !rc )
        reset_trace(t);
    return rc;
}

int trace_set_mode(struct xt_trace *t, enum reading_mode mode, struct err *e)
{
    assert(mode != MODE_NONE);
    if ( t->mode == MODE_NONE )
        t->mode = mode;
    if ( t->mode != mode )
        return err_set(e, -EBUSY, "%s is being read in another way",
                       t->source->name);
    return 0;
}

/* --- bringing more into memory -------------------------------------------- */

/*
 * The end of the view that makes the next attempt to read a window worthwhile.
 */
static uint64_t choose_view_end(struct xt_trace *t)
{
    struct xt_windows look = t->windows;
    uint64_t have = look.size - look.next, whole = 2 * XT_WINDOW_HEADER;
    struct xt_header h;

    if ( xt_header_read(&look, look.next, &h) )
        whole += h.size;
    /*
     * If the window is in view already, resync is searching: grow in
     * proportion.
     */
    return have < whole ? whole : have + have / 4;
}

static int extend_view(struct xt_trace *t, uint64_t keep, struct err *e)
{
    uint64_t next = t->windows.origin + t->windows.next;
    uint64_t until = next + choose_view_end(t);
    struct xt_view *v = &t->view;
    int rc = 0;

    assert(v->lo <= next && next <= v->hi);
    keep = keep < next ? keep : next;
    while ( !rc && !v->ended && v->hi < until )
        rc = xt_view_more(v, keep, e);
    if ( v->hi - v->lo > t->bounds.held )
        t->bounds.held = v->hi - v->lo;
    xt_windows_move(&t->windows, v->bytes, v->hi - v->lo, v->lo,
                    !v->ended && v->hi - next < LOOK_MOST);
    return rc;
}

void trace_note_truncation(struct xt_trace *t)
{
    uint64_t at = xt_source_truncated_at(t->source);

    if ( at == XT_NOWHERE || t->truncated )
        return;
    t->truncated = true;
    xt_damage_add(&t->damage, XT_DAMAGE_CHANGED, at, 0);
}

/* The next window that is in view, without copies of earlier windows. */
static int find_next_window(struct xt_trace *t, struct xt_window *w,
                            struct err *e)
{
    int verdict;

    while ( xt_windows_next(&t->windows, w) )
    {
        verdict = xt_sequence_add(&t->sequence, &t->windows, w);
        if ( verdict < 0 )
            return err_sys(e, verdict, "cannot read %s", t->source->name);
        w->displaced = verdict == XT_WINDOW_DISPLACED;
        if ( verdict != XT_WINDOW_REPEATED )
            return 1;
        xt_source_count_header(t->source, w->size);
    }
    return 0;
}

int trace_read_window(struct xt_trace *t, uint64_t keep, struct xt_window *w,
                      struct err *e)
{
    int rc = 0;

    while ( !rc )
    {
        rc = find_next_window(t, w, e);
        if ( rc )
            return rc;
        if ( t->windows.is_no_trace || (t->view.ended && !t->windows.more) )
            break;
        rc = extend_view(t, keep, e);
    }
    return rc;
}

/* --- by window ------------------------------------------------------------ */

/* Copy header and records, if they are in a mapping. */
static void copy_window(struct xt_trace *t, struct xt_window *w)
{
    const unsigned char *bytes = NULL;

    t->bytes.most = XT_WINDOW_BYTES_MOST;
    if ( t->source->map )
        bytes = xt_window_bytes_next(&t->bytes, t->source, w->at,
                                     XT_WINDOW_HEADER + w->size);
    if ( !bytes || !w->first )
        xt_source_count_used(t->source, w->size);
    if ( bytes )
        w->bytes = bytes + XT_WINDOW_HEADER;
}

static int next_window(struct xt_trace *t, bool copy, struct xt_window *w,
                       struct err *e)
{
    int rc = trace_set_mode(t, MODE_WINDOW, e);

    if ( rc )
        return rc;
    while ( (rc = trace_read_window(t, XT_NOWHERE, w, e)) > 0 )
    {
        if ( copy )
            copy_window(t, w);
        else
            xt_source_count_used(t->source, w->size);
        w->first = NULL;
        if ( xt_window_verify(w, &t->damage) )
            return 1;
    }
    trace_note_truncation(t);
    return rc;
}

int xt_trace_next_window(struct xt_trace *t, struct xt_window *w,
                         struct err *e)
{
    return next_window(t, false, w, e);
}

int xt_trace_copy_window(struct xt_trace *t, struct xt_window *w,
                         struct err *e)
{
    return next_window(t, true, w, e);
}

void xt_trace_begin_records(struct xt_trace *t, const struct xt_window *w,
                            struct xt_records *records)
{
    xt_records_init(records, w, &t->damage);
}

/* --- clocks of pcpus ------------------------------------------------------ */

/* Prepare to change the correction of a pcpu's clock. */
static int begin_correction(struct xt_trace *t, unsigned int cpu,
                            struct err *e)
{
    if ( cpu >= XT_MAX_CPUS )
        return err_set(e, -EINVAL, "there is no pcpu %u", cpu);
    if ( t->mode != MODE_NONE )
        return err_set(e, -EBUSY, "%s is being read already",
                       t->source->name);
    if ( !grow_to_index(&t->corrections, &t->index.nr_corrections, cpu,
                        sizeof(*t->corrections)) )
        return err_sys(e, -ENOMEM, "cannot order %s", t->source->name);
    t->index.corrections = t->corrections;
    t->sampled = t->kept.valid = false;
    return 0;
}

int xt_trace_set_offset(struct xt_trace *t, unsigned int cpu, int64_t cycles,
                        struct err *e)
{
    int rc = begin_correction(t, cpu, e);

    if ( !rc )
        t->corrections[cpu].offset = cycles;
    return rc;
}

int64_t xt_trace_offset(const struct xt_trace *t, unsigned int cpu)
{
    return xt_index_correction(&t->index, cpu).offset;
}

int xt_trace_set_drift(struct xt_trace *t, unsigned int cpu, uint64_t from,
                       uint64_t ppb, struct err *e)
{
    int rc = ppb > XT_DRIFT_MAX
             ? err_set(e, -EINVAL, "the clock of pcpu %u cannot drift by %"
                       PRIu64 " ppb", cpu, ppb)
             : begin_correction(t, cpu, e);

    if ( rc )
        return rc;
    t->corrections[cpu].from = from;
    t->corrections[cpu].period = ppb ? XT_CORRECTION_STEP *
                                       UINT64_C(1000000000) / ppb : 0;
    return 0;
}

uint64_t xt_trace_correct(const struct xt_trace *t, unsigned int cpu,
                          uint64_t tsc)
{
    return xt_index_correct(&t->index, cpu, tsc);
}

/* --- information ---------------------------------------------------------- */

static void learn_from_window(const struct xt_window *w, struct xt_info *info)
{
    struct xt_damage ignored = { 0 };
    struct xt_records records;
    struct xt_record r;

    xt_records_init(&records, w, &ignored);
    while ( xt_records_next(&records, &r) )
        xt_info_learn(info, &r);
}

/* False if the view has to be extended first. */
static bool learn_from_view(const struct xt_trace *t, struct xt_info *info)
{
    struct xt_damage ignored = { 0 };
    struct xt_windows look = t->windows;
    struct xt_window w;

    *info = (struct xt_info){ .hz = 0 };
    look.damage = &ignored;
    while ( xt_windows_next(&look, &w) )
    {
        if ( w.at >= XT_INFO_BYTES )
            return true;
        learn_from_window(&w, info);
        if ( xt_info_is_complete(info) )
            return true;
    }
    return look.origin + look.next >= XT_INFO_BYTES ||
           (t->view.ended && !look.more);
}

/*
 * A stream is read as far as a file is, although its writer may be slow: names
 * and units of all later output depend on this information.
 */
int xt_trace_info(struct xt_trace *t, struct xt_info *info, struct err *e)
{
    int rc = 0;

    if ( t->mode != MODE_NONE )
        return err_set(e, -EBUSY, "%s is being read already",
                       t->source->name);
    while ( !rc && !learn_from_view(t, info) )
        rc = extend_view(t, 0, e);
    return rc == -EAGAIN ? 0 : rc;
}

/* Classes of the records that may prove what is unknown. */
static uint32_t choose_proof_classes(const struct xt_dialect *d)
{
    bool exits = !d->hardware || d->hardware == XT_HARDWARE_SVM;
    uint32_t classes = (exits ? TRC_HVM : 0) |
                       (d->version ? 0 : TRC_MEM | TRC_SHADOW);

    return classes >> TRC_CLS_SHIFT << TRC_CLS_SHIFT;
}

static inline const unsigned char *skip_record(const unsigned char *at,
                                               uint32_t *seen)
{
    uint32_t header = xt_load32(at);

    *seen |= header;
    return at + xt_record_size(header);
}

/* Records per test of their headers, which saves instructions. */
#define UNROLL 8u

/*
 * True if the header of a record in the window has one of these class bits.
 * The search costs few instructions a record, where lines take hundreds.
 */
static bool has_class(const struct xt_window *w, uint32_t classes)
{
    const unsigned char *at = w->bytes, *end = at + w->size;
    uint32_t seen = 0;

    while ( (size_t)(end - at) >= UNROLL * XT_RECORD_MAX_BYTES )
    {
        at = skip_record(skip_record(at, &seen), &seen);
        at = skip_record(skip_record(at, &seen), &seen);
        at = skip_record(skip_record(at, &seen), &seen);
        at = skip_record(skip_record(at, &seen), &seen);
        if ( seen & classes )
            return true;
    }
    while ( end - at >= 4 && xt_record_size(xt_load32(at)) <=
                             (size_t)(end - at) )
        at = skip_record(at, &seen);
    return seen & classes;
}

/* Metadata precedes all other records of a window. */
static void learn_dialect(const struct xt_window *w, struct xt_dialect *d)
{
    bool whole = has_class(w, choose_proof_classes(d));
    struct xt_damage ignored = { 0 };
    struct xt_records records;
    struct xt_record r;

    xt_records_init(&records, w, &ignored);
    while ( xt_records_next(&records, &r) &&
            (whole || xt_event_is_meta(r.event)) )
        if ( xt_dialect_may_learn(r.event) )
            xt_dialect_learn(d, &r);
}

bool xt_trace_find_dialect(struct xt_trace *t, struct xt_dialect *d)
{
    struct xt_damage ignored = { 0 };
    struct xt_windows windows;
    struct xt_window w;

    assert(t->mode == MODE_NONE);
    if ( !t->source->map )
        return false;
    xt_windows_init(&windows, t->view.bytes, t->view.hi, &ignored);
    windows.source = t->source;
    while ( !(d->hardware && d->version) && xt_windows_next(&windows, &w) )
    {
        xt_source_count_used(t->source, w.size);
        learn_dialect(&w, d);
    }
    return true;
}

uint64_t xt_trace_size(const struct xt_trace *t)
{
    return t->source->size;
}

uint64_t xt_trace_position(const struct xt_trace *t)
{
    return t->windows.origin + t->windows.next;
}

const char *xt_trace_name(const struct xt_trace *t)
{
    return t->source->name;
}

const struct xt_damage *xt_trace_damage(const struct xt_trace *t)
{
    return &t->damage;
}

void xt_trace_bounds(const struct xt_trace *t, struct xt_trace_bounds *b)
{
    *b = t->bounds;
    b->late = t->order.late;
    b->passes = t->passes.nr;
}
