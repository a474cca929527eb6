/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV: each table has a line of column names, and an empty line separates
 * tables.  Rows begin with the table's name, except in top-level lists, which
 * may be long.  Text is quoted, with quotes doubled, since a domain's name may
 * contain any byte.
 */
#include <assert.h>
#include <string.h>

#include "common/text-buffer.h"
#include "xenalyze/export/fields.h"

_Static_assert(TEXT_PIECE >= FIELD_NAME_MAX + 8, "a name fits");

static void add_quoted(struct text_buffer *t, const char *text)
{
    assert(text);
    text_reserve(t);
    *t->at++ = '"';
    for ( ; *text; text++ )
    {
        text_reserve(t);
        if ( *text == '"' )
            *t->at++ = '"';
        *t->at++ = *text;
    }
    text_reserve(t);
    *t->at++ = '"';
}

static bool has_name_column(const struct export *x)
{
    return x->table->place != EXPORT_AT_TOP;
}

static void write_heading(struct export *x)
{
    const char *before = has_name_column(x) ? "table," : "";

    for ( size_t i = 0; i < x->fields.nr; i++ )
    {
        if ( x->fields.all[i].kind == FIELD_HISTOGRAM )
            continue;
        fprintf(x->out, "%s%s", before, x->fields.all[i].name);
        before = ",";
    }
    putc('\n', x->out);
}

static void open_table(struct export *x)
{
    if ( x->has_output )
        putc('\n', x->out);
    x->has_output = true;
    write_heading(x);
}

/* Top-level lists always have a heading; other tables only with rows. */
static void csv_begin(struct export *x)
{
    assert(strlen(x->table->name) < TEXT_PIECE);
    if ( x->table->place == EXPORT_AT_TOP )
        open_table(x);
}

static void add_csv_value(struct text_buffer *t, const struct field *f)
{
    assert(f->kind != FIELD_HISTOGRAM);
    if ( f->absent )
        return;
    text_reserve(t);
    if ( f->kind == FIELD_TEXT )
        add_quoted(t, f->text);
    else if ( f->kind == FIELD_SIGNED )
        t->at = num_i64(t->at, (int64_t)f->number);
    else
        t->at = num_u64(t->at, f->number);
}

static void csv_row(struct export *x)
{
    bool has_value = has_name_column(x);
    struct text_buffer t;

    if ( !x->has_rows && x->table->place != EXPORT_AT_TOP )
        open_table(x);
    text_begin(&t, x->out);
    if ( has_value )
        t.at = num_text(t.at, x->table->name);
    for ( size_t i = 0; i < x->fields.nr; i++ )
    {
        if ( x->fields.all[i].kind == FIELD_HISTOGRAM )
            continue;
        text_reserve(&t);
        if ( has_value )
            *t.at++ = ',';
        add_csv_value(&t, &x->fields.all[i]);
        has_value = true;
    }
    text_reserve(&t);
    *t.at++ = '\n';
    text_end(&t);
}

static void csv_end(struct export *x)
{
    (void)x;
}

const struct export_ops *export_csv_ops(void)
{
    static const struct export_ops ops = {
        .begin = csv_begin, .row = csv_row, .end = csv_end, .close = csv_end,
    };

    return &ops;
}
