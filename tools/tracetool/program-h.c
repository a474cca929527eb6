/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program's trace points in format h, with the names of QEMU:
 *
 *     extern TraceEvent _TRACE_NAME_EVENT;
 *     extern uint16_t _TRACE_NAME_DSTATE;
 *     TRACE_NAME_ENABLED           0: declared with "disable"
 *     TRACE_NAME_BACKEND_DSTATE()  true if a back end traces the event now
 *     _nocheck__trace_NAME(args)   all back ends
 *     trace_NAME(args)             the same, if the vcpu wants it
 *
 * Back ends that use the event's state share a test of that state, so a trace
 * point that is off costs a load and a branch, for any number of back ends.
 */
#include "tracetool/program.h"

#include <assert.h>

#include "tracetool/emit.h"

static void put_state(const struct tt_request *r, const struct tt_event *e)
{
    fputs("extern TraceEvent _", r->out);
    program_token(r->out, e);
    fputs("_EVENT;\nextern uint16_t _", r->out);
    program_token(r->out, e);
    fputs("_DSTATE;\n#define ", r->out);
    program_token(r->out, e);
    fprintf(r->out, "_ENABLED %d\n", !e->disabled);
}

/* Print equal terms once. */
static void put_wanted(const struct tt_request *r, const struct tt_event *e)
{
    bool by_state = false;

    fputs("#define ", r->out);
    program_token(r->out, e);
    fputs("_BACKEND_DSTATE() ( \\\n", r->out);
    for ( size_t i = 0; !e->disabled && i < r->nr_backends; i++ )
    {
        const struct tt_backend *b = r->backends[i];

        if ( !b->h_enabled || (b->by_state && by_state) )
            continue;
        by_state |= b->by_state;
        fputs("    ", r->out);
        b->h_enabled(r, e);
        fputs(" || \\\n", r->out);
    }
    fputs("    false)\n\n", r->out);
}

static void put_bodies(const struct tt_request *r, const struct tt_event *e)
{
    bool inside = false;

    for ( size_t i = 0; i < r->nr_backends; i++ )
    {
        const struct tt_backend *b = r->backends[i];

        if ( !b->h_body )
            continue;
        if ( inside && !b->by_state )
            fputs("    }\n", r->out);
        if ( b->by_state && !inside )
        {
            fputs("    if ( trace_event_get_state(", r->out);
            program_token(r->out, e);
            fputs(") )\n    {\n", r->out);
        }
        inside = b->by_state;
        fputs(inside ? "        " : "    ", r->out);
        b->h_body(r, e);
    }
    if ( inside )
        fputs("    }\n", r->out);
}

static bool has_body(const struct tt_request *r, const struct tt_event *e)
{
    for ( size_t i = 0; !e->disabled && i < r->nr_backends; i++ )
        if ( r->backends[i]->h_body )
            return true;
    return false;
}

static void put_head(const struct tt_request *r, const char *prefix,
                     const struct tt_event *e)
{
    fprintf(r->out, "static inline void %s%s(", prefix, e->name);
    program_parameters(r->out, e);
    fputs(")\n{\n", r->out);
}

/* Avoid warnings about unused parameters. */
static void put_functions(const struct tt_request *r, const struct tt_event *e)
{
    put_head(r, "_nocheck__trace_", e);
    if ( has_body(r, e) )
        put_bodies(r, e);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        fputs("    (void)", r->out);
        emit_name(r->out, program_arg(e, i)->name);
        fputs(";\n", r->out);
    }
    fputs("}\n\n", r->out);

    put_head(r, "trace_", e);
    if ( e->vcpu )
    {
        fputs("    if ( trace_event_get_vcpu_state(__cpu, ", r->out);
        program_token(r->out, e);
        fputs(") )\n    ", r->out);
    }
    fprintf(r->out, "    _nocheck__trace_%s(", e->name);
    program_arguments(r->out, "", e);
    fputs(");\n}\n\n", r->out);
}

static void put_prologues(const struct tt_request *r, const struct tt_event *e)
{
    for ( size_t i = 0; !e->disabled && i < r->nr_backends; i++ )
        if ( r->backends[i]->h_event )
            r->backends[i]->h_event(r, e);
}

void program_h_event(const struct tt_request *r, const struct tt_event *e)
{
    assert(program_has(e));
    put_state(r, e);
    put_prologues(r, e);
    put_wanted(r, e);
    put_functions(r, e);
}
