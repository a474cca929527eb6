/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything as JSON, the schema of xenalyze-json(5).  A change that could
 * break a reader raises VERSION; new members and new tables do not.
 */
#include "xenalyze/export/export.h"

#include <inttypes.h>

#include "common/num.h"
#include "xenalyze/model/model.h"

#define VERSION 1

struct json
{
    FILE *out;
    bool more;                  /* something stands before, at this level */
};

/* A name may be any bytes; JSON is UTF-8, so what is not ASCII is escaped. */
static void put_string(FILE *out, const char *text)
{
    putc('"', out);
    for ( const unsigned char *p = (const unsigned char *)text; *p; p++ )
        if ( *p < 0x20 || *p >= 0x7f || *p == '"' || *p == '\\' )
            fprintf(out, "\\u%04x", *p);
        else
            putc(*p, out);
    putc('"', out);
}

static void member(struct json *j, const char *name)
{
    fprintf(j->out, "%s\"%s\":", j->more ? "," : "", name);
    j->more = true;
}

static void put_number(struct json *j, const char *name, uint64_t value)
{
    char text[NUM_U64_MAX + 1];

    member(j, name);
    *num_u64(text, value) = '\0';
    fputs(text, j->out);
}

static void put_signed(struct json *j, const char *name, int64_t value)
{
    char text[NUM_I64_MAX + 1];

    member(j, name);
    *num_i64(text, value) = '\0';
    fputs(text, j->out);
}

static void put_text(struct json *j, const char *name, const char *text)
{
    member(j, name);
    put_string(j->out, text);
}

static void put_id(struct json *j, const char *name, int64_t id)
{
    if ( id != ROW_NONE )
        put_number(j, name, (uint64_t)id);
}

static void open_object(struct json *j, const char *name)
{
    member(j, name);
    putc('{', j->out);
    j->more = false;
}

static void close_object(struct json *j)
{
    putc('}', j->out);
    j->more = true;
}

/* --- rows ----------------------------------------------------------------- */

static void put_percentiles(struct json *j, const struct stats *s)
{
    static const struct { const char *name, *weighted; unsigned int place; }
    places[] = {
        { "p5", "time_p5", 5 }, { "p50", "time_p50", 50 },
        { "p95", "time_p95", 95 }, { "p99", "time_p99", 99 },
    };

    for ( size_t i = 0; i < 4; i++ )
        put_number(j, places[i].name, stats_percentile(s, places[i].place));
    for ( size_t i = 0; s->weighted && i < 4; i++ )
        put_number(j, places[i].weighted,
                   stats_weighted(s, places[i].place));
}

static void put_bars(struct json *j, const struct stats *s)
{
    struct stats_bar bars[64];
    size_t n = stats_bars(s, bars);

    member(j, "bars");
    putc('[', j->out);
    for ( size_t i = 0; i < n; i++ )
        fprintf(j->out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
                bars[i].low, bars[i].count);
    putc(']', j->out);
}

static void put_series(struct json *j, const struct stats *s)
{
    put_number(j, "count", stats_events(s));
    put_number(j, "samples", s->count);
    if ( !s->count )
        return;
    put_number(j, "sum", s->sum);
    put_number(j, "mean", stats_mean(s));
    put_number(j, "min", s->min);
    put_number(j, "max", s->max);
    put_number(j, "max_at", s->max_at);
    put_percentiles(j, s);
    put_bars(j, s);
}

static void put_row(void *state, const struct row *row)
{
    struct json *j = state;
    struct json one = { .out = j->out };

    fprintf(j->out, "%s\n{", j->more ? "," : "");
    j->more = true;
    put_text(&one, "table", row->table);
    put_id(&one, "domain", row->domain);
    put_id(&one, "vcpu", row->vcpu);
    put_id(&one, "pcpu", row->pcpu);
    if ( row->name )
        put_text(&one, "name", row->name);
    if ( row->detail )
        put_text(&one, "detail", row->detail);
    if ( row->has_number )
        put_number(&one, "number", row->number);
    if ( row->series )
        put_series(&one, row->series);
    else
        put_number(&one, "count", row->count);
    if ( row->open )
        put_number(&one, "open", row->open);
    putc('}', j->out);
}

/* --- the rest ------------------------------------------------------------- */

static void put_names(struct json *j, const struct summary *b)
{
    char id[16];

    open_object(j, "domains");
    for ( uint32_t i = 0; i < b->nr_domains; i++ )
    {
        if ( !b->domains[i]->name[0] )
            continue;
        snprintf(id, sizeof(id), "%u", b->domains[i]->id);
        put_text(j, id, b->domains[i]->name);
    }
    close_object(j);
}

/* Of the clock on the wall: nanoseconds since 1970. */
static void put_wall(struct json *j, const struct xt_clock *clock,
                     uint64_t tsc)
{
    int64_t wall = xt_clock_wall(clock, tsc);

    if ( clock->has_wall && wall >= 0 )
        put_number(j, "wall", (uint64_t)wall);
}

