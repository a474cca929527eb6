/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code for libusertrace, and for the hypervisor.  A program's events in format
 * c are the objects that the header declares, and a constructor that registers
 * them before main() begins.  The file includes no generated header, since its
 * name is unknown.
 *
 * Each event has its declaration as text, which a trace file stores: so the
 * file describes types and formats.
 */
#include "tracetool/rows.h"

#include <assert.h>
#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/program.h"

/* The declared names of arguments, not the names in C. */
static void put_parameters(FILE *out, const struct tt_event *e)
{
    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        const char *type = e->args[i].type;

        fprintf(out, "%s%s%s%s", i ? ", " : "", type,
                type[strlen(type) - 1] == '*' ? "" : " ", e->args[i].name);
    }
    if ( !e->nr_args )
        fputs("void", out);
}

/* The declaration as in a trace-events file, as adjacent string literals. */
static void put_declaration(const struct tt_request *r,
                            const struct tt_event *e)
{
    fprintf(r->out, "    .declaration = \"%s%s%s(", e->disabled ?
            "disable " : "", e->vcpu ? "vcpu " : "", e->name);
    put_parameters(r->out, e);
    fputs(e->nr_pieces ? ") \"\n        " : ")\"", r->out);
    if ( e->nr_pieces )
        emit_string(r->out, e->format);
    fputs(",\n", r->out);
}

static void put_object(const struct tt_request *r, const struct tt_event *e)
{
    assert(program_has(e));
    fputs("uint16_t _", r->out);
    program_token(r->out, e);
    fputs("_DSTATE;\nTraceEvent _", r->out);
    program_token(r->out, e);
    fprintf(r->out, "_EVENT = {\n    .id = 0,\n    .vcpu_id = %s,\n"
            "    .name = \"%s\",\n    .sstate = %d,\n    .dstate = &_",
            e->vcpu ? "0" : "TRACE_VCPU_EVENT_NONE", e->name, !e->disabled);
    program_token(r->out, e);
    fputs("_DSTATE,\n", r->out);
    put_declaration(r, e);
    fputs("};\n\n", r->out);
}

static void usertrace_c_begin(const struct tt_request *r)
{
    const struct tt_event *e, *events = r->model->events;

    if ( !program_has_any(r->model) )
        return;
    fputs("\n#include \"trace/usertrace.h\"\n\n", r->out);
    for ( e = events; e < events + r->model->nr_events; e++ )
        if ( program_has(e) )
            put_object(r, e);
}

/* The header needs no other header. */
static void put_types(FILE *out)
{
    fputs("#ifdef __XEN__\n"
          "#include <xen/types.h>\n"
          "#else\n"
          "#include <stdbool.h>\n"
          "#include <stddef.h>\n"
          "#include <stdint.h>\n"
          "#include <sys/types.h>\n"
          "#endif\n\n", out);
}

static void usertrace_h_begin(const struct tt_request *r)
{
    bool vcpu = false;

    put_types(r->out);
    if ( !program_has_any(r->model) )
        return;
    for ( size_t i = 0; i < r->model->nr_events; i++ )
        vcpu |= r->model->events[i].vcpu;
    fprintf(r->out, "#ifndef __XEN__\n#include <inttypes.h>\n"
            "#include \"trace/control%s.h\"\n#endif\n\n", vcpu ? "-vcpu" : "");
}

static void usertrace_c_end(const struct tt_request *r)
{
    if ( !program_has_any(r->model) )
        return;
    program_c_array(r);
    fputs("static void __attribute__((constructor)) trace_", r->out);
    program_c_group(r);
    fputs("register_events(void)\n{\n    usertrace_use_backends(\"", r->out);
    for ( size_t i = 0; i < r->nr_backends; i++ )
        fprintf(r->out, "%s%s", i ? "," : "", r->backends[i]->name);
    fputs("\");\n    trace_event_register_group(", r->out);
    program_c_group(r);
    fputs("trace_events);\n}\n", r->out);
}

const struct tt_runtime tt_runtime_usertrace = {
    .name = "usertrace",
    .text = "libusertrace (the default).",
    .formats = tt_formats,
    .backends = tt_backends,
    .null_string = "",
    .h_begin = usertrace_h_begin,
    .c_begin = usertrace_c_begin,
    .c_end = usertrace_c_end,
};
