/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures that cairo draws: the pixels of a PNG file, the frame of a PDF file.
 */
#define _GNU_SOURCE
#include <cairo.h>
#include <errno.h>
#include <string.h>

#include "tests/xenalyze/unit/draw-plot.h"

/* A dot in each corner. */
static struct plot *new_plot(enum plot_theme theme)
{
    struct plot *p;

    ck_assert_int_eq(plot_new(&p, &things, "a/trace"), 0);
    plot_set_theme(p, theme);
    for ( unsigned int i = 0; i < 4; i++ )
        put_vcpu_point(p, i & 1 ? 1000000000 : 0, i & 2 ? 100 : 0, 0);
    return p;
}

static cairo_surface_t *draw_image(enum plot_theme theme)
{
    struct plot *p = new_plot(theme);
    struct err e = ERR_INIT;
    cairo_surface_t *image;
    char path[32];

    snprintf(path, sizeof(path), "plot-%d.png", (int)getpid());
    ck_assert_int_eq(plot_write(p, PLOT_PNG, path, &e), 0);
    plot_free(p);
    image = cairo_image_surface_create_from_png(path);
    unlink(path);
    ck_assert_int_eq(cairo_surface_status(image), 0);
    return image;
}

static uint32_t read_pixel(cairo_surface_t *image, int x, int y)
{
    const unsigned char *row = cairo_image_surface_get_data(image) +
                               y * cairo_image_surface_get_stride(image);
    uint32_t pixel;

    memcpy(&pixel, row + 4 * x, sizeof(pixel));
    return pixel & 0xffffff;
}

/* The pixels of a part of the picture that are darker than half. */
static unsigned int count_dark(cairo_surface_t *image, int left, int top,
                               int right, int bottom)
{
    unsigned int nr = 0;

    for ( int y = top; y < bottom; y++ )
        for ( int x = left; x < right; x++ )
            nr += (read_pixel(image, x, y) & 0xff) < 0x80;
    return nr;
}

START_TEST(png_has_the_pixels)
{
    cairo_surface_t *image = draw_image(PLOT_AUTO);
    int height = PLOT_TOP + PLOT_LINES + PLOT_BELOW;

    ck_assert_int_eq(cairo_image_surface_get_width(image), PLOT_WIDTH);
    ck_assert_int_eq(cairo_image_surface_get_height(image), height);
    ck_assert_uint_eq(read_pixel(image, 0, 0), 0xffffff);
    ck_assert_uint_eq(read_pixel(image, PLOT_WIDTH - 1, height - 1), 0xffffff);
    for ( int i = 0; i < 4; i++ )
    {
        int x = i & 1 ? PLOT_RIGHT : PLOT_LEFT;
        int y = i & 2 ? PLOT_TOP + 12 : PLOT_TOP + PLOT_LINES - 12;

        /* The first series is blue: 5 x 5 pixels. */
        for ( int at = 0; at < 25; at++ )
            ck_assert_uint_eq(read_pixel(image, x - 2 + at % 5,
                                         y - 2 + at / 5), 0x2c80ba);
        ck_assert_uint_ne(read_pixel(image, x - 4, y - 4), 0x2c80ba);
    }
    cairo_surface_destroy(image);
}
END_TEST

/* The title is in the middle, the label begins at the left, and ticks end at
   the axis. */
START_TEST(png_has_the_texts)
{
    cairo_surface_t *image = draw_image(PLOT_LIGHT);
    int middle = PLOT_WIDTH / 2;

    ck_assert_uint_gt(count_dark(image, middle - 100, 10, middle, 32), 50);
    ck_assert_uint_gt(count_dark(image, middle, 10, middle + 100, 32), 50);
    ck_assert_uint_eq(count_dark(image, 0, 10, middle - 150, 32), 0);
    ck_assert_uint_eq(count_dark(image, middle + 150, 10, PLOT_WIDTH, 32), 0);
    ck_assert_uint_gt(count_dark(image, 12, PLOT_TOP - 26, 40, PLOT_TOP - 8),
                      20);
    ck_assert_uint_gt(count_dark(image, PLOT_LEFT - 40, PLOT_TOP, PLOT_LEFT - 9,
                                 PLOT_TOP + PLOT_LINES), 50);
    ck_assert_uint_eq(count_dark(image, PLOT_LEFT - 9, PLOT_TOP, PLOT_LEFT - 3,
                                 PLOT_TOP + PLOT_LINES), 0);
    cairo_surface_destroy(image);
}
END_TEST

