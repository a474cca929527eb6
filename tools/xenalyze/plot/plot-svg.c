/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pen that writes SVG.  Consecutive rectangles of the same colour are
 * subpaths of one path element of less than 1,000,000 bytes.  Each colour is an
 * attribute of the light page, and the index of the paint is a class, for which
 * the style sheet has the colour of a dark page.  A reader without style sheets
 * shows the light page.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <inttypes.h>

#include "common/debug.h"

struct svg
{
    const struct plot_view *view;
    FILE *out;
    bool tips;                  /* a group of tooltips is open */
    bool open;                  /* a path is open ... */
    unsigned int paint;         /* ... in this paint */
    unsigned int rectangles;    /* ... with so many rectangles */
};

/*
 * Readers bound the length of an attribute: libxml2 to 10 MB.  A rectangle has
 * six numbers of up to 24 bytes.
 */
#define PATH_RECTANGLES 6000u

static void close_path(struct svg *s)
{
    if ( s->open )
        fprintf(s->out, "\"/>\n");
    s->open = false;
}

/* Write the attributes of a paint: index and colour. */
static void put_paint(struct svg *s, unsigned int paint)
{
    fprintf(s->out, "class=\"p%u\" fill=\"#%06" PRIx32 "\"", paint,
            plot_colour(s->view, paint));
}

/* A command and a number with at most one decimal. */
static void put_command(struct svg *s, char letter, double value)
{
    int64_t tenths = (int64_t)(value * 10 + (value < 0 ? -0.5 : 0.5));

    fprintf(s->out, "%c%s%" PRId64, letter, tenths < 0 ? "-" : "",
            (tenths < 0 ? -tenths : tenths) / 10);
    if ( tenths % 10 )
        fprintf(s->out, ".%" PRId64, (tenths < 0 ? -tenths : tenths) % 10);
}

static void write_rectangle(void *state, double x, double y, double w, double h,
                            unsigned int paint)
{
    struct svg *s = state;

    if ( !s->open || s->paint != paint ||
         s->rectangles == PATH_RECTANGLES )
    {
        close_path(s);
        fprintf(s->out, "<path ");
        put_paint(s, paint);
        fprintf(s->out, " d=\"");
        s->open = true;
        s->paint = paint;
        s->rectangles = 0;
    }
    s->rectangles++;
    debug_assert(s->open && s->rectangles <= PATH_RECTANGLES);
    put_command(s, 'M', x);
    put_command(s, ' ', y);
    put_command(s, 'h', w);
    put_command(s, 'v', h);
    put_command(s, 'h', -w);
    putc('z', s->out);
}

static void put_escaped(const char *text, FILE *out)
{
    for ( ; *text; text++ )
        if ( *text == '<' || *text == '&' )
            fputs(*text == '<' ? "&lt;" : "&amp;", out);
        else
            putc(*text, out);
}

static void write_text(void *state, double x, double y, enum plot_anchor anchor,
                       const char *text)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    struct svg *s = state;

    assert(anchor < sizeof(anchors) / sizeof(anchors[0]));
    close_path(s);
    fprintf(s->out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\" ", x, y,
            anchors[anchor]);
    put_paint(s, PAINT_INK);
    putc('>', s->out);
    put_escaped(text, s->out);
    fprintf(s->out, "</text>\n");
}

/* A transparent rectangle above the picture. */
static void write_tip(void *state, double x, double y, double w, double h,
                      const char *text)
{
    struct svg *s = state;

    assert(text && *text);
    close_path(s);
    if ( !s->tips )
        fprintf(s->out, "<g fill-opacity=\"0\">\n");
    s->tips = true;
    fprintf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\"><title>", x, y, w, h);
    put_escaped(text, s->out);
    fprintf(s->out, "</title></rect>\n");
}

static void put_style(const struct plot_view *v, FILE *out)
{
    fprintf(out, "<style>@media (prefers-color-scheme:dark){");
    for ( unsigned int i = 0; i < PAINT_SERIES + v->nr_series; i++ )
        fprintf(out, ".p%u{fill:#%06" PRIx32 "}", i, plot_paint(v, i).dark);
    fprintf(out, "}</style>\n");
}

int plot_svg(const struct plot_view *v, FILE *out)
{
    struct svg svg = { .view = v, .out = out };
    const struct plot_pen pen = {
        &svg, write_rectangle, write_text, write_tip,
    };
    int height = plot_height(v), rc;

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"17\">\n", PLOT_WIDTH,
            height, PLOT_WIDTH, height);
    if ( v->theme == PLOT_AUTO )
        put_style(v, out);
    write_rectangle(&svg, 0, 0, PLOT_WIDTH, height, PAINT_PAGE);
    rc = plot_draw(v, &pen);
    close_path(&svg);
    assert(!svg.open);
    fprintf(out, "%s</svg>\n", svg.tips ? "</g>\n" : "");
    return rc;
}
