/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pen that rasterises into a framebuffer with a palette index (a byte) per
 * pixel, and a PNG encoder without a library.  Its Deflate stream has fixed
 * Huffman codes, and LZ77 matches of only two distances, the previous byte and
 * the row above, which cover most of a picture.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

#define COLOURS 256u
#define ROW (1 + PLOT_WIDTH)    /* bytes; the first is the filter, 0 = none */

struct png
{
    uint8_t *image;             /* a paint for each pixel */
    int height;
    /* Upper left corner of the text that is being drawn. */
    int left, top;
};

_Static_assert(PLOT_PAINTS <= COLOURS && !PAINT_PAGE, "a paint is the index of "
               "its colour in the palette, and the page is empty");

/* --- pixels --------------------------------------------------------------- */

static void draw_pixel(struct png *p, int x, int y, uint8_t colour)
{
    if ( x >= 0 && x < PLOT_WIDTH && y >= 0 && y < p->height )
        p->image[(size_t)y * ROW + 1 + (size_t)x] = colour;
}

/* At least a pixel wide and high. */
static void draw_rectangle(void *state, double x, double y, double w, double h,
                           unsigned int paint)
{
    struct png *p = state;
    int left = (int)floor(x + 0.5), right = (int)floor(x + w + 0.5);
    int top = (int)floor(y + 0.5), bottom = (int)floor(y + h + 0.5);

    debug_assert(paint < PLOT_PAINTS);
    right += right == left;
    bottom += bottom == top;
    for ( int row = top; row < bottom; row++ )
        for ( int column = left; column < right; column++ )
            draw_pixel(p, column, row, (uint8_t)paint);
}

static void draw_letter_dot(void *state, int x, int y)
{
    struct png *p = state;

    draw_pixel(p, p->left + x, p->top + y, PAINT_INK);
}

static void draw_text(void *state, double x, double y, enum plot_anchor anchor,
                      const char *text)
{
    struct png *p = state;
    int width = PLOT_LETTER * (int)plot_count_letters(text) - 2;

    p->left = (int)x - (anchor == PLOT_END ? width
                        : anchor == PLOT_MIDDLE ? width / 2 : 0);
    p->top = (int)y - PLOT_LETTER_HEIGHT + 1;
    plot_draw_letters(text, draw_letter_dot, p);
}

/* --- the file ------------------------------------------------------------- */

static uint32_t update_crc(uint32_t crc, const void *bytes, size_t size)
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

