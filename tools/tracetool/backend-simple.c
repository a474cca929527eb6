/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in a trace file, in the format of QEMU's back end of this name: each
 * argument has 64 bits, a string is preceded by its length.
 *
 * The code that writes a record is out of line, in format c: the trace point
 * is a test and a call only, and computes nothing while the event is off.
 * Names of local variables end in "_", unlike names of arguments (emit_name).
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"

static void put_prototype(const struct tt_request *r, const struct tt_event *e,
                          const char *end)
{
    fprintf(r->out, "void _simple_trace_%s(", e->name);
    program_parameters(r->out, e);
    fprintf(r->out, ")%s", end);
}

static void h_event(const struct tt_request *r, const struct tt_event *e)
{
    put_prototype(r, e, ";\n");
}

static void simple_h_body(const struct tt_request *r, const struct tt_event *e)
{
    fprintf(r->out, "_simple_trace_%s(", e->name);
    program_arguments(r->out, "", e);
    fputs(");\n", r->out);
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

static void put_size(const struct tt_request *r, const struct tt_event *e)
{
    fputs("0", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        if ( program_arg(e, i)->kind == TT_STRING )
            fprintf(r->out, " + 4 + length%zu_", i);
        else
            fputs(" + 8", r->out);
}

static void put_simple_value(const struct tt_request *r,
                             const struct tt_event *e,
                             size_t i)
{
    const struct tt_arg *a = program_arg(e, i);
    bool is_string = a->kind == TT_STRING;

    fprintf(r->out, "    at_ = usertrace_simple_%s(at_, ",
            is_string ? "string" : "word");
    if ( a->kind == TT_POINTER )
        fputs("(uintptr_t)", r->out);
    else if ( !is_string )
        fputs(a->is_signed ? "(uint64_t)(int64_t)" : "(uint64_t)", r->out);
    emit_name(r->out, a->name);
    if ( is_string )
        fprintf(r->out, ", length%zu_", i);
    fputs(");\n", r->out);
}

static void c_event(const struct tt_request *r, const struct tt_event *e)
{
    if ( !program_has(e) )
        return;
    put_prototype(r, e, ";\n");
    put_prototype(r, e, "\n{\n");
    put_lengths(r, e);
    fputs("    struct usertrace_record record_;\n"
          "    char *at_ = usertrace_simple_begin(&record_, _", r->out);
    program_token(r->out, e);
    fputs("_EVENT.id,\n        ", r->out);
    put_size(r, e);
    fputs(");\n\n    if ( !at_ )\n        return;\n", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        put_simple_value(r, e, i);
    fputs("    usertrace_simple_end(&record_, at_);\n}\n\n", r->out);
}

const struct tt_backend tt_backend_simple = {
    .name = "simple",
    .text = "Records in a trace file (simpletrace reads it).",
    .by_state = true,
    .accepts = program_accepts,
    .h_event = h_event,
    .h_body = simple_h_body,
    .h_enabled = program_by_state,
    .c_begin = c_begin,
    .c_event = c_event,
};
