/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows as comma-separated values.  All text is quoted, and a quote in it is two:
 * domains have any names.
 */
#include "xenalyze/report/rows.h"

#include <inttypes.h>

static void put_id(FILE *out, int64_t id)
{
    if ( id != ROW_NONE )
        fprintf(out, "%" PRId64, id);
    putc(',', out);
}

static void put_text(FILE *out, const char *text)
{
    if ( text )
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

void report_csv(const struct rows *rows, FILE *out)
{
    fprintf(out, "table,domain,vcpu,pcpu,name,detail,number,count,samples,"
            "sum,mean,min,max,max_at,open,p5,p50,p95,p99,time_p5,time_p50,"
            "time_p95,time_p99\n");
    rows_walk(rows, put_row, out);
}
