/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV: each table has a line of column names, and an empty line separates
 * tables.  Rows begin with the table's name, except in top-level lists, which
 * may be long.  Text is quoted, with quotes doubled, since a domain's name may
 * contain any byte.
 */
#include <assert.h>
#include <inttypes.h>

#include "xenalyze/export/fields.h"

static void write_quoted(FILE *out, const char *text)
{
    assert(text);
    putc('"', out);
    for ( ; *text; text++ )
    {
        if ( *text == '"' )
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
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
    if ( x->table->place == EXPORT_AT_TOP )
        open_table(x);
}

static void write_value(FILE *out, const struct field *f)
{
    assert(f->kind != FIELD_HISTOGRAM);
    if ( f->absent )
        return;
    if ( f->kind == FIELD_TEXT )
        write_quoted(out, f->text);
    else if ( f->kind == FIELD_SIGNED )
        fprintf(out, "%" PRId64, (int64_t)f->number);
    else
        fprintf(out, "%" PRIu64, f->number);
}

static void csv_row(struct export *x)
{
    const char *before = "";

    if ( !x->has_rows && x->table->place != EXPORT_AT_TOP )
        open_table(x);
    if ( has_name_column(x) )
    {
        fputs(x->table->name, x->out);
        before = ",";
    }
    for ( size_t i = 0; i < x->fields.nr; i++ )
    {
        if ( x->fields.all[i].kind == FIELD_HISTOGRAM )
            continue;
        fputs(before, x->out);
        write_value(x->out, &x->fields.all[i]);
        before = ",";
    }
    putc('\n', x->out);
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
