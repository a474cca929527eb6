/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --plot and --gnuplot: the requested scatterplot as a picture, or without a
 * scatterplot the timeline of vcpus on each pcpu.  The scatterplot of runstates
 * becomes a timeline of vcpus, since bars show more than points.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/reports/table.h"

struct picture
{
    struct plot *plot;
    char selection[192];        /* after the title */
    struct timeline timeline;
    enum plot_format format;
};

static bool picture_is_requested(const struct report_config *c)
{
    return c->plot || c->gnuplot;
}

/* Store the kind of the only scatterplot, or for the timeline SCATTER_KINDS.
   Returns 0, or -EINVAL and *e. */
static int choose_subject(const struct report_config *c, unsigned int *kind,
                          struct err *e)
{
    unsigned int nr = 0;

    *kind = SCATTER_KINDS;
    for ( unsigned int i = 0; i < SCATTER_KINDS; i++ )
    {
        if ( !c->scatter[i] )
            continue;
        *kind = i;
        nr++;
    }
    if ( nr <= 1 )
        return 0;
    return err_usage(e, "one picture cannot show %u scatterplots; "
                     "ask for one of them", nr);
}

__attribute__((format(printf, 2, 3)))
static void append_selection(struct picture *picture, const char *format, ...)
{
    size_t length = strlen(picture->selection);
    va_list args;

    assert(length < sizeof(picture->selection));
    va_start(args, format);
    vsnprintf(picture->selection + length, sizeof(picture->selection) - length,
              format, args);
    va_end(args);
}

static void append_vector(struct picture *picture, uint64_t vector)
{
    const char *name = xen_vector_name(vector);

    append_selection(picture, ", vector %" PRIu64 " (0x%" PRIx64 "%s%s)",
                     vector, vector, name ? ", " : "", name ? name : "");
}

/* The port or interrupt vector, and each selected domain, vcpu and pcpu. */
static void describe_selection(const struct report_pass *p,
                               struct picture *picture, unsigned int kind)
{
    const uint64_t *which = p->config->which;

    if ( kind == SCATTER_IO )
        append_selection(picture, " 0x%" PRIx64, which[kind]);
    if ( kind == SCATTER_INTERRUPT_EIP || kind == SCATTER_EXTINT_CYCLES )
        append_vector(picture, which[kind]);
    if ( p->domains )
        append_selection(picture, ", domain %s", p->domains);
    if ( p->vcpus )
        append_selection(picture, ", vcpu %s", p->vcpus);
    if ( p->pcpus )
        append_selection(picture, ", pcpu %s", p->pcpus);
}

static void add_timeline(struct report_pass *p, struct picture *picture,
                         enum plot_unit unit)
{
    assert(picture->plot);
    picture->timeline.plot = picture->plot;
    if ( unit == PLOT_PCPUS )
        report_add_sink(p, timeline_sink(&picture->timeline));
    else if ( unit == PLOT_VCPUS )
        report_add_sink(p, states_sink(&picture->timeline));
    else
        report_add_sink(p, losses_sink(&picture->timeline));
}

static int picture_open(struct report_pass *p, void **state, struct err *e)
{
    const struct report_config *c = p->config;
    struct plot_about about = {
        "vcpus on each pcpu (heights are shares of time)", "pcpu", PLOT_PCPUS,
    };
    unsigned int kind = SCATTER_KINDS;
    struct picture *picture = *state = fault_calloc(1, sizeof(*picture));
    int rc = picture ? 0 : -ENOMEM;

    if ( !rc && c->plot )
        rc = plot_parse_format(c->plot, &picture->format, e);
    if ( !rc )
        rc = choose_subject(c, &kind, e);
    if ( rc )
        return rc;
    if ( kind < SCATTER_KINDS )
        about = *scatter_about(kind);
    describe_selection(p, picture, kind);
    rc = plot_new(&picture->plot, &about, p->name);
    if ( rc )
        return rc;
    plot_set_names(picture->plot, p->request.names);
    plot_set_selection(picture->plot, picture->selection);
    plot_set_theme(picture->plot, c->plot_theme);
    add_timeline(p, picture, about.unit);
    return rc;
}

static int picture_write(struct report_pass *p, void *state, struct err *e)
{
    const struct report_config *c = p->config;
    struct picture *picture = state;
    unsigned int kind = 0;
    int rc = 0;

    assert(c->plot || c->gnuplot);
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