START_TEST(png_has_a_dark_page)
{
    cairo_surface_t *image = draw_image(PLOT_DARK);

    ck_assert_uint_eq(read_pixel(image, 0, 0), 0x14171a);
    cairo_surface_destroy(image);
}
END_TEST

/* The file depends on the picture only. */
START_TEST(pdf_is_whole)
{
    struct plot *p = new_plot(PLOT_AUTO);
    size_t size;
    char *text = draw_plot(p, PLOT_PDF, &size);

    ck_assert_int_eq(memcmp(text, "%PDF-1.", 7), 0);
    ck_assert_int_eq(memcmp(text + size - 6, "%%EOF\n", 6), 0);
    ck_assert_ptr_nonnull(memmem(text, size, "/Producer", 9));
    ck_assert_ptr_null(memmem(text, size, "/CreationDate", 13));
    free(text);
    plot_free(p);
}
END_TEST

START_TEST(extremes_are_harmless)
{
    static const int64_t values[] = { INT64_MIN, -1, 0, 1, INT64_MAX };

    for ( unsigned int i = 0; i < 25; i++ )
    {
        struct plot *p;
        size_t size;

        ck_assert_int_eq(plot_new(&p, &things, "trace"), 0);
        put_vcpu_point(p, values[i % 5], values[i / 5], 0);
        put_vcpu_point(p, values[i / 5], values[i % 5], 0);
        free(draw_plot(p, PLOT_PDF, &size));
        free(draw_plot(p, PLOT_PNG, &size));
        plot_free(p);
    }
}
END_TEST

/* Many dots of a few series, and then squares. */
START_TEST(many_points_are_drawn)
{
    for ( int64_t nr = 30000; nr <= 300000; nr *= 10 )
    {
        struct plot *p;
        size_t size;

        ck_assert_int_eq(plot_new(&p, &things, "trace"), 0);
        for ( int64_t i = 0; i < nr; i++ )
            put_vcpu_point(p, i * 1000, i * 7919 % 10007, (uint32_t)i % 2);
        free(draw_plot(p, PLOT_PDF, &size));
        ck_assert_uint_gt(size, 20000);
        ck_assert_uint_lt(size, 2000000);
        free(draw_plot(p, PLOT_PNG, &size));
        plot_free(p);
    }
}
END_TEST

START_TEST(names_have_endings)
{
    enum plot_format format;
    struct err e = ERR_INIT;

    ck_assert_int_eq(plot_parse_format("a.png", &format, &e), 0);
    ck_assert_int_eq(format, PLOT_PNG);
    ck_assert_int_eq(plot_parse_format("a.pdf", &format, &e), 0);
    ck_assert_int_eq(format, PLOT_PDF);
    ck_assert_int_eq(plot_parse_format(".pdf", &format, &e), -EINVAL);
}
END_TEST

START_TEST(all_or_nothing)
{
    fail_each(FAULT_ALLOC, PLOT_PNG);
    fail_each(FAULT_ALLOC, PLOT_PDF);
    fail_each(FAULT_OPEN, PLOT_PDF);
}
END_TEST

UNIT_MAIN("plot cairo", png_has_the_pixels, png_has_the_texts,
          png_has_a_dark_page, pdf_is_whole, extremes_are_harmless,
          many_points_are_drawn, names_have_endings, all_or_nothing)
