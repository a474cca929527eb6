/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The marks of a picture, and its file.  The view (series, rows, range of the
 * axes) is computed before the first file is written.
 *
 * When there are too many marks, those that the picture cannot resolve are
 * merged: of dots at the same place the first is kept, with their number, and
 * bars of a series within a fraction of a pixel become one bar with the sum of
 * their lengths.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/output-file.h"

#define MAX_MARKS (1u << 20)

bool plot_find_format(const char *path, enum plot_format *format)
{
    static const struct { const char *end; enum plot_format format; } ends[] = {
        { ".svg", PLOT_SVG }, { ".png", PLOT_PNG }, { ".pdf", PLOT_PDF },
    };
    size_t length = strlen(path);

    for ( size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++ )
        if ( length > 4 && !strcmp(path + length - 4, ends[i].end) )
        {
            *format = ends[i].format;
            return true;
        }
    return false;
}

int plot_parse_format(const char *path, enum plot_format *format, struct err *e)
{
    if ( !plot_find_format(path, format) )
        return err_usage(e, "--plot %s: the file name has to end in .svg, "
                         ".png or .pdf", path);
    return *format == PLOT_SVG ? 0 : plot_check_cairo(path, e);
}

int plot_new(struct plot **out, const struct plot_about *about,
             const char *name)
{
    struct plot *p = fault_calloc(1, sizeof(*p));

    *out = p;
    if ( !p )
        return -ENOMEM;
    assert(about->unit <= PLOT_VCPUS);
    p->about = *about;
    p->view.about = &p->about;
    p->view.name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    p->view.bars = about->unit >= PLOT_PCPUS;
    p->view.bottom = PLOT_TOP + PLOT_LINES;
    p->view.column = 1;
    p->view.first = p->view.least = INT64_MAX;
    p->view.last = p->view.most = INT64_MIN;
    return 0;
}

void plot_set_selection(struct plot *p, const char *text)
{
    p->view.selection = text;
}

void plot_set_theme(struct plot *p, enum plot_theme theme)
{
    p->view.theme = theme;
}

void plot_set_names(struct plot *p, const struct xt_domain_names *names)
{
    p->view.names = names;
}

bool plot_is_empty(const struct plot *p)
{
    return !p->view.nr_marks;
}

void plot_free(struct plot *p)
{
    if ( !p )
        return;
    free(p->marks);
    free(p->losses);
    plot_keys_fini(&p->series);
    plot_keys_fini(&p->rows);
    free(p);
}

/* --- marks ---------------------------------------------------------------- */

#define PIXELS ((PLOT_COLUMNS + 1) * (PLOT_LINES + 1))

/* A list of the kept dots for each pixel: index + 1, or 0. */
struct kept_dots
{
    uint32_t *first;            /* by index of the pixel */
    uint32_t *next;             /* by index of the dot */
};

/* Returns a pointer to the kept dot of the series at a pixel, or NULL. */
static struct plot_mark *find_kept(const struct plot *p,
                                   const struct kept_dots *kept,
                                   unsigned int pixel, uint32_t series,
                                   bool by_series)
{
    uint32_t at = kept->first[pixel];

    while ( at && by_series && (p->marks[at - 1].series ^ series) % 64 )
        at = kept->next[at - 1];
    return at ? &p->marks[at - 1] : NULL;
}

static void keep_dots(struct plot *p, const struct kept_dots *kept,
                      bool by_series)
{
    struct plot_view *v = &p->view;
    size_t n = 0;

    for ( size_t i = 0; i < v->nr_marks; i++ )
    {
        const struct plot_mark m = p->marks[i];
        int x = (int)plot_x(v, m.from) - PLOT_LEFT;
        int y = (int)plot_y(v, m.value) - PLOT_TOP;
        unsigned int pixel = (unsigned int)(x * (PLOT_LINES + 1) + y);
        struct plot_mark *old;

        debug_assert(x >= 0 && x <= PLOT_COLUMNS && y >= 0 && y <= PLOT_LINES);
        old = find_kept(p, kept, pixel, m.series, by_series);
        if ( old )
        {
            old->covered += m.covered;
            continue;
        }
        p->marks[n] = m;
        kept->next[n] = kept->first[pixel];
        kept->first[pixel] = (uint32_t)++n;
    }
    v->nr_marks = n;
}