static void put_trace(struct json *j, const struct rows *rows,
                      const char *name)
{
    const struct summary *b = rows->summary;

    open_object(j, "trace");
    put_text(j, "name", name);
    put_number(j, "hz", b->hz);
    put_text(j, "speed", rows->request->clock_assumed ? "guessed" : "known");
    put_number(j, "first", b->first);
    put_wall(j, &b->clock, b->first);
    put_number(j, "cycles", b->total);
    put_names(j, b);
    put_number(j, "segments", b->segments);
    put_number(j, "records", b->records);
    close_object(j);
}

static void put_loss_gaps(struct json *j, const struct summary *b)
{
    member(j, "longest");
    putc('[', j->out);
    for ( size_t i = 0; i < b->loss_gaps.used; i++ )
        fprintf(j->out, "%s{\"pcpu\":%" PRIu64 ",\"at\":%" PRIu64
                ",\"cycles\":%" PRIu64 "}", i ? "," : "",
                b->loss_gaps.rows[i].tag, b->loss_gaps.rows[i].at,
                b->loss_gaps.rows[i].key);
    putc(']', j->out);
}

static void put_damage(struct json *j, const struct xt_damage *d)
{
    open_object(j, "damage");
    put_number(j, "places", xt_damage_times(d));
    put_number(j, "bytes", xt_damage_bytes(d));
    member(j, "first");
    putc('[', j->out);
    for ( size_t i = 0; i < d->nr_first; i++ )
        fprintf(j->out, "%s{\"at\":%" PRIu64 ",\"bytes\":%" PRIu64
                ",\"what\":\"%s\"}", i ? "," : "", d->first[i].offset,
                d->first[i].bytes, xt_damage_text(d->first[i].kind));
    putc(']', j->out);
    close_object(j);
}

static void put_trust(struct json *j, const struct summary *b)
{
    open_object(j, "lost");
    put_number(j, "records", b->lost);
    put_number(j, "places", b->losses);
    put_number(j, "blind_cycles", b->blind);
    put_loss_gaps(j, b);
    close_object(j);
    put_damage(j, &b->damage);
    open_object(j, "strange");
    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        if ( b->anomalies[i] )
            put_number(j, anomaly_name(i), b->anomalies[i]);
    close_object(j);
}

static void put_waits(struct json *j, const struct latency *l)
{
    char name[LATENCY_NAME];

    member(j, "longest_waits");
    putc('[', j->out);
    for ( size_t i = 0; l && i < l->nr_worst; i++ )
    {
        const struct latency_wait *w = &l->worst[i];
        struct json one = { .out = j->out };

        fprintf(j->out, "%s\n{", i ? "," : "");
        put_text(&one, "vcpu", latency_name(w->vcpu, name));
        put_number(&one, "from", w->from);
        put_wall(&one, &l->clock, w->from);
        put_number(&one, "cycles", w->to - w->from);
        put_number(&one, "pcpu", w->pcpu);
        put_text(&one, "why", why_name(w->why) ? why_name(w->why) : "other");
        if ( w->why == WHY_WAKE )
            put_text(&one, "waker", latency_name(w->waker, name));
        open_object(&one, "rivals");
        for ( unsigned int k = 0; k < w->nr_rivals; k++ )
            put_number(&one, latency_name(w->rivals[k].key, name),
                       w->rivals[k].cycles);
        close_object(&one);
        putc('}', j->out);
    }
    putc(']', j->out);
}

/* --- the form ------------------------------------------------------------- */

/* The object's begin; or the end of the list before, which always has one. */
static struct json reach(struct form *f)
{
    struct json j = { .out = f->out, .more = f->part != FORM_NOTHING };

    if ( f->part != FORM_NOTHING )
    {
        fputs("\n]", f->out);
        return j;
    }
    putc('{', f->out);
    put_text(&j, "format", "xenalyze");
    put_number(&j, "version", VERSION);
    return j;
}

static void begin_list(struct form *f, const char *part,
                       const struct form_field *fields, size_t nr)
{
    struct json j = reach(f);

    (void)fields;
    (void)nr;
    member(&j, part);
    putc('[', f->out);
}

static void put_fields(struct form *f, const struct form_field *fields,
                       size_t nr)
{
    struct json one = { .out = f->out };

    fputs(f->more ? ",\n{" : "\n{", f->out);
    for ( size_t i = 0; i < nr; i++ )
        if ( fields[i].is_absent )
            continue;
        else if ( fields[i].text )
            put_text(&one, fields[i].name, fields[i].text);
        else if ( fields[i].is_signed )
            put_signed(&one, fields[i].name, (int64_t)fields[i].number);
        else
            put_number(&one, fields[i].name, fields[i].number);
    putc('}', f->out);
}

static void put_all(struct form *f, const struct rows *rows, const char *name)
{
    struct json j = reach(f), list = { .out = f->out };

    put_trace(&j, rows, name);
    put_trust(&j, rows->summary);
    put_waits(&j, rows->latency);
    member(&j, "rows");
    putc('[', f->out);
    rows_walk(rows, put_row, &list);
    fputs("\n]}\n", f->out);
}

struct form form_json(FILE *out)
{
    static const struct form_ops ops = {
        .begin = begin_list, .put = put_fields, .rows = put_all,
    };

    return (struct form){ .ops = &ops, .out = out };
}
