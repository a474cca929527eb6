/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The definitions of LTTng's trace points for back end ust: ust-events-h
 * declares them, in a file trace-ust-GROUP.h; ust-events-c includes that file
 * and defines the probes, once per program.
 *
 * Each argument is a field of its type, in hex if its conversion is in hex.  So
 * an event without format has all fields, too.
 */
#include "tracetool/rows.h"

#include <assert.h>
#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/program.h"

static const char *get_group(const struct tt_request *r)
{
    return r->group ? r->group : "all";
}

/* Indices in pieces do not count the vcpu, which is the first argument. */
static bool is_hex(const struct tt_event *e, size_t i)
{
    assert(i < program_nr_args(e));
    for ( size_t p = 0; p < e->nr_pieces && i >= e->vcpu; p++ )
    {
        const struct tt_piece *piece = &e->pieces[p];

        if ( piece->arg == (int)(i - e->vcpu) )
            return strchr("xX", piece->text[piece->length - 1]);
    }
    return false;
}

static void put_ust_field(const struct tt_request *r, const struct tt_event *e,
                          size_t i)
{
    const struct tt_arg *a = program_arg(e, i);
    bool is_pointer = a->kind == TT_POINTER;

    fputs("        ", r->out);
    if ( a->kind == TT_STRING )
        fputs("ctf_string(", r->out);
    else
        fprintf(r->out, "ctf_integer%s(%s, ",
                is_pointer || is_hex(e, i) ? "_hex" : "",
                is_pointer ? "uintptr_t" : a->type);
    emit_name(r->out, a->name);
    fputs(is_pointer ? ", (uintptr_t)" : ", ", r->out);
    emit_name(r->out, a->name);
    fputs(")\n", r->out);
}

static void put_ust_event(const struct tt_request *r, const struct tt_event *e)
{
    size_t nr = program_nr_args(e);

    assert(program_has(e));
    fprintf(r->out, "TRACEPOINT_EVENT(\n    %s,\n    %s,\n    TP_ARGS(",
            r->provider, e->name);
    for ( size_t i = 0; i < nr; i++ )
    {
        fprintf(r->out, "%s%s, ", i ? ", " : "", program_arg(e, i)->type);
        emit_name(r->out, program_arg(e, i)->name);
    }
    fprintf(r->out, "%s),\n    TP_FIELDS(\n", nr ? "" : "void");
    for ( size_t i = 0; i < nr; i++ )
        put_ust_field(r, e, i);
    fputs("    )\n)\n\n", r->out);
}

static int write_h(const struct tt_request *r, struct err *why)
{
    const struct tt_event *e, *events = r->model->events;

    (void)why;
    fprintf(r->out, "/* " EMIT_BANNER " */\n\n"
            "#undef TRACEPOINT_PROVIDER\n#define TRACEPOINT_PROVIDER %s\n\n"
            "#undef TRACEPOINT_INCLUDE\n"
            "#define TRACEPOINT_INCLUDE \"./trace-ust-%s.h\"\n\n",
            r->provider, get_group(r));
    fputs("#if !defined(TRACE_", r->out);
    emit_upper(r->out, get_group(r));
    fputs("_GENERATED_UST_H) || \\\n"
          "    defined(TRACEPOINT_HEADER_MULTI_READ)\n#define TRACE_", r->out);
    emit_upper(r->out, get_group(r));
    fputs("_GENERATED_UST_H\n\n#include <stdbool.h>\n#include <stddef.h>\n"
          "#include <stdint.h>\n#include <sys/types.h>\n"
          "#include <lttng/tracepoint.h>\n\n", r->out);
    for ( e = events; e < events + r->model->nr_events; e++ )
        if ( program_has(e) && !e->disabled )
            put_ust_event(r, e);
    fputs("#endif\n\n#include <lttng/tracepoint-event.h>\n", r->out);
    return 0;
}

static int write_c(const struct tt_request *r, struct err *why)
{
    (void)why;
    fprintf(r->out, "/* " EMIT_BANNER " */\n\n#define TRACEPOINT_DEFINE\n"
            "#define TRACEPOINT_CREATE_PROBES\n\n#include \"trace-ust-%s.h\"\n",
            get_group(r));
    return 0;
}

const struct tt_format tt_format_ust_events_c = {
    .name = "ust-events-c",
    .text = "LTTng: C file with the probes.",
    .write = write_c,
};

const struct tt_format tt_format_ust_events_h = {
    .name = "ust-events-h",
    .text = "LTTng: events, as trace-ust-GROUP.h.",
    .write = write_h,
};
