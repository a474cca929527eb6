/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clients of all protocols switch events, query, and open and close the file,
 * while threads trace and vcpus come and go.  Every command gets its reply, no
 * more events are written than were traced, and the counters match in the end;
 * under TSan there is no data race.
 */
#include "monitor-client.h"

#include <pthread.h>
#include <stdatomic.h>

#include "libusertrace/trace/simple.h"

enum { ROUNDS = 60, CLIENTS = 3, TRACERS = 2 };

EVENT(TRACE_A, "a", true, false);
EVENT(TRACE_B, "b", true, false);
EVENT(TRACE_V, "v", true, true);

static TraceEvent *events[] = {
    &_TRACE_A_EVENT, &_TRACE_B_EVENT, &_TRACE_V_EVENT, NULL
};
static atomic_bool done;

static void *trace_events(void *arg)
{
    struct usertrace_record record;
    uintptr_t traced = 0;
    char *at;

    (void)arg;
    while ( !atomic_load(&done) )
        for ( int i = 0; i < 3; i++ )
        {
            if ( !trace_event_get_state_dynamic(events[i]) )
                continue;
            at = usertrace_simple_begin(&record, events[i]->id, 8);
            traced++;
            if ( at )
                usertrace_simple_end(&record,
                                     usertrace_simple_word(at, traced));
        }
    return (void *)traced;
}

static void *add_and_remove_vcpu(void *arg)
{
    struct trace_vcpu vcpu;

    (void)arg;
    while ( !atomic_load(&done) )
    {
        usertrace_vcpu_init(&vcpu, 1);
        usertrace_vcpu_fini(&vcpu);
    }
    return NULL;
}

static const char *const messages[] = {
    "{'execute':'trace-event-set-state','arguments':{'name':'*',"
        "'enable':true}}",
    "{'execute':'trace-event-set-state','arguments':{'name':'a',"
        "'enable':false}}",
    "{'execute':'trace-event-set-state','arguments':{'name':'v',"
        "'enable':true,'vcpu':1}}",
    "{'execute':'trace-event-get-state','arguments':{'name':'*','vcpu':1}}",
    "{'execute':'usertrace-file-on'}", "{'execute':'usertrace-file-flush'}",
    "{'execute':'usertrace-file-off'}", "{'execute':'usertrace-query-file'}",
    "{'execute':'usertrace-query-counts'}",
    "{'execute':'human-monitor-command','arguments':{'command-line':"
        "'trace-file flush'}}",
};

/* A vcpu may have gone: an error is a reply, too. */
static void *send_messages(void *arg)
{
    uint64_t seed = unit_seed() + 2 * (uintptr_t)arg;
    int fd = client_connect();
    char line[4096];

    UNIT_CHECK(client_get(fd, "\r\n", line, sizeof(line)));
    client_put(fd, "{'execute':'qmp_capabilities'}");
    UNIT_CHECK(client_get(fd, "\r\n", line, sizeof(line)));
    for ( int i = 0; i < ROUNDS; i++ )
    {
        client_put(fd, messages[unit_random(&seed) % 10]);
        UNIT_CHECK(client_get(fd, "\r\n", line, sizeof(line)));
        UNIT_CHECK(strstr(line, "{\"return\": ") ||
                   strstr(line, "invalid vCPU index 1"));
    }
    close(fd);
    return NULL;
}

static const char *const lines[] = {
    "trace-event * on", "trace-event b off", "trace-event v off 1",
    "info trace-events * 1", "trace-file off", "trace-file on",
    "info trace-counts", "trace-file",
};

static void *send_lines(void *arg)
{
    uint64_t seed = unit_seed() + 2 * (uintptr_t)arg;
    char *reply;

    for ( int i = 0; i < ROUNDS; i++ )
    {
        UNIT_CHECK(!usertrace_command(lines[unit_random(&seed) % 8], &reply,
                                      NULL));
        free(reply);
    }
    return NULL;
}

START_TEST(all_at_once)
{
    struct usertrace_counts counts;
    struct usertrace_server *server;
    pthread_t asking[CLIENTS + 1], tracing[TRACERS], coming;
    uint64_t traced = 0;
    void *value;
    int i;

    usertrace_use_backends("simple");
    trace_event_register_group(events);
    ck_assert(trace_init_backends());
    server = monitor_open(USERTRACE_QMP);
    ck_assert_int_eq(usertrace_file_set("trace", NULL), 0);
    for ( i = 0; i < TRACERS; i++ )
        pthread_create(&tracing[i], NULL, trace_events, NULL);
    pthread_create(&coming, NULL, add_and_remove_vcpu, NULL);
    for ( i = 0; i < CLIENTS; i++ )
        pthread_create(&asking[i], NULL, send_messages, (void *)(uintptr_t)i);
    pthread_create(&asking[i], NULL, send_lines, (void *)(uintptr_t)i);
    while ( i >= 0 )
        pthread_join(asking[i--], NULL);
    atomic_store(&done, true);
    for ( i = 0; i < TRACERS; i++ )
    {
        pthread_join(tracing[i], &value);
        traced += (uintptr_t)value;
    }
    pthread_join(coming, NULL);

    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_OFF, NULL), 0);
    usertrace_counts(&counts);
    ck_assert_uint_le(counts.written + counts.dropped, traced);
    for ( i = 0; i < 3; i++ )
        trace_event_set_state_dynamic(events[i], false);
    ck_assert_int_eq(trace_events_enabled_count, 0);
    unlink("trace");
    monitor_close(server);
}
END_TEST

UNIT_MAIN("together", all_at_once)
