/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables as a JSON document:
 *
 *     { "format": "xenalyze", "version": 2,
 *       "points": [ ... ], "intervals": [ ... ],       top-level lists
 *       "trace": { ... },                              single-row tables
 *       "tables": { "vcpus": [ ... ], ... } }
 *
 * Incompatible changes raise JSON_VERSION; new members and tables do not.
 */
#include <assert.h>

#include "common/text-buffer.h"
#include "common/utf8.h"
#include "xenalyze/export/fields.h"
#include "xenalyze/export/json-text.h"

_Static_assert(TEXT_PIECE >= FIELD_NAME_MAX + 8, "a name fits");

static void add_escape(struct text_buffer *t, uint32_t code)
{
    text_reserve(t);
    t->at = num_text(t->at, "\\u");
    t->at = num_hex_zero(t->at, code, 4);
}

/* JSON is UTF-8, but a file name may have any byte: escape the others. */
static void add_string(struct text_buffer *t, const char *text)
{
    unsigned int size;
    uint32_t code;

    assert(text);
    text_reserve(t);
    *t->at++ = '"';
    for ( ; *text; text += size ? size : 1 )
    {
        size = utf8_decode(text, &code);
        if ( !size )
            add_escape(t, *text & 0xff);
        else if ( !utf8_is_visible(code) || *text == '"' || *text == '\\' )
            add_escape(t, code < 0x10000 ? code : 0xfffd);
        else
        {
            text_reserve(t);
            memcpy(t->at, text, size);
            t->at += size;
        }
    }
    text_reserve(t);
    *t->at++ = '"';
}

void json_write_string(FILE *out, const char *text)
{
    struct text_buffer t;

    text_begin(&t, out);
    add_string(&t, text);
    text_end(&t);
}

static void add_histogram(struct text_buffer *t, const struct stats *s)
{
    struct stats_bar bars[64];
    size_t n = stats_bars(s, bars);

    assert(n <= sizeof(bars) / sizeof(bars[0]));
    *t->at++ = '[';
    for ( size_t i = 0; i < n; i++ )
    {
        text_reserve(t);
        t->at = num_text(t->at, i ? ",[" : "[");
        t->at = num_u64(t->at, bars[i].low);
        *t->at++ = ',';
        t->at = num_u64(t->at, bars[i].count);
        *t->at++ = ']';
    }
    text_reserve(t);
    *t->at++ = ']';
}

static void add_value(struct text_buffer *t, const struct field *f)
{
    text_reserve(t);
    switch ( f->kind )
    {
    case FIELD_TEXT:
        add_string(t, f->text);
        break;
    case FIELD_HISTOGRAM:
        add_histogram(t, f->series);
        break;
    case FIELD_SIGNED:
        t->at = num_i64(t->at, (int64_t)f->number);
        break;
    case FIELD_COUNT:
        t->at = num_u64(t->at, f->number);
        break;
    }
}

static void add_members(struct text_buffer *t, const struct fields *fields)
{
    bool is_first = true;

    for ( size_t i = 0; i < fields->nr; i++ )
    {
        const struct field *f = &fields->all[i];

        if ( f->absent )
            continue;
        text_reserve(t);
        t->at = num_text(t->at, is_first ? "\"" : ",\"");
        t->at = num_text(t->at, f->name);
        t->at = num_text(t->at, "\":");
        add_value(t, f);
        is_first = false;
    }
}

static void write_start(FILE *out)
{
    fprintf(out, "{\"format\":\"xenalyze\",\"version\":%d", JSON_VERSION);
}

static void json_begin(struct export *x)
{
    bool in_tables = x->table->place == EXPORT_IN_TABLES;

    assert(x->has_output || !x->has_tables);
    assert(in_tables || !x->has_tables);
    if ( !x->has_output )
        write_start(x->out);
    x->has_output = true;
    if ( !in_tables || x->has_tables )
        fputs(",\n", x->out);
    else
        fputs(",\n\"tables\":{\n", x->out);
    x->has_tables = in_tables;
    fprintf(x->out, "\"%s\":%c", x->table->name,
            x->table->place == EXPORT_AS_OBJECT ? '{' : '[');
}

static void json_row(struct export *x)
{
    bool is_object = x->table->place == EXPORT_AS_OBJECT;
    struct text_buffer t;

    text_begin(&t, x->out);
    if ( !is_object )
        t.at = num_text(t.at, x->has_rows ? ",\n{" : "\n{");
    add_members(&t, &x->fields);
    text_reserve(&t);
    if ( !is_object )
        *t.at++ = '}';
    text_end(&t);
}

static void json_end(struct export *x)
{
    putc(x->table->place == EXPORT_AS_OBJECT ? '}' : ']', x->out);
}

static void json_close(struct export *x)
{
    if ( !x->has_output )
        write_start(x->out);
    fputs(x->has_tables ? "\n}}\n" : "}\n", x->out);
}

const struct export_ops *export_json_ops(void)
{
    static const struct export_ops ops = {
        .begin = json_begin, .row = json_row, .end = json_end,
        .close = json_close,
    };

    return &ops;
}
