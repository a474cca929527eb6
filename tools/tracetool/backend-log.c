/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three back ends that print a line per event, by the declared format: to
 * the log, to syslog or to the kernel's trace.  Library functions format and
 * write the line (trace/text.h); this file generates the calls.
 */
#include "tracetool/rows.h"

#include "tracetool/program.h"

static void log_h_begin(const struct tt_request *r)
{
    fputs("#include \"trace/text.h\"\n\n", r->out);
}

static void log_body(const struct tt_request *r, const struct tt_event *e)
{
    program_print(r->out, "usertrace_log(", e, "\\n");
}

static void syslog_body(const struct tt_request *r, const struct tt_event *e)
{
    program_print(r->out, "usertrace_syslog(", e, "\\n");
}

static void ftrace_body(const struct tt_request *r, const struct tt_event *e)
{
    program_print(r->out, "usertrace_ftrace(", e, "\\n");
}

#define PRINTS(body)                                                    \
    .by_state = true, .accepts = program_accepts_printed,               \
    .h_begin = log_h_begin,                                             \
    .h_body = (body), .h_enabled = program_by_state

const struct tt_backend tt_backend_log = {
    .name = "log",
    .old_name = "stderr",
    .text = "Lines on stderr or in a log file.",
    PRINTS(log_body),
};

const struct tt_backend tt_backend_syslog = {
    .name = "syslog",
    .text = "Lines for the syslog daemon.",
    PRINTS(syslog_body),
};

const struct tt_backend tt_backend_ftrace = {
    .name = "ftrace",
    .text = "Lines in the kernel's trace (trace_marker).",
    PRINTS(ftrace_body),
};
