/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions recorded with QEMU, as files of lines, and their events.
 */
#ifndef TESTS_UNIT_LIBUSERTRACE_MONITOR_SESSION_H
#define TESTS_UNIT_LIBUSERTRACE_MONITOR_SESSION_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../events.h"
#include "common/fault.h"
#include "libusertrace/trace/monitor.h"

#define SESSION_EVENTS 128

/* A folder of its own for trace files. */
static inline void session_folder(char folder[32])
{
    strcpy(folder, "/tmp/monitor.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

/* "+ NAME", "- NAME" or "@ NAME"; never freed. */
static inline void session_event(const char *line)
{
    static uint16_t states[SESSION_EVENTS];
    static TraceEvent *pairs[SESSION_EVENTS][2];
    static unsigned int nr;
    TraceEvent ev = {
        .name = strdup(line + 2), .sstate = *line != '-',
        .dstate = &states[nr],
        .vcpu_id = *line == '@' ? 0 : TRACE_VCPU_EVENT_NONE,
    };

    ck_assert_uint_lt(nr, SESSION_EVENTS);
    pairs[nr][0] = malloc(sizeof(ev));
    memcpy(pairs[nr][0], &ev, sizeof(ev));
    trace_event_register_group(pairs[nr++]);
}

static inline FILE *session_open(const char *name)
{
    const char *top = getenv("top_srcdir");
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/unit/libusertrace/monitor/%s",
             top ? top : ".", name);
    file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s: cannot be opened", path);
    return file;
}

#endif /* TESTS_UNIT_LIBUSERTRACE_MONITOR_SESSION_H */
