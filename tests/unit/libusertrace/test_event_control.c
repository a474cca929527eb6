/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registration, lookup and switching, in one thread.
 */
#include "events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/pattern.h"

EVENT(TRACE_DISK_READ, "disk_read", true, false);
EVENT(TRACE_DISK_WRITE, "disk_write", true, false);
EVENT(TRACE_DISK_ODD, "disk_odd", false, false);
EVENT(TRACE_CPU_IN, "cpu_in", true, true);
EVENT(TRACE_CPU_OUT, "cpu_out", true, true);
EVENT(TRACE_NET_SEND, "net_send", true, false);

#define TRACE_DISK_READ_ENABLED 1
#define TRACE_DISK_ODD_ENABLED 0
#define TRACE_CPU_OUT_ENABLED 1

static TraceEvent *disk[] = {
    &_TRACE_DISK_READ_EVENT, &_TRACE_DISK_WRITE_EVENT, &_TRACE_DISK_ODD_EVENT,
    NULL
};
static TraceEvent *cpu[] = {
    &_TRACE_CPU_IN_EVENT, &_TRACE_CPU_OUT_EVENT, NULL
};
static TraceEvent *net[] = { &_TRACE_NET_SEND_EVENT, NULL };

/* check forks for each test, so each starts without events. */
static void register_groups(void)
{
    trace_event_register_group(disk);
    trace_event_register_group(cpu);
    trace_event_register_group(net);
}

static const char *last_report(void)
{
    static char text[512];

    return text;
}

static void keep_report(const char *line, void *arg)
{
    (void)arg;
    snprintf((char *)last_report(), 512, "%s", line);
}

/* "disk_read disk_odd" */
static const char *list_names(TraceEventIter *iter)
{
    static char text[256];
    TraceEvent *ev;

    text[0] = '\0';
    while ( (ev = trace_event_iter_next(iter)) != NULL )
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
                 text[0] ? " " : "", trace_event_get_name(ev));
    return text;
}

START_TEST(ids_are_given_in_order)
{
    register_groups();
    ck_assert_uint_eq(trace_event_get_id(&_TRACE_DISK_READ_EVENT), 0);
    ck_assert_uint_eq(trace_event_get_id(&_TRACE_DISK_ODD_EVENT), 2);
    ck_assert_uint_eq(trace_event_get_id(&_TRACE_NET_SEND_EVENT), 5);
    ck_assert_uint_eq(_TRACE_CPU_IN_EVENT.vcpu_id, 0);
    ck_assert_uint_eq(_TRACE_CPU_OUT_EVENT.vcpu_id, 1);
    ck_assert(!trace_event_is_vcpu(&_TRACE_NET_SEND_EVENT));
    ck_assert_uint_eq(trace_get_vcpu_event_count(), 2);
}
END_TEST

START_TEST(events_are_found)
{
    TraceEventIter iter;

    register_groups();
    ck_assert_ptr_eq(trace_event_name("net_send"), &_TRACE_NET_SEND_EVENT);
    ck_assert_ptr_null(trace_event_name("net"));
    ck_assert_ptr_null(trace_event_name(""));
    trace_event_iter_init_all(&iter);
    ck_assert_str_eq(list_names(&iter), "disk_read disk_write disk_odd cpu_in "
                     "cpu_out net_send");
    ck_assert_ptr_null(trace_event_iter_next(&iter));
    trace_event_iter_init_pattern(&iter, "*_?n");
    ck_assert_str_eq(list_names(&iter), "cpu_in");
    trace_event_iter_init_group(&iter, 1);
    ck_assert_str_eq(list_names(&iter), "cpu_in cpu_out");
    trace_event_iter_init_group(&iter, 3);
    ck_assert_str_eq(list_names(&iter), "");
}
END_TEST

