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

static void put_title(const char *name, FILE *out)
{
    fputs(" title \"", out);
    put_name(name, out);
    putc('"', out);
}

/* A line of the legend: a function without a value, after a plot. */
static void put_legend_line(const struct plot_view *v,
                            const struct plot_line *line, FILE *out)
{
    fprintf(out, ", \\\n    NaN with lines lw 8 lc rgb \"#%06" PRIx32 "\"",
            plot_colour(v, line->paint < PLOT_PAINTS ? line->paint
                                                     : PAINT_PAGE));
    put_title(line->name, out);
}

static void put_legend(const struct plot_view *v, FILE *out)
{
    for ( unsigned int i = 0; i < v->nr_lines; i++ )
        put_legend_line(v, &v->legend[i], out);
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
    assert(series < v->nr_series);
    fprintf(out, "$series%u << EOD\n", series);
    for ( size_t i = 0; i < v->nr_marks; i++ )
        if ( v->marks[i].series == series )
            put_dot(v, &v->marks[i], out);
    fprintf(out, "EOD\n");
}

/* An array of ticks, at positions or at values. */
static void put_ticks(const struct plot_view *v, bool positions, FILE *out)
{
    struct plot_tick ticks[PLOT_TICKS];
    unsigned int nr = plot_value_ticks(v, ticks);

    fprintf(out, "set ytics (");
    for ( unsigned int i = 0; i < nr; i++ )
        fprintf(out, "%s\"%s\" %.1f", i ? ", " : "", ticks[i].text,
                positions ? v->bottom - ticks[i].at : ticks[i].value);
    fprintf(out, ")\n");
}

static void put_axis(const struct plot_view *v, FILE *out)
{
    bool positions = v->about->unit == PLOT_ADDRESS || v->cells;

    if ( v->log && !positions )
        fprintf(out, "set logscale y\n");
    if ( v->about->unit == PLOT_PLACES && !positions )
        fprintf(out, "set yrange [%.1f:%.1f]\n", (double)v->least - 0.5,
                (double)v->most + 0.5);
    if ( positions )
        fprintf(out, "set yrange [0:%d]\n", v->bottom - PLOT_TOP);
    if ( positions || v->about->unit == PLOT_TIME )
        put_ticks(v, positions, out);
}

/*
 * The strip of losses, at the foot of the graph.  Object 1 may be the page.
 */
static void put_losses(const struct plot_view *v, FILE *out)
{
    /* A loss is a bar in a picture of bars. */
    assert(!v->bars);
    for ( size_t i = 0; i < v->nr_losses; i++ )
        fprintf(out, "set object %zu rectangle from first %.9f,graph 0 to "
                "first %.9f,graph 0.01 fillcolor rgb \"#%06" PRIx32 "\" "
                "fillstyle solid noborder\n", i + 2,
                (double)v->losses[i].from / 1e9, (double)v->losses[i].to / 1e9,
                plot_colour(v, PAINT_LOST));
}

static int put_all_dots(const struct plot_view *v, FILE *out)
{
    bool places = v->about->unit == PLOT_PLACES;

    assert(!v->bars);
    put_axis(v, out);
    put_losses(v, out);
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        put_dots(v, i, out);
    fprintf(out, v->nr_series ? "plot " : "# nothing to plot\n");
    /* The series at the same place are drawn side by side. */
    for ( unsigned int i = 0; i < v->nr_series; i++ )
    {
        fprintf(out, "%s$series%u using 1:($2%+.3f) with points pt 7 ps 0.4 "
                "lc rgb \"#%06" PRIx32 "\"", i ? ", \\\n    " : "", i,
                places ? 0.7 * ((i + 0.5) / v->nr_series - 0.5) : 0.0,
                plot_colour(v, PAINT_SERIES + i));
        put_title(v->series[i].name, out);
    }
    if ( v->nr_losses && v->nr_series )
        put_legend_line(v, &v->legend[v->nr_lines - 1], out);
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
                            unsigned int paint)
{
    const struct script *p = state;
    const struct plot_view *v = p->view;
    double second = 1e-9 * ((double)v->last - (double)v->first) /
                    PLOT_COLUMNS;
    double from = 1e-9 * (double)v->first + (x - PLOT_LEFT) * second;
    double top = plot_row_top(v, 0), row = plot_row_top(v, 1) - top;

    /* Cells of dots are on a scale of pixels upward. */
    if ( !v->bars )
    {
        top = v->bottom;
        row = -1;
    }
    fprintf(p->out, "%.9f %.9f %.4f %.4f %" PRIu32 "\n", from,
            from + w * second, (y - top) / row, (y + h - top) / row,
            plot_colour(v, paint));
}

