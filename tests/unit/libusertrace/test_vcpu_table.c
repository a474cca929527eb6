/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vcpus of a program's own layout: their states are found by address, also
 * while other vcpus come and go.
 */
#define USERTRACE_OWN_CPUSTATE
#include "events.h"

#include <errno.h>
#include <pthread.h>

#include "common/fault.h"

typedef struct CPUState { char other[24]; } CPUState;

EVENT(TRACE_RUN, "run", true, true);
#define TRACE_RUN_ENABLED 1

static TraceEvent *group[] = { &_TRACE_RUN_EVENT, NULL };

START_TEST(states_are_found_by_address)
{
    CPUState one, two;

    trace_event_register_group(group);
    ck_assert(!usertrace_vcpu_of(&one));
    ck_assert(!usertrace_vcpu_of(NULL));
    ck_assert_int_eq(usertrace_vcpu_add(&one, 0, NULL), 0);
    ck_assert_int_eq(usertrace_vcpu_add(&two, 7, NULL), 0);
    ck_assert_uint_eq(usertrace_vcpu_of(&two)->index, 7);
    ck_assert_int_eq(usertrace_vcpu_set_state(7, group[0], true), 0);
    ck_assert(trace_event_get_vcpu_state(&two, TRACE_RUN));
    ck_assert(!trace_event_get_vcpu_state(&one, TRACE_RUN));
    ck_assert(!trace_event_get_vcpu_state(&group, TRACE_RUN));
    ck_assert_int_eq(trace_event_get_vcpu_state_dynamic(&two, group[0]), 1);

    usertrace_vcpu_remove(&two);
    usertrace_vcpu_remove(&two);
    usertrace_vcpu_remove(NULL);
    ck_assert(!trace_event_get_vcpu_state(&two, TRACE_RUN));
    ck_assert_int_eq(usertrace_vcpu_get_state(7, group[0]), -ENOENT);
    usertrace_vcpu_remove(&one);
}
END_TEST

START_TEST(errors_have_reasons)
{
    struct err e = ERR_INIT;
    CPUState one;

    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(usertrace_vcpu_add(&one, 3, &e), -ENOMEM);
    fault_disarm();
    ck_assert_str_eq(e.text, "vcpu 3: Cannot allocate memory");
    ck_assert(!usertrace_vcpu_of(&one));
    e = (struct err)ERR_INIT;
    ck_assert_int_eq(usertrace_vcpu_add(&one, 3, &e), 0);
    ck_assert_int_eq(usertrace_vcpu_add(&one, 4, &e), -EEXIST);
    ck_assert_str_eq(e.text, "vcpu 4 was added before");
    usertrace_vcpu_remove(&one);
}
END_TEST

#define THREADS 4
#define ROUNDS 2000

static void *add_and_remove(void *arg)
{
    CPUState *cpu = arg;

    for ( unsigned int i = 0; i < ROUNDS; i++ )
    {
        uint32_t index = cpu->other[0];

        UNIT_CHECK(!usertrace_vcpu_add(cpu, index, NULL));
        UNIT_CHECK(usertrace_vcpu_of(cpu)->index == index);
        UNIT_CHECK(trace_event_get_vcpu_state(cpu, TRACE_RUN));
        usertrace_vcpu_remove(cpu);
        UNIT_CHECK(!trace_event_get_vcpu_state(cpu, TRACE_RUN));
    }
    return NULL;
}

START_TEST(vcpus_come_and_go)
{
    CPUState cpus[THREADS];
    pthread_t threads[THREADS];
    unsigned int i;

    trace_event_register_group(group);
    trace_event_set_state_dynamic(group[0], true);
    for ( i = 0; i < THREADS; i++ )
    {
        cpus[i].other[0] = i;
        ck_assert(!pthread_create(&threads[i], NULL, add_and_remove, &cpus[i]));
    }
    for ( i = 0; i < THREADS; i++ )
        ck_assert(!pthread_join(threads[i], NULL));
    trace_event_set_state_dynamic(group[0], false);
}
END_TEST

UNIT_MAIN("vcpu-table", states_are_found_by_address, errors_have_reasons,
          vcpus_come_and_go)
