/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back ends log, syslog and ftrace with QEMU's own run-time code: QEMU's log
 * decides the destination of a line (-D, -d), and whether the line begins with
 * a time (-msg timestamp=on).
 *
 * Up to QEMU 10.1 the trace point writes the time itself.  Since 10.2,
 * qemu_log() writes the time, and LOG_TRACE is unsigned, which the preprocessor
 * can test.
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"

/* ---- log --------------------------------------------------------------- */

static void qemu_log_h_begin(const struct tt_request *r)
{
    fputs("#include \"qemu/log-for-trace.h\"\n"
          "#include \"qemu/error-report.h\"\n\n"
          "#ifndef TRACETOOL_LOG\n"
          "#if LOG_TRACE * 0 - 1 > 0\n"
          "#define TRACETOOL_LOG(format_, ...) \\\n"
          "    do { \\\n"
          "        if ( qemu_loglevel_mask(LOG_TRACE) ) \\\n"
          "            qemu_log(format_, ## __VA_ARGS__); \\\n"
          "    } while ( 0 )\n"
          "#else\n"
          "#define TRACETOOL_LOG(format_, ...) \\\n"
          "    do { \\\n"
          "        struct timeval now_; \\\n"
          "        if ( !qemu_loglevel_mask(LOG_TRACE) ) \\\n"
          "            break; \\\n"
          "        if ( !message_with_timestamp ) \\\n"
          "        { \\\n"
          "            qemu_log(format_, ## __VA_ARGS__); \\\n"
          "            break; \\\n"
          "        } \\\n"
          "        gettimeofday(&now_, NULL); \\\n"
          "        qemu_log(\"%d@%zu.%06zu:\" format_, \\\n"
          "                 qemu_get_thread_id(), (size_t)now_.tv_sec, \\\n"
          "                 (size_t)now_.tv_usec, ## __VA_ARGS__); \\\n"
          "    } while ( 0 )\n"
          "#endif\n"
          "#endif\n\n", r->out);
}

static void qemu_log_h_body(const struct tt_request *r,
                            const struct tt_event *e)
{
    program_print(r->out, "TRACETOOL_LOG(", e, "\\n");
}

static void log_rs_body(const struct tt_request *r, const struct tt_event *e)
{
    fputs("if (unsafe { bindings::qemu_loglevel } & bindings::LOG_TRACE) != 0 "
          "{\n            ", r->out);
    program_rust_print(r->out, "bindings::qemu_log(", e, "\\n");
    fputs("        }\n", r->out);
}

/* ---- syslog ------------------------------------------------------------ */

static void qemu_syslog_h_begin(const struct tt_request *r)
{
    fputs("#include <syslog.h>\n\n", r->out);
}

static void qemu_syslog_h_body(const struct tt_request *r,
                               const struct tt_event *e)
{
    program_print(r->out, "syslog(LOG_INFO, ", e, "");
}

static void syslog_rs_body(const struct tt_request *r,
                           const struct tt_event *e)
{
    program_rust_print(r->out, "::trace::syslog(::trace::LOG_INFO, ", e, "");
}

/* ---- ftrace ------------------------------------------------------------ */

/* The result of write() is unused: no error can be reported here. */
static void qemu_ftrace_h_begin(const struct tt_request *r)
{
    fputs("#include \"trace/ftrace.h\"\n\n"
          "#ifndef TRACETOOL_FTRACE\n"
          "#define TRACETOOL_FTRACE(...) \\\n"
          "    do { \\\n"
          "        char line_[MAX_TRACE_STRLEN]; \\\n"
          "        int length_ = snprintf(line_, sizeof(line_), "
          "__VA_ARGS__); \\\n"
          "        ssize_t __attribute__((unused)) done_ = \\\n"
          "            write(trace_marker_fd, line_, \\\n"
          "                  MIN(length_, MAX_TRACE_STRLEN - 1)); \\\n"
          "    } while ( 0 )\n"
          "#endif\n\n", r->out);
}

static void qemu_ftrace_h_body(const struct tt_request *r,
                               const struct tt_event *e)
{
    program_print(r->out, "TRACETOOL_FTRACE(", e, "\\n");
}

static void ftrace_rs_body(const struct tt_request *r,
                           const struct tt_event *e)
{
    program_rust_print(r->out, "bindings::ftrace_write(", e, "\\n");
}

const struct tt_backend tt_backend_qemu_log = {
    .name = "log",
    .old_name = "stderr",
    .text = "Lines in QEMU's log.",
    .by_state = true,
    .accepts = program_accepts_printed,
    .h_begin = qemu_log_h_begin,
    .h_body = qemu_log_h_body,
    .h_enabled = program_by_state,
    .rs_body = log_rs_body,
};

const struct tt_backend tt_backend_qemu_syslog = {
    .name = "syslog",
    .text = "Lines for the syslog daemon.",
    .by_state = true,
    .accepts = program_accepts_printed,
    .h_begin = qemu_syslog_h_begin,
    .h_body = qemu_syslog_h_body,
    .h_enabled = program_by_state,
    .rs_body = syslog_rs_body,
};

const struct tt_backend tt_backend_qemu_ftrace = {
    .name = "ftrace",
    .text = "Lines in the kernel's trace (trace_marker).",
    .by_state = true,
    .accepts = program_accepts_printed,
    .h_begin = qemu_ftrace_h_begin,
    .h_body = qemu_ftrace_h_body,
    .h_enabled = program_by_state,
    .rs_body = ftrace_rs_body,
};
