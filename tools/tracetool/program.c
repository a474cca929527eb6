/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments and formats of a program's events, including the vcpu.
 */
#include "tracetool/program.h"

#include <assert.h>
#include <errno.h>

#include "tracetool/conversion.h"
#include "tracetool/emit.h"

static const struct tt_arg cpu = {
    .type = "void *", .name = "__cpu", .kind = TT_POINTER, .present = -1,
};

bool program_has_any(const struct tt_model *m)
{
    for ( size_t i = 0; i < m->nr_events; i++ )
        if ( program_has(&m->events[i]) )
            return true;
    return false;
}

int program_accepts(const struct tt_event *e, struct err *why)
{
    if ( program_has(e) )
        return 0;
    return err_set(why, -EINVAL, "%s: an event with an id is the hypervisor's: "
                   "take back end xen or nop, or leave out the id=", e->name);
}

/*
 * Readers of traces accept such a format, so this is no check of the parser.
 */
int program_accepts_printed(const struct tt_event *e, struct err *why)
{
    int rc = program_accepts(e, why);

    for ( size_t i = 0; !rc && i < e->nr_pieces; i++ )
    {
        const struct tt_piece *p = &e->pieces[i];
        struct tt_conversion c;
        char odd;

        if ( p->arg < 0 )
            continue;
        tt_conversion_read(&c, (char *)p->text, 0, true);
        odd = tt_conversion_odd_flag(&c);
        if ( odd )
            rc = err_set(why, -EINVAL, "%s: the C compiler warns of the '%c' "
                         "in %.24s, which has no effect: take it out", e->name,
                         odd, p->text);
    }
    return rc;
}

size_t program_nr_args(const struct tt_event *e)
{
    return e->nr_args + e->vcpu;
}

const struct tt_arg *program_arg(const struct tt_event *e, size_t i)
{
    assert(i < program_nr_args(e));
    if ( !e->vcpu )
        return &e->args[i];
    return i ? &e->args[i - 1] : &cpu;
}

void program_parameters(FILE *out, const struct tt_event *e)
{
    assert(program_has(e));
    if ( e->vcpu )
        fprintf(out, "%s%s%s", cpu.type, cpu.name, e->nr_args ? ", " : "");
    if ( !e->vcpu || e->nr_args )
        emit_parameters(out, e);
}

void program_arguments(FILE *out, const char *before, const struct tt_event *e)
{
    for ( size_t i = 0; i < program_nr_args(e); i++ )
    {
        fputs(i ? ", " : before, out);
        emit_name(out, program_arg(e, i)->name);
    }
}

void program_format(FILE *out, const struct tt_event *e)
{
    fprintf(out, "%s%s", e->vcpu ? "\"cpu=%p \" " : "", e->format);
}

void program_token(FILE *out, const struct tt_event *e)
{
    fputs("TRACE_", out);
    emit_upper(out, e->name);
}

/* An event without a format prints its name, even with arguments. */
bool program_is_printed(const struct tt_event *e, size_t i)
{
    return e->nr_pieces || (e->vcpu && i == 0);
}

/* A pointer to signed or unsigned bytes may be for %s, too. */
static bool is_printed_as_text(const struct tt_event *e, size_t i)
{
    const struct tt_piece *p;

    for ( p = e->pieces; p < e->pieces + e->nr_pieces; p++ )
        if ( p->arg >= 0 && (size_t)p->arg + e->vcpu == i )
            return p->text[p->length - 1] == 's';
    return false;
}

/* %p needs a void pointer in C; a string may be for %s or %p. */
void program_print(FILE *out, const char *call, const struct tt_event *e,
                   const char *end)
{
    assert(program_has(e));
    fprintf(out, "%s\"%s \" ", call, e->name);
    program_format(out, e);
    if ( *end )
        fprintf(out, " \"%s\"", end);
    for ( size_t i = 0; i < program_nr_args(e) && program_is_printed(e, i);
          i++ )
    {
        const struct tt_arg *a = program_arg(e, i);

        fputs(a->kind != TT_POINTER ? ", " : is_printed_as_text(e, i) ?
              ", (const char *)" : ", (const void *)", out);
        emit_name(out, a->name);
    }
    fputs(");\n", out);
}

void program_by_state(const struct tt_request *r, const struct tt_event *e)
{
    fputs("trace_event_get_state_dynamic_by_id(", r->out);
    program_token(r->out, e);
    fputs(")", r->out);
}
