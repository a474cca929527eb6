/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header that code with trace points includes.  For each event:
 *
 *     TRACE_NAME_ENABLED           0 if it was declared with "disable"
 *     TRACE_NAME_BACKEND_DSTATE()  true if a back end traces the event now;
 *                                  tested before expensive arguments
 *     trace_NAME(args)             the trace point
 *
 * An event with a tail has a second trace point without the tail's arguments,
 * trace_NAME_short(): readers distinguish the records by their sizes.  Of an
 * event with several layouts, the newest is used.  Events with "?" arguments
 * have no trace point: trace() writes records of variable size.
 *
 * The header needs no other header, in the hypervisor and in programs.
 * program-h.c writes the events of programs; this file those of the hypervisor.
 */
#include "tracetool/rows.h"

#include <assert.h>

#include "tracetool/emit.h"
#include "tracetool/program.h"
#include "tracetool/select.h"

/*
 * Unused events, older layouts, and events with "?" arguments: a call cannot
 * express which of these are present, and their widths.
 */
static bool is_left_out(const struct tt_request *r, const struct tt_event *e)
{
    for ( size_t i = 0; i < e->nr_args; i++ )
        if ( e->args[i].present >= 0 )
            return true;
    return e->in_xen && (e->unused || !select_is_newest(r->model, e));
}

/* ---- enabled or not --------------------------------------------------- */

static void put_enabled(const struct tt_request *r, const struct tt_event *e)
{
    fputs("#define TRACE_", r->out);
    emit_upper(r->out, e->name);
    fprintf(r->out, "_ENABLED %d\n", !e->disabled);
}

static void put_dstate(const struct tt_request *r, const struct tt_event *e)
{
    fputs("#define TRACE_", r->out);
    emit_upper(r->out, e->name);
    fputs("_BACKEND_DSTATE() \\\n    (", r->out);
    for ( size_t i = 0; !e->disabled && i < r->nr_backends; i++ )
    {
        if ( !r->backends[i]->h_enabled )
            continue;
        r->backends[i]->h_enabled(r, e);
        fputs(" || ", r->out);
    }
    fputs("false)\n\n", r->out);
}

/* ---- the trace point -------------------------------------------------- */

/* Avoid warnings about unused parameters. */
static void put_nothing(const struct tt_request *r, const struct tt_event *e)
{
    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        fputs("    (void)", r->out);
        emit_name(r->out, e->args[i].name);
        fputs(";\n", r->out);
    }
}

static void put_function(const struct tt_request *r, const struct tt_event *e,
                         const char *suffix)
{
    bool any = false;

    fprintf(r->out, "static inline void trace_%s%s(", e->name, suffix);
    emit_parameters(r->out, e);
    fputs(")\n{\n", r->out);
    for ( size_t i = 0; !e->disabled && i < r->nr_backends; i++ )
    {
        if ( !r->backends[i]->h_body )
            continue;
        r->backends[i]->h_body(r, e);
        any = true;
    }
    if ( !any )
        put_nothing(r, e);
    fputs("}\n\n", r->out);
}

/* The tail is last: without its arguments this is an ordinary event. */
static void put_short(const struct tt_request *r, const struct tt_event *e)
{
    struct tt_event short_event = *e;
    size_t i;

    for ( i = 0; i < e->nr_args && !e->args[i].optional; i++ )
        ;
    if ( i == e->nr_args )
        return;

    short_event.nr_args = i;
    short_event.max_words = e->words;
    put_function(r, &short_event, "_short");
}

static void put_h_event(const struct tt_request *r, const struct tt_event *e)
{
    if ( is_left_out(r, e) )
        return;
    if ( program_has(e) )
    {
        program_h_event(r, e);
        return;
    }
    put_enabled(r, e);
    put_dstate(r, e);
    put_function(r, e, "");
    put_short(r, e);
}

/* ---- the file --------------------------------------------------------- */

/* The options of the first tracetool include no group. */
static void put_guard(const struct tt_request *r, const char *directive)
{
    fprintf(r->out, "%s TRACE_", directive);
    if ( r->group )
        emit_upper(r->out, r->group);
    fputs(r->group ? "_GENERATED" : "GENERATED", r->out);
    fputs("_TRACERS_H\n", r->out);
}

/* Back ends may share a function: call it once. */
static void begin_backend(const struct tt_request *r, size_t which)
{
    const struct tt_backend *b = r->backends[which];

    assert(which < r->nr_backends);
    for ( size_t i = 0; i < which; i++ )
        if ( r->backends[i]->h_begin == b->h_begin )
            return;
    if ( b->h_begin )
        b->h_begin(r);
}

static int write_h(const struct tt_request *r, struct err *why)
{
    (void)why;
    fputs("/* " EMIT_BANNER " */\n\n", r->out);
    put_guard(r, "#ifndef");
    put_guard(r, "#define");
    fputs("\n", r->out);
    r->runtime->h_begin(r);
    for ( size_t i = 0; i < r->nr_backends; i++ )
        begin_backend(r, i);
    for ( size_t i = 0; i < r->model->nr_events; i++ )
        put_h_event(r, &r->model->events[i]);
    fputs("#endif\n", r->out);
    return 0;
}

const struct tt_format tt_format_h = {
    .name = "h",
    .text = "Header: trace_NAME() for each event.",
    .makes_code = true,
    .wants_group = true,
    .write = write_h,
};
