/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Seek in a compressed file with a frame table: expanding can begin at each
 * frame in the table, and each frame begins with a window.
 *
 * As in a mapped file, samples lead to the time (sample-index.h).  Each sample
 * costs the expansion of a frame, so there are fewer of them, and a bisection
 * between two of them.  Reading from the result on proves that the start is
 * early enough.
 */
#include "libxentrace/trace-private.h"

#include <assert.h>

#include "libxentrace/resync.h"

/* Samples of the file, which show that times rise throughout. */
#define NR_SAMPLES 32u

_Static_assert(NR_SAMPLES <= XT_SAMPLES_MAX, "all fit");

/* Bytes without a timed window after which a sample is given up. */
#define SAMPLE_RANGE (4u << 20)

/* A second reader of windows, at any offset, beside the reader of the trace. */
struct probe
{
    struct xt_trace *t;
    struct xt_view view;
    struct xt_windows windows;
    struct xt_damage ignored;
};

static void probe_init(struct probe *p, struct xt_trace *t)
{
    *p = (struct probe){ .t = t };
    xt_view_init(&p->view, t->source);
}

static int probe_go(struct probe *p, uint64_t at, struct err *e)
{
    int rc = xt_view_seek(&p->view, at, e);

    xt_windows_init(&p->windows, p->view.bytes, 0, &p->ignored);
    p->windows.origin = at;
    p->windows.more = true;
    xt_resync_find_first(&p->windows, 0, 0);
    return rc;
}

/*
 * Read the next window, and its time if it has one.  Returns 1; 0 at the end;
 * or -errno.
 */
static int probe_next(struct probe *p, struct xt_window *w, bool *timed,
                      uint64_t *time, struct err *e)
{
    struct xt_view *v = &p->view;
    int rc = 0;

    while ( !xt_windows_next(&p->windows, w) )
    {
        if ( p->windows.is_no_trace || !p->windows.more )
            return 0;
        rc = xt_view_more(v, p->windows.origin + p->windows.next, e);
        if ( rc )
            return rc;
        xt_windows_move(&p->windows, v->bytes, v->hi - v->lo, v->lo,
                        !v->ended);
    }
    *timed = xt_window_time(w, time);
    *time = xt_index_correct(&p->t->index, w->cpu, *time);
    return 1;
}

/*
 * Find the first time from `at` on.  Returns 1; 0 if none is near; or -errno.
 */
static int find_first_time(struct probe *p, uint64_t at, uint64_t *time,
                           struct err *e)
{
    struct xt_window w = { .at = at };
    bool timed = false;
    int rc = probe_go(p, at, e);

    if ( rc )
        return rc;
    do
        rc = probe_next(p, &w, &timed, time, e);
    while ( rc > 0 && !timed && w.at - at < SAMPLE_RANGE );
    return rc > 0 ? timed : rc;
}

/*
 * Returns 1 if all records before `at` are before `time`; 0 if that cannot be
 * proved; or -errno.
 */
static int prove_start(struct probe *p, uint64_t at, uint64_t time,
                       struct err *e)
{
    struct xt_pass_counter passes = { 0 };
    struct xt_window w;
    uint64_t begins = 0;
    bool timed = false;
    int rc = probe_go(p, at, e);

    if ( rc )
        return rc;
    while ( (rc = probe_next(p, &w, &timed, &begins, e)) > 0 &&
            !(timed && begins >= time) )
        if ( xt_pass_counter_add(&passes, w.cpu, timed) >= XT_PASSES_NEEDED &&
             timed )
            return 1;
    return rc < 0 ? rc : 0;
}

/* Find the last point before `time`, between *lo, which is, and hi. */
static int bisect_points(struct probe *p, const uint64_t *points, size_t *lo,
                         size_t hi, uint64_t time, struct err *e)
{
    int rc = 0;

    assert(*lo < hi);
    while ( rc >= 0 && hi - *lo > 1 )
    {
        size_t middle = *lo + (hi - *lo) / 2;
        uint64_t begins = 0;

        rc = find_first_time(p, points[middle], &begins, e);
        if ( rc > 0 && begins < time )
            *lo = middle;
        else
            hi = middle;
    }
    return rc < 0 ? rc : 0;
}

/* Take samples at the points.  A sample's offset is the number of its point. */
static int sample_points(struct probe *p, const uint64_t *points, size_t nr,
                         struct err *e)
{
    struct xt_sample_index *c = &p->t->sample_index;
    size_t step = nr / NR_SAMPLES + 1;
    bool rises = true;
    int rc = 0;

    c->nr = 0;
    for ( size_t i = 0; rc >= 0 && rises && i < nr; i += step )
    {
        struct xt_sample s = { .at = i };

        rc = find_first_time(p, points[i], &s.time, e);
        if ( rc > 0 )
            rises = xt_sample_index_add(c, &s);
    }
    return rc < 0 ? rc : 0;
}

/* Find the offset at which to begin: *from, which stays 0 if none is proved. */
static int find_start_point(struct probe *p, const uint64_t *points, size_t nr,
                            uint64_t time, uint64_t *from, struct err *e)
{
    const struct xt_sample_index *c = &p->t->sample_index;
    int rc = sample_points(p, points, nr, e);
    size_t n = xt_sample_index_find(c, time), last;

    if ( rc || !n )
        return rc;
    last = c->samples[n - 1].at;
    assert(last < nr);          /* the number of a point */
    rc = bisect_points(p, points, &last, n < c->nr ? c->samples[n].at : nr,
                       time, e);
    for ( size_t back = 1; !rc && back < last; back *= 2 )
    {
        rc = prove_start(p, points[last - back], time, e);
        if ( rc > 0 )
            *from = points[last - back];
    }
    return rc < 0 ? rc : 0;
}

int trace_seek_frames(struct xt_trace *t, uint64_t time, struct err *e)
{
    const struct xt_source_ops *ops = t->source->ops;
    const uint64_t *points;
    uint64_t from = 0;
    struct probe p;
    size_t nr;
    int rc;

    if ( !ops->points || t->mode != MODE_NONE )
        return 0;
    points = ops->points(t->source, &nr);
    probe_init(&p, t);
    rc = find_start_point(&p, points, nr, time, &from, e);
    xt_view_fini(&p.view);
    if ( !rc )
        rc = xt_view_seek(&t->view, from, e);
    if ( !rc )
    {
        trace_init_windows(t, from);
        t->missing_before = from ? time : 0;
    }
    return rc;
}
