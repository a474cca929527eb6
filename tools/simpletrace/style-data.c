/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Styles for programs: JSON, an object per line, and CSV.
 */
#include "simpletrace/recipe.h"
#include "simpletrace/sink.h"

/* Invalid UTF-8 becomes U+FFFD. */
static void json_string(struct st_out *out, const char *text, size_t n)
{
    size_t length;

    st_out_char(out, '"');
    for ( ; n; n -= length, text += length )
    {
        length = st_out_plain_length(text, n);
        if ( length )
        {
            st_out_bytes(out, text, length);
            continue;
        }
        length = st_out_char_length(text, n);
        if ( *text == '"' || *text == '\\' )
            st_out_char(out, '\\');
        if ( length )
            st_out_bytes(out, text, length);
        else
            st_out_print(out, "\\u%04x", (unsigned char)*text < 0x80 ?
                         (unsigned int)*text : 0xfffdu);
        length += !length;
    }
    st_out_char(out, '"');
}

static void json_value(struct st_out *out, const struct st_arg *arg,
                       const struct st_value *value)
{
    if ( value->text )
        json_string(out, value->text, value->length);
    else if ( arg->is_bool )
        st_out_text(out, value->word ? "true" : "false");
    else if ( arg->is_signed )
        out->at = num_i64(st_out_need(out, NUM_I64_MAX), value->word);
    else
        st_out_u64(out, value->word);
}

static void json_args(struct st_print *p, const struct st_record *record)
{
    const struct st_event *event = record->event;
    struct st_value values[ST_MAX_ARGS];
    struct st_out *out = &p->out;
    size_t i;

    if ( st_record_values(record, values) )
    {
        p->undeclared++;
        st_out_text(out, "\"bytes\":\"");
        for ( i = 0; i < record->bytes; i++ )
            out->at = num_hex_zero(st_out_need(out, NUM_HEX_MAX + 2),
                                   record->args[i], 2);
        st_out_char(out, '"');
        return;
    }
    st_out_text(out, "\"args\":{");
    for ( i = 0; i < event->nr_args; i++ )
    {
        if ( i )
            st_out_char(out, ',');
        json_string(out, event->args[i].name, strlen(event->args[i].name));
        st_out_char(out, ':');
        json_value(out, &event->args[i], &values[i]);
    }
    st_out_char(out, '}');
}

static void record_json(struct st_print *p, const struct st_record *record)
{
    const struct st_clock *clock = &record->from->clock;
    struct st_out *out = &p->out;

    st_out_text(out, "{\"time_ns\":");
    st_out_u64(out, record->time);
    if ( clock->known )
    {
        st_out_text(out, ",\"wall_ns\":");
        st_out_u64(out, clock->realtime + (record->time - clock->monotonic));
    }
    st_out_text(out, ",\"pid\":");
    st_out_u64(out, record->pid);
    if ( record->tid )
    {
        st_out_text(out, ",\"tid\":");
        st_out_u64(out, record->tid);
    }
    st_out_text(out, ",\"event\":");
    json_string(out, record->event->name, strlen(record->event->name));
    st_out_char(out, ',');
    json_args(p, record);
    st_out_text(out, "}\n");
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
