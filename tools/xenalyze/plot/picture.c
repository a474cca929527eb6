/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps what is to be drawn, and in the end finds out what is shown of it: who
 * has a name, which rows there are, from where to where.
 *
 * Too many marks are thinned out on the way by what a picture could show: of
 * dots on one place the first is kept, and bars of one series within a
 * fraction of a pixel become one that knows how much of it they cover.
 */
#include "xenalyze/plot/plot-draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"

#define MAX_MARKS (1u << 20)

int plot_format(const char *path, enum plot_format *format, struct err *e)
{
    static const struct { const char *end; enum plot_format format; } ends[] = {
        { ".svg", PLOT_SVG }, { ".png", PLOT_PNG },
    };
    size_t length = strlen(path);

    for ( size_t i = 0; i < 2; i++ )
        if ( length > 4 && !strcmp(path + length - 4, ends[i].end) )
        {
            *format = ends[i].format;
            return 0;
        }
    return err_set(e, -EINVAL, "--plot %s: the name has to end in .svg or "
                   ".png", path);
}

int plot_new(struct plot **out, const struct plot_about *about,
             const char *name)
{
    struct plot *p = fault_calloc(1, sizeof(*p));

    *out = p;
    if ( !p )
        return -ENOMEM;
    p->about = *about;
    p->view.about = &p->about;
    p->view.name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    p->view.bars = about->unit >= PLOT_PCPUS;
    p->view.bottom = PLOT_TOP + PLOT_LINES;
    p->view.first = p->view.least = INT64_MAX;
    p->view.last = p->view.most = INT64_MIN;
    return 0;
}

void plot_free(struct plot *p)
{
    if ( !p )
        return;
    free(p->marks);
    plot_keys_fini(&p->series);
    plot_keys_fini(&p->rows);
    free(p);
}

/* --- marks ---------------------------------------------------------------- */

/*
 * Of dots on the same place the first is kept; where they stand beside each
 * other, of each series.
 */
static void thin_dots(struct plot *p, bool by_series)
{
    uint64_t *seen = fault_calloc((PLOT_COLUMNS + 1) * (PLOT_LINES + 1),
                                  sizeof(*seen));
    struct plot_view *v = &p->view;
    size_t n = 0;

    v->marks = p->marks;
    v->log = plot_wants_log(v);
    p->failed |= !seen || (p->about.unit == PLOT_ADDRESS &&
                           plot_address_pieces(v));
    for ( size_t i = 0; !p->failed && i < v->nr_marks; i++ )
    {
        int x = (int)plot_x(v, p->marks[i].from) - PLOT_LEFT;
        int y = (int)plot_y(v, p->marks[i].value) - PLOT_TOP;
        uint64_t *dot = &seen[x * (PLOT_LINES + 1) + y];
        uint64_t bit = by_series ? 1ull << p->marks[i].series % 64 : 1;

        if ( !(*dot & bit) )
            p->marks[n++] = p->marks[i];
        *dot |= bit;
    }
    if ( !p->failed )
        v->nr_marks = n;
    free(seen);
}

static int by_row(const void *a, const void *b)
{
    const struct plot_mark *x = a, *y = b;

    if ( x->value != y->value )
        return x->value < y->value ? -1 : 1;
    if ( x->series != y->series )
        return x->series < y->series ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Bars of a series that begin within `width` of each other become one. */
static void merge_bars(struct plot *p, uint64_t width)
{
    struct plot_view *v = &p->view;
    size_t n = 0;

    qsort(p->marks, v->nr_marks, sizeof(*p->marks), by_row);
    for ( size_t i = 0; i < v->nr_marks; i++ )
    {
        const struct plot_mark *m = &p->marks[i];
        struct plot_mark *last = n ? &p->marks[n - 1] : NULL;

        if ( last && last->value == m->value && last->series == m->series &&
             (uint64_t)m->to - (uint64_t)last->from <= width )
        {
            last->to = m->to > last->to ? m->to : last->to;
            last->covered += m->covered;
        }
        else
            p->marks[n++] = *m;
    }
    v->nr_marks = n;
}

static void thin(struct plot *p)
{
    struct plot_view *v = &p->view;
    uint64_t span = (uint64_t)v->last - (uint64_t)v->first;
    uint64_t width = span / (4 * PLOT_COLUMNS);

    if ( !v->bars )
        thin_dots(p, p->about.unit == PLOT_PLACES);
    if ( !v->bars && v->nr_marks > MAX_MARKS / 2 )
        thin_dots(p, false);
    for ( ; v->bars && v->nr_marks > MAX_MARKS / 2 && width < span;
          width = width < span / 2 ? width * 2 + 1 : span )
        merge_bars(p, width);
}

static bool grow(struct plot *p)
{
    size_t room = p->room ? 2 * p->room : 4096;
    struct plot_mark *larger;

    if ( p->room >= MAX_MARKS )
    {
        thin(p);
        return !p->failed && p->view.nr_marks < p->room;
    }
    larger = fault_realloc(p->marks, room * sizeof(*larger));
    p->failed |= !larger;
    if ( !larger )
        return false;
    p->marks = larger;
    p->room = room;
    return true;
}

static void widen(int64_t *least, int64_t *most, int64_t value)
{
    if ( value < *least )
        *least = value;
    if ( value > *most )
        *most = value;
}

static void add_mark(struct plot *p, const struct plot_mark *m)
{
    widen(&p->view.first, &p->view.last, m->from);
    widen(&p->view.first, &p->view.last, m->to);
    widen(&p->view.least, &p->view.most, m->value);
    if ( p->failed || (p->view.nr_marks == p->room && !grow(p)) )
        return;
    p->marks[p->view.nr_marks++] = *m;
}

static uint64_t key_of(const struct point *point)
{
    if ( point->who == POINT_NOBODY )
        return PLOT_KEY(PLOT_OF_ALL, 0);
    if ( point->who == POINT_IRQ )
        return PLOT_KEY(PLOT_OF_IRQ, point->vcpu);
    return PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(point->domain, point->vcpu));
}

