/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace file by QEMU's functions (trace/simple.h and trace/control.h in
 * QEMU), so that QEMU links this library instead.  These functions return no
 * reason: errors are reported.
 */
#include <limits.h>
#include <stdio.h>

#include "libusertrace/registry.h"
#include "libusertrace/reporter.h"
#include "libusertrace/simple-backend.h"
#include "libusertrace/trace/usertrace.h"

bool st_set_trace_file_enabled(bool on)
{
    bool before = usertrace_file_status(NULL, 0);
    struct err e = ERR_INIT;

    if ( usertrace_file(on ? USERTRACE_FILE_ON : USERTRACE_FILE_OFF, &e) )
        ut_report("%s", e.text);
    return before;
}

void st_set_trace_file(const char *path)
{
    struct err e = ERR_INIT;

    if ( usertrace_file_set(path, &e) )
        ut_report("%s", e.text);
}

void st_flush_trace_buffer(void)
{
    struct err e = ERR_INIT;

    if ( usertrace_file(USERTRACE_FILE_FLUSH, &e) )
        ut_report("%s", e.text);
}

void st_print_trace_file_status(void)
{
    char path[PATH_MAX];
    bool on = usertrace_file_status(path, sizeof(path));

    printf("Trace file \"%s\" %s.\n", path, on ? "on" : "off");
}

/* Open the file if it was given a name, or if an event is on. */
void trace_init_file(void)
{
    if ( usertrace_has_backend("simple") &&
         (ut_simple_has_name() ||
          __atomic_load_n(&trace_events_enabled_count, __ATOMIC_RELAXED)) )
        st_set_trace_file_enabled(true);
}
