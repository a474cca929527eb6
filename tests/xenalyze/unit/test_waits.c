/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits of vcpus, with their wakers and rivals; and the interrupts from a
 * wake-up to the next halt.  Each row is a script (script.h) and the expected
 * facts.
 */
#include <stdio.h>
#include <string.h>

#include "tests/xenalyze/unit/script.h"

static const struct script_row waits_rows[] = {
    { "woken by the vcpu of another pcpu", "wait",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d2v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by d2v0 on p1 at 120\n" },
    { "from the WAKE record on", "wait",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d2v0\n"
      "110 p0 running>blocked d1v0\n"
      "118 p1 sched_wake 1 0\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by d2v0 on p1 at 118\n" },
    { "a WAKE record of another vcpu", "wait",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d2v0\n"
      "110 p0 running>blocked d1v0\n"
      "118 p1 sched_wake 1 1\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by d2v0 on p1 at 120\n" },
    { "a WAKE record is used once", "wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "112 p1 sched_wake 1 0\n"
      "114 p1 blocked>runnable d2v0\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by ? on p1 at 120\n" },
    { "an interrupt while the pcpu is idle", "wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "110 p0 runnable>running d32767v0\n"
      "120 p0 blocked>runnable d1v0\n"
      "125 p0 running>runnable d32767v0\n"
      "125 p0 runnable>running d1v0\n",
      "d1v0 waits 120..125 p0, p0 before: wake by idle0 on p0 at 120; idle0 "
      "5\n" },
    { "preempted, and the rivals", "wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "110 p0 runnable>running d2v0\n"
      "130 p0 running>blocked d2v0\n"
      "130 p0 runnable>running d2v1\n"
      "150 p0 running>blocked d2v1\n"
      "155 p0 runnable>running d2v0\n"
      "160 p0 running>blocked d2v0\n"
      "160 p0 runnable>running d1v0\n",
      "d1v0 waits 110..160 p0, p0 before: preempt; d2v0 25, d2v1 20\n" },
    { "a rival that ran before the wait", "wait",
      "90 p1 runnable>running d1v0\n"
      "95 p0 runnable>running d2v0\n"
      "110 p1 running>runnable d1v0\n"
      "130 p0 running>blocked d2v0\n"
      "140 p0 runnable>running d1v0\n",
      "d1v0 waits 110..140 p0, p1 before: preempt; d2v0 20\n" },
    { "a wait that begins with the trace is not one", "wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n",
      "" },
    { "a wait during which records were lost is not one", "wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "120 p1 loss\n"
      "130 p1 lost_records 1 v65535@65535 120 0\n"
      "140 p0 runnable>running d1v0\n",
      "" },
};

SCRIPT_TEST(waits)

/* More rivals than a fact has, and more than the history of a pcpu. */
START_TEST(many_rivals)
{
    static const struct
    {
        unsigned int slices, vcpus;
        const char *expected;
    } rows[] = {
        { 4, 4, "d1v0 waits 10..50 p0, p0 before: preempt; "
                "d2v3 10, d2v2 10, d2v1 10, d2v0 10\n" },
        { 17, 17, NULL }, { 70, 2, NULL }, { 70, 40, NULL },
    };
    char script[8192], *facts, *semicolon;

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        unsigned int time = 10, rivals = 0, of_rivals = 0, others = 0;
        size_t size = sprintf(script, "0 p0 runnable>running d1v0\n"
                                      "10 p0 running>runnable d1v0\n");

        for ( unsigned int n = 0; n < rows[i].slices; n++, time += 10 )
            size += sprintf(script + size, "%u p0 runnable>running d2v%u\n"
                            "%u p0 running>blocked d2v%u\n", time,
                            n % rows[i].vcpus, time + 10, n % rows[i].vcpus);
        sprintf(script + size, "%u p0 runnable>running d1v0\n", time);
        facts = script_run("wait", script);
        facts[strcspn(facts, "\n") + 1] = '\0';
        /* The waits of the rivals come first; d1v0's is the last. */
        ck_assert_ptr_nonnull(strstr(facts, "d1v0 waits"));
        if ( rows[i].expected )
            ck_assert_str_eq(facts, rows[i].expected);
        semicolon = strchr(facts, ';');
        for ( char *at = semicolon; at; at = strchr(at + 1, ',') )
        {
            unsigned int cycles;

            if ( sscanf(at + 1, " d2v%*u %u", &cycles) == 1 )
            {
                of_rivals += cycles;
                rivals++;
            }
            else
                ck_assert_int_eq(sscanf(at + 1, " others %u", &others), 1);
        }
        /* The whole wait is attributed. */
        ck_assert_uint_eq(of_rivals + others, time - 10);
        ck_assert_uint_le(rivals, FACT_RIVALS);
        ck_assert(!others == (rows[i].vcpus <= FACT_RIVALS &&
                              rows[i].slices < HISTORY_LENGTH));
        free(facts);
    }
}
END_TEST