static void store_be32(uint8_t *to, uint32_t value)
{
    for ( int i = 0; i < 4; i++ )
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_chunk(FILE *out, const char *type, const void *bytes,
                      uint32_t size)
{
    uint8_t word[4];
    uint32_t crc = update_crc(update_crc(UINT32_MAX, type, 4), bytes, size);

    store_be32(word, size);
    fwrite(word, 1, 4, out);
    fwrite(type, 1, 4, out);
    fwrite(bytes, 1, size, out);
    store_be32(word, ~crc);
    fwrite(word, 1, 4, out);
}

static uint32_t compute_adler32(const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;

    for ( size_t i = 0; i < size; i++ )
    {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/*
 * Deflate with the fixed Huffman codes: a literal has 8 or 9 bits; a length 7
 * or 8 bits, and extra bits; a distance 5 bits, and extra bits.
 */
struct bits
{
    uint8_t *to;
    uint64_t pending;           /* bits that are not stored yet */
    unsigned int nr;
};

static void put_bits(struct bits *b, uint32_t value, unsigned int nr)
{
    debug_assert(nr <= 32 && b->nr < 8);
    b->pending |= (uint64_t)value << b->nr;
    for ( b->nr += nr; b->nr >= 8; b->nr -= 8 )
    {
        *b->to++ = (uint8_t)b->pending;
        b->pending >>= 8;
    }
}

/* Huffman codes are stored with the highest bit first. */
static void put_code(struct bits *b, uint32_t code, unsigned int nr)
{
    debug_assert(code >> nr == 0);
    for ( unsigned int i = nr; i--; )
        put_bits(b, code >> i & 1, 1);
}

static void put_literal(struct bits *b, uint8_t byte)
{
    if ( byte < 144 )
        put_code(b, 0x30u + byte, 8);
    else
        put_code(b, 0x190u + (byte - 144u), 9);
}

#define MAX_REPEAT 258u         /* length code 285, without extra bits */
#define ROW_CODE 21u            /* distances from 1537 on, 9 extra bits */
#define ROW_BASE 1537u
#define ROW_EXTRA 9u

/*
 * Encode as many repeats of the maximum length as fit.  The rest is literals.
 */
static size_t put_repeats(struct bits *b, size_t length, bool above)
{
    size_t done = 0;

    for ( ; done + MAX_REPEAT <= length; done += MAX_REPEAT )
    {
        put_code(b, 0xc5, 8);
        put_code(b, above ? ROW_CODE : 0, 5);
        if ( above )
            put_bits(b, ROW - ROW_BASE, ROW_EXTRA);
    }
    return done;
}

/* The number of bytes from `at` on that equal those `distance` before. */
static size_t count_repeats(const uint8_t *bytes, size_t at, size_t size,
                            size_t distance)
{
    size_t n = 0;

    debug_assert(at < size);
    if ( at < distance )
        return 0;
    while ( at + n < size && bytes[at + n] == bytes[at + n - distance] )
        n++;
    return n;
}

/* The size if nothing repeats: 9 bits for each byte, header and checksum. */
#define PACKED_MAX(size) ((size) + (size) / 8 + 64)

/* Write a zlib stream.  Returns its size. */
static size_t deflate_image(uint8_t *to, const uint8_t *bytes, size_t size)
{
    struct bits b = { .to = to };
    size_t at = 0, n = 0;

    _Static_assert(ROW >= ROW_BASE && ROW < ROW_BASE + (1u << ROW_EXTRA),
                   "ROW_CODE is the code of this distance");
    put_bits(&b, 0x0178, 16);
    put_bits(&b, 3, 3);         /* the last block, with fixed codes */
    while ( at < size )
    {
        n = put_repeats(&b, count_repeats(bytes, at, size, 1), false);
        if ( !n )
            n = put_repeats(&b, count_repeats(bytes, at, size, ROW), true);
        if ( !n )
            put_literal(&b, bytes[at]);
        at += n ? n : 1;
    }
    put_code(&b, 0, 7);
    put_bits(&b, 0, (8 - b.nr) % 8);
    store_be32(b.to, compute_adler32(bytes, size));
    assert((size_t)(b.to + 4 - to) <= PACKED_MAX(size));
    return (size_t)(b.to + 4 - to);
}

static void put_palette(const struct plot_view *v, FILE *out)
{
    uint8_t palette[3 * COLOURS];
    unsigned int nr = PAINT_SERIES + v->nr_series;

    assert(nr <= PLOT_PAINTS);
    for ( unsigned int i = 0; i < nr; i++ )
    {
        uint32_t colour = plot_colour(v, i);

        palette[3 * i] = (uint8_t)(colour >> 16);
        palette[3 * i + 1] = (uint8_t)(colour >> 8);
        palette[3 * i + 2] = (uint8_t)colour;
    }
    put_chunk(out, "PLTE", palette, 3 * nr);
}

static void put_file(const struct plot_view *v, const struct png *p,
                     uint8_t *packed, FILE *out)
{
    uint8_t header[13] = { [8] = 8, [9] = 3 };  /* 8 bits, with a palette */
    size_t size = deflate_image(packed, p->image, ROW * (size_t)p->height);

    store_be32(header, PLOT_WIDTH);
    store_be32(header + 4, (uint32_t)p->height);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
    put_chunk(out, "IHDR", header, sizeof(header));
    put_palette(v, out);
    put_chunk(out, "IDAT", packed, (uint32_t)size);
    put_chunk(out, "IEND", "", 0);
}

int plot_png(const struct plot_view *v, FILE *out)
{
    struct png png = { .height = plot_height(v) };
    const struct plot_pen pen = {
        .state = &png, .rectangle = draw_rectangle, .text = draw_text,
    };
    size_t size = ROW * (size_t)png.height;
    uint8_t *packed = fault_malloc(PACKED_MAX(size));
    int rc = -ENOMEM;

    png.image = fault_calloc(1, size);
    if ( png.image && packed )
        rc = plot_draw(v, &pen);
    if ( !rc )
        put_file(v, &png, packed, out);
    free(png.image);
    free(packed);
    return rc;
}
