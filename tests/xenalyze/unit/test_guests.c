/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of guests: each entity exists once, even if threads ask for it
 * concurrently; and names of all numbered things.
 */
#include <pthread.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/dialect.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/model/exit-reasons.h"
#include "xenalyze/model/guests.h"

#define DOMAINS 20u
#define VCPUS 50u

static void *ask(void *arg)
{
    struct guests *w = arg;

    for ( unsigned int d = 0; d < DOMAINS; d++ )
        for ( unsigned int v = 0; v < VCPUS; v++ )
            if ( !guests_get_vcpu(w, 65535 - d, v * 7) )
                return NULL;
    return w;
}

START_TEST(each_is_made_once)
{
    pthread_t threads[4];
    struct guests w;
    void *fine;

    ck_assert_int_eq(guests_init(&w, 8, 24), 0);
    for ( unsigned int i = 0; i < 4; i++ )
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, &w), 0);
    for ( unsigned int i = 0; i < 4; i++ )
    {
        ck_assert_int_eq(pthread_join(threads[i], &fine), 0);
        ck_assert_ptr_nonnull(fine);
    }
    ck_assert_uint_eq(w.nr_domains, DOMAINS);
    ck_assert_uint_eq(w.nr_vcpus, DOMAINS * VCPUS);
    ck_assert_int_eq(guests_sort(&w), 0);
    for ( unsigned int d = 0; d < DOMAINS; d++ )
    {
        ck_assert_uint_eq(w.domains[d]->id, 65536 - DOMAINS + d);
        ck_assert_uint_eq(w.domains[d]->nr_vcpus, VCPUS);
        for ( unsigned int v = 0; v < VCPUS; v++ )
            ck_assert_uint_eq(w.domains[d]->vcpus[v]->id, v * 7);
    }
    guests_fini(&w);
}
END_TEST

START_TEST(a_hostile_trace_finds_an_end)
{
    struct guests w;
    unsigned int made = 0;

    ck_assert_int_eq(guests_init(&w, 0, 0), 0);
    for ( unsigned int i = 0; i < GUESTS_MAX_VCPUS + 1000; i++ )
        made += guests_get_vcpu(&w, i >> 12, i & 0xfff) != NULL;
    ck_assert_uint_eq(made, GUESTS_MAX_VCPUS);
    ck_assert(!w.failed);
    ck_assert_ptr_nonnull(guests_get_vcpu(&w, 0, 0));
    guests_fini(&w);
}
END_TEST

START_TEST(causes_are_dense_and_come_back)
{
    ck_assert_str_eq(exit_name(exit_cause(XT_HARDWARE_VMX, 12)), "HLT");
    ck_assert_str_eq(exit_name(exit_cause(XT_HARDWARE_VMX, 58)), "INVPCID");
    ck_assert_str_eq(exit_name(exit_cause(XT_HARDWARE_VMX, 0x80000021)),
                     "INVALID_GUEST_STATE");
    ck_assert_str_eq(exit_name(exit_cause(XT_HARDWARE_SVM, 0x400)),
                     "VMEXIT_NPF");
    ck_assert_str_eq(exit_name(exit_cause(XT_HARDWARE_SVM, 120)),
                     "VMEXIT_HLT");
    ck_assert_str_eq(exit_name(exit_cause(XT_HARDWARE_SVM, 95)),
                     "VMEXIT_EXCEPTION_31");
    ck_assert_str_eq(exit_name(exit_cause(XT_HARDWARE_SVM, 159)),
                     "VMEXIT_CR15_WRITE_TRAP");
    ck_assert_ptr_null(exit_name(exit_cause(XT_HARDWARE_SVM, 0xffffffff)));
    for ( unsigned int hw = XT_HARDWARE_VMX; hw <= XT_HARDWARE_SVM; hw++ )
        for ( uint32_t reason = 0; reason < 70000; reason++ )
        {
            unsigned int cause = exit_cause(hw, reason);

            UNIT_CHECK(cause < EXIT_CAUSES);
            if ( cause != EXIT_OTHER )
                UNIT_CHECK(exit_reason(cause) == (hw == XT_HARDWARE_VMX ?
                                                  (uint16_t)reason : reason));
        }
}
END_TEST

UNIT_MAIN("world", each_is_made_once, a_hostile_trace_finds_an_end,
          causes_are_dense_and_come_back)
