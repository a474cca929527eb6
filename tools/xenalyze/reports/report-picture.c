/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --plot and --gnuplot: the requested scatterplot as a picture, or without a
 * scatterplot the timeline of vcpus on each pcpu.  The scatterplot of runstates
 * becomes a timeline of vcpus, since bars show more than points.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/reports/table.h"

struct picture
{
    struct plot *plot;
    struct timeline timeline;
    enum plot_format format;
};

static bool picture_is_requested(const struct report_config *c)
{
    return c->plot || c->gnuplot;
}

/* The subject of the picture: the timeline, or the only scatterplot. */
static int choose_subject(const struct report_config *c,
                          const struct plot_about **about, struct err *e)
{
    static const struct plot_about timeline = {
        "vcpus on each pcpu (heights are shares of time)", "pcpu", PLOT_PCPUS,
    };
    unsigned int nr = 0;

    *about = &timeline;
    for ( unsigned int i = 0; i < SCATTER_KINDS; i++ )
    {
        if ( !c->scatter[i] )
            continue;
        *about = scatter_about(i);
        nr++;
    }
    if ( nr <= 1 )
        return 0;
    return err_usage(e, "one picture cannot show %u scatterplots; "
                     "ask for one of them", nr);
}

static void add_timeline(struct report_pass *p, struct picture *picture,
                         enum plot_unit unit)
{
    picture->timeline.plot = picture->plot;
    if ( unit == PLOT_PCPUS )
        report_add_sink(p, timeline_sink(&picture->timeline));
    if ( unit == PLOT_VCPUS )
        report_add_sink(p, states_sink(&picture->timeline));
}

static int picture_open(struct report_pass *p, void **state, struct err *e)
{
    const struct report_config *c = p->config;
    const struct plot_about *about;
    struct picture *picture = *state = fault_calloc(1, sizeof(*picture));
    int rc = picture ? 0 : -ENOMEM;

    if ( !rc && c->plot )
        rc = plot_parse_format(c->plot, &picture->format, e);
    if ( !rc )
        rc = choose_subject(c, &about, e);
    if ( !rc )
        rc = plot_new(&picture->plot, about, p->name);
    if ( rc )
        return rc;
    plot_set_names(picture->plot, p->request.names);
    add_timeline(p, picture, about->unit);
    return rc;
}

static int picture_write(struct report_pass *p, void *state, struct err *e)
{
    const struct report_config *c = p->config;
    struct picture *picture = state;
    unsigned int kind = 0;
    int rc = 0;

    while ( kind < SCATTER_KINDS && !c->scatter[kind] )
        kind++;
    if ( plot_is_empty(picture->plot) )
        return report_refuse_empty(p, kind, e);
    if ( c->plot )
        rc = plot_write(picture->plot, picture->format, c->plot, e);
    if ( !rc && c->gnuplot )
        rc = plot_write(picture->plot, PLOT_GNUPLOT, c->gnuplot, e);
    return rc;
}

static void picture_free(void *state)
{
    struct picture *picture = state;

    if ( picture )
        plot_free(picture->plot);
    free(picture);
}

struct plot *report_plot(const struct report_pass *p)
{
    const struct picture *picture = report_state(p, &report_picture);

    return picture ? picture->plot : NULL;
}

const struct report report_picture = {
    .name = "picture", .kind = REPORT_AUXILIARY,
    .is_requested = picture_is_requested, .open = picture_open,
    .write = picture_write, .free = picture_free,
};
