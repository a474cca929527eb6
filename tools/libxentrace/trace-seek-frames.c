/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Going to a moment in a compressed file that has a table: it says where one
 * can begin to expand, and each such place is the beginning of a window.
 *
 * As in a mapped file soundings lead there (sounding.h), only that each costs
 * a frame to expand; so there are fewer, and between two of them a bisection.
 * How early to begin then is proved by reading from there.
 */
#include "libxentrace/trace-private.h"

#include "libxentrace/resync.h"

/* As many places are looked at, to see that time rises all through it. */
#define NR_SAMPLES 32u

/* No window that says when it was, in so much: then this place is no help. */
#define SAMPLE_RANGE (4u << 20)

/* Reads windows from any place on, beside whoever reads the trace. */
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

/* 1 and the next window, and if it is timed; 0 at the end; or -errno. */
static int probe_next(struct probe *p, struct xt_window *w, bool *timed,
                      uint64_t *time, struct err *e)
{
    struct xt_view *v = &p->view;
    int rc = 0;

    while ( !xt_windows_next(&p->windows, w) )
    {
        if ( !p->windows.more )
            return 0;
        rc = xt_view_more(v, p->windows.origin + p->windows.next, e);
        if ( rc )
            return rc;
        xt_windows_move(&p->windows, v->bytes, v->hi - v->lo, v->lo,
                        !v->ended);
    }
    *timed = xt_window_time(w, time);
    *time = xt_apply_offset(*time, xt_index_offset(&p->t->index, w->cpu));
    return 1;
}

/* 1: the first time from `at` on; 0: there is none near; or -errno. */
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

/* 1: what is before `at` is before `time`; 0: that is not said; or -errno. */
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
        if ( xt_pass_counter_add(&passes, w.cpu) >= XT_PASSES_NEEDED && timed )
            return 1;
    return rc < 0 ? rc : 0;
}

/* Between points lo, which is before `time`, and hi: the last that is. */
static int bisect_points(struct probe *p, const uint64_t *points, size_t *lo,
                         size_t hi, uint64_t time, struct err *e)
{
    int rc = 0;

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

/* Chart the points, whose numbers stand for where they are. */
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

/* Where to begin, if not at 0: *from. */
static int find_start_point(struct probe *p, const uint64_t *points, size_t nr,
                            uint64_t time, uint64_t *from, struct err *e)
{
    const struct xt_sample_index *c = &p->t->sample_index;
    int rc = sample_points(p, points, nr, e);
    size_t n = xt_sample_index_find(c, time), last;

    if ( rc || !n )
        return rc;
    last = c->samples[n - 1].at;
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
        trace_init_windows(t, from);
    return rc;
}
