/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in a trace file, in the format of QEMU's back end of this name.
 *
 * The code that writes a record is out of line, in format c: the trace point
 * is a test and a call only, and computes nothing while the event is off.
 * Names of local variables end in "_", unlike names of arguments (emit_name).
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"
#include "tracetool/simple-code.h"

static void h_event(const struct tt_request *r, const struct tt_event *e)
{
    simple_code_prototype(r, e, ";\n");
}

/* ---- out-of-line functions ---------------------------------------------- */

static void c_begin(const struct tt_request *r)
{
    fputs("#include \"trace/simple.h\"\n\n", r->out);
}

static void put_lengths(const struct tt_request *r, const struct tt_event *e)
{
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        if ( program_arg(e, i)->kind != TT_STRING )
            continue;
        fprintf(r->out, "    uint32_t length%zu_ = "
                "usertrace_simple_length(", i);
        emit_name(r->out, program_arg(e, i)->name);
        fputs(");\n", r->out);
    }
}

static void c_event(const struct tt_request *r, const struct tt_event *e)
{
    if ( !program_has(e) )
        return;
    simple_code_prototype(r, e, ";\n");
    simple_code_prototype(r, e, "\n{\n");
    put_lengths(r, e);
    fputs("    struct usertrace_record record_;\n"
          "    char *at_ = usertrace_simple_begin(&record_, _", r->out);
    program_token(r->out, e);
    fputs("_EVENT.id,\n        ", r->out);
    simple_code_size(r, e);
    fputs(");\n\n    if ( !at_ )\n        return;\n", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        simple_code_value(r, e, i, "    at_ = usertrace_simple_word(at_, ",
                          "    at_ = usertrace_simple_string(at_, ");
    fputs("    usertrace_simple_end(&record_, at_);\n}\n\n", r->out);
}

const struct tt_backend tt_backend_simple = {
    .name = "simple",
    .text = "Records in a trace file (simpletrace reads it).",
    .by_state = true,
    .accepts = program_accepts,
    .h_event = h_event,
    .h_body = simple_code_call,
    .h_enabled = program_by_state,
    .c_begin = c_begin,
    .c_event = c_event,
};