static const struct script_row from_wake_up_to_halt_rows[] = {
    { "two interrupts of three, each vector once", "wake_to_halt",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 blocked>runnable d1v0\n"
      "130 p0 runnable>running d1v0\n"
      "131 p0 hvm_inj_virq 0x30 0\n"
      "135 p0 hvm_inj_virq 0x40 0\n"
      "137 p0 hvm_inj_virq 0x30 0\n"
      "150 p0 running>blocked d1v0\n",
      "d1v0 halts 150: 0x30 at 131 0x40 at 135\n" },
    { "an interrupt before the first wake-up", "wake_to_halt",
      "100 p0 runnable>running d1v0\n"
      "105 p0 hvm_inj_virq 0x30 0\n"
      "110 p0 running>blocked d1v0\n",
      "" },
    { "preempted in between", "wake_to_halt",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 blocked>runnable d1v0\n"
      "130 p0 runnable>running d1v0\n"
      "131 p0 hvm_inj_virq 0x30 0\n"
      "140 p0 running>runnable d1v0\n"
      "145 p0 runnable>running d1v0\n"
      "150 p0 running>blocked d1v0\n"
      "160 p0 blocked>runnable d1v0\n"
      "165 p0 runnable>running d1v0\n"
      "170 p0 running>blocked d1v0\n",
      "d1v0 halts 150: 0x30 at 131\n" },
    { "a loss in between", "wake_to_halt",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 blocked>runnable d1v0\n"
      "125 p1 loss\n"
      "126 p1 lost_records 1 v65535@65535 125 0\n"
      "130 p0 runnable>running d1v0\n"
      "131 p0 hvm_inj_virq 0x30 0\n"
      "150 p0 running>blocked d1v0\n",
      "" },
    { "more vectors than a fact has", "wake_to_halt",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 blocked>runnable d1v0\n"
      "130 p0 runnable>running d1v0\n"
      "131 p0 hvm_inj_virq 1 0\n132 p0 hvm_inj_virq 2 0\n"
      "133 p0 hvm_inj_virq 3 0\n134 p0 hvm_inj_virq 4 0\n"
      "135 p0 hvm_inj_virq 5 0\n136 p0 hvm_inj_virq 6 0\n"
      "137 p0 hvm_inj_virq 7 0\n138 p0 hvm_inj_virq 8 0\n"
      "139 p0 hvm_inj_virq 9 0\n"
      "150 p0 running>blocked d1v0\n",
      "d1v0 halts 150: 0x1 at 131 0x2 at 132 0x3 at 133 0x4 at 134 0x5 at "
      "135 0x6 at 136 0x7 at 137 0x8 at 138\n" },
};

SCRIPT_TEST(from_wake_up_to_halt)

UNIT_MAIN("waits", waits, many_rivals, from_wake_up_to_halt)
