/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A failure here is none of the report: the trace can be read from its begin.
 */
#define _GNU_SOURCE             /* memfd_create */
#include "xenalyze/span-part.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xenalyze/convert/convert.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/filter/filter.h"
#include "xenalyze/index-pass.h"

/*
 * Bytes of the trace that a part may have, and how much more has to be in front
 * of it: to make a part and read it takes about thrice the time of reading.
 */
#define MAX_PART (256u << 20)
#define MIN_FACTOR 4u

/* --- the index ------------------------------------------------------------ */

/* An index that does not fit was made for an earlier trace of this name. */
static bool renew_index(struct time_index *x, const struct run *run)
{
    struct index_counts counts;
    struct err unwritten = ERR_INIT;

    assert(run->index_is_stale);
    return !index_build(run, &counts, &unwritten) &&
           time_index_open(x, run->config->path) == INDEX_FITS;
}

static bool has_moment(const struct xt_pcpu_damage *d, uint64_t time)
{
    return d->begin <= time && time <= d->end;
}

/*
 * Would the part differ?  Times that go backwards are read in the same way
 * within the part, but not at its borders.  A gap within the part is seen if
 * the windows around it show it, and a gap before it is known.
 */
static bool is_damaged_part(const struct xt_pcpu_damages *all,
                            const struct cut_options *o)
{
    for ( size_t i = 0; all && i < all->nr; i++ )
    {
        const struct xt_pcpu_damage *d = &all->items[i];

        if ( d->type == XT_PCPU_PLACE )
            continue;
        if ( has_moment(d, o->from) || has_moment(d, o->until) )
            return true;
        if ( d->type == XT_PCPU_GAP && d->kind != XT_DAMAGE_RECORD &&
             d->begin >= o->from && d->end <= o->until )
            return true;
    }
    return false;
}

/* Is the part worth its making, and does no damage forbid it? */
static bool is_short_part(const struct time_index *x,
                          const struct cut_options *o)
{
    const struct index_checkpoint *begin = time_index_find(x, o->from);
    const struct index_checkpoint *end = time_index_find(x, o->until);
    uint64_t size = begin ? end->position - begin->position : 0;

    assert(!begin || end);
    return !(x->header.flags & INDEX_CLOCKS_DIFFER) && begin &&
           size <= MAX_PART && size <= begin->position / MIN_FACTOR &&
           !is_damaged_part(time_index_get_damages(x), o);
}

/* --- the part ------------------------------------------------------------- */

static int write_part(struct span_part *p, const struct cut_options *o,
                      struct err *e)
{
    struct cut_options to_file = *o;
    struct cut_counts counts;
    int copy = dup(p->fd), rc;

    to_file.out = copy < 0 ? NULL : fdopen(copy, "w");
    if ( !to_file.out )
    {
        rc = -errno;
        if ( copy >= 0 )
            close(copy);
        return rc;
    }
    rc = cut_trace(&to_file, &counts, e);
    if ( fclose(to_file.out) && !rc )
        rc = -errno;
    return rc ? rc
              : counts.metadata_left_out || counts.is_inexact ? -E2BIG : 0;
}

/*
 * The pcpus follow each other, so only a mapped file is in order.  Damage in
 * the part may look like the begin of another capture.
 */
static int check_map(struct xt_trace *part, struct err *e)
{
    uint64_t first, last;
    int rc = xt_trace_span(part, &first, &last, e);

    assert(rc <= 0);
    rc = rc ? rc : xt_trace_next_segment(part, e);
    return rc > 0 ? -EINVAL : rc ? rc : xt_trace_rewind(part, e);
}

/* The damage that an analysis of the trace itself finds. */
static void set_part_damage(struct span_part *p, const struct cut_options *o,
                            uint64_t stop)
{
    const struct xt_pcpu_damages *all = time_index_get_damages(o->index);
    struct xt_damage sum;

    if ( !all )
        return;
    xt_pcpu_damage_sum(all, stop, &sum);
    xt_trace_set_damage(p->trace, &sum);
}

static int make_part(struct span_part *p, const struct cut_options *o,
                     uint64_t stop, const struct xt_torn_end *end,
                     struct err *e)
{
    char path[32];
    int rc;

    p->fd = memfd_create("part", MFD_CLOEXEC);
    rc = p->fd < 0 ? -errno : write_part(p, o, e);
    if ( rc )
        return rc;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", p->fd);
    rc = xt_trace_open(&p->trace, path, 0, e);
    if ( rc )
        return rc;
    xt_trace_set_origin(p->trace, o->origin);
    xt_trace_set_torn_end(p->trace, end);
    set_part_damage(p, o, stop);
    return check_map(p->trace, e);
}

/* Make a part of all pcpus and vcpus: the report has the filter. */
static int make_part_of(struct span_part *p, struct cut_options *o,
                        uint64_t stop, struct err *e)
{
    const struct filter_texts no_filter = { .pcpus = NULL };
    struct filter *filter = NULL;
    struct xt_torn_end end = { .is_torn = false };
    uint64_t last;
    int rc = xt_trace_span(o->trace, &o->origin, &last, e);

    assert(!o->filter);
    if ( !rc )
        end = xt_trace_get_torn_end(o->trace);
    rc = rc ? rc : xt_trace_rewind(o->trace, e);
    rc = rc ? rc : filter_new(&filter, &no_filter, e);
    o->filter = filter;
    rc = rc ? rc : make_part(p, o, stop, &end, e);
    filter_free(filter);
    return rc;
}

/* False: read the trace itself, which is rewound. */
static bool open_part(struct span_part *p, const struct run *run,
                      struct cut_options *o, uint64_t stop)
{
    struct err failure = ERR_INIT;
    int rc = -ENODATA;

    assert(o->index);
    if ( is_short_part(o->index, o) )
        rc = make_part_of(p, o, stop, &failure);
    if ( !rc )
        return true;
    span_part_close(p);
    xt_trace_rewind(run->trace, &failure);
    return false;
}

static bool choose_index(struct span_part *p, const struct run *run,
                         struct cut_options *o, uint64_t stop)
{
    struct time_index renewed;
    bool is_open;

    assert(!o->index);
    o->index = run->index;
    if ( o->index )
        return open_part(p, run, o, stop);
    if ( !renew_index(&renewed, run) )
        return false;
    o->index = &renewed;
    is_open = open_part(p, run, o, stop);
    time_index_close(&renewed);
    return is_open;
}

struct xt_trace *span_part_choose(struct span_part *p, const struct run *run,
                                  struct analyze_options *options,
                                  const struct sink *sinks, size_t nr_sinks)
{
    struct cut_options o = {
        .trace = run->trace, .output = "a part of the trace in memory",
        .by_window = true,
    };
    struct xt_clock clock;
    uint64_t stop;

    assert(p->fd < 0);
    if ( !options->bounded || (!run->index && !run->index_is_stale) )
        return run->trace;
    xt_info_clock(&run->info, run->config->hz, &clock);
    o.ends_exits = analyze_find_needs(options, &clock, sinks, nr_sinks,
                                      &o.from, &o.until, &stop);
    options->clocks_agree = choose_index(p, run, &o, stop);
    return options->clocks_agree ? p->trace : run->trace;
}

void span_part_close(struct span_part *p)
{
    xt_trace_close(p->trace);
    if ( p->fd >= 0 )
        close(p->fd);
    *p = (struct span_part)SPAN_PART_INIT;
}
