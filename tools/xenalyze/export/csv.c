/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comma-separated values, a table for each part, with a line between.  All text
 * is quoted, and a quote in it is two: domains have any names.
 */
#include "xenalyze/export/export.h"

#include <inttypes.h>

static void put_id(FILE *out, int64_t id)
{
    if ( id != ROW_NONE )
        fprintf(out, "%" PRId64, id);
    putc(',', out);
}

static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for ( ; *text; text++ )
    {
        if ( *text == '"' )
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void put_text(FILE *out, const char *text)
{
    if ( text )
        put_quoted(out, text);
    putc(',', out);
}

static void put_series(FILE *out, const struct stats *s, uint64_t open)
{
    const unsigned int places[] = { 5, 50, 95, 99 };

    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, stats_events(s), s->count,
            s->sum, stats_mean(s), s->min, s->max, s->max_at, open);
    for ( size_t i = 0; i < 4; i++ )
        fprintf(out, ",%" PRIu64, stats_percentile(s, places[i]));
    for ( size_t i = 0; i < 4; i++ )
        if ( s->weighted )
            fprintf(out, ",%" PRIu64, stats_weighted(s, places[i]));
        else
            putc(',', out);
    putc('\n', out);
}

static void put_row(void *state, const struct row *row)
{
    FILE *out = state;

    put_text(out, row->table);
    put_id(out, row->domain);
    put_id(out, row->vcpu);
    put_id(out, row->pcpu);
    put_text(out, row->name);
    put_text(out, row->detail);
    if ( row->has_number )
        fprintf(out, "%" PRIu64, row->number);
    putc(',', out);
    if ( row->series )
        put_series(out, row->series, row->open);
    else
        fprintf(out, "%" PRIu64 ",,,,,,,,,,,,,,,\n", row->count);
}

static void end_table(const struct form *f)
{
    if ( f->part != FORM_NOTHING )
        putc('\n', f->out);
}

static void begin_table(struct form *f, const char *part,
                        const struct form_field *fields, size_t nr)
{
    (void)part;
    end_table(f);
    for ( size_t i = 0; i < nr; i++ )
        fprintf(f->out, "%s%s", i ? "," : "", fields[i].name);
    putc('\n', f->out);
}

static void put_fields(struct form *f, const struct form_field *fields,
                       size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
    {
        if ( i )
            putc(',', f->out);
        if ( fields[i].is_absent )
            continue;
        if ( fields[i].text )
            put_quoted(f->out, fields[i].text);
        else if ( fields[i].is_signed )
            fprintf(f->out, "%" PRId64, (int64_t)fields[i].number);
        else
            fprintf(f->out, "%" PRIu64, fields[i].number);
    }
    putc('\n', f->out);
}

static void put_rows(struct form *f, const struct rows *rows,
                     const char *name)
{
    (void)name;
    end_table(f);
    fprintf(f->out, "table,domain,vcpu,pcpu,name,detail,number,count,samples,"
            "sum,mean,min,max,max_at,open,p5,p50,p95,p99,time_p5,time_p50,"
            "time_p95,time_p99\n");
    rows_walk(rows, put_row, f->out);
}

struct form form_csv(FILE *out)
{
    static const struct form_ops ops = {
        .begin = begin_table, .put = put_fields, .rows = put_rows,
    };

    return (struct form){ .ops = &ops, .out = out };
}
