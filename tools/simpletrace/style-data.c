/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Styles for programs: JSON, an object per line, and CSV.
 */
#include <assert.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "simpletrace/sink.h"


#define NUMBERS 256u            /* space for all numbers of a line */

/* A character that is not plain.  Invalid UTF-8 becomes U+FFFD. */
static COLD char *put_json_special(char *p, const char *text, size_t *left)
{
    size_t length = st_out_char_length(text, *left);

    debug_assert(*left);
    if ( *text == '"' || *text == '\\' )
        *p++ = '\\';
    if ( length )
        p = st_put_padded(p, text, length);
    else
    {
        p = num_text(p, "\\u");
        p = num_hex_zero(p, (unsigned char)*text < 0x80 ? *text : 0xfffd, 4);
    }
    *left -= length ? length : 1;
    return p;
}

/* A padded source; 6 * length + JSON_PAD bytes. */
#define JSON_PAD (2 * ST_PAD + 2)

static char *put_json_string(char *p, const char *text, size_t length)
{
    const char *end = text + length;
    size_t left = length, n;

    *p++ = '"';
    while ( left )
    {
        n = st_put_plain(p, end - left, left);
        p += n;
        left -= n;
        if ( left )
            p = put_json_special(p, end - left, &left);
    }
    *p++ = '"';
    return p;
}

/* Without a string. */
static inline char *put_json_number(char *p, const struct st_arg *arg,
                                    uint64_t word)
{
    if ( arg->is_bool )
        return num_text(p, word ? "true" : "false");
    return arg->is_signed ? num_i64(p, word) : num_u64(p, word);
}

static void json_value(struct st_out *out, const struct st_arg *arg,
                       const struct st_value *value)
{
    char *p = st_out_need(out, 6 * (size_t)value->length + JSON_PAD);

    out->at = value->text ? put_json_string(p, value->text, value->length) :
                            put_json_number(p, arg, value->word);
}

static bool make_key(struct arena *a, struct st_text *key, const char *before,
                     const char *name, const char *after)
{
    size_t length = strlen(name), room;
    char *text, *copy, *p;

    room = strlen(before) + 6 * length + JSON_PAD + strlen(after) + ST_PAD;
    text = arena_alloc(a, room, 1);
    copy = st_copy_padded(a, name, length);
    if ( !text || !copy )
        return false;
    p = put_json_string(num_text(text, before), copy, length);
    p = num_text(p, after);
    assert((size_t)(p - text) + ST_PAD <= room);
    *key = (struct st_text){ text, p - text };
    return true;
}

/* The text before the arguments, and before each of them. */
static COLD const struct st_text *make_keys(struct st_print *p,
                                            struct st_event *event)
{
    struct st_text *keys = arena_array(&p->arena, event->nr_args + 1,
                                       sizeof(*keys), _Alignof(struct st_text));
    bool ok = keys && make_key(&p->arena, keys, ",\"event\":", event->name,
                               ",");

    for ( size_t i = 0; ok && i < event->nr_args; i++ )
        ok = make_key(&p->arena, &keys[i + 1], i ? "," : "\"args\":{",
                      event->args[i].name, ":");
    p->no_memory |= !ok;
    event->json = ok ? keys : NULL;
    return event->json;
}

static COLD void print_json_bytes(struct st_print *p,
                                  const struct st_record *record)
{
    struct st_out *out = &p->out;

    p->undeclared++;
    st_out_text(out, "\"bytes\":\"");
    for ( size_t i = 0; i < record->bytes; i++ )
        out->at = num_hex_zero(st_out_need(out, NUM_HEX_MAX + 2),
                               record->args[i], 2);
    st_out_text(out, "\"}\n");
}

static void print_json_args(struct st_print *p, const struct st_record *record,
                            const struct st_text *keys)
{
    const struct st_event *event = record->event;
    struct st_value values[ST_MAX_ARGS];
    struct st_out *out = &p->out;

    if ( st_record_values(record, values) )
    {
        print_json_bytes(p, record);
        return;
    }
    if ( !event->nr_args )
        st_out_text(out, "\"args\":{");
    for ( size_t i = 0; i < event->nr_args; i++ )
    {
        st_out_padded(out, &keys[i + 1]);
        json_value(out, &event->args[i], &values[i]);
    }
    out->at = num_text(st_out_need(out, 3), "}}\n");
}

static COLD void make_json_ids(struct st_print *p,
                               const struct st_record *record)
{
    char *at = num_u64(num_text(p->ids_text, ",\"pid\":"), record->pid);

    if ( record->tid )
        at = num_u64(num_text(at, ",\"tid\":"), record->tid);
    assert(at + ST_PAD <= p->ids_text + sizeof(p->ids_text));
    p->pid = record->pid;
    p->tid = record->tid;
    p->ids = (struct st_text){ p->ids_text, at - p->ids_text };
}

static void record_json(struct st_print *p, const struct st_record *record)
{
    const struct st_clock *clock = &record->from->clock;
    const struct st_text *keys = record->event->json;
    struct st_out *out = &p->out;
    char *at;

    if ( !keys )
        keys = make_keys(p, record->event);
    if ( !keys )
        return;
    if ( record->pid != p->pid || record->tid != p->tid || !p->ids.length )
        make_json_ids(p, record);
    at = st_out_need(out, NUMBERS);
    at = num_u64(num_text(at, "{\"time_ns\":"), record->time);
    if ( clock->known )
        at = num_u64(num_text(at, ",\"wall_ns\":"),
                     clock->realtime + (record->time - clock->monotonic));
    out->at = st_put_text(at, &p->ids);
    st_out_padded(out, keys);
    print_json_args(p, record, keys);
}

static void csv_string(struct st_out *out, const char *text, size_t n)
{
    for ( ; n; n--, text++ )
    {
        if ( *text == '"' )
            st_out_char(out, '"');
        st_out_char(out, (unsigned char)*text < ' ' ? ' ' : *text);
    }
}

static void csv_args(struct st_print *p, const struct st_record *record)
{
    const struct st_event *event = record->event;
    struct st_value values[ST_MAX_ARGS];
    struct st_out *out = &p->out;
    bool fits = !st_record_values(record, values);

    p->undeclared += !fits;
    for ( size_t i = 0; fits && i < event->nr_args; i++ )
    {
        st_out_text(out, i ? "," : "");
        if ( values[i].text )
        {
            st_out_char(out, '"');
            csv_string(out, values[i].text, values[i].length);
            st_out_char(out, '"');
        }
        else
            json_value(out, &event->args[i], &values[i]);
    }
}

static void begin_csv(struct st_print *p)
{
    st_out_text(&p->out, "time_ns,pid,tid,event,arguments\n");
}

static void record_csv(struct st_print *p, const struct st_record *record)
{
    struct st_out *out = &p->out;

    st_out_u64(out, record->time);
    st_out_char(out, ',');
    st_out_u64(out, record->pid);
    st_out_char(out, ',');
    st_out_u64(out, record->tid);
    st_out_text(out, ",\"");
    csv_string(out, record->event->name, strlen(record->event->name));
    st_out_text(out, "\",");
    csv_args(p, record);
    st_out_char(out, '\n');
}

const struct st_sink st_style_json = { .name = "json",
                                       .record = record_json };
const struct st_sink st_style_csv = { .name = "csv", .begin = begin_csv,
                                      .record = record_csv };
