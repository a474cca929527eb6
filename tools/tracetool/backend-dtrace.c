/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes that SystemTap, perf, bpftrace and gdb find in the program: notes in
 * a section of its file (sys/sdt.h), and one "nop" where the trace point is.
 *
 * Each has a semaphore, which the tracer raises; as long as it is 0, arguments
 * are not even computed.  QEMU gets header and semaphores from the program
 * dtrace(1), as "trace-dtrace-GROUP.h" and an object file.  Here neither is
 * needed: the header uses sys/sdt.h itself, and the semaphores are in format
 * c, weak, so that those of such an object, if it is linked, take their place.
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"

static void dtrace_h_begin(const struct tt_request *r)
{
    fputs("#ifndef _SDT_HAS_SEMAPHORES\n#define _SDT_HAS_SEMAPHORES 1\n"
          "#endif\n#include <sys/sdt.h>\n\n", r->out);
}

/* "QEMU_NAME" */
static void put_macro(const struct tt_request *r, const struct tt_event *e)
{
    emit_upper(r->out, r->provider);
    fputc('_', r->out);
    emit_upper(r->out, e->name);
}

static void put_semaphore(const struct tt_request *r, const struct tt_event *e)
{
    fprintf(r->out, "%s_%s_semaphore", r->provider, e->name);
}

/* The tracer changes a semaphore from outside. */
static void h_event(const struct tt_request *r, const struct tt_event *e)
{
    fputs("extern unsigned short ", r->out);
    put_semaphore(r, e);
    fputs("\n    __attribute__((visibility(\"hidden\")));\n#define ", r->out);
    put_macro(r, e);
    fputs("_ENABLED() __builtin_expect( \\\n    *(volatile unsigned short *)&",
          r->out);
    put_semaphore(r, e);
    fputs(", 0)\n#define ", r->out);
    put_macro(r, e);
    fputc('(', r->out);
    program_arguments(r->out, "", e);
    fputs(") \\\n    STAP_PROBE", r->out);
    if ( program_nr_args(e) )
        fprintf(r->out, "%zu", program_nr_args(e));
    fprintf(r->out, "(%s, %s", r->provider, e->name);
    program_arguments(r->out, ", ", e);
    fputs(")\n", r->out);
}

static void dtrace_h_enabled(const struct tt_request *r,
                             const struct tt_event *e)
{
    put_macro(r, e);
    fputs("_ENABLED()", r->out);
}

static void dtrace_h_body(const struct tt_request *r, const struct tt_event *e)
{
    fputs("if ( ", r->out);
    dtrace_h_enabled(r, e);
    fputs(" )\n        ", r->out);
    put_macro(r, e);
    fputs("(", r->out);
    program_arguments(r->out, "", e);
    fputs(");\n", r->out);
}

static void c_event(const struct tt_request *r, const struct tt_event *e)
{
    if ( !program_has(e) )
        return;
    fputs("extern unsigned short ", r->out);
    put_semaphore(r, e);
    fputs(";\nunsigned short ", r->out);
    put_semaphore(r, e);
    fputs("\n    __attribute__((weak, visibility(\"hidden\"), "
          "section(\".probes\")));\n\n", r->out);
}

const struct tt_backend tt_backend_dtrace = {
    .name = "dtrace",
    .text = "Probes for SystemTap, perf and bpftrace.",
    .accepts = program_accepts,
    .h_begin = dtrace_h_begin,
    .h_event = h_event,
    .h_body = dtrace_h_body,
    .h_enabled = dtrace_h_enabled,
    .c_event = c_event,
};