START_TEST(many_are_found)
{
    enum { MANY = 5000 };
    static TraceEvent *events[MANY + 1];
    static uint16_t state;
    char (*text)[16] = calloc(MANY, sizeof(*text));
    size_t i;

    for ( i = 0; i < MANY; i++ )
    {
        TraceEvent ev = { .name = text[i], .sstate = true, .dstate = &state,
                          .vcpu_id = TRACE_VCPU_EVENT_NONE };

        snprintf(text[i], sizeof(text[i]), "event_%zu", i);
        events[i] = malloc(sizeof(ev));
        memcpy(events[i], &ev, sizeof(ev));
    }
    register_groups();
    trace_event_register_group(events);
    for ( i = 0; i < MANY; i++ )
        ck_assert_ptr_eq(trace_event_name(text[i]), events[i]);
    ck_assert_ptr_null(trace_event_name("event_5000"));
    ck_assert_ptr_eq(trace_event_name("disk_read"), disk[0]);
}
END_TEST

START_TEST(one_is_switched)
{
    register_groups();
    ck_assert(!trace_event_get_state(TRACE_DISK_READ));
    trace_event_set_state_dynamic(disk[0], true);
    ck_assert(trace_event_get_state(TRACE_DISK_READ));
    ck_assert(trace_event_get_state_dynamic(disk[0]));
    ck_assert(!trace_event_get_state(TRACE_DISK_ODD));
    ck_assert_int_eq(trace_events_enabled_count, 1);
    trace_event_set_state_dynamic(disk[0], true);
    ck_assert_int_eq(trace_events_enabled_count, 1);
    trace_event_set_state_dynamic(disk[0], false);
    ck_assert_int_eq(trace_events_enabled_count, 0);
    ck_assert(!trace_event_get_state(TRACE_DISK_READ));
}
END_TEST

START_TEST(lines_switch)
{
    struct err e = ERR_INIT;

    register_groups();
    ck_assert_int_eq(usertrace_enable("disk*", &e), 0);
    ck_assert_int_eq(trace_events_enabled_count, 2);
    ck_assert_int_eq(usertrace_enable("-*_read", &e), 0);
    ck_assert_int_eq(trace_events_enabled_count, 1);
    ck_assert_int_eq(usertrace_enable("nothing*", &e), 0);
    ck_assert_int_eq(usertrace_enable("", &e), 0);
    ck_assert_int_eq(usertrace_enable("-", &e), -ENOENT);
    ck_assert_str_eq(e.text, "trace event '' does not exist");
    e = (struct err)ERR_INIT;
    ck_assert_int_eq(usertrace_enable("disk_odd", &e), -EPERM);
    ck_assert_str_eq(e.text, "trace event 'disk_odd' is not traceable");
    ck_assert_int_eq(usertrace_enable("nosuch", NULL), -ENOENT);
    ck_assert_int_eq(trace_events_enabled_count, 1);
}
END_TEST

START_TEST(what_is_wrong_is_said)
{
    register_groups();
    usertrace_set_reporter(keep_report, NULL);
    trace_enable_events("nosuch");
    ck_assert_str_eq(last_report(),
                     "warning: trace event 'nosuch' does not exist");
}
END_TEST

START_TEST(old_names_switch)
{
    register_groups();
    ck_assert(st_change_trace_event_state("disk_read", true));
    ck_assert(!st_change_trace_event_state("nosuch", true));
    ck_assert(!st_change_trace_event_state("disk_odd", true));
    ck_assert_int_eq(trace_events_enabled_count, 1);
    ck_assert(trace_event_set_state("disk_*", true));
    ck_assert_int_eq(trace_events_enabled_count, 2);
    ck_assert(!trace_event_set_state("tape_*", true));
    ck_assert(trace_event_set_state("*", false));
    ck_assert_int_eq(trace_events_enabled_count, 0);
}
END_TEST

