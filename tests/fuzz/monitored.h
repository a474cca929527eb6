/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program controlled by arbitrary bytes: its events, two of a vcpu, one that
 * is compiled out; and its invariants.  No file can be opened, so the program
 * leaves nothing behind.
 */
#ifndef TESTS_FUZZ_MONITORED_H
#define TESTS_FUZZ_MONITORED_H

#include "common/fault.h"
#include "libusertrace/trace/control-vcpu.h"
#include "libusertrace/trace/usertrace.h"
#include "tests/fuzz/fuzz.h"

#define NR_EVENTS 5

#define AN_EVENT(at, text, is_in, vcpu) {                               \
    .name = text, .sstate = is_in, .dstate = &states[at],               \
    .vcpu_id = (vcpu) ? 0 : TRACE_VCPU_EVENT_NONE,                      \
}

static uint16_t states[NR_EVENTS];
static TraceEvent all[NR_EVENTS] = {
    AN_EVENT(0, "disk_read", true, false), AN_EVENT(1, "disk", false, false),
    AN_EVENT(2, "cpu_in", true, true), AN_EVENT(3, "cpu_out", true, true),
    AN_EVENT(4, "net", true, false),
};

static inline void hush(const char *line, void *arg)
{
    (void)arg;
    MUST(line[0]);
}

static inline void monitored_begin(void)
{
    static TraceEvent *group[NR_EVENTS + 1];
    static struct trace_vcpu vcpu;

    fault_arm_from(FAULT_OPEN, 1);
    if ( group[0] )
        return;
    for ( int i = 0; i < NR_EVENTS; i++ )
        group[i] = &all[i];
    trace_event_register_group(group);
    usertrace_set_reporter(hush, NULL);
    usertrace_use_backends("log");
    usertrace_vcpu_init(&vcpu, 0);
}

static inline void monitored_check(void)
{
    int sum = 0;

    for ( int i = 0; i < NR_EVENTS; i++ )
    {
        MUST(states[i] <= 1);
        sum += states[i];
    }
    MUST(!states[1]);
    MUST(trace_events_enabled_count == sum);
}

/* Copy the bytes up to the first NUL; the caller frees the copy. */
static inline char *monitored_text(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);

    MUST(text);
    for ( size_t i = 0; i < size; i++ )
        text[i] = bytes[i];
    text[size] = '\0';
    return text;
}

#endif /* TESTS_FUZZ_MONITORED_H */
