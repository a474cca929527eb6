/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script for gnuplot with the data inline.  Rows consist of the rectangles of
 * the other formats, in seconds and rows instead of pixels.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <inttypes.h>

/* In single quotes gnuplot interprets nothing but the quote. */
static void put_quoted(const char *text, FILE *out)
{
    for ( ; *text; text++ )
        if ( *text == '\'' )
            fputs("''", out);
        else
            putc((unsigned char)*text < ' ' ? '?' : *text, out);
}

/*
 * In double quotes gnuplot interprets quotes, backslashes, and backquotes,
 * which run a command.
 */
static void put_name(const char *text, FILE *out)
{
    for ( ; *text; text++ )
        if ( *text == '"' || *text == '\\' || *text == '`' )
            fprintf(out, "\\%03o", *text);
        else
            putc(*text, out);
}

static void put_title(const struct plot_series *series, FILE *out)
{
    fputs(" title \"", out);
    put_name(series->name, out);
    putc('"', out);
}

/* --- dots ----------------------------------------------------------------- */

/* For addresses, the position on the axis with gaps, and the address. */
static void put_dot(const struct plot_view *v, const struct plot_mark *m,
                    FILE *out)
{
    fprintf(out, "%.9f ", (double)m->from / 1e9);
    if ( v->about->unit == PLOT_ADDRESS )
        fprintf(out, "%.1f %" PRIx64 "\n", v->bottom - plot_y(v, m->value),
                (uint64_t)m->value);
    else
        fprintf(out, "%" PRId64 "\n", m->value);
}

static void put_dots(const struct plot_view *v, unsigned int series, FILE *out)
{
    fprintf(out, "$series%u << EOD\n", series);
    for ( size_t i = 0; i < v->nr_marks; i++ )
        if ( v->marks[i].series == series )
            put_dot(v, &v->marks[i], out);
    fprintf(out, "EOD\n");
}

static void put_axis(const struct plot_view *v, FILE *out)
{
    struct plot_tick ticks[PLOT_TICKS];
    unsigned int nr = 0;

    if ( v->log )
        fprintf(out, "set logscale y\n");
    if ( v->about->unit == PLOT_PLACES )
        fprintf(out, "set yrange [%.1f:%.1f]\n", (double)v->least - 0.5,
                (double)v->most + 0.5);
    if ( v->about->unit != PLOT_ADDRESS )
        return;
    nr = plot_value_ticks(v, ticks);
    fprintf(out, "set yrange [0:%d]\nset ytics (", v->bottom - PLOT_TOP);
    for ( unsigned int i = 0; i < nr; i++ )
        fprintf(out, "%s\"%s\" %.1f", i ? ", " : "", ticks[i].text,
                v->bottom - ticks[i].at);
    fprintf(out, ")\n");
}

static int put_all_dots(const struct plot_view *v, FILE *out)
{
    bool places = v->about->unit == PLOT_PLACES;

    assert(!v->bars);
    put_axis(v, out);
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        put_dots(v, i, out);
    fprintf(out, v->nr_series ? "plot " : "# nothing to plot\n");
    /* The series at the same place are drawn side by side. */
    for ( unsigned int i = 0; i < v->nr_series; i++ )
    {
        fprintf(out, "%s$series%u using 1:($2%+.3f) with points pt 7 ps 0.4 "
                "lc rgb \"#%06" PRIx32 "\"", i ? ", \\\n    " : "", i,
                places ? 0.7 * ((i + 0.5) / v->nr_series - 0.5) : 0.0,
                v->series[i].colour);
        put_title(&v->series[i], out);
    }
    fprintf(out, "\n");
    return 0;
}

/* --- rows ----------------------------------------------------------------- */

/* The state of the pen. */
struct script
{
    const struct plot_view *view;
    FILE *out;
};

/* A line of data: left, right, top, bottom, colour. */
static void print_rectangle(void *state, double x, double y, double w, double h,
                            uint32_t colour)
{
    const struct script *p = state;
    const struct plot_view *v = p->view;
    double second = 1e-9 * ((double)v->last - (double)v->first) /
                    PLOT_COLUMNS;
    double from = 1e-9 * (double)v->first + (x - PLOT_LEFT) * second;
    double top = plot_row_top(v, 0), row = plot_row_top(v, 1) - top;

    fprintf(p->out, "%.9f %.9f %.4f %.4f %" PRIu32 "\n", from,
            from + w * second, (y - top) / row, (y + h - top) / row, colour);
}

/* Names of the rows, as far as there is room. */
static void put_row_names(const struct plot_view *v, FILE *out)
{
    unsigned int step = 1;

    while ( v->nr_rows / step > 32 )
        step *= 2;
    fprintf(out, "set yrange [%u:0]\nset ytics (", v->nr_rows ? v->nr_rows
                                                             : 1);
    for ( unsigned int i = 0; i < v->nr_rows; i += step )
    {
        fputs(i ? ", \"" : "\"", out);
        put_name(v->rows[i].name, out);
        fprintf(out, "\" %u.4", i);
    }
    fprintf(out, ")\n");
}

static int put_all_rows(const struct plot_view *v, FILE *out)
{
    struct script script = { v, out };
    const struct plot_pen pen = {
        .state = &script, .rectangle = print_rectangle,
    };
    int rc;

    assert(v->bars);
    put_row_names(v, out);
    fprintf(out, "set xrange [%.9f:%.9f]\nset style fill solid noborder\n"
            "$rows << EOD\n", (double)v->first / 1e9, (double)v->last / 1e9);
    rc = plot_draw_rows(v, &pen);
    fprintf(out, "EOD\n%s", v->nr_series ? "plot " : "# nothing to plot\n");
    if ( v->nr_series )
        fprintf(out, "$rows using 1:3:1:2:3:4:5 with boxxyerror lc rgb "
                "variable notitle");
    for ( unsigned int i = 0; i < v->nr_series; i++ )
    {
        fprintf(out, ", \\\n    NaN with lines lw 8 lc rgb \"#%06" PRIx32
                "\"", v->series[i].colour);
        put_title(&v->series[i], out);
    }
    fprintf(out, "\n");
    return rc;
}

/* Without a display gnuplot has no terminal, and would draw nothing. */
static void put_terminal(FILE *out)
{
    fprintf(out, "# gnuplot -p THIS\n"
            "if (GPVAL_TERM eq \"unknown\") {\n"
            "    picture = (exists(\"ARG0\") && strlen(ARG0) ? ARG0 : \"plot\")"
            ".\".png\"\n"
            "    print \"gnuplot has no display: writing \", picture\n"
            "    set terminal pngcairo size 1600,900\n"
            "    set output picture\n"
            "}\n");
}

int plot_gnuplot(const struct plot_view *v, FILE *out)
{
    put_terminal(out);
    /* A "_" in a name is no subscript. */
    if ( v->names )
        fprintf(out, "set termoption noenhanced\n");
    fprintf(out, "set title '");
    put_quoted(v->name, out);
    fprintf(out, ": %s' noenhanced\nset xlabel \"seconds since the trace "
            "began\"\nset ylabel \"%s%s\"\nset key outside\n",
            v->about->title, v->about->label,
            v->about->unit == PLOT_TIME ? " (ns)" : "");
    return v->bars ? put_all_rows(v, out) : put_all_dots(v, out);
}
