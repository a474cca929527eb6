/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of QEMU 7.2, with identical output, except that a trace file
 * that cannot be opened is an error line here, and silence in QEMU.
 */
#define _GNU_SOURCE             /* strsep */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libusertrace/monitor/event-query.h"
#include "libusertrace/monitor/hmp-private.h"
#include "libusertrace/trace/usertrace.h"

/* ---- events ------------------------------------------------------------- */

/* Parse word `at` as a vcpu; true also if the word is absent. */
static bool parse_vcpu(struct mon_call *c, unsigned int at,
                       struct mon_query *q)
{
    long long value;
    char *end;

    if ( c->nr <= at )
        return true;
    errno = 0;
    value = strtoll(c->words[at], &end, 0);
    if ( end == c->words[at] || *end )
        mon_reply_line(c, "'%s' has failed: a vCPU is a number",
                       mon_last_word(c->command));
    else if ( errno || value < 0 || value > UINT32_MAX )
        mon_reply_line(c, "'%s' has failed: integer is for 32-bit values",
                       mon_last_word(c->command));
    else
    {
        q->has_vcpu = true;
        q->vcpu = value;
        return true;
    }
    mon_reply_hint(c);
    return false;
}

void mon_show_events(struct mon_call *c)
{
    struct mon_query q = { .name = c->nr ? c->words[0] : "*" };
    struct err e = ERR_INIT;
    struct mon_events found;

    if ( !parse_vcpu(c, 1, &q) )
        return;
    if ( mon_events_new(&q, &found, &e) )
    {
        mon_reply_line(c, "%s", e.text);
        return;
    }
    for ( size_t i = found.nr; i-- > 0; )
        mon_reply_line(c, "%s : state %d", found.list[i]->name,
                       mon_event_is_on(&found, found.list[i]));
    mon_events_free(&found);
}

bool mon_parse_switch(struct mon_call *c, bool *on)
{
    *on = c->nr > 1 && !strcmp(c->words[1], "on");
    if ( *on || (c->nr > 1 && !strcmp(c->words[1], "off")) )
        return true;
    mon_reply_line(c, "%s", c->nr ? "Expected 'on' or 'off'"
                           : "trace-event: string expected");
    mon_reply_hint(c);
    return false;
}

void mon_switch_events(struct mon_call *c)
{
    struct mon_query q = { .name = c->words[0] };
    struct err e = ERR_INIT;
    struct mon_events found;
    bool on;

    assert(c->nr <= c->command->words_max);
    if ( !mon_parse_switch(c, &on) || !parse_vcpu(c, 2, &q) )
        return;
    if ( mon_events_new(&q, &found, &e) )
    {
        mon_reply_line(c, "%s", e.text);
        return;
    }
    if ( mon_events_switch(&found, on, true, &e) )
        mon_reply_line(c, "%s", e.text);
    mon_events_free(&found);
}

/* ---- the trace file ----------------------------------------------------- */

void mon_show_backends(struct mon_call *c)
{
    for ( const char *const *name = usertrace_backends(); *name; name++ )
        mon_reply_line(c, "%s", *name);
}

void mon_show_counts(struct mon_call *c)
{
    struct usertrace_counts counts;

    usertrace_counts(&counts);
    mon_reply_line(c, "written %llu", (unsigned long long)counts.written);
    mon_reply_line(c, "dropped %llu", (unsigned long long)counts.dropped);
    mon_reply_line(c, "bytes %llu", (unsigned long long)counts.bytes);
    mon_reply_line(c, "files %llu", (unsigned long long)counts.files);
    mon_reply_line(c, "failed-writes %llu",
                   (unsigned long long)counts.failed_writes);
    mon_reply_line(c, "rings %u", counts.rings);
}

static void reply_file_status(struct mon_call *c)
{
    char path[4096];
    bool is_open = usertrace_file_status(path, sizeof(path));

    mon_reply_line(c, "Trace file \"%s\" %s.", path, is_open ? "on" : "off");
}

static int apply_file_action(struct mon_call *c, struct err *e)
{
    static const char *const words[] = {
        [USERTRACE_FILE_OFF] = "off", [USERTRACE_FILE_ON] = "on",
        [USERTRACE_FILE_FLUSH] = "flush",
    };

    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        if ( !strcmp(c->words[0], words[i]) )
            return usertrace_file(i, e);
    if ( !strcmp(c->words[0], "set") )
        return c->nr > 1 ? usertrace_file_set(c->words[1], e) : 0;
    mon_reply_line(c, "unexpected argument \"%s\"", c->words[0]);
    mon_reply_usage(c, c->command);
    return 0;
}

void mon_trace_file(struct mon_call *c)
{
    struct err e = ERR_INIT;

    assert(c->nr <= c->command->words_max);
    if ( !c->nr )
        reply_file_status(c);
    else if ( apply_file_action(c, &e) )
        mon_reply_line(c, "%s", e.text);
}

/* ---- the log ------------------------------------------------------------ */

static bool check_log_backend(struct mon_call *c)
{
    if ( !c->nr )
    {
        mon_reply_line(c, "%s: string expected", c->command->name);
        mon_reply_hint(c);
    }
    else if ( !usertrace_has_backend("log") )
        mon_reply_line(c, "there is no log: the program was generated without "
                       "back end log");
    else
        return true;
    return false;
}

/* Check all items before the first is switched. */
static bool has_trace_items(char *text)
{
    for ( ; text; text = strchr(text, ',') )
    {
        text += *text == ',';
        if ( strncmp(text, "trace:", 6) )
            return false;
    }
    return true;
}

static void reply_event_names(struct mon_call *c)
{
    TraceEventIter iter;
    TraceEvent *ev;

    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        mon_reply_line(c, "%s", ev->name);
}

void mon_log_events(struct mon_call *c)
{
    struct err e = ERR_INIT;
    char *item, *rest = c->words[0];

    if ( !check_log_backend(c) )
        return;
    if ( !has_trace_items(rest) )
    {
        mon_reply_usage(c, c->command);
        return;
    }
    while ( (item = strsep(&rest, ",")) != NULL )
    {
        e.code = 0;
        if ( !strcmp(item + 6, "help") )
            reply_event_names(c);
        else if ( usertrace_enable(item + 6, &e) )
            mon_reply_line(c, "warning: %s", e.text);
    }
}

void mon_log_file(struct mon_call *c)
{
    struct err e = ERR_INIT;

    if ( check_log_backend(c) && usertrace_log_file(c->words[0], &e) )
        mon_reply_line(c, "%s", e.text);
}