START_TEST(vcpus_have_states)
{
    struct trace_vcpu one, two;

    register_groups();
    usertrace_vcpu_init(&one, 0);
    trace_event_set_state_dynamic(cpu[0], true);
    usertrace_vcpu_init(&two, 7);
    ck_assert(trace_event_get_vcpu_state_dynamic(&one, cpu[0]));
    ck_assert(trace_event_get_vcpu_state_dynamic(&two, cpu[0]));
    ck_assert_uint_eq(*cpu[0]->dstate, 2);
    ck_assert_int_eq(trace_events_enabled_count, 2);

    trace_event_set_vcpu_state_dynamic(&two, cpu[1], true);
    ck_assert(trace_event_get_vcpu_state(&two, TRACE_CPU_OUT));
    ck_assert(!trace_event_get_vcpu_state(&one, TRACE_CPU_OUT));
    ck_assert_int_eq(trace_events_enabled_count, 3);

    ck_assert_ptr_eq(usertrace_vcpu(7), &two);
    ck_assert_ptr_null(usertrace_vcpu(1));
    ck_assert_int_eq(usertrace_vcpu_get_state(7, cpu[1]), 1);
    ck_assert_int_eq(usertrace_vcpu_get_state(0, cpu[1]), 0);
    ck_assert_int_eq(usertrace_vcpu_set_state(0, cpu[1], true), 0);
    ck_assert(trace_event_get_vcpu_state(&one, TRACE_CPU_OUT));
    ck_assert_int_eq(usertrace_vcpu_set_state(0, cpu[1], false), 0);
    usertrace_vcpu_fini(&two);
    ck_assert_int_eq(usertrace_vcpu_get_state(7, cpu[1]), -ENOENT);
    ck_assert_int_eq(usertrace_vcpu_set_state(7, cpu[1], true), -ENOENT);
    ck_assert_ptr_null(usertrace_vcpu(7));
    ck_assert_int_eq(trace_events_enabled_count, 1);
    ck_assert(!trace_event_get_state(TRACE_CPU_OUT));
    trace_event_set_state_dynamic(cpu[0], false);
    ck_assert_int_eq(trace_events_enabled_count, 0);
    usertrace_vcpu_fini(&one);
}
END_TEST

START_TEST(vcpu_events_can_be_on_before_vcpus)
{
    struct trace_vcpu one;

    register_groups();
    trace_event_set_state_dynamic(cpu[1], true);
    ck_assert(trace_event_get_state(TRACE_CPU_OUT));
    usertrace_vcpu_init(&one, 0);
    ck_assert(trace_event_get_vcpu_state(&one, TRACE_CPU_OUT));
    ck_assert_int_eq(trace_events_enabled_count, 1);
    usertrace_vcpu_fini(&one);
}
END_TEST

START_TEST(too_many_vcpu_events_are_plain)
{
    static TraceEvent *events[35];
    static uint16_t states[34];
    size_t i;

    usertrace_set_reporter(keep_report, NULL);
    for ( i = 0; i < 34; i++ )
    {
        TraceEvent ev = { .name = "v", .sstate = true, .dstate = &states[i] };

        events[i] = malloc(sizeof(ev));
        memcpy(events[i], &ev, sizeof(ev));
    }
    trace_event_register_group(events);
    ck_assert_uint_eq(events[31]->vcpu_id, 31);
    ck_assert(!trace_event_is_vcpu(events[32]));
    ck_assert_ptr_nonnull(strstr(last_report(), "more than 32 vcpu"));
}
END_TEST

START_TEST(no_memory_is_no_end)
{
    usertrace_set_reporter(keep_report, NULL);
    fault_arm(FAULT_ALLOC, 1);
    trace_event_register_group(disk);
    ck_assert_ptr_nonnull(strstr(last_report(), "out of memory"));
    ck_assert_ptr_null(trace_event_name("disk_read"));

    /* Without an index, names are found all the same. */
    fault_arm(FAULT_ALLOC, 2);
    trace_event_register_group(cpu);
    ck_assert_uint_eq(fault_fired(FAULT_ALLOC), 1);
    ck_assert_ptr_eq(trace_event_name("cpu_out"), cpu[1]);
    ck_assert_ptr_null(trace_event_name("disk_read"));
    fault_disarm();
}
END_TEST

START_TEST(backends_are_known)
{
    ck_assert_ptr_null(usertrace_backends()[0]);
    usertrace_use_backends("log,simple");
    usertrace_use_backends("simple,xen,log");
    ck_assert_str_eq(usertrace_backends()[0], "log");
    ck_assert_str_eq(usertrace_backends()[1], "simple");
    ck_assert_ptr_null(usertrace_backends()[2]);
    ck_assert(usertrace_has_backend("simple"));
    ck_assert(!usertrace_has_backend("sim"));
}
END_TEST

