/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Axes: the positions of times and values in the picture, and ticks at round
 * numbers.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#define MAX_ROW 64.0            /* pixels */
#define MIN_ROW 4.0
#define MARGIN 12.0             /* above and below the dots */

static double row_height(const struct plot_view *v)
{
    double height = (double)PLOT_LINES / (v->nr_rows ? v->nr_rows : 1);

    return height > MAX_ROW ? MAX_ROW : height < MIN_ROW ? MIN_ROW
                                                             : height;
}

int plot_height(const struct plot_view *v)
{
    double area = v->bars ? row_height(v) * v->nr_rows : PLOT_LINES;
    double legend = 26.0 * v->nr_lines;

    assert(v->nr_series <= PLOT_SERIES && v->nr_rows <= PLOT_MAX_ROWS);
    return PLOT_TOP + (int)(area > legend ? area : legend) + PLOT_BELOW;
}

bool plot_wants_log(const struct plot_view *v)
{
    return v->about->unit == PLOT_TIME && v->least > 0 &&
           v->most / v->least >= 100;
}

/* Map `value` from least .. most to 0 .. length. */
static double scale_value(double value, double least, double most,
                          double length)
{
    double at = most > least ? (value - least) / (most - least) * length : 0;

    return at < 0 ? 0 : at > length ? length : at;
}

double plot_x(const struct plot_view *v, int64_t time)
{
    return PLOT_LEFT + scale_value((double)time, (double)v->first,
                                   (double)v->last, PLOT_COLUMNS);
}

static double value_y(const struct plot_view *v, double value)
{
    double least = (double)v->least, most = (double)v->most;

    if ( v->about->unit == PLOT_PLACES )
    {
        least -= 0.5;           /* dots of several series are side by side */
        most += 0.5;
    }
    if ( v->log )
    {
        assert(least > 0);
        value = log10(value);
        least = log10(least);
        most = log10(most);
    }
    return v->bottom - MARGIN -
           scale_value(value, least, most, v->bottom - PLOT_TOP - 2 * MARGIN);
}

double plot_y(const struct plot_view *v, int64_t value)
{
    return v->nr_pieces ? plot_address_y(v, (uint64_t)value)
                        : value_y(v, (double)value);
}

double plot_row_top(const struct plot_view *v, unsigned int row)
{
    return PLOT_TOP + row * row_height(v);
}

/* --- round numbers -------------------------------------------------------- */

/* A step of 1, 2 or 5 times a power of ten, about `whole` / `nr`. */
static double round_step(double whole, unsigned int nr)
{
    double rough = whole / nr, power = pow(10, floor(log10(rough)));

    return power * (rough <= power ? 1 : rough <= 2 * power ? 2
                    : rough <= 5 * power ? 5 : 10);
}

/* The number of decimals that steps of this size need. */
static int step_decimals(double step)
{
    double digits = ceil(-log10(step) - 1e-9);

    return digits < 0 ? 0 : digits > 9 ? 9 : (int)digits;
}

