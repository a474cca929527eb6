/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Styles for people: time, process, event name, and the arguments in the
 * event's own format.  Style log prints exactly the line of the log back end.
 */
#include <time.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "simpletrace/recipe.h"
#include "simpletrace/sink.h"

#define BILLION 1000000000u
#define NUM_NINE_MAX 12u

#define CYAN "\033[36m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

/* The trace records one moment on both clocks; extrapolate from it. */
static uint64_t wall_time(const struct st_record *record)
{
    const struct st_clock *clock = &record->from->clock;

    debug_assert(clock->known);
    return clock->realtime + (record->time - clock->monotonic);
}

static void print_wall(struct st_print *p, uint64_t ns)
{
    time_t second = ns / BILLION;
    struct st_out *out = &p->out;
    struct tm tm;
    char *at;

    if ( second != p->second || !*p->day )
    {
        p->second = second;
        if ( !localtime_r(&second, &tm) ||
             !strftime(p->day, sizeof(p->day), "%Y-%m-%d %H:%M:%S.", &tm) )
            strcpy(p->day, "?.");
        p->day_length = strlen(p->day);
    }
    at = st_out_need(out, sizeof(p->day) + NUM_NINE_MAX);
    memcpy(at, p->day, sizeof(p->day));
    out->at = num_nine(at + p->day_length, ns % BILLION);
}

static void print_seconds(struct st_out *out, uint64_t now, uint64_t since)
{
    char *p = st_out_need(out, NUM_SEC_MAX + 16);

    if ( now >= since )
        out->at = num_sec_right(p, now - since, 15);
    else
    {
        *p++ = '-';
        out->at = num_sec(p, since - now);
    }
}

static void print_time(struct st_print *p, const struct st_record *record)
{
    bool known = record->from->clock.known;
    enum st_time how = p->time;

    if ( known && (how == ST_TIME_AUTO || how == ST_TIME_WALL) )
        print_wall(p, wall_time(record));
    else
        print_seconds(&p->out, record->time, how == ST_TIME_START ? p->first :
                      how == ST_TIME_DELTA ? p->last : 0);
}

static void print_bytes(struct st_out *out, const struct st_record *record,
                        size_t at)
{
    for ( ; at + 8 <= record->bytes; at += 8 )
    {
        st_out_char(out, ' ');
        st_out_hex(out, st_record_word(record, at));
    }
    for ( ; at < record->bytes; at++ )
        st_out_print(out, " %02x", record->args[at]);
}

static void print_value(struct st_out *out, const struct st_arg *arg,
                        const struct st_value *value)
{
    if ( value->text )
    {
        st_out_char(out, '"');
        st_out_escaped(out, value->text, value->length);
        st_out_char(out, '"');
    }
    else if ( arg->is_signed )
        out->at = num_i64(st_out_need(out, NUM_I64_MAX), value->word);
    else if ( arg->is_pointer )
        st_out_hex(out, value->word);
    else
        st_out_u64(out, value->word);
}

void st_print_args(struct st_print *p, const struct st_record *record)
{
    struct st_value values[ST_MAX_ARGS];
    const struct st_event *event = record->event;

    if ( st_record_values(record, values) )
    {
        p->undeclared++;
        print_bytes(&p->out, record, 0);
        return;
    }
    for ( size_t i = 0; i < event->nr_args; i++ )
    {
        st_out_char(&p->out, ' ');
        st_out_text(&p->out, event->args[i].name);
        st_out_char(&p->out, '=');
        print_value(&p->out, &event->args[i], &values[i]);
    }
}

static COLD void make_ids(struct st_print *p, const struct st_record *record)
{
    char *at = p->ids_text;

    *at++ = ' ';
    at = num_u64(at, record->pid);
    if ( record->tid )
    {
        *at++ = '/';
        at = num_u64(at, record->tid);
    }
    *at++ = ' ';
    p->pid = record->pid;
    p->tid = record->tid;
    p->ids = (struct st_text){ p->ids_text, at - p->ids_text };
}

static void print_ids(struct st_print *p, const struct st_record *record)
{
    if ( record->pid != p->pid || record->tid != p->tid || !p->ids.length )
        make_ids(p, record);
    st_out_padded(&p->out, &p->ids);
}

static COLD void make_shown_name(struct st_print *p, struct st_event *event)
{
    size_t length = strlen(event->name);
    char *text = arena_alloc(&p->arena, 4 * length + 3 * ST_PAD, 1);

    debug_assert(!event->shown.length);
    if ( text )
        event->shown = (struct st_text){
            text, st_put_escaped(text, event->name, length) - text };
    p->no_memory |= !text;
}

static COLD void print_loss(struct st_out *out, const struct st_record *record)
{
    st_out_text(out, "*** lost ");
    st_out_u64(out, record->bytes >= 8 ? st_record_word(record, 0) : 0);
    st_out_text(out, " events");
}

static void print_event_name(struct st_print *p, const struct st_record *record)
{
    struct st_event *event = record->event;
    struct st_out *out = &p->out;

    if ( p->colour )
        st_out_text(out, record->is_dropped ? RED : CYAN);
    if ( record->is_dropped )
        print_loss(out, record);
    else
    {
        if ( !event->shown.length )
            make_shown_name(p, event);
        st_out_padded(out, &event->shown);
    }
    if ( p->colour )
        st_out_text(out, PLAIN);
}

static void record_text(struct st_print *p, const struct st_record *record)
{
    struct st_value values[ST_MAX_ARGS];
    const struct st_event *event = record->event;
    struct st_out *out = &p->out;

    print_time(p, record);
    print_ids(p, record);
    print_event_name(p, record);
    if ( !record->is_dropped && event->nr_steps &&
         !st_record_values(record, values) )
    {
        st_out_char(out, ' ');
        st_recipe_print(out, event, values, record->bytes, true);
    }
    else if ( !record->is_dropped )
        st_print_args(p, record);
    st_out_char(out, '\n');
}

static void record_log(struct st_print *p, const struct st_record *record)
{
    struct st_value values[ST_MAX_ARGS];
    struct st_out *out = &p->out;

    if ( record->is_dropped )
        return;
    st_out_text(out, record->event->name);
    if ( st_record_values(record, values) )
        st_print_args(p, record);
    else
    {
        st_out_char(out, ' ');
        st_recipe_print(out, record->event, values, record->bytes, false);
    }
    st_out_char(out, '\n');
}

const struct st_sink st_style_text = { .name = "text", .record = record_text };
const struct st_sink st_style_log = { .name = "log", .record = record_log };
