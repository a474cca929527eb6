/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace points for QEMU's code in Rust, from QEMU 10.2 on.  For each event:
 *
 *     trace_NAME(args)         the trace point
 *     trace_NAME_enabled()     true if a back end traces the event now
 *
 * The objects of the events are those of format c: this file declares only
 * their states.
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"

static void put_states(const struct tt_request *r)
{
    const struct tt_event *e, *events = r->model->events;

    fputs("extern \"C\" {\n    #[allow(dead_code)]\n"
          "    static mut trace_events_enabled_count: u32;\n", r->out);
    for ( e = events; e < events + r->model->nr_events; e++ )
    {
        if ( !program_has(e) )
            continue;
        fputs("    #[allow(dead_code)]\n    static mut _", r->out);
        program_token(r->out, e);
        fputs("_DSTATE: u16;\n", r->out);
    }
    fputs("}\n\n#[allow(dead_code)]\n#[inline(always)]\n"
          "fn trace_event_state_is_enabled(dstate: u16) -> bool {\n"
          "    (unsafe { trace_events_enabled_count }) != 0 && dstate != 0\n"
          "}\n\n", r->out);
}

static void put_state_test(const struct tt_request *r,
                           const struct tt_event *e)
{
    fputs("trace_event_state_is_enabled(unsafe { _", r->out);
    program_token(r->out, e);
    fputs("_DSTATE })", r->out);
}

static void put_rust_enabled(const struct tt_request *r,
                             const struct tt_event *e)
{
    bool by_state = false;

    fprintf(r->out, "#[inline(always)]\n#[allow(dead_code, non_snake_case)]\n"
            "pub fn trace_%s_enabled() -> bool\n{\n    ", e->name);
    for ( size_t i = 0; !e->disabled && i < r->nr_backends; i++ )
    {
        const struct tt_backend *b = r->backends[i];

        if ( b->rs_enabled )
        {
            b->rs_enabled(r, e);
            fputs(" ||\n    ", r->out);
        }
        by_state |= b->by_state;
    }
    if ( by_state )
    {
        put_state_test(r, e);
        fputs(" ||\n    ", r->out);
    }
    fputs("false\n}\n\n", r->out);
}

/* Write the bodies of the back ends that use the event's state, or not. */
static size_t put_rust_bodies(const struct tt_request *r,
                              const struct tt_event *e, bool by_state)
{
    size_t nr = 0;

    for ( size_t i = 0; !e->disabled && i < r->nr_backends; i++ )
    {
        const struct tt_backend *b = r->backends[i];

        if ( !b->rs_body || b->by_state != by_state )
            continue;
        if ( by_state && !nr++ )
        {
            fputs("    if ", r->out);
            put_state_test(r, e);
            fputs(" {\n", r->out);
        }
        fputs(by_state ? "        " : "    ", r->out);
        b->rs_body(r, e);
    }
    return nr;
}

static void put_rust_event(const struct tt_request *r,
                           const struct tt_event *e)
{
    put_rust_enabled(r, e);
    fprintf(r->out, "#[inline(always)]\n#[allow(dead_code, non_snake_case)]\n"
            "pub fn trace_%s(", e->name);
    program_rust_parameters(r->out, e, false);
    fputs(")\n{\n", r->out);
    put_rust_bodies(r, e, false);
    if ( put_rust_bodies(r, e, true) )
        fputs("    }\n", r->out);
    fputs("}\n\n", r->out);
}

static int write_rs(const struct tt_request *r, struct err *why)
{
    (void)why;
    fputs("// " EMIT_BANNER "\n\n#[allow(unused_imports)]\n"
          "use std::ffi::c_char;\n#[allow(unused_imports)]\n"
          "use util::bindings;\n\n", r->out);
    put_states(r);
    for ( size_t i = 0; i < r->nr_backends; i++ )
        if ( r->backends[i]->rs_begin )
            r->backends[i]->rs_begin(r);
    for ( size_t i = 0; i < r->model->nr_events; i++ )
        if ( program_has(&r->model->events[i]) )
            put_rust_event(r, &r->model->events[i]);
    return 0;
}

const struct tt_format tt_format_rs = {
    .name = "rs",
    .text = "Rust: trace_NAME() for each event.",
    .makes_code = true,
    .wants_group = true,
    .write = write_rs,
};