/* Keep a dot per pixel, or per series there, as a count of the rest. */
static void merge_dots(struct plot *p, bool by_series)
{
    struct plot_view *v = &p->view;
    const struct kept_dots kept = {
        fault_calloc(PIXELS, sizeof(uint32_t)),
        fault_malloc((v->nr_marks + 1) * sizeof(uint32_t)),
    };

    v->marks = p->marks;
    v->log = plot_wants_log(v);
    p->failed |= !kept.first || !kept.next ||
                 (p->about.unit == PLOT_ADDRESS && plot_split_addresses(v));
    if ( !p->failed )
        keep_dots(p, &kept, by_series);
    free(kept.first);
    free(kept.next);
}

static int compare_by_row(const void *a, const void *b)
{
    const struct plot_mark *x = a, *y = b;

    if ( x->value != y->value )
        return x->value < y->value ? -1 : 1;
    if ( x->series != y->series )
        return x->series < y->series ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Merge the bars of a series that lie within `width` of each other. */
static void merge_bars(struct plot *p, uint64_t width)
{
    struct plot_view *v = &p->view;
    size_t n = 0;

    assert(v->bars);
    qsort(p->marks, v->nr_marks, sizeof(*p->marks), compare_by_row);
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

static void merge_marks(struct plot *p)
{
    struct plot_view *v = &p->view;
    uint64_t span = (uint64_t)v->last - (uint64_t)v->first;
    uint64_t width = span / (4 * PLOT_COLUMNS);

    if ( !v->bars )
        merge_dots(p, true);
    if ( !v->bars && v->nr_marks > MAX_MARKS / 2 )
        merge_dots(p, false);
    for ( ; v->bars && v->nr_marks > MAX_MARKS / 2 && width < span;
          width = width < span / 2 ? width * 2 + 1 : span )
        merge_bars(p, width);
}

/* Grow the array of marks.  False: out of memory. */
static bool grow_marks(struct plot *p)
{
    size_t room = p->room ? 2 * p->room : 4096;
    struct plot_mark *larger;

    if ( p->room >= MAX_MARKS )
    {
        merge_marks(p);
        return !p->failed && p->view.nr_marks < p->room;
    }
    larger = fault_realloc(p->marks, room * sizeof(*larger));
    p->failed |= !larger;
    if ( !larger )
        return false;
    assert(p->view.nr_marks == p->room && room <= MAX_MARKS);
    p->marks = larger;
    p->room = room;
    return true;
}

static void extend_range(int64_t *least, int64_t *most, int64_t value)
{
    if ( value < *least )
        *least = value;
    if ( value > *most )
        *most = value;
}

static void add_mark(struct plot *p, const struct plot_mark *m)
{
    extend_range(&p->view.first, &p->view.last, m->from);
    extend_range(&p->view.first, &p->view.last, m->to);
    extend_range(&p->view.least, &p->view.most, m->value);
    debug_assert(!p->closed);
    if ( p->failed || (p->view.nr_marks == p->room && !grow_marks(p)) )
        return;
    p->marks[p->view.nr_marks++] = *m;
}

static uint64_t point_key(const struct point *point)
{
    if ( point->by_state )
        return PLOT_KEY(PLOT_OF_STATE, point->state);
    if ( point->owner == POINT_IRQ )
        return PLOT_KEY(PLOT_OF_IRQ, point->vcpu);
    return PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(point->domain, point->vcpu));
}

/* Idle vcpus are the idle time of a pcpu: running is the only state drawn. */
static void put_point(void *state, const struct point *point)
{
    struct plot *p = state;
    bool idle = point->owner != POINT_IRQ && point->domain == XT_DOMAIN_IDLE;
    struct plot_mark m = {
        .from = point->time, .to = point->time, .covered = 1,
        .value = point->unit == POINT_CYCLES ? point->duration : point->value,
    };

    if ( idle && point->by_state && point->state != STATE_RUNNING )
        return;
    m.series = plot_keys_add(&p->series, idle ? PLOT_KEY(PLOT_OF_IDLE, 0)
                                              : point_key(point), 1);
    add_mark(p, &m);
}

struct points plot_points(struct plot *p)
{
    return (struct points){ .put = put_point, .state = p };
}

void plot_add_row(struct plot *p, uint64_t row)
{
    assert(p->view.bars && !p->closed);
    plot_keys_add(&p->rows, row, 0);
}

void plot_add_bar(struct plot *p, uint64_t row, uint64_t key, int64_t from,
                  int64_t to)
{
    uint64_t length = to > from ? (uint64_t)to - (uint64_t)from : 0;
    const struct plot_mark m = {
        .from = from, .to = to, .covered = (int64_t)length,
        .value = plot_keys_add(&p->rows, row, 0),
        .series = plot_keys_add(&p->series, key, length),
    };

    if ( length && length <= INT64_MAX )
        add_mark(p, &m);
}

/* Give both axes a length, even without marks or with a single one. */
static void extend_axes(struct plot_view *v)
{
    if ( v->first > v->last )
        v->first = v->last = v->least = v->most = 0;
    /* An axis that begins near 0 begins at 0. */
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

/* Do the bars cover less than all rows, by half of a pixel or more? */
static bool has_gaps(const struct plot *p)
{
    double whole = (double)p->view.last - (double)p->view.first, all = 0;

    for ( uint32_t i = 0; i < p->series.nr; i++ )
        all += (double)p->series.weights[i];
    return all < whole * (p->rows.nr - 0.5 / PLOT_COLUMNS);
}

/* The choices that need the sorted array of marks. */
static int choose_drawing(struct plot *p)
{
    struct plot_view *v = &p->view;
    int rc = p->about.unit == PLOT_ADDRESS ? plot_split_addresses(v) : 0;

    v->has_gaps = v->bars && has_gaps(p);
    rc = rc ? rc : plot_choose_cells(v);
    rc = rc ? rc : plot_choose_column(v);
    plot_make_legend(v);
    v->bottom = plot_height(v) - PLOT_BELOW;
    return rc;
}

static int close_view(struct plot *p)
{
    struct plot_view *v = &p->view;
    int rc;

    if ( p->closed )
        return 0;
    p->closed = true;
    extend_axes(v);
    if ( !v->bars )
        plot_close_losses(p);
    merge_marks(p);
    rc = plot_choose_series(p);
    v->marks = p->marks;
    if ( v->nr_marks )
        qsort(v->marks, v->nr_marks, sizeof(*v->marks), compare_by_row);
    assert(rc || v->nr_series || !v->nr_marks);
    return rc ? rc : choose_drawing(p);
}

/* --- files ---------------------------------------------------------------- */

typedef int write_fn(const struct plot_view *v, FILE *out);

int plot_write(struct plot *p, enum plot_format format, const char *path,
               struct err *e)
{
    static write_fn *const writers[] = {
        [PLOT_SVG] = plot_svg, [PLOT_PNG] = plot_png, [PLOT_PDF] = plot_pdf,
        [PLOT_GNUPLOT] = plot_gnuplot,
    };
    struct output_file file;
    int rc = close_view(p);

    assert(format <= PLOT_GNUPLOT);
    if ( p->failed || rc )
        return err_sys(e, -ENOMEM, "cannot draw %s", path);
    rc = output_file_open(&file, path, e);
    if ( rc )
        return rc;
    rc = writers[format](&p->view, file.out);
    if ( !rc )
        return output_file_commit(&file, e);
    output_file_discard(&file);
    return err_sys(e, rc, "cannot write %s", path);
}
