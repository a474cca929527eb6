/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures as PNG: a byte a pixel, an index of a palette, not compressed, so
 * that no library is needed.  Letters are 5 x 7 dots, only those that numbers
 * and names of vcpus have.
 */
#include "xenalyze/report/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define WHITE 0
#define BLACK 1
#define GREY 2
#define FIRST 3                 /* of the series */
#define COLOURS (FIRST + PLOT_SERIES)

#define ROW (1 + PLOT_WIDTH)    /* each begins with its filter: none */

/* --- letters -------------------------------------------------------------- */

/* A row a byte, the leftmost dot in bit 4. */
static const struct letter { char c; uint8_t rows[7]; } letters[] = {
    { '0', { 0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e } },
    { '1', { 0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e } },
    { '2', { 0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f } },
    { '3', { 0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e } },
    { '4', { 0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02 } },
    { '5', { 0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e } },
    { '6', { 0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e } },
    { '7', { 0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08 } },
    { '8', { 0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e } },
    { '9', { 0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c } },
    { '.', { 0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c } },
    { '-', { 0x00, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x00 } },
    { 'a', { 0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f } },
    { 'b', { 0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x1e } },
    { 'c', { 0x00, 0x00, 0x0e, 0x10, 0x10, 0x11, 0x0e } },
    { 'd', { 0x01, 0x01, 0x0d, 0x13, 0x11, 0x11, 0x0f } },
    { 'e', { 0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e } },
    { 'f', { 0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08 } },
    { 'h', { 0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11 } },
    { 'i', { 0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e } },
    { 'l', { 0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e } },
    { 'o', { 0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e } },
    { 'r', { 0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10 } },
    { 's', { 0x00, 0x00, 0x0e, 0x10, 0x0e, 0x01, 0x1e } },
    { 't', { 0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06 } },
    { 'v', { 0x00, 0x00, 0x11, 0x11, 0x11, 0x0a, 0x04 } },
};

static void dot(uint8_t *image, int x, int y, uint8_t colour)
{
    if ( x >= 0 && x < PLOT_WIDTH && y >= 0 && y < PLOT_HEIGHT )
        image[y * ROW + 1 + x] = colour;
}

static void put_letter(uint8_t *image, int x, int y, char c, uint8_t colour)
{
    for ( size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++ )
        for ( int k = 0; letters[i].c == c && k < 5 * 7; k++ )
            if ( letters[i].rows[k / 5] >> (4 - k % 5) & 1 )
                dot(image, x + k % 5, y + k / 5, colour);
}

static void put_text(uint8_t *image, int x, int y, const char *text,
                     uint8_t colour)
{
    for ( ; *text; text++, x += 6 )
        put_letter(image, x, y, *text, colour);
}

/* --- the picture ---------------------------------------------------------- */

static void put_axes(const struct plot_view *v, uint8_t *image)
{
    char text[PLOT_NAME];
    int64_t at;

    for ( unsigned int i = 0; i <= PLOT_TICKS; i++ )
    {
        plot_time_tick(v, i, &at, text);
        put_text(image, plot_x(v, at) - 3 * (int)strlen(text),
                 PLOT_BOTTOM + 8, text, BLACK);
        for ( int y = PLOT_TOP; y <= PLOT_BOTTOM; y++ )
            dot(image, plot_x(v, at), y, GREY);
        plot_value_tick(v, i, &at, text);
        put_text(image, PLOT_LEFT - 6 - 6 * (int)strlen(text),
                 plot_y(v, at) - 3, text, BLACK);
        for ( int x = PLOT_LEFT; x <= PLOT_RIGHT; x++ )
            dot(image, x, plot_y(v, at), GREY);
    }
}