/* Print the name of a row, or of the domain of the first vcpu in the row. */
static void put_row_name(const struct plot_view *v, unsigned int row,
                         const char *separator, FILE *out)
{
    char name[PLOT_NAME];

    assert(row < v->nr_rows);
    if ( v->grouped )
        plot_name_series(name, PLOT_KEY(PLOT_OF_DOMAIN, v->rows[row].key >> 16),
                         v->names);
    fprintf(out, "%s\"", separator);
    put_name(v->grouped ? name : v->rows[row].name, out);
    fprintf(out, "\" %u.4", row);
}

/* Names of the rows, as far as there is room. */
static void put_row_names(const struct plot_view *v, FILE *out)
{
    const char *separator = "";
    unsigned int step = 1, next = 0;

    while ( v->nr_rows / step > 32 )
        step *= 2;
    fprintf(out, "set yrange [%u:0]\nset ytics (", v->nr_rows ? v->nr_rows
                                                             : 1);
    for ( unsigned int i = 0; i < v->nr_rows; i++ )
        if ( i >= next && (!v->grouped || v->rows[i].starts_group) )
        {
            put_row_name(v, i, separator, out);
            separator = ", ";
            next = i + step;
        }
    fprintf(out, ")\n");
}

static int put_data(const struct plot_view *v, FILE *out)
{
    struct script script = { v, out };
    const struct plot_pen pen = {
        .state = &script, .rectangle = print_rectangle,
    };

    if ( v->cells )
        return plot_draw_cells(v, &pen);
    return v->heat ? plot_draw_heat(v, &pen) : plot_draw_rows(v, &pen);
}

static int put_all_rectangles(const struct plot_view *v, FILE *out)
{
    int rc;

    assert(v->bars || v->cells);
    if ( v->bars )
        put_row_names(v, out);
    else
    {
        put_axis(v, out);
        put_losses(v, out);
    }
    fprintf(out, "set xrange [%.9f:%.9f]\nset style fill solid noborder\n"
            "$rows << EOD\n", (double)v->first / 1e9, (double)v->last / 1e9);
    rc = put_data(v, out);
    fprintf(out, "EOD\n%s", v->nr_series ? "plot " : "# nothing to plot\n");
    if ( v->nr_series )
    {
        fprintf(out, "$rows using 1:3:1:2:3:4:5 with boxxyerror lc rgb "
                "variable notitle");
        put_legend(v, out);
    }
    fprintf(out, "\n");
    return rc;
}

static void put_dark_page(const struct plot_view *v, FILE *out)
{
    uint32_t ink = plot_colour(v, PAINT_INK);

    fprintf(out, "set object 1 rectangle from screen 0,0 to screen 1,1 "
            "fillcolor rgb \"#%06" PRIx32 "\" behind\n",
            plot_colour(v, PAINT_PAGE));
    fprintf(out, "set border linecolor rgb \"#%06" PRIx32 "\"\n", ink);
    for ( const char *const *what = (const char *const[])
          { "title", "xlabel", "ylabel", "tics", "key", NULL }; *what; what++ )
        fprintf(out, "set %s textcolor rgb \"#%06" PRIx32 "\"\n", *what, ink);
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
    char title[PLOT_TITLE];

    put_terminal(out);
    /* A "_" in a name is no subscript. */
    if ( v->names )
        fprintf(out, "set termoption noenhanced\n");
    plot_format_title(v, title);
    fprintf(out, "set title '");
    put_quoted(title, out);
    fprintf(out, "' noenhanced\nset xlabel \"seconds since the trace began\"\n"
            "set ylabel \"%s\"\nset key outside\n", v->about->label);
    if ( v->theme == PLOT_DARK )
        put_dark_page(v, out);
    return v->bars || v->cells ? put_all_rectangles(v, out)
                               : put_all_dots(v, out);
}
