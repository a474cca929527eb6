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
#include <inttypes.h>

#include "common/debug.h"
#include "common/num.h"
#include "common/utf8.h"
#include "xenalyze/export/fields.h"
#include "xenalyze/export/json-text.h"

/* JSON is UTF-8, but a file name may have any byte: escape the others. */
void json_write_string(FILE *out, const char *text)
{
    unsigned int size;
    uint32_t code;

    assert(text);
    putc('"', out);
    for ( ; *text; text += size ? size : 1 )
    {
        size = utf8_decode(text, &code);
        if ( !size || !utf8_is_visible(code) || *text == '"' || *text == '\\' )
            fprintf(out, "\\u%04x", size && code < 0x10000
                    ? (unsigned int)code : size ? 0xfffd : *text & 0xff);
        else
            fwrite(text, 1, size, out);
    }
    putc('"', out);
}

static void write_number(FILE *out, const struct field *f)
{
    char text[NUM_I64_MAX + NUM_U64_MAX];

    debug_assert(f->kind == FIELD_SIGNED || f->kind == FIELD_COUNT);
    *(f->kind == FIELD_SIGNED ? num_i64(text, (int64_t)f->number)
                              : num_u64(text, f->number)) = '\0';
    fputs(text, out);
}

static void write_histogram(FILE *out, const struct stats *s)
{
    struct stats_bar bars[64];
    size_t n = stats_bars(s, bars);

    assert(n <= sizeof(bars) / sizeof(bars[0]));
    putc('[', out);
    for ( size_t i = 0; i < n; i++ )
        fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
                bars[i].low, bars[i].count);
    putc(']', out);
}

static void write_value(FILE *out, const struct field *f)
{
    if ( f->kind == FIELD_TEXT )
        json_write_string(out, f->text);
    else if ( f->kind == FIELD_HISTOGRAM )
        write_histogram(out, f->series);
    else
        write_number(out, f);
}

static void write_members(struct export *x)
{
    const char *before = "";

    for ( size_t i = 0; i < x->fields.nr; i++ )
    {
        const struct field *f = &x->fields.all[i];

        if ( f->absent )
            continue;
        fprintf(x->out, "%s\"%s\":", before, f->name);
        write_value(x->out, f);
        before = ",";
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
    if ( x->table->place == EXPORT_AS_OBJECT )
    {
        write_members(x);
        return;
    }
    fputs(x->has_rows ? ",\n{" : "\n{", x->out);
    write_members(x);
    putc('}', x->out);
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
