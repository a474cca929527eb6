/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pen that writes SVG.  Consecutive rectangles of the same colour are
 * subpaths of one path element of less than a megabyte.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <inttypes.h>

struct svg
{
    FILE *out;
    bool open;                  /* a path is open ... */
    uint32_t colour;            /* ... in this colour */
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
                            uint32_t colour)
{
    struct svg *s = state;

    if ( !s->open || s->colour != colour ||
         s->rectangles == PATH_RECTANGLES )
    {
        close_path(s);
        fprintf(s->out, "<path fill=\"#%06" PRIx32 "\" d=\"", colour);
        s->open = true;
        s->colour = colour;
        s->rectangles = 0;
    }
    s->rectangles++;
    put_command(s, 'M', x);
    put_command(s, ' ', y);
    put_command(s, 'h', w);
    put_command(s, 'v', h);
    put_command(s, 'h', -w);
    putc('z', s->out);
}

static void write_text(void *state, double x, double y, enum plot_anchor anchor,
                       uint32_t colour, const char *text)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    struct svg *s = state;

    assert(anchor < sizeof(anchors) / sizeof(anchors[0]));
    close_path(s);
    fprintf(s->out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\" "
            "fill=\"#%06" PRIx32 "\">", x, y, anchors[anchor], colour);
    for ( ; *text; text++ )
        if ( *text == '<' || *text == '&' )
            fputs(*text == '<' ? "&lt;" : "&amp;", s->out);
        else
            putc(*text, s->out);
    fprintf(s->out, "</text>\n");
}

int plot_svg(const struct plot_view *v, FILE *out)
{
    struct svg svg = { .out = out };
    const struct plot_pen pen = { &svg, write_rectangle, write_text };
    int height = plot_height(v), rc;

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"17\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", PLOT_WIDTH,
            height, PLOT_WIDTH, height, PLOT_WIDTH, height);
    rc = plot_draw(v, &pen);
    close_path(&svg);
    assert(!svg.open);
    fprintf(out, "</svg>\n");
    return rc;
}
