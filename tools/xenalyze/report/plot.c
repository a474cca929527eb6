/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps what is to be drawn, thins it out when there is too much, and finds
 * the axes in the end.
 */
#include "xenalyze/report/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"

#define MAX_MARKS (1u << 20)
#define COLUMNS (PLOT_RIGHT - PLOT_LEFT + 1)
#define LINES (PLOT_BOTTOM - PLOT_TOP + 1)

struct plot
{
    struct plot_mark *marks;
    size_t room;
    uint64_t keys[PLOT_SERIES];
    struct plot_view view;
    bool closed;                /* its axes are found */
    bool failed;                /* out of memory */
};

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

int plot_new(struct plot **out, const char *label)
{
    struct plot *p = fault_calloc(1, sizeof(*p));

    *out = p;
    if ( !p )
        return -ENOMEM;
    p->view.label = label;
    p->view.first = p->view.least = INT64_MAX;
    p->view.last = p->view.most = INT64_MIN;
    return 0;
}

void plot_free(struct plot *p)
{
    if ( !p )
        return;
    free(p->marks);
    free(p);
}

/* --- marks ---------------------------------------------------------------- */

/* Of two marks on the same dot the first is kept; bars that are seen, all. */
static void thin(struct plot *p)
{
    uint8_t *seen = fault_calloc(COLUMNS, LINES);
    size_t n = 0;

    p->view.marks = p->marks;
    p->failed |= !seen;
    for ( size_t i = 0; seen && i < p->view.nr_marks; i++ )
    {
        const struct plot_mark *m = &p->marks[i];
        int x = plot_x(&p->view, m->from), y = plot_y(&p->view, m->value);
        uint8_t *dot = &seen[(x - PLOT_LEFT) * LINES + (y - PLOT_TOP)];

        if ( *dot && plot_x(&p->view, m->to) == x )
            continue;
        *dot = 1;
        p->marks[n++] = *m;
    }
    if ( seen )
        p->view.nr_marks = n;
    free(seen);
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

/* --- series --------------------------------------------------------------- */

#define KEY_LOST UINT64_MAX
#define KEY_NOBODY (UINT64_MAX - 1)

static void name_series(char name[PLOT_NAME], uint64_t key)
{
    if ( key == KEY_LOST )
        snprintf(name, PLOT_NAME, "lost");
    else if ( key == KEY_NOBODY )
        snprintf(name, PLOT_NAME, "all");
    else if ( key >> 32 == POINT_IRQ )
        snprintf(name, PLOT_NAME, "i%" PRIx64, key & UINT32_MAX);
    else
        snprintf(name, PLOT_NAME, "d%" PRIu64 "v%" PRIu64,
                 key >> 16 & 0xffff, key & 0xffff);
}

static uint32_t series_of(struct plot *p, uint64_t key)
{
    unsigned int i = 0;

    while ( i < p->view.nr_series && p->keys[i] != key )
        i++;
    if ( i < p->view.nr_series || i == PLOT_SERIES )
        return i < PLOT_SERIES ? i : PLOT_SERIES - 1;
    p->keys[i] = key;
    if ( i == PLOT_SERIES - 1 )
        snprintf(p->view.names[i], PLOT_NAME, "others");
    else
        name_series(p->view.names[i], key);
    p->view.nr_series++;
    return i;
}

static uint64_t key_of(const struct point *point)
{
    if ( point->who == POINT_NOBODY )
        return KEY_NOBODY;
    if ( point->who == POINT_IRQ )
        return (uint64_t)POINT_IRQ << 32 | point->vcpu;
    return (uint64_t)(point->domain & 0xffff) << 16 | (point->vcpu & 0xffff);
}

static void put(void *state, const struct point *point)
{
    struct plot *p = state;
    const struct plot_mark m = {
        .from = point->time, .to = point->time, .value = point->value,
        .series = series_of(p, key_of(point)),
    };

    add_mark(p, &m);
}

struct points plot_points(struct plot *p)
{
    return (struct points){ put, p };
}

/* --- the timeline --------------------------------------------------------- */

static void begin(void *state, const struct fact_begin *f)
{
    struct timeline *t = state;

    t->clock = *f->clock;
    t->plot->view.bars = true;
}

static void bar(struct timeline *t, uint32_t pcpu, uint64_t from, uint64_t to,
                uint64_t key)
{
    const struct plot_mark m = {
        .from = xt_clock_ns(&t->clock, from),
        .to = xt_clock_ns(&t->clock, to),
        .value = pcpu, .series = series_of(t->plot, key),
    };

    add_mark(t->plot, &m);
}

static void runs(void *state, const struct fact_runstate *f)
{
    if ( f->state == STATE_RUNNING && !world_is_idle(f->vcpu) &&
         f->from < f->to && f->pcpu != FACT_NO_PCPU )
        bar(state, f->pcpu, f->from, f->to,
            (uint64_t)f->vcpu->domain->id << 16 | f->vcpu->id);
}

static void loses(void *state, const struct fact_loss *f)
{
    bar(state, f->pcpu, f->from, f->to, KEY_LOST);
}

struct sink timeline_sink(struct timeline *t)
{
    static const struct sink_ops ops = {
        .name = "timeline", .ordered = true, .begin = begin,
        .runstate = runs, .loss = loses,
    };

    return (struct sink){ &ops, t };
}

/* --- axes ----------------------------------------------------------------- */

/* Where `value` of least .. most is from 0 .. length. */
static int place(int64_t value, int64_t least, int64_t most, int length)
{
    double whole = (double)most - (double)least;
    double part = (double)value - (double)least;
    double at = whole > 0 ? part / whole * length : 0;

    return at < 0 ? 0 : at > length ? length : (int)at;
}

int plot_x(const struct plot_view *v, int64_t time)
{
    return PLOT_LEFT + place(time, v->first, v->last,
                             PLOT_RIGHT - PLOT_LEFT);
}

int plot_y(const struct plot_view *v, int64_t value)
{
    return PLOT_BOTTOM - place(value, v->least, v->most,
                               PLOT_BOTTOM - PLOT_TOP);
}

uint32_t plot_colour(unsigned int series)
{
    static const uint32_t colours[] = {
        0x1f77b4, 0xff7f0e, 0x2ca02c, 0x9467bd, 0x8c564b, 0xe377c2,
        0x17becf, 0xbcbd22, 0xd62728, 0x7f7f7f, 0x003f5c, 0x665191,
    };

    return colours[series % (sizeof(colours) / sizeof(colours[0]))];
}

/* Unsigned, since the way from least to most may be longer than INT64_MAX. */
static int64_t tick(int64_t least, int64_t most, unsigned int i)
{
    uint64_t whole = (uint64_t)most - (uint64_t)least;
    uint64_t part = whole / PLOT_TICKS * i +
                    whole % PLOT_TICKS * i / PLOT_TICKS;

    return (int64_t)((uint64_t)least + part);
}

const char *plot_time_tick(const struct plot_view *v, unsigned int i,
                           int64_t *time, char text[PLOT_NAME])
{
    *time = tick(v->first, v->last, i);
    snprintf(text, PLOT_NAME, "%.6f", (double)*time / 1e9);
    return text;
}

const char *plot_value_tick(const struct plot_view *v, unsigned int i,
                            int64_t *value, char text[PLOT_NAME])
{
    *value = tick(v->least, v->most, i);
    snprintf(text, PLOT_NAME, "%" PRId64, *value);
    return text;
}

/* A picture of nothing, or of one place, still has axes. */
static void close_view(struct plot *p)
{
    struct plot_view *v = &p->view;

    if ( p->closed )
        return;
    p->closed = true;
    if ( v->first > v->last )
        v->first = v->last = v->least = v->most = 0;
    if ( v->first == v->last )
        v->last += v->last < INT64_MAX;
    if ( v->first == v->last )
        v->first--;
    if ( v->bars || v->least == v->most )
        v->most += v->most < INT64_MAX;
    if ( v->least == v->most )
        v->least--;
    thin(p);
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
    int rc;

    close_view(p);
    if ( !part || p->failed )
    {
        free(part);
        return err_sys(e, -ENOMEM, "cannot draw %s", path);
    }
    snprintf(part, size, "%s.part", path);
    rc = write_to(&p->view, writers[format], part, path, e);
    free(part);
    return rc;
}
