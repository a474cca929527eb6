/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script for gnuplot, with its data in it.
 */
#include "xenalyze/report/plot-draw.h"

#include <inttypes.h>

static void put_data(const struct plot_view *v, unsigned int series, FILE *out)
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

/* Names of rows at the axis; or its kind. */
static void put_axis(const struct plot_view *v, FILE *out)
{
    if ( v->log )
        fprintf(out, "set logscale y\n");
    if ( v->about->unit == PLOT_ADDRESS )
        fprintf(out, "set format y \"%%.0f\"\n");
    if ( !v->bars )
        return;
    fprintf(out, "set yrange [-0.6:%u.6] reverse\nset ytics (",
            v->nr_rows ? v->nr_rows - 1 : 0);
    for ( unsigned int i = 0; i < v->nr_rows; i++ )
        fprintf(out, "%s\"%s\" %u", i ? ", " : "", v->rows[i].name, i);
    fprintf(out, ")\n");
}

int plot_gnuplot(const struct plot_view *v, FILE *out)
{
    fprintf(out, "# gnuplot -p THIS\nset title \"%s: %s\"\nset xlabel "
            "\"seconds since the trace began\"\nset ylabel \"%s%s\"\n"
            "set key outside\n", v->name, v->about->title, v->about->label,
            v->about->unit == PLOT_TIME ? " (ns)" : "");
    put_axis(v, out);
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        put_data(v, i, out);
    fprintf(out, v->nr_series ? "plot " : "# nothing to plot\n");
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        fprintf(out, "%s$series%u using %s lc rgb \"#%06" PRIx32
                "\" title \"%s\"", i ? ", \\\n    " : "", i,
                v->bars ? "1:2:3:(0) with vectors nohead lw 8"
                        : "1:2 with points pt 7 ps 0.4",
                v->series[i].colour, v->series[i].name);
    fprintf(out, "\n");
    return 0;
}
