/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each argument has 64 bits, a string is preceded by its length.
 */
#include "tracetool/simple-code.h"

#include <assert.h>

#include "tracetool/emit.h"
#include "tracetool/program.h"

void simple_code_prototype(const struct tt_request *r,
                           const struct tt_event *e, const char *end)
{
    fprintf(r->out, "void _simple_trace_%s(", e->name);
    program_parameters(r->out, e);
    fprintf(r->out, ")%s", end);
}

void simple_code_call(const struct tt_request *r, const struct tt_event *e)
{
    fprintf(r->out, "_simple_trace_%s(", e->name);
    program_arguments(r->out, "", e);
    fputs(");\n", r->out);
}

void simple_code_size(const struct tt_request *r, const struct tt_event *e)
{
    fputs("0", r->out);
    for ( size_t i = 0; i < program_nr_args(e); i++ )
        if ( program_arg(e, i)->kind == TT_STRING )
            fprintf(r->out, " + 4 + length%zu_", i);
        else
            fputs(" + 8", r->out);
}

void simple_code_value(const struct tt_request *r, const struct tt_event *e,
                       size_t i, const char *word, const char *string)
{
    const struct tt_arg *a = program_arg(e, i);
    bool is_string = a->kind == TT_STRING;

    assert(i < program_nr_args(e));
    fputs(is_string ? string : word, r->out);
    if ( a->kind == TT_POINTER )
        fputs("(uintptr_t)", r->out);
    else if ( !is_string )
        fputs(a->is_signed ? "(uint64_t)(int64_t)" : "(uint64_t)", r->out);
    emit_name(r->out, a->name);
    if ( is_string )
        fprintf(r->out, ", length%zu_", i);
    fputs(");\n", r->out);
}
