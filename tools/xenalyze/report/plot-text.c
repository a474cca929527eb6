/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures that are text: SVG, and a script for gnuplot with its data.
 */
#include "xenalyze/report/plot.h"

#include <inttypes.h>

#define BAR_ROOM 0.8            /* of a row */

/* --- SVG ------------------------------------------------------------------ */

static void svg_text(FILE *out, int x, int y, const char *anchor,
                     uint32_t colour, const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" "
            "fill=\"#%06" PRIx32 "\">%s</text>\n", x, y, anchor, colour,
            text);
}

static void svg_axes(const struct plot_view *v, FILE *out)
{
    char text[PLOT_NAME];
    int64_t at;

    fprintf(out, "<path stroke=\"#ccc\" d=\"");
    for ( unsigned int i = 0; i <= PLOT_TICKS; i++ )
    {
        plot_time_tick(v, i, &at, text);
        fprintf(out, "M%d %dV%d", plot_x(v, at), PLOT_TOP, PLOT_BOTTOM);
        plot_value_tick(v, i, &at, text);
        fprintf(out, "M%d %dH%d", PLOT_LEFT, plot_y(v, at), PLOT_RIGHT);
    }
    fprintf(out, "\"/>\n");
    for ( unsigned int i = 0; i <= PLOT_TICKS; i++ )
    {
        plot_time_tick(v, i, &at, text);
        svg_text(out, plot_x(v, at), PLOT_BOTTOM + 16, "middle", 0, text);
        plot_value_tick(v, i, &at, text);
        svg_text(out, PLOT_LEFT - 6, plot_y(v, at) + 4, "end", 0, text);
    }
    svg_text(out, (PLOT_LEFT + PLOT_RIGHT) / 2, PLOT_BOTTOM + 32, "middle", 0,
             "seconds");
    svg_text(out, PLOT_LEFT, PLOT_TOP - 8, "start", 0, v->label);
}

/* Bars are lines as thick as a row; in a row of its own each has its middle. */
static int svg_width(const struct plot_view *v)
{
    int width = (int)((PLOT_BOTTOM - PLOT_TOP) * BAR_ROOM /
                      ((double)v->most - (double)v->least));

    return !v->bars ? 2 : width < 1 ? 1 : width;
}

static int svg_middle(const struct plot_view *v, int64_t value)
{
    return v->bars ? (plot_y(v, value) + plot_y(v, value + 1)) / 2
                   : plot_y(v, value);
}

static void svg_series(const struct plot_view *v, unsigned int series,
                       FILE *out)
{
    fprintf(out, "<path stroke=\"#%06" PRIx32 "\" stroke-width=\"%d\" d=\"",
            plot_colour(series), svg_width(v));
    for ( size_t i = 0; i < v->nr_marks; i++ )
    {
        const struct plot_mark *m = &v->marks[i];
        int x = plot_x(v, m->from), length = plot_x(v, m->to) - x;

        if ( m->series == series )
            fprintf(out, "M%d %dh%d", x, svg_middle(v, m->value),
                    length > 1 ? length : v->bars ? 1 : 2);
    }
    fprintf(out, "\"/>\n");
    svg_text(out, PLOT_RIGHT + 10, PLOT_TOP + 12 + 16 * (int)series, "start",
             plot_colour(series), v->names[series]);
}

int plot_svg(const struct plot_view *v, FILE *out)
{
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"none\">\n<rect width=\"%d\" height=\"%d\" "
            "fill=\"#fff\"/>\n", PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH,
            PLOT_HEIGHT);
    svg_axes(v, out);
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        svg_series(v, i, out);
    fprintf(out, "</svg>\n");
    return 0;
}

/* --- gnuplot -------------------------------------------------------------- */

static void gnuplot_data(const struct plot_view *v, unsigned int series,
                         FILE *out)
{
    fprintf(out, "$series%u << EOD\n", series);
    for ( size_t i = 0; i < v->nr_marks; i++ )
    {
        const struct plot_mark *m = &v->marks[i];

        if ( m->series != series )
            continue;
        fprintf(out, "%.9f %" PRId64, (double)m->from / 1e9, m->value);
        if ( v->bars )
            fprintf(out, " %.9f",
                    ((double)m->to - (double)m->from) / 1e9);
        fprintf(out, "\n");
    }
    fprintf(out, "EOD\n");
}

int plot_gnuplot(const struct plot_view *v, FILE *out)
{
    fprintf(out, "# gnuplot -p THIS\nset xlabel \"seconds\"\n"
            "set ylabel \"%s\"\nset key outside\n", v->label);
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        gnuplot_data(v, i, out);
    fprintf(out, v->nr_series ? "plot " : "# nothing to plot\n");
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        fprintf(out, "%s$series%u using %s lc rgb \"#%06" PRIx32
                "\" title \"%s\"", i ? ", \\\n    " : "", i,
                v->bars ? "1:2:3:(0) with vectors nohead lw 6"
                        : "1:2 with points pt 7 ps 0.3",
                plot_colour(i), v->names[i]);
    fprintf(out, "\n");
    return 0;
}
