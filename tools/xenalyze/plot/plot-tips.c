/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tooltips.  A bar or a dot has a tip with the vcpu, the state and the times.
 * Where there are too many, an area of the picture has a tip with the shares of
 * each vcpu or state, so that the number of bytes in the file is bounded.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define SHARES 5u               /* series in the tip of an area */

/* --- text ----------------------------------------------------------------- */

struct tip
{
    char text[PLOT_TIP];
    size_t length;
};

__attribute__((format(printf, 2, 3)))
static void append_tip(struct tip *t, const char *format, ...)
{
    size_t room = sizeof(t->text) - t->length;
    va_list args;
    int n;

    assert(room);
    va_start(args, format);
    n = vsnprintf(t->text + t->length, room, format, args);
    va_end(args);
    t->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void append_duration(struct tip *t, int64_t from, int64_t to)
{
    static const struct plot_about about = { "", "", PLOT_TIME };
    const struct plot_view v = { .about = &about };
    uint64_t length = (uint64_t)to - (uint64_t)from;
    char text[PLOT_NAME];

    plot_format_value(&v, text, length > INT64_MAX ? INT64_MAX
                                                   : (int64_t)length);
    append_tip(t, "%.9f s to %.9f s (%s)", (double)from / 1e9,
                (double)to / 1e9, text);
}

/* Append the largest amounts, by index of the series; `whole` is 100 %. */
static void append_shares(struct tip *t, const struct plot_view *v,
                          const double amounts[PLOT_SERIES], double whole)
{
    bool done[PLOT_SERIES] = { false };
    double rest = 0;

    assert(whole > 0);
    for ( unsigned int n = 0; n < SHARES; n++ )
    {
        unsigned int best = PLOT_SERIES;

        for ( unsigned int s = 0; s < v->nr_series; s++ )
            if ( !done[s] && amounts[s] > 0 &&
                 (best == PLOT_SERIES || amounts[s] > amounts[best]) )
                best = s;
        if ( best == PLOT_SERIES )
            return;
        done[best] = true;
        append_tip(t, "\n%s %.1f %%", v->series[best].name,
                    100 * amounts[best] / whole);
    }
    for ( unsigned int s = 0; s < v->nr_series; s++ )
        rest += done[s] ? 0 : amounts[s];
    if ( rest > 0 )
        append_tip(t, "\nothers %.1f %%", 100 * rest / whole);
}

/* --- rows ----------------------------------------------------------------- */

static void tip_bar(const struct plot_view *v, const struct plot_pen *pen,
                    unsigned int row, const struct plot_mark *m)
{
    double x = plot_x(v, m->from), width = plot_x(v, m->to) - x;
    struct tip t = { .length = 0 };

    append_tip(&t, "%s: %s\n", v->rows[row].name, v->series[m->series].name);
    append_duration(&t, m->from, m->to);
    pen->tip(pen->state, x, plot_row_top(v, row), width < 1 ? 1 : width,
             plot_row_room(v), t.text);
}

static int64_t column_time(const struct plot_view *v, int column)
{
    double share = (double)column * v->column / PLOT_COLUMNS;

    return (int64_t)((double)v->first +
                     share * ((double)v->last - (double)v->first));
}

/* A tip for the columns from .. end of a row: a pcpu or vcpu. */
static void tip_slot(const struct plot_view *v, const struct plot_pen *pen,
                     unsigned int row, const struct plot_shares *shares,
                     int from, int end)
{
    double amounts[PLOT_SERIES] = { 0 };
    struct tip t = { .length = 0 };

    for ( unsigned int s = 0; s < v->nr_series; s++ )
        for ( int c = from; c < end; c++ )
            amounts[s] += shares->share[s][c];
    append_tip(&t, "%s\n", v->rows[row].name);
    append_duration(&t, column_time(v, from), column_time(v, end));
    append_shares(&t, v, amounts, (double)(end - from) * v->rows[row].members);
    pen->tip(pen->state, PLOT_LEFT + from * v->column, plot_row_top(v, row),
             (end - from) * v->column, plot_row_room(v), t.text);
}

/* At most `budget` tips. */
static void tip_slots(const struct plot_view *v, const struct plot_pen *pen,
                      unsigned int row, const struct plot_shares *shares,
                      unsigned int budget)
{
    int columns = PLOT_COLUMNS / v->column, step;

    assert(budget);
    step = (columns + (int)budget - 1) / (int)budget;
    while ( step * v->column < 4 )
        step++;
    for ( int c = 0; c < columns; c += step )
        tip_slot(v, pen, row, shares, c, c + step < columns ? c + step
                                                            : columns);
}

static size_t count_bars(const struct plot_view *v, unsigned int row,
                         size_t at)
{
    size_t n = 0;

    while ( at + n < v->nr_marks && v->marks[at + n].value == (int64_t)row )
        n++;
    return n;
}

static int tip_rows(const struct plot_view *v, const struct plot_pen *pen)
{
    struct plot_shares *shares = fault_malloc(sizeof(*shares));
    unsigned int budget = PLOT_MAX_TIPS / (v->nr_rows ? v->nr_rows : 1);
    size_t at = 0;

    if ( !shares )
        return -ENOMEM;
    for ( unsigned int row = 0; row < v->nr_rows; row++ )
    {
        size_t first = at, nr = count_bars(v, row, at);

        plot_fill_shares(v, row, &at, shares);
        assert(at == first + nr);
        if ( nr > budget )
            tip_slots(v, pen, row, shares, budget);
        for ( size_t i = 0; nr <= budget && i < nr; i++ )
            tip_bar(v, pen, row, &v->marks[first + i]);
    }
    free(shares);
    return 0;
}

/* --- dots ----------------------------------------------------------------- */

#define AREA 20                 /* pixels */
#define DOT 6
#define AREA_COLUMNS (PLOT_COLUMNS / AREA)
#define AREA_ROWS (PLOT_LINES / AREA)
#define AREAS (AREA_COLUMNS * AREA_ROWS)

_Static_assert(AREAS <= PLOT_MAX_TIPS, "each area may have a tip");

struct area
{
    uint64_t points;
    int64_t from, to, least, most;
    double amounts[PLOT_SERIES];
};

static void tip_dot(const struct plot_view *v, const struct plot_pen *pen,
                    const struct plot_mark *m)
{
    char value[PLOT_NAME];
    struct tip t = { .length = 0 };

    plot_format_value(v, value, m->value);
    append_tip(&t, "%s: %s %s\n%.9f s", v->series[m->series].name,
                v->about->label, value, (double)m->from / 1e9);
    if ( m->covered > 1 )
        append_tip(&t, ", %" PRId64 " points here", m->covered);
    pen->tip(pen->state, plot_x(v, m->from) - DOT / 2.0,
             plot_dot_y(v, m) - DOT / 2.0, DOT, DOT, t.text);
}

static void add_to_area(const struct plot_view *v, struct area *areas,
                        const struct plot_mark *m)
{
    int x = (int)(plot_x(v, m->from) - PLOT_LEFT) / AREA;
    int y = (int)(plot_dot_y(v, m) - PLOT_TOP) / AREA;
    struct area *a;

    assert(m->series < v->nr_series && m->covered > 0);
    x = x < 0 ? 0 : x >= AREA_COLUMNS ? AREA_COLUMNS - 1 : x;
    y = y < 0 ? 0 : y >= AREA_ROWS ? AREA_ROWS - 1 : y;
    a = &areas[y * AREA_COLUMNS + x];
    if ( !a->points || m->from < a->from )
        a->from = m->from;
    if ( !a->points || m->from > a->to )
        a->to = m->from;
    if ( !a->points || m->value < a->least )
        a->least = m->value;
    if ( !a->points || m->value > a->most )
        a->most = m->value;
    a->points += (uint64_t)m->covered;
    a->amounts[m->series] += (double)m->covered;
}

static void tip_area(const struct plot_view *v, const struct plot_pen *pen,
                     const struct area *a, unsigned int at)
{
    char least[PLOT_NAME], most[PLOT_NAME];
    struct tip t = { .length = 0 };

    plot_format_value(v, least, a->least);
    plot_format_value(v, most, a->most);
    append_tip(&t, "%" PRIu64 " points: %s %s to %s\n", a->points,
                v->about->label, least, most);
    append_duration(&t, a->from, a->to);
    append_shares(&t, v, a->amounts, (double)a->points);
    pen->tip(pen->state, PLOT_LEFT + at % AREA_COLUMNS * AREA,
             PLOT_TOP + at / AREA_COLUMNS * AREA, AREA, AREA, t.text);
}

static int tip_areas(const struct plot_view *v, const struct plot_pen *pen)
{
    struct area *areas = fault_calloc(AREAS, sizeof(*areas));

    if ( !areas )
        return -ENOMEM;
    for ( size_t i = 0; i < v->nr_marks; i++ )
        add_to_area(v, areas, &v->marks[i]);
    for ( unsigned int i = 0; i < AREAS; i++ )
        if ( areas[i].points )
            tip_area(v, pen, &areas[i], i);
    free(areas);
    return 0;
}

int plot_draw_tips(const struct plot_view *v, const struct plot_pen *pen)
{
    if ( v->bars )
        return tip_rows(v, pen);
    if ( v->nr_marks > PLOT_MAX_TIPS )
        return tip_areas(v, pen);
    for ( size_t i = 0; i < v->nr_marks; i++ )
        tip_dot(v, pen, &v->marks[i]);
    return 0;
}