/* The unit of the longest time on the axis. */
static const struct time_unit { double ns; const char *name; } time_units[] = {
    { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" },
};

static const struct time_unit *find_time_unit(double ns)
{
    unsigned int i = 0;

    while ( i < 3 && fabs(ns) < time_units[i].ns )
        i++;
    return &time_units[i];
}

static const struct time_unit *axis_unit(const struct plot_view *v)
{
    double first = fabs((double)v->first), last = fabs((double)v->last);

    return find_time_unit(first > last ? first : last);
}

const char *plot_time_unit(const struct plot_view *v)
{
    return axis_unit(v)->ns >= 1e9 ? "seconds" : axis_unit(v)->name;
}

unsigned int plot_time_ticks(const struct plot_view *v,
                             struct plot_tick ticks[PLOT_TICKS])
{
    double unit = axis_unit(v)->ns;
    double first = (double)v->first / unit, last = (double)v->last / unit;
    double step = round_step(last - first, 8), at;
    unsigned int n = 0;

    assert(v->first < v->last);
    for ( at = ceil(first / step) * step; at <= last + step / 1e6 &&
                                          n < PLOT_TICKS; at += step )
    {
        ticks[n].at = PLOT_LEFT + scale_value(at, first, last, PLOT_COLUMNS);
        snprintf(ticks[n++].text, PLOT_NAME, "%.*f", step_decimals(step),
                 at == 0 ? 0 : at);
    }
    return n;
}

/* --- values --------------------------------------------------------------- */

static void format_number(char text[PLOT_NAME], double value, double step)
{
    static const struct { double more; const char *unit; } units[] = {
        { 1e18, "E" }, { 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" },
        { 1e6, "M" }, { 1e3, "k" }, { 0, "" },
    };
    unsigned int i = 0;
    double unit;

    while ( fabs(value) < units[i].more )
        i++;
    unit = units[i].more > 0 ? units[i].more : 1;
    snprintf(text, PLOT_NAME, "%.*f%s", step_decimals(step / unit),
             value / unit, units[i].unit);
}

static void format_time(char text[PLOT_NAME], double ns, double step)
{
    const struct time_unit *unit = find_time_unit(ns);

    snprintf(text, PLOT_NAME, "%.*f %s", step_decimals(step / unit->ns),
             ns / unit->ns, unit->name);
}

static void format_value(const struct plot_view *v, char text[PLOT_NAME],
                         double value, double step)
{
    if ( v->about->unit == PLOT_TIME )
        format_time(text, value, step);
    else
        format_number(text, value, step);
}

static void add_tick(const struct plot_view *v, struct plot_tick *tick,
                     double value, double step)
{
    tick->at = value_y(v, value);
    tick->value = value;
    format_value(v, tick->text, value, step);
}

/* Ticks at powers of ten, and at 2 and 5 times these if there are few. */
static unsigned int log_ticks(const struct plot_view *v,
                              struct plot_tick ticks[PLOT_TICKS])
{
    static const unsigned int times[] = { 1, 2, 5 };
    double least = (double)v->least, most = (double)v->most;
    unsigned int per_decade = log10(most / least) < 4 ? 3 : 1, n = 0;
    double decade = pow(10, floor(log10(least)));

    assert(v->log && v->least > 0);
    for ( ; decade <= most; decade *= 10 )
        for ( unsigned int i = 0; i < per_decade && n < PLOT_TICKS; i++ )
            if ( times[i] * decade >= least && times[i] * decade <= most )
                add_tick(v, &ticks[n++], times[i] * decade,
                         times[i] * decade);
    return n;
}

unsigned int plot_value_ticks(const struct plot_view *v,
                              struct plot_tick ticks[PLOT_TICKS])
{
    double least = (double)v->least, most = (double)v->most;
    double step = round_step(most - least, 8);
    unsigned int n = 0;

    assert(!v->bars && v->least < v->most);
    if ( v->nr_pieces )
        return plot_address_ticks(v, ticks);
    if ( v->log )
        return log_ticks(v, ticks);
    if ( step < 1 )
        step = 1;
    for ( double at = ceil(least / step) * step; at <= most && n < PLOT_TICKS;
          at += step )
        add_tick(v, &ticks[n++], at, step);
    return n;
}

void plot_format_value(const struct plot_view *v, char text[PLOT_NAME],
                       int64_t value)
{
    double ns = fabs((double)value);

    if ( v->about->unit == PLOT_ADDRESS )
        snprintf(text, PLOT_NAME, "0x%" PRIx64, (uint64_t)value);
    else if ( v->about->unit == PLOT_TIME )
        format_time(text, (double)value, ns < 1 ? 1 : pow(10, floor(log10(ns))
                                                          - 2));
    else
        snprintf(text, PLOT_NAME, "%" PRId64, value);
}
