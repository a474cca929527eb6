/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line has fixed columns, and then the catalogue's text of the payload, which
 * libxentrace bounds.  The style has no state of its own, so each record is
 * formatted without a look at the others.
 */
#include "xenalyze/lines/catalogue-lines.h"

#include <assert.h>

#include "common/num.h"

#define CPU_WIDTH 4u
#define TSC_WIDTH 18u
#define NAME_WIDTH 24u

/* The longest line: names are cut, and the text is at most XT_TEXT_MAX. */
#define NAME_MAX_SHOWN 128u
#define LINE_MAX (CPU_WIDTH + NUM_U64_MAX + TSC_WIDTH + NUM_U64_MAX + \
                  NAME_WIDTH + NAME_MAX_SHOWN + XT_TEXT_MAX + 8u)

static char *put_event_name(char *p, const struct xt_event *e, uint32_t id)
{
    size_t length;

    if ( !e )
    {
        p = num_hex_zero(num_text(p, "0x"), id, 8);
        return num_fill(p, ' ', NAME_WIDTH - 10);
    }
    length = strnlen(e->name, NAME_MAX_SHOWN);
    memcpy(p, e->name, length);
    p += length;
    return length < NAME_WIDTH ? num_fill(p, ' ', NAME_WIDTH - length) : p;
}

static char *put_tsc(char *p, const struct xt_record *r)
{
    if ( r->has_tsc )
        return num_u64_right(p, r->tsc, TSC_WIDTH);
    return num_text(num_fill(p, ' ', TSC_WIDTH - 1), "-");
}

static char *put_catalogue_line(char *p, const struct xt_catalogue *catalogue,
                                unsigned int cpu, const struct xt_record *r)
{
    const struct xt_event *e = xt_catalogue_find(catalogue, r->event,
                                                 r->words);

    p = num_u64_right(p, cpu, CPU_WIDTH);
    *p++ = ' ';
    p = put_tsc(p, r);
    *p++ = ' ';
    p = put_event_name(p, e, r->event);
    *p++ = ' ';
    p = xt_catalogue_text(catalogue, p, e, r);
    while ( p[-1] == ' ' )
        p--;
    *p++ = '\n';
    return p;
}

static void catalogue_lines_format(const void *state, struct chunk *c)
{
    struct xt_record r;
    char *p = c->text;

    for ( size_t i = 0; i < c->nr; i++ )
    {
        p = chunk_put_inserts(c, p, i);
        if ( p )
            p = chunk_reserve(c, p, LINE_MAX);
        if ( !p )
            return;
        xt_record_view(&r, c->bytes + xt_item_offset(&c->items[i]));
        p = put_catalogue_line(p, state, xt_item_cpu(&c->items[i]), &r);
    }
    assert(p <= c->text + c->room);
    c->used = p - c->text;
}

static const struct line_style style = {
    .read = chunk_read_all, .format = catalogue_lines_format,
    .takes_programs = TAKES_PROGRAMS_IN_CYCLES,
};

const struct line_style *catalogue_lines_style(void)
{
    return &style;
}