static void put(void *state, const struct point *point)
{
    struct plot *p = state;
    const struct plot_mark m = {
        .from = point->time, .to = point->time, .value = point->value,
        .series = plot_keys_take(&p->series, key_of(point), 1),
    };

    add_mark(p, &m);
}

struct points plot_points(struct plot *p)
{
    return (struct points){ put, p };
}

void plot_row(struct plot *p, uint64_t row)
{
    plot_keys_take(&p->rows, row, 0);
}

void plot_bar(struct plot *p, uint64_t row, uint64_t key, int64_t from,
              int64_t to)
{
    uint64_t length = to > from ? (uint64_t)to - (uint64_t)from : 0;
    const struct plot_mark m = {
        .from = from, .to = to, .covered = (int64_t)length,
        .value = plot_keys_take(&p->rows, row, 0),
        .series = plot_keys_take(&p->series, key, length),
    };

    if ( length && length <= INT64_MAX )
        add_mark(p, &m);
}

/* A picture of nothing, or of one place, still has axes. */
static void widen_axes(struct plot_view *v)
{
    if ( v->first > v->last )
        v->first = v->last = v->least = v->most = 0;
    /* What begins nearly at 0 does so for the reader. */
    if ( v->first > 0 && v->first < v->last / 50 )
        v->first = 0;
    if ( v->first == v->last )
        v->last += v->last < INT64_MAX;
    if ( v->first == v->last )
        v->first--;
    if ( v->least == v->most )
        v->most += v->most < INT64_MAX;
    if ( v->least == v->most )
        v->least--;
}

static int close_view(struct plot *p)
{
    struct plot_view *v = &p->view;
    int rc;

    if ( p->closed )
        return 0;
    p->closed = true;
    widen_axes(v);
    thin(p);
    rc = plot_choose(p);
    v->marks = p->marks;
    if ( v->nr_marks )
        qsort(v->marks, v->nr_marks, sizeof(*v->marks), by_row);
    v->bottom = plot_height(v) - PLOT_BELOW;
    if ( !rc && p->about.unit == PLOT_ADDRESS )
        rc = plot_address_pieces(v);
    return rc;
}

/* --- files ---------------------------------------------------------------- */

typedef int write_fn(const struct plot_view *v, FILE *out);

static int write_to(const struct plot_view *v, write_fn *fn, const char *path,
                    const char *final, struct err *e)
{
    FILE *out = fault_hit(FAULT_OPEN) ? NULL : fopen(path, "we");
    int rc;

    if ( !out )
        return err_sys(e, -errno, "cannot write %s", final);
    rc = fn(v, out);
    if ( !rc && (fflush(out) || ferror(out)) )
        rc = -errno;
    if ( fclose(out) && !rc )
        rc = -errno;
    if ( !rc && rename(path, final) )
        rc = -errno;
    if ( rc )
    {
        err_sys(e, rc, "cannot write %s", final);
        unlink(path);
    }
    return rc;
}

int plot_write(struct plot *p, enum plot_format format, const char *path,
               struct err *e)
{
    static write_fn *const writers[] = {
        [PLOT_SVG] = plot_svg, [PLOT_PNG] = plot_png,
        [PLOT_GNUPLOT] = plot_gnuplot,
    };
    size_t size = strlen(path) + sizeof(".part");
    char *part = fault_malloc(size);
    int rc = close_view(p);

    if ( !part || p->failed || rc )
    {
        free(part);
        return err_sys(e, -ENOMEM, "cannot draw %s", path);
    }
    snprintf(part, size, "%s.part", path);
    rc = write_to(&p->view, writers[format], part, path, e);
    free(part);
    return rc;
}
