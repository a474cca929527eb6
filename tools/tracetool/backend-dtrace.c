/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static probes for SystemTap, perf, bpftrace and gdb: notes in an ELF section
 * of the program (sys/sdt.h), and a "nop" instruction at the trace point.
 *
 * Each probe has a semaphore, which the tracer increments; while the semaphore
 * is 0, arguments are not computed.  QEMU generates header and semaphores with
 * dtrace(1), as "trace-dtrace-GROUP.h" and an object file.  This back end needs
 * neither: the header includes sys/sdt.h, and format c defines the semaphores
 * as weak symbols, so that the symbols of such an object file override them.
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"

static void dtrace_h_begin(const struct tt_request *r)
{
    fputs("#ifndef _SDT_HAS_SEMAPHORES\n#define _SDT_HAS_SEMAPHORES 1\n"
          "#endif\n#include <sys/sdt.h>\n\n", r->out);
}

/* Write "QEMU_NAME". */
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

/* Volatile: the tracer writes to the semaphore. */
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