static int parse_option(const char *text)
{
    struct err e = ERR_INIT;
    int rc = usertrace_option(text, &e);

    if ( rc < 0 )
        keep_report(e.text, NULL);
    return rc;
}

START_TEST(options)
{
    FILE *file = fopen("control.events", "w");

    ck_assert_ptr_nonnull(file);
    fputs("# two\n  disk_read \r\n\n-cpu_in\nnosuch\nnet_send", file);
    fclose(file);
    register_groups();
    usertrace_set_reporter(keep_report, NULL);
    usertrace_use_backends("simple");
    ck_assert_int_eq(parse_option("cpu*,events=control.events,file=a,,b"), 0);
    ck_assert_str_eq(last_report(),
                     "control.events:5: warning: trace event 'nosuch' "
                     "does not exist");
    unlink("control.events");
    ck_assert(*disk[0]->dstate && !*cpu[0]->dstate && *cpu[1]->dstate &&
              *net[0]->dstate && !*disk[1]->dstate);
    ck_assert(!usertrace_file_status((char *)last_report(), 512));
    ck_assert_str_eq(last_report(), "a,b");
    ck_assert_int_eq(parse_option("enable=-disk*,enable=-net*"), 0);
    ck_assert(*disk[0]->dstate && !*net[0]->dstate);
    ck_assert_int_eq(parse_option(""), 0);
    ck_assert_int_eq(parse_option("x,y"), -EINVAL);
    ck_assert_int_eq(strncmp(last_report(), "Invalid parameter 'y'", 21), 0);
    ck_assert_int_eq(parse_option("bogus=1"), -EINVAL);
    ck_assert_int_eq(parse_option("events=no/such"), -ENOENT);
    ck_assert_str_eq(last_report(), "no/such: No such file or directory");
    ck_assert_int_eq(parse_option("?"), 1);
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(parse_option("a"), -ENOMEM);
    fault_disarm();
}
END_TEST

START_TEST(one_call_does_it)
{
    struct err e = ERR_INIT;

    register_groups();
    usertrace_use_backends("nop");
    setenv("TRACE", "disk_read;net*", 1);
    ck_assert_int_eq(usertrace_init(&e), 0);
    ck_assert_int_eq(trace_events_enabled_count, 2);
    setenv("TRACE", "disk_read;file=x", 1);
    ck_assert_int_eq(usertrace_init(&e), -ENOTSUP);
}
END_TEST

START_TEST(patterns)
{
    static const struct { const char *pattern, *name; bool fits; } t[] = {
        { "", "", true }, { "", "a", false }, { "*", "", true },
        { "a", "a", true }, { "a", "A", false }, { "a", "ab", false },
        { "?", "a", true }, { "?", "", false }, { "a*", "a", true },
        { "*b", "aab", true }, { "*b", "aba", false },
        { "a*b*c", "aXbYbZc", true }, { "a*b*c", "acb", false },
        { "*ab", "aab", true }, { "a?c", "abc", true }, { "[a]", "a", false },
        { "[a]", "[a]", true }, { "a**", "abc", true }, { "**?", "", false },
        { "*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
    };

    for ( size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++ )
        ck_assert_msg(ut_pattern_matches(t[i].pattern, t[i].name) == t[i].fits,
                      "%s, %s", t[i].pattern, t[i].name);
    ck_assert(trace_event_is_pattern("a*"));
    ck_assert(!trace_event_is_pattern("a?"));
}
END_TEST

UNIT_MAIN("control", ids_are_given_in_order, events_are_found, many_are_found,
          one_is_switched, lines_switch, what_is_wrong_is_said,
          old_names_switch, vcpus_have_states,
          vcpu_events_can_be_on_before_vcpus, too_many_vcpu_events_are_plain,
          no_memory_is_no_end, backends_are_known, options, one_call_does_it,
          patterns)