static void put_mark(const struct plot_view *v, const struct plot_mark *m,
                     uint8_t *image)
{
    int left = plot_x(v, m->from), right = plot_x(v, m->to);
    int bottom = plot_y(v, m->value), top = bottom - 1;

    if ( v->bars )
        top = plot_y(v, m->value + 1) + (bottom - plot_y(v, m->value + 1)) / 5;
    if ( !v->bars )
        right++;
    for ( int y = top; y <= bottom; y++ )
        for ( int x = left; x <= right; x++ )
            dot(image, x, y, (uint8_t)(FIRST + m->series));
}

static void draw(const struct plot_view *v, uint8_t *image)
{
    put_axes(v, image);
    for ( size_t i = 0; i < v->nr_marks; i++ )
        put_mark(v, &v->marks[i], image);
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        put_text(image, PLOT_RIGHT + 10, PLOT_TOP + 12 * (int)i, v->names[i],
                 (uint8_t)(FIRST + i));
}

/* --- the file ------------------------------------------------------------- */

static uint32_t crc_of(uint32_t crc, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;

    for ( ; size; size--, p++ )
    {
        crc ^= *p;
        for ( int i = 0; i < 8; i++ )
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return crc;
}

static void put_be(uint8_t *to, uint32_t value)
{
    for ( int i = 0; i < 4; i++ )
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_chunk(FILE *out, const char *type, const void *bytes,
                      uint32_t size)
{
    uint8_t word[4];
    uint32_t crc = crc_of(crc_of(UINT32_MAX, type, 4), bytes, size);

    put_be(word, size);
    fwrite(word, 1, 4, out);
    fwrite(type, 1, 4, out);
    fwrite(bytes, 1, size, out);
    put_be(word, ~crc);
    fwrite(word, 1, 4, out);
}

static uint32_t adler_of(const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;

    for ( size_t i = 0; i < size; i++ )
    {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

#define BLOCK 65535u            /* of bytes that are stored as they are */
#define IMAGE ((size_t)ROW * PLOT_HEIGHT)
#define PACKED (2 + IMAGE + 5 * (IMAGE / BLOCK + 1) + 4)

static size_t pack(uint8_t *to, const uint8_t *image)
{
    uint8_t *p = to;
    size_t left = IMAGE;

    *p++ = 0x78;
    *p++ = 0x01;
    while ( left )
    {
        uint16_t n = left < BLOCK ? (uint16_t)left : BLOCK;

        *p++ = left == n;       /* the last */
        *p++ = (uint8_t)n;
        *p++ = (uint8_t)(n >> 8);
        *p++ = (uint8_t)~n;
        *p++ = (uint8_t)(~n >> 8);
        memcpy(p, image + (IMAGE - left), n);
        p += n;
        left -= n;
    }
    put_be(p, adler_of(image, IMAGE));
    return (size_t)(p + 4 - to);
}

static void put_palette(FILE *out)
{
    uint8_t palette[3 * COLOURS];

    for ( unsigned int i = 0; i < COLOURS; i++ )
    {
        uint32_t c = i == WHITE ? 0xffffff : i == BLACK ? 0
                     : i == GREY ? 0xcccccc : plot_colour(i - FIRST);

        palette[3 * i] = (uint8_t)(c >> 16);
        palette[3 * i + 1] = (uint8_t)(c >> 8);
        palette[3 * i + 2] = (uint8_t)c;
    }
    put_chunk(out, "PLTE", palette, sizeof(palette));
}

int plot_png(const struct plot_view *v, FILE *out)
{
    uint8_t *image = fault_calloc(1, IMAGE), *packed = fault_malloc(PACKED);
    uint8_t header[13] = { [8] = 8, [9] = 3 };  /* bits, by palette */
    int rc = image && packed ? 0 : -ENOMEM;

    if ( !rc )
    {
        draw(v, image);
        put_be(header, PLOT_WIDTH);
        put_be(header + 4, PLOT_HEIGHT);
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
        put_chunk(out, "IHDR", header, sizeof(header));
        put_palette(out);
        put_chunk(out, "IDAT", packed, (uint32_t)pack(packed, image));
        put_chunk(out, "IEND", "", 0);
    }
    free(image);
    free(packed);
    return rc;
}
