/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of QEMU's simpletrace.py: the time since the last record in
 * microseconds, all numbers in hexadecimal, and strings as Python prints
 * bytes; or unquoted, as when simpletrace.py ran on Python 2.  Each version of
 * the format has its own words for losses, and only version 3 and later have a
 * pid.
 */
#include <stdio.h>

#include "common/debug.h"
#include "simpletrace/sink.h"

/* repr() of a Python bytes object. */
static void print_repr(struct st_out *out, const char *text, size_t n)
{
    static const char plain[] = "\\\t\n\r", names[] = "\\tnr";
    char quote = memchr(text, '\'', n) && !memchr(text, '"', n) ? '"' : '\'';
    const char *special;
    char *p;

    st_out_char(out, 'b');
    st_out_char(out, quote);
    for ( ; n; n--, text++ )
    {
        p = st_out_need(out, 4 + NUM_HEX_MAX);
        special = *text ? strchr(plain, *text) : NULL;
        if ( special || *text == quote )
        {
            *p++ = '\\';
            *p++ = special ? names[special - plain] : quote;
        }
        else if ( *text >= ' ' && *text < 0x7f )
            *p++ = *text;
        else
        {
            *p++ = '\\';
            *p++ = 'x';
            p = num_hex_zero(p, (unsigned char)*text, 2);
        }
        out->at = p;
    }
    st_out_char(out, quote);
}

/*
 * "%0.3f" of a thousandth: below 10^15 these are exactly the digits of the
 * number.
 */
#define EXACT 1000000000000000ll

static void print_delta(struct st_out *out, uint64_t now, uint64_t last)
{
    int64_t delta = (int64_t)(now - last);
    char *p = st_out_need(out, 2 * NUM_U64_MAX);
    uint64_t size = delta < 0 ? -(uint64_t)delta : (uint64_t)delta;

    if ( size >= EXACT )
    {
        st_out_print(out, "%.3f", (now < last ? -(double)(last - now) :
                                                (double)(now - last)) / 1000);
        return;
    }
    if ( delta < 0 )
        *p++ = '-';
    p = num_u64(p, size / 1000);
    *p++ = '.';
    out->at = num_u64_zero(p, size % 1000, 3);
}

static const char *record_name(const struct st_record *record)
{
    return record->is_dropped && !record->from->version ? "dropped" :
                                                          record->event->name;
}

static const char *arg_name(const struct st_record *record, size_t i)
{
    debug_assert(i < record->event->nr_args);
    if ( record->is_dropped && record->from->version < 3 )
        return record->from->version ? "dropped_events" : "count";
    return record->event->args[i].name;
}

static void print_line(struct st_print *p, const struct st_record *record,
                       bool raw)
{
    struct st_value values[ST_MAX_ARGS];
    const struct st_event *event = record->event;
    struct st_out *out = &p->out;

    st_out_text(out, record_name(record));
    st_out_char(out, ' ');
    print_delta(out, record->time, p->any ? p->last : record->time);
    if ( record->from->version > 2 )
    {
        st_out_text(out, " pid=");
        st_out_u64(out, record->pid);
    }
    if ( st_record_values(record, values) )
    {
        st_print_args(p, record);
        st_out_char(out, '\n');
        return;
    }
    for ( size_t i = 0; i < event->nr_args; i++ )
    {
        st_out_char(out, ' ');
        st_out_text(out, arg_name(record, i));
        st_out_char(out, '=');
        if ( !values[i].text )
            st_out_hex(out, values[i].word);
        else if ( raw )
            st_out_bytes(out, values[i].text, values[i].length);
        else
            print_repr(out, values[i].text, values[i].length);
    }
    st_out_char(out, '\n');
}

static void record_qemu(struct st_print *p, const struct st_record *record)
{
    print_line(p, record, false);
}

static void record_raw(struct st_print *p, const struct st_record *record)
{
    print_line(p, record, true);
}

const struct st_sink st_style_qemu = { .name = "qemu", .record = record_qemu };
const struct st_sink st_style_qemu_raw = { .name = "qemu-raw",
                                           .record = record_raw };
