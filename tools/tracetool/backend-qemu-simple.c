/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end simple with QEMU's own trace/simple.c: the generated function
 * reserves a record in QEMU's buffer, fills it in and publishes it.
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"
#include "tracetool/simple-code.h"

static void simple_h_event(const struct tt_request *r,
                           const struct tt_event *e)
{
    simple_code_prototype(r, e, ";\n");
}

static void simple_rs_body(const struct tt_request *r,
                           const struct tt_event *e)
{
    fprintf(r->out, "extern \"C\" { fn _simple_trace_%s(", e->name);
    program_rust_parameters(r->out, e, true);
    fprintf(r->out, "); }\n        unsafe { _simple_trace_%s(", e->name);
    program_rust_arguments(r->out, e);
    fputs("); }\n", r->out);
}

/* ---- the function ------------------------------------------------------- */

static void simple_c_begin(const struct tt_request *r)
{
    fputs("#include \"trace/simple.h\"\n\n", r->out);
}

/* Variables length0_ ...: the stored length of each string. */
static void put_string_lengths(const struct tt_request *r,
                               const struct tt_event *e)
{
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        if ( program_arg(e, i)->kind != TT_STRING )
            continue;
        fprintf(r->out, "    size_t length%zu_ = ", i);
        emit_name(r->out, program_arg(e, i)->name);
        fputs(" ? strnlen(", r->out);
        emit_name(r->out, program_arg(e, i)->name);
        fputs(", MAX_TRACE_STRLEN) : 0;\n", r->out);
    }
}

static void simple_c_event(const struct tt_request *r,
                           const struct tt_event *e)
{
    simple_code_prototype(r, e, "\n{\n");
    put_string_lengths(r, e);
    fputs("    TraceBufferRecord record_;\n\n"
          "    if ( trace_record_start(&record_, _", r->out);
    program_token(r->out, e);
    fputs("_EVENT.id,\n                            ", r->out);
    simple_code_size(r, e);
    fputs(") )\n        return;\n", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        simple_code_value(r, e, i, "    trace_record_write_u64(&record_, ",
                          "    trace_record_write_str(&record_, ");
    fputs("    trace_record_finish(&record_);\n}\n\n", r->out);
}

const struct tt_backend tt_backend_qemu_simple = {
    .name = "simple",
    .text = "Records in a trace file (simpletrace reads it).",
    .by_state = true,
    .accepts = program_accepts,
    .h_event = simple_h_event,
    .h_body = simple_code_call,
    .h_enabled = program_by_state,
    .c_begin = simple_c_begin,
    .c_event = simple_c_event,
    .rs_body = simple_rs_body,
};
