/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of QEMU 7.2, to the letter; where QEMU is silent about a trace
 * file that cannot be opened, there is a reason here.
 */
#define _GNU_SOURCE             /* strsep */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libusertrace/monitor/hmp-private.h"
#include "libusertrace/monitor/select.h"
#include "libusertrace/trace/usertrace.h"

/* ---- events ------------------------------------------------------------- */

/* Is word number `at` a vcpu, or absent? */
static bool take_vcpu(struct mon_call *c, unsigned int at,
                      struct mon_question *q)
{
    long long value;
    char *end;

    if ( c->nr <= at )
        return true;
    errno = 0;
    value = strtoll(c->words[at], &end, 0);
    if ( end == c->words[at] || *end )
        mon_say(c, "'%s' has failed: a vCPU is a number",
                mon_last_word(c->command));
    else if ( errno || value < 0 || value > UINT32_MAX )
        mon_say(c, "'%s' has failed: integer is for 32-bit values",
                mon_last_word(c->command));
    else
    {
        q->has_vcpu = true;
        q->vcpu = value;
        return true;
    }
    mon_say_try(c);
    return false;
}

void mon_show_events(struct mon_call *c)
{
    struct mon_question q = { .name = c->nr ? c->words[0] : "*" };
    struct err e = ERR_INIT;
    struct mon_events found;

    if ( !take_vcpu(c, 1, &q) )
        return;
    if ( mon_events_new(&q, &found, &e) )
    {
        mon_say(c, "%s", e.text);
        return;
    }
    for ( size_t i = found.nr; i-- > 0; )
        mon_say(c, "%s : state %d", found.list[i]->name,
                mon_is_on(&found, found.list[i]));
    mon_events_free(&found);
}

bool mon_take_switch(struct mon_call *c, bool *on)
{
    *on = c->nr > 1 && !strcmp(c->words[1], "on");
    if ( *on || (c->nr > 1 && !strcmp(c->words[1], "off")) )
        return true;
    mon_say(c, "%s", c->nr ? "Expected 'on' or 'off'"
                           : "trace-event: string expected");
    mon_say_try(c);
    return false;
}

void mon_switch_events(struct mon_call *c)
{
    struct mon_question q = { .name = c->words[0] };
    struct err e = ERR_INIT;
    struct mon_events found;
    bool on;

    if ( !mon_take_switch(c, &on) || !take_vcpu(c, 2, &q) )
        return;
    if ( mon_events_new(&q, &found, &e) )
    {
        mon_say(c, "%s", e.text);
        return;
    }
    if ( mon_switch(&found, on, true, &e) )
        mon_say(c, "%s", e.text);
    mon_events_free(&found);
}

/* ---- the trace file ----------------------------------------------------- */

void mon_show_backends(struct mon_call *c)
{
    for ( const char *const *name = usertrace_backends(); *name; name++ )
        mon_say(c, "%s", *name);
}

void mon_show_counts(struct mon_call *c)
{
    struct usertrace_counts counts;

    usertrace_counts(&counts);
    mon_say(c, "written %llu", (unsigned long long)counts.written);
    mon_say(c, "dropped %llu", (unsigned long long)counts.dropped);
    mon_say(c, "bytes %llu", (unsigned long long)counts.bytes);
    mon_say(c, "files %llu", (unsigned long long)counts.files);
    mon_say(c, "failed-writes %llu", (unsigned long long)counts.failed_writes);
    mon_say(c, "rings %u", counts.rings);
}

static void show_file(struct mon_call *c)
{
    char path[4096];
    bool is_open = usertrace_file_status(path, sizeof(path));

    mon_say(c, "Trace file \"%s\" %s.", path, is_open ? "on" : "off");
}

static int do_file(struct mon_call *c, struct err *e)
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
    mon_say(c, "unexpected argument \"%s\"", c->words[0]);
    mon_say_usage(c, c->command);
    return 0;
}

void mon_trace_file(struct mon_call *c)
{
    struct err e = ERR_INIT;

    if ( !c->nr )
        show_file(c);
    else if ( do_file(c, &e) )
        mon_say(c, "%s", e.text);
}

/* ---- the log ------------------------------------------------------------ */

static bool has_log(struct mon_call *c)
{
    if ( !c->nr )
    {
        mon_say(c, "%s: string expected", c->command->name);
        mon_say_try(c);
    }
    else if ( !usertrace_has_backend("log") )
        mon_say(c, "there is no log: the program was made without back end "
                "log");
    else
        return true;
    return false;
}

/* All are looked at before one is switched. */
static bool are_items(char *text)
{
    for ( ; text; text = strchr(text, ',') )
    {
        text += *text == ',';
        if ( strncmp(text, "trace:", 6) )
            return false;
    }
    return true;
}

static void list_events(struct mon_call *c)
{
    TraceEventIter iter;
    TraceEvent *ev;

    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        mon_say(c, "%s", ev->name);
}

void mon_log(struct mon_call *c)
{
    struct err e = ERR_INIT;
    char *item, *rest = c->words[0];

    if ( !has_log(c) )
        return;
    if ( !are_items(rest) )
    {
        mon_say_usage(c, c->command);
        return;
    }
    while ( (item = strsep(&rest, ",")) != NULL )
    {
        e.code = 0;
        if ( !strcmp(item + 6, "help") )
            list_events(c);
        else if ( usertrace_enable(item + 6, &e) )
            mon_say(c, "warning: %s", e.text);
    }
}

void mon_log_file(struct mon_call *c)
{
    struct err e = ERR_INIT;

    if ( has_log(c) && usertrace_log_file(c->words[0], &e) )
        mon_say(c, "%s", e.text);
}
