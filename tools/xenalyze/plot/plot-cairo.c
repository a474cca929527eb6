/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pen that draws with cairo: PNG, and PDF.  A program built without cairo
 * refuses both.
 *
 * cairo needs twenty other libraries, and to load them takes longer than the
 * rest of a start of the program: so cairo is loaded when it is to draw.
 */
#include "config.h"

#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>

#ifdef HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <math.h>

#include "common/debug.h"

#define LIBRARY "libcairo.so.2"

#define FUNCTIONS(f)                                                        \
    f(cairo_create) f(cairo_destroy) f(cairo_fill)                          \
    f(cairo_image_surface_create) f(cairo_move_to) f(cairo_new_path)        \
    f(cairo_pdf_surface_create_for_stream)                                  \
    f(cairo_pdf_surface_set_metadata) f(cairo_rectangle) f(cairo_scale)     \
    f(cairo_set_font_size) f(cairo_set_source_rgb) f(cairo_show_text)       \
    f(cairo_status) f(cairo_surface_destroy) f(cairo_surface_finish)        \
    f(cairo_surface_status) f(cairo_surface_write_to_png_stream)            \
    f(cairo_text_extents)

static struct
{
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    bool is_complete;
} lib;

/* False: dlerror() tells why. */
static bool load_cairo(void)
{
    void *library = lib.is_complete ? NULL : dlopen(LIBRARY, RTLD_NOW);

    if ( !library )
        return lib.is_complete;
    lib.is_complete = true;
#define LOAD(name)                                                          \
    lib.is_complete = lib.is_complete &&                                    \
                      (*(void **)&lib.name = dlsym(library, #name)) != NULL;
    FUNCTIONS(LOAD)
#undef LOAD
    return lib.is_complete;
}

#define FONT_SIZE 17            /* pixels, as in SVG */
#define PDF_SCALE 0.5           /* points per pixel: 8.5 points for text */

struct canvas
{
    const struct plot_view *view;
    cairo_t *cairo;
    bool pixels;                /* round to whole pixels */
    unsigned int paint;         /* the paint of the path */
};

/* Consecutive rectangles of the same paint are one path. */
static void change_paint(struct canvas *c, unsigned int paint)
{
    uint32_t colour = plot_colour(c->view, paint);

    lib.cairo_fill(c->cairo);
    c->paint = paint;
    lib.cairo_set_source_rgb(c->cairo, (colour >> 16) / 255.0,
                             (colour >> 8 & 0xff) / 255.0,
                             (colour & 0xff) / 255.0);
}

/* Round the edges of an interval.  At least a pixel remains. */
static void round_to_pixels(double *from, double *length)
{
    double end = floor(*from + *length + 0.5);

    *from = floor(*from + 0.5);
    *length = fmax(end - *from, 1);
}

static void draw_rectangle(void *state, double x, double y, double w, double h,
                           unsigned int paint)
{
    struct canvas *c = state;

    debug_assert(paint < PLOT_PAINTS);
    if ( c->pixels )
    {
        round_to_pixels(&x, &w);
        round_to_pixels(&y, &h);
    }
    if ( paint != c->paint )
        change_paint(c, paint);
    lib.cairo_rectangle(c->cairo, x, y, w, h);
}

static void draw_text(void *state, double x, double y, enum plot_anchor anchor,
                      const char *text)
{
    static const double shares[] = { 0, 0.5, 1 };
    struct canvas *c = state;
    cairo_text_extents_t size;

    assert(anchor < sizeof(shares) / sizeof(shares[0]));
    lib.cairo_text_extents(c->cairo, text, &size);
    change_paint(c, PAINT_INK);
    lib.cairo_move_to(c->cairo, floor(x - shares[anchor] * size.x_advance), y);
    lib.cairo_show_text(c->cairo, text);
    lib.cairo_new_path(c->cairo);
}

/* The caller of the back end checks the stream for errors. */
static cairo_status_t write_bytes(void *out, const unsigned char *bytes,
                                  unsigned int nr)
{
    fwrite(bytes, 1, nr, out);
    return CAIRO_STATUS_SUCCESS;
}

static int draw_on_surface(const struct plot_view *v, cairo_surface_t *surface,
                           bool pixels)
{
    struct canvas c = {
        .view = v, .cairo = lib.cairo_create(surface), .pixels = pixels,
    };
    const struct plot_pen pen = {
        .state = &c, .rectangle = draw_rectangle, .text = draw_text,
    };
    int rc;

    if ( !pixels )
        lib.cairo_scale(c.cairo, PDF_SCALE, PDF_SCALE);
    lib.cairo_set_font_size(c.cairo, FONT_SIZE);
    change_paint(&c, PAINT_PAGE);
    draw_rectangle(&c, 0, 0, PLOT_WIDTH, plot_height(v), PAINT_PAGE);
    rc = plot_draw(v, &pen);
    lib.cairo_fill(c.cairo);
    if ( !rc && lib.cairo_status(c.cairo) )
        rc = -ENOMEM;
    lib.cairo_destroy(c.cairo);
    return rc;
}

int plot_png(const struct plot_view *v, FILE *out)
{
    cairo_surface_t *image;
    int rc;

    if ( !load_cairo() )
        return -EOPNOTSUPP;
    image = lib.cairo_image_surface_create(CAIRO_FORMAT_RGB24, PLOT_WIDTH,
                                           plot_height(v));
    rc = draw_on_surface(v, image, true);
    if ( !rc && lib.cairo_surface_write_to_png_stream(image, write_bytes, out) )
        rc = -ENOMEM;
    lib.cairo_surface_destroy(image);
    return rc;
}

int plot_pdf(const struct plot_view *v, FILE *out)
{
    cairo_surface_t *page;
    int rc;

    if ( !load_cairo() )
        return -EOPNOTSUPP;
    page = lib.cairo_pdf_surface_create_for_stream(
        write_bytes, out, PLOT_WIDTH * PDF_SCALE, plot_height(v) * PDF_SCALE);
    lib.cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE,
                                       "");
    rc = draw_on_surface(v, page, false);
    lib.cairo_surface_finish(page);
    if ( !rc && lib.cairo_surface_status(page) )
        rc = -ENOMEM;
    lib.cairo_surface_destroy(page);
    return rc;
}

int plot_check_cairo(const char *path, struct err *e)
{
    if ( load_cairo() )
        return 0;
    return err_set(e, -EOPNOTSUPP, "cannot write %s: PNG and PDF need cairo "
                   "(%s); draw to a .svg file", path, dlerror());
}

#else

int plot_png(const struct plot_view *v, FILE *out)
{
    (void)v;
    (void)out;
    return -EOPNOTSUPP;
}

int plot_pdf(const struct plot_view *v, FILE *out)
{
    return plot_png(v, out);
}

int plot_check_cairo(const char *path, struct err *e)
{
    return err_set(e, -EOPNOTSUPP, "cannot write %s: this program was built "
                   "without cairo, for PNG and PDF; draw to a .svg file", path);
}

#endif
