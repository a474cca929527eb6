/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static probes as QEMU's build has them: dtrace(1) generates the macros
 * QEMU_NAME() and QEMU_NAME_ENABLED() as trace-dtrace-GROUP.h, from format d.
 */
#include "tracetool/rows.h"

#include <assert.h>

#include "tracetool/emit.h"
#include "tracetool/program.h"

/* LTTng's header needs SDT_USE_VARIADIC in the first include of sys/sdt.h. */
static void qemu_dtrace_h_begin(const struct tt_request *r)
{
    assert(r->group);
    fprintf(r->out, "#ifndef SDT_USE_VARIADIC\n#define SDT_USE_VARIADIC 1\n"
            "#endif\n#include \"trace-dtrace-%s.h\"\n"
            "#undef SDT_USE_VARIADIC\n\n", r->group);
}

/* A dtrace(1) other than SystemTap's may have no test of the semaphore. */
static void qemu_dtrace_h_event(const struct tt_request *r,
                                const struct tt_event *e)
{
    fputs("#ifndef QEMU_", r->out);
    emit_upper(r->out, e->name);
    fputs("_ENABLED\n#define QEMU_", r->out);
    emit_upper(r->out, e->name);
    fputs("_ENABLED() true\n#endif\n", r->out);
}

static void qemu_dtrace_h_enabled(const struct tt_request *r,
                                  const struct tt_event *e)
{
    fputs("QEMU_", r->out);
    emit_upper(r->out, e->name);
    fputs("_ENABLED()", r->out);
}

static void qemu_dtrace_h_body(const struct tt_request *r,
                               const struct tt_event *e)
{
    fputs("QEMU_", r->out);
    emit_upper(r->out, e->name);
    fputc('(', r->out);
    program_arguments(r->out, "", e);
    fputs(");\n", r->out);
}

/* Rust has no macro for the test: the semaphores are declared. */
static void dtrace_rs_begin(const struct tt_request *r)
{
    const struct tt_event *e, *events = r->model->events;

    fputs("extern \"C\" {\n", r->out);
    for ( e = events; e < events + r->model->nr_events; e++ )
        if ( !e->disabled )
            fprintf(r->out, "    #[allow(dead_code)]\n    static "
                    "qemu_%s_semaphore: std::cell::UnsafeCell<u16>;\n",
                    e->name);
    fputs("}\n\n", r->out);
}

static void dtrace_rs_enabled(const struct tt_request *r,
                              const struct tt_event *e)
{
    fprintf(r->out, "(unsafe { qemu_%s_semaphore.get().read_volatile() }) != 0",
            e->name);
}

static void dtrace_rs_body(const struct tt_request *r,
                           const struct tt_event *e)
{
    fprintf(r->out, "::trace::probe!(qemu, %s%s", e->name,
            program_nr_args(e) ? ", " : "");
    program_rust_arguments(r->out, e);
    fputs(");\n", r->out);
}

const struct tt_backend tt_backend_qemu_dtrace = {
    .name = "dtrace",
    .text = "Probes for SystemTap, perf and bpftrace.",
    .accepts = program_accepts,
    .h_begin = qemu_dtrace_h_begin,
    .h_event = qemu_dtrace_h_event,
    .h_body = qemu_dtrace_h_body,
    .h_enabled = qemu_dtrace_h_enabled,
    .rs_begin = dtrace_rs_begin,
    .rs_body = dtrace_rs_body,
    .rs_enabled = dtrace_rs_enabled,
};
