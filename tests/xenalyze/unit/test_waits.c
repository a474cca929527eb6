/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits of vcpus, with their wakers and rivals (test_rivals.c has many); and
 * the interrupts from a wake-up to the next halt.  Each row is a script
 * (script.h) and the expected facts.
 */
#include "tests/xenalyze/unit/script.h"

static const struct script_row waits_rows[] = {
    { "woken by the vcpu of another pcpu", "wait",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d2v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by d2v0 on p1 at 120; unknown "
      "30\n" },
    { "from the WAKE record on", "wait",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d2v0\n"
      "110 p0 running>blocked d1v0\n"
      "118 p1 sched_wake 1 0\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by d2v0 on p1 at 118; unknown "
      "30\n" },
    { "a WAKE record of another vcpu", "wait",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d2v0\n"
      "110 p0 running>blocked d1v0\n"
      "118 p1 sched_wake 1 1\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by d2v0 on p1 at 120; unknown "
      "30\n" },
    { "a WAKE record is used once", "wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "112 p1 sched_wake 1 0\n"
      "114 p1 blocked>runnable d2v0\n"
      "120 p1 blocked>runnable d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 120..150 p0, p0 before: wake by ? on p1 at 120; unknown "
      "30\n" },
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
      "d1v0 waits 110..160 p0, p0 before: preempt; d2v0 25, d2v1 20, unknown "
      "5\n" },
    { "a rival that ran before the wait", "wait",
      "90 p1 runnable>running d1v0\n"
      "95 p0 runnable>running d2v0\n"
      "110 p1 running>runnable d1v0\n"
      "130 p0 running>blocked d2v0\n"
      "140 p0 runnable>running d1v0\n",
      "d1v0 waits 110..140 p0, p1 before: preempt; d2v0 20, unknown 10\n" },
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
    { "vectors beyond the first array", "wake_to_halt",
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
      "135 0x6 at 136 0x7 at 137 0x8 at 138 0x9 at 139\n" },
};

SCRIPT_TEST(from_wake_up_to_halt)

static const struct script_row open_waits_rows[] = {
    { "to the end, with the rivals", "wait,open_wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "110 p0 runnable>running d2v0\n"
      "150 p0 running>blocked d2v0\n",
      "d2v0 waits 100..110 p0, - before: unknown; d1v0 10 (no begin)\n"
      "d1v0 waits 110..150 p0, p0 before: preempt; d2v0 40 (no end)\n" },
    { "the vcpu never ran", "wait,open_wait",
      "100 p0 runnable>running d2v0\n"
      "110 p0 blocked>runnable d1v0\n"
      "150 p0 running>blocked d2v0\n",
      "d1v0 waits 110..150 -, - before: wake by d2v0 on p0 at 110; unknown 40 "
      "(no end)\n" },
    { "from before the first record", "wait,open_wait",
      "100 p0 runnable>running d2v0\n"
      "150 p0 running>blocked d2v0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 100..150 p0, - before: unknown; d2v0 50 (no begin)\n" },
    { "to a loss", "wait,open_wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "130 p1 loss\n"
      "140 p1 lost_records 1 v65535@65535 130 0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 waits 110..130 p0, p0 before: preempt; unknown 20 (no end)\n" },
    { "to a pause", "wait,open_wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "130 p0 runnable>offline d1v0\n",
      "d1v0 waits 110..130 p0, p0 before: preempt; unknown 20 (no end)\n" },
    { "no time", "wait,open_wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n", "" },
    { "a complete wait is not open", "open_wait",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "120 p0 runnable>running d1v0\n", "" },
};

SCRIPT_TEST(open_waits)

UNIT_MAIN("waits", waits, from_wake_up_to_halt, open_waits)
