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

/* Is the part worth its making? */
static bool is_short_part(const struct time_index *x,
                          const struct cut_options *o)
{
    const struct index_checkpoint *begin = time_index_find(x, o->from);
    const struct index_checkpoint *end = time_index_find(x, o->until);
    uint64_t size = begin ? end->position - begin->position : 0;

    assert(!begin || end);
    return !(x->header.flags & INDEX_CLOCKS_DIFFER) && begin &&
           size <= MAX_PART && size <= begin->position / MIN_FACTOR;
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
    return rc ? rc : counts.metadata_left_out ? -E2BIG : 0;
}

/* The pcpus follow each other, so only a mapped file is in order. */
static int check_map(struct xt_trace *part, struct err *e)
{
    uint64_t first, last;
    int rc = xt_trace_span(part, &first, &last, e);

    assert(rc <= 0);
    return rc ? rc : xt_trace_rewind(part, e);
}

static int make_part(struct span_part *p, const struct cut_options *o,
                     const struct xt_torn_end *end, struct err *e)
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
    return check_map(p->trace, e);
}

/* Make a part of all pcpus and vcpus: the report has the filter. */
static int make_part_of(struct span_part *p, struct cut_options *o,
                        struct err *e)
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
    rc = rc ? rc : make_part(p, o, &end, e);
    filter_free(filter);
    return rc;
}

/* False: read the trace itself, which is rewound. */
static bool open_part(struct span_part *p, const struct run *run,
                      struct cut_options *o)
{
    struct err failure = ERR_INIT;
    int rc = -ENODATA;

    assert(o->index);
    if ( is_short_part(o->index, o) )
        rc = make_part_of(p, o, &failure);
    if ( !rc )
        return true;
    span_part_close(p);
    xt_trace_rewind(run->trace, &failure);
    return false;
}

static bool choose_index(struct span_part *p, const struct run *run,
                         struct cut_options *o)
{
    struct time_index renewed;
    bool is_open;

    assert(!o->index);
    o->index = run->index;
    if ( o->index )
        return open_part(p, run, o);
    if ( !renew_index(&renewed, run) )
        return false;
    o->index = &renewed;
    is_open = open_part(p, run, o);
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

    assert(p->fd < 0);
    if ( !options->bounded || (!run->index && !run->index_is_stale) )
        return run->trace;
    xt_info_clock(&run->info, run->config->hz, &clock);
    o.ends_exits = analyze_find_needs(options, &clock, sinks, nr_sinks,
                                      &o.from, &o.until);
    options->clocks_agree = choose_index(p, run, &o);
    return options->clocks_agree ? p->trace : run->trace;
}

void span_part_close(struct span_part *p)
{
    xt_trace_close(p->trace);
    if ( p->fd >= 0 )
        close(p->fd);
    *p = (struct span_part)SPAN_PART_INIT;
}
