/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's trace/control.c with libusertrace: the option --trace by QEMU's option
 * parser, messages by QEMU's error_report(), and lines of back end log in
 * QEMU's log, so that -D, -d and -msg timestamp=on have their usual effect.
 */
#include "qemu/osdep.h"

#include <sys/time.h>

#include <common/err.h>

#include "monitor/monitor.h"
#include "qapi/error.h"
#include "qemu/config-file.h"
#include "qemu/error-report.h"
#include "qemu/help_option.h"
#include "qemu/log.h"
#include "qemu/option.h"
#include "qemu/qemu-print.h"
#include "trace/control-vcpu.h"
#include "trace/usertrace.h"

/* The library's functions. */
#undef trace_init_backends
#undef trace_init_file
bool trace_init_backends(void);
void trace_init_file(void);

#define TEXT(key) { .name = key, .type = QEMU_OPT_STRING }

QemuOptsList qemu_trace_opts = {
    .name = "trace",
    .implied_opt_name = "enable",
    .head = QTAILQ_HEAD_INITIALIZER(qemu_trace_opts.head),
    .desc = {
        TEXT("enable"), TEXT("events"), TEXT("file"), TEXT("ring"),
        TEXT("mode"), TEXT("qmp"), TEXT("hmp"), TEXT("hmp-0.14"),
        { .name = NULL }
    },
};

static bool option_given;
static char *log_file;          /* NULL: not given */

/* ---- output of the library ---------------------------------------------- */

static void report_line(const char *line, void *arg)
{
    error_report("%s", line);
}

/* Up to QEMU 10.1, LOG_TRACE is signed, and qemu_log() prints no time. */
static void write_log_line(const char *line, size_t length, void *arg)
{
    struct timeval now;

    if ( !qemu_loglevel_mask(LOG_TRACE) )
        return;
#if LOG_TRACE * 0 - 1 < 0
    if ( message_with_timestamp )
    {
        gettimeofday(&now, NULL);
        qemu_log("%d@%zu.%06zu:%s", qemu_get_thread_id(), (size_t)now.tv_sec,
                 (size_t)now.tv_usec, line);
        return;
    }
#endif
    (void)now;
    qemu_log("%s", line);
}

/* Before the first message or event. */
static void redirect_output(void)
{
    static bool done;

    if ( done )
        return;
    done = true;
    usertrace_set_reporter(report_line, NULL);
    usertrace_log_to(write_log_line, NULL);
}

/* ---- events ------------------------------------------------------------- */

/* The command "log trace:help" of the monitor does not end QEMU. */
void usertrace_qemu_enable_events(const char *line)
{
    struct err e = ERR_INIT;

    redirect_output();
    if ( is_help_option(line) )
    {
        trace_list_events(stdout);
        if ( !monitor_cur() )
            exit(0);
        return;
    }
    if ( usertrace_enable(line, &e) )
        warn_report("%s", e.text);
}

void usertrace_qemu_set_vcpu_state(CPUState *cpu, TraceEvent *ev, bool state)
{
    const struct trace_vcpu *vcpu = usertrace_vcpu_of(cpu);

    if ( vcpu )
        usertrace_vcpu_set_state(vcpu->index, ev, state);
}

/* ---- options ------------------------------------------------------------ */

/* Exit as QEMU does if the value is wrong, and after help. */
static void apply_value(QemuOpts *opts, const char *key)
{
    const char *value = qemu_opt_get(opts, key);
    char **parts, *doubled, *text;
    struct err e = ERR_INIT;
    int rc;

    if ( !value )
        return;
    parts = g_strsplit(value, ",", -1);
    doubled = g_strjoinv(",,", parts);
    text = g_strdup_printf("%s=%s", key, doubled);
    rc = usertrace_option(text, &e);
    if ( rc < 0 )
        error_report("%s", e.text);
    if ( rc )
        exit(rc < 0);
    g_free(text);
    g_free(doubled);
    g_strfreev(parts);
}

static void apply_options(QemuOpts *opts)
{
    apply_value(opts, "ring");
    apply_value(opts, "mode");
    if ( qemu_opt_get(opts, "enable") )
        usertrace_qemu_enable_events(qemu_opt_get(opts, "enable"));
    apply_value(opts, "events");
    if ( usertrace_has_backend("simple") || !usertrace_has_backend("log") )
        apply_value(opts, "file");
    else if ( qemu_opt_get(opts, "file") )
    {
        g_free(log_file);
        log_file = g_strdup(qemu_opt_get(opts, "file"));
    }
    apply_value(opts, "qmp");
    apply_value(opts, "hmp");
    apply_value(opts, "hmp-0.14");
}

void usertrace_qemu_opt_parse(const char *text)
{
    QemuOpts *opts = qemu_opts_parse_noisily(qemu_find_opts("trace"), text,
                                             true);

    if ( !opts )
        exit(1);
    redirect_output();
    apply_options(opts);
    qemu_opts_del(opts);
    option_given = true;
}

bool usertrace_qemu_init_backends(void)
{
    redirect_output();
    return trace_init_backends();
}

/* The trace file is opened if --trace was given, even without events. */
void usertrace_qemu_init_file(void)
{
    if ( log_file )
        qemu_set_log_filename(log_file, &error_fatal);
    if ( option_given && usertrace_has_backend("simple") )
        st_set_trace_file_enabled(true);
    else
        trace_init_file();
}

/* ---- the command trace-file of the monitor ------------------------------ */

void usertrace_qemu_print_file_status(void)
{
    char path[PATH_MAX];
    bool on = usertrace_file_status(path, sizeof(path));

    qemu_printf("Trace file \"%s\" %s.\n", path, on ? "on" : "off");
}
