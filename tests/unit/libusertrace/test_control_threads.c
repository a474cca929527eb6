/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control from many threads at once: threads switch events, look them up, and
 * add groups.  The counters match in the end; under TSan there is no data
 * race.
 */
#include "events.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

enum { SWITCHERS = 4, ROUNDS = 2000, GROUPS = 200 };

EVENT(TRACE_A, "a", true, false);
EVENT(TRACE_B, "b", true, false);
EVENT(TRACE_V, "v", true, true);

static TraceEvent *events[] = {
    &_TRACE_A_EVENT, &_TRACE_B_EVENT, &_TRACE_V_EVENT, NULL
};

static void *switch_all(void *arg)
{
    uint64_t seed = (uintptr_t)arg * 2 + 1;
    struct trace_vcpu vcpu;

    usertrace_vcpu_init(&vcpu, (uintptr_t)arg);
    for ( int i = 0; i < ROUNDS; i++ )
    {
        uint64_t r = unit_random(&seed);

        trace_event_set_state_dynamic(events[r % 3], r & 8);
        trace_event_set_vcpu_state_dynamic(&vcpu, events[2], r & 16);
    }
    usertrace_vcpu_fini(&vcpu);
    return NULL;
}

/* Vcpus that other threads own, and remove at any time. */
static void *switch_by_number(void *arg)
{
    uint64_t seed = (uintptr_t)arg * 2 + 1;
    int rc;

    for ( int i = 0; i < ROUNDS; i++ )
    {
        uint64_t r = unit_random(&seed);

        rc = usertrace_vcpu_set_state(r % (SWITCHERS + 1), events[2], r & 16);
        UNIT_CHECK(!rc || rc == -ENOENT);
        rc = usertrace_vcpu_get_state(r % (SWITCHERS + 1), events[2]);
        UNIT_CHECK(rc == 0 || rc == 1 || rc == -ENOENT);
    }
    return NULL;
}

/* A group is never seen partially registered. */
static void *add_groups(void *arg)
{
    (void)arg;
    for ( int i = 0; i < GROUPS; i++ )
    {
        TraceEvent ev = { .name = "more", .sstate = true, .dstate = NULL,
                          .vcpu_id = TRACE_VCPU_EVENT_NONE };
        TraceEvent **group = calloc(2, sizeof(*group));

        group[0] = malloc(sizeof(ev));
        memcpy(group[0], &ev, sizeof(ev));
        trace_event_register_group(group);
    }
    return NULL;
}

static void *look_up_events(void *arg)
{
    TraceEventIter iter;
    TraceEvent *ev;
    uint32_t last;

    (void)arg;
    for ( int i = 0; i < ROUNDS / 20; i++ )
    {
        last = 0;
        trace_event_iter_init_all(&iter);
        while ( (ev = trace_event_iter_next(&iter)) != NULL )
        {
            UNIT_CHECK(ev->id == 0 || ev->id == last + 1);
            last = ev->id;
        }
        UNIT_CHECK(trace_event_name("v") == events[2]);
        (void)(trace_event_get_state_dynamic(events[0]));
    }
    return NULL;
}

START_TEST(sums_are_right)
{
    pthread_t threads[SWITCHERS + 3];
    size_t i;

    trace_event_register_group(events);
    for ( i = 0; i < SWITCHERS; i++ )
        pthread_create(&threads[i], NULL, switch_all, (void *)i);
    pthread_create(&threads[i++], NULL, switch_by_number, (void *)99);
    pthread_create(&threads[i++], NULL, add_groups, NULL);
    pthread_create(&threads[i++], NULL, look_up_events, NULL);
    while ( i )
        pthread_join(threads[--i], NULL);

    /* All vcpus are gone: the word of "v" is 0 or 1, like the others'. */
    ck_assert_int_eq(trace_events_enabled_count,
                     *events[0]->dstate + *events[1]->dstate +
                     *events[2]->dstate);
    for ( i = 0; i < 3; i++ )
        trace_event_set_state_dynamic(events[i], false);
    ck_assert_int_eq(trace_events_enabled_count, 0);
}
END_TEST

UNIT_MAIN("threads", sums_are_right)
