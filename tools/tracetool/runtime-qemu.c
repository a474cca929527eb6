/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code for QEMU's own trace/control.c and trace/simple.c, from 7.2 on: the
 * output takes the place of that of QEMU's tracetool in QEMU's build.
 *
 * QEMU 8.1 removed the vcpu from its events, together with the constant
 * TRACE_VCPU_EVENT_NONE and the header trace/control-vcpu.h.  The generated
 * code tests for these, so it compiles before and after.
 */
#include "tracetool/rows.h"

#include <string.h>

#include "tracetool/program.h"

static bool has_vcpu_event(const struct tt_model *m)
{
    for ( size_t i = 0; i < m->nr_events; i++ )
        if ( m->events[i].vcpu )
            return true;
    return false;
}

/* The sources of QEMU 7.2 rely on the include in the header of group root. */
static void qemu_h_begin(const struct tt_request *r)
{
    fputs("#include \"trace/control.h\"\n", r->out);
    if ( !strcmp(r->group, "root") || has_vcpu_event(r->model) )
        fputs("#if __has_include(\"trace/control-vcpu.h\")\n"
              "#include \"trace/control-vcpu.h\"\n#endif\n", r->out);
    fputs("\n", r->out);
}

static void put_event_object(const struct tt_request *r,
                             const struct tt_event *e)
{
    fputs("uint16_t _", r->out);
    program_token(r->out, e);
    fputs("_DSTATE;\nTraceEvent _", r->out);
    program_token(r->out, e);
    fprintf(r->out, "_EVENT = {\n    .id = 0,\n"
            "#ifdef TRACE_VCPU_EVENT_NONE\n    .vcpu_id = %s,\n#endif\n"
            "    .name = \"%s\",\n    .sstate = %d,\n    .dstate = &_",
            e->vcpu ? "0" : "TRACE_VCPU_EVENT_NONE", e->name, !e->disabled);
    program_token(r->out, e);
    fputs("_DSTATE,\n};\n\n", r->out);
}

static void qemu_c_begin(const struct tt_request *r)
{
    const struct tt_event *e, *events = r->model->events;

    fprintf(r->out, "\n#include \"qemu/osdep.h\"\n#include \"qemu/module.h\"\n"
            "#include \"trace-%s.h\"\n\n", r->group);
    for ( e = events; e < events + r->model->nr_events; e++ )
        if ( program_has(e) )
            put_event_object(r, e);
}

static void qemu_c_end(const struct tt_request *r)
{
    program_c_array(r);
    fputs("static void trace_", r->out);
    program_c_group(r);
    fputs("register_events(void)\n{\n    trace_event_register_group(", r->out);
    program_c_group(r);
    fputs("trace_events);\n}\ntrace_init(trace_", r->out);
    program_c_group(r);
    fputs("register_events)\n", r->out);
}

static const struct tt_format *const qemu_formats[] = {
    &tt_format_c,
    &tt_format_d,
    &tt_format_h,
    &tt_format_log_stap,
    &tt_format_rs,
    &tt_format_simpletrace_stap,
    &tt_format_stap,
    &tt_format_ust_events_c,
    &tt_format_ust_events_h,
    NULL
};

static const struct tt_backend *const qemu_backends[] = {
    &tt_backend_nop,
    &tt_backend_qemu_dtrace,
    &tt_backend_qemu_ftrace,
    &tt_backend_qemu_log,
    &tt_backend_qemu_simple,
    &tt_backend_qemu_syslog,
    &tt_backend_ust,
    NULL
};

const struct tt_runtime tt_runtime_qemu = {
    .name = "qemu",
    .text = "QEMU's own trace/; tracetool(1) lists its back ends.",
    .formats = qemu_formats,
    .backends = qemu_backends,
    .is_strict = true,
    .null_string = "<null>",
    .h_begin = qemu_h_begin,
    .c_begin = qemu_c_begin,
    .c_end = qemu_c_end,
};
