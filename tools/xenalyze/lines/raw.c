/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two kinds of lines in hex.  A line in the order of time begins with "* ";
 * a line in the order of the file begins with "R ", pcpu and file offset.
 */
#include "xenalyze/lines/raw.h"

#include <assert.h>

#include "common/debug.h"
#include "common/num.h"

#define ENCODED_WORDS 8u        /* words of the encoded record in a line */

static char *put_hex_payload(char *p, const struct xt_record *r)
{
    debug_assert(r->words <= XT_RECORD_MAX_WORDS);
    for ( unsigned int i = 0; i < XT_RECORD_MAX_WORDS; i++ )
    {
        *p++ = ' ';
        p = i < r->words ? num_hex_right(p, xt_record_word(r, i), 8)
                         : num_fill(p, ' ', 8);
    }
    return p;
}

/* The encoded record, `size` bytes at `at`, padded with blanks. */
static char *put_encoded(char *p, const unsigned char *at, size_t size)
{
    debug_assert(size <= XT_RECORD_MAX_BYTES);
    for ( unsigned int i = 0; i < ENCODED_WORDS; i++ )
    {
        *p++ = ' ';
        p = 4 * i + 4 <= size ? num_hex_zero(p, xt_load32(at + 4 * i), 8)
                              : num_fill(p, ' ', 8);
    }
    return p;
}

static char *put_hex_record(char *p, const struct xt_record *r,
                            const unsigned char *at, size_t size)
{
    *p++ = ' ';
    p = num_hex_right(p, r->event, 7);
    *p++ = ' ';
    *p++ = '0' + r->words;
    *p++ = ' ';
    if ( r->has_tsc )
        p = num_i64_right(p, (int64_t)r->tsc, 14);
    else
        p = num_text(num_fill(p, ' ', 13), "-");
    p = num_text(p, " [");
    p = put_hex_payload(p, r);
    p = num_text(p, " ] | ");
    p = put_encoded(p, at, size);
    return num_text(p, " |\n");
}

char *raw_put_processed(char *p, const struct xt_record *r)
{
    size_t size = 4 + (r->has_tsc ? 8 : 0) + 4 * r->words;

    *p++ = '*';
    *p++ = ' ';
    return put_hex_record(p, r, r->payload + 4 * r->words - size, size);
}

/* --- records in the order of the file ------------------------------------- */

static char *put_read_line(char *p, const struct chunk *c,
                           const struct xt_item *item)
{
    const unsigned char *at = c->bytes + xt_item_offset(item);
    struct xt_record r;
    size_t size = xt_record_view(&r, at);

    p = num_u64_right(num_text(p, "R p"), xt_item_cpu(item), 2);
    p = num_hex_zero(num_text(p, " o"), c->origin + xt_item_offset(item), 16);
    *p++ = ' ';
    return put_hex_record(p, &r, at, size);
}

static void raw_read_format(const void *state, struct chunk *c)
{
    char *p = c->text;

    (void)state;
    for ( size_t i = 0; i < c->nr; i++ )
    {
        p = chunk_reserve(c, p, RAW_MAX);
        if ( !p )
            return;
        p = put_read_line(p, c, &c->items[i]);
    }
    assert(p <= c->text + c->room);
    c->used = p - c->text;
}

static const struct line_style style = {
    .read = chunk_read_all, .format = raw_read_format,
};

const struct line_style *raw_read_style(void)
{
    return &style;
}
