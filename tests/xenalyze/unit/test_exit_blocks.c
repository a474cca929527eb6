/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of an exit in which the vcpu was off its pcpu.  Each row is a script
 * (script.h) and the expected facts; d1v0 runs on p0 from 100 on.
 */
#include "tests/xenalyze/unit/script.h"

#define RUN "100 p0 runnable>running d1v0\n"
#define EXIT RUN "110 p0 hvm_vmexit 12 0x1000\n"

static const struct script_row exits_end_by_wake_ups_rows[] = {
    { "woken on the pcpu of the exit, while that is idle", "handle,exit_block",
      EXIT
      "116 p0 hvm_hlt 0\n"
      "120 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d32767v0\n"
      "150 p0 blocked>runnable d1v0\n",
      "d1v0 p0 110 handler 0x82013 kind 14: at 0, value 0, main\n"
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0x82013\n" },
    { "the wait after the wake-up is no part of the exit", "exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n"
      "190 p1 runnable>running d1v0\n"
      "200 p1 hvm_vmentry\n",
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
    { "paused, then woken", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "125 p1 offline>runnable d1v0\n",
      "d1v0 off its pcpu 5 of the exit 110+15, handler 0\n" },
    { "blocked at the time of the exit", "exit_block",
      EXIT
      "110 p0 running>blocked d1v0\n"
      "120 p1 blocked>runnable d1v0\n",
      "d1v0 off its pcpu 10 of the exit 110+10, handler 0\n" },
    { "woken at the time of the block", "exit,exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "120 p1 blocked>runnable d1v0\n",
      "d1v0 p0 exit 110+10 HLT(0xc) woken, rip 0x1000, handler 0, seen 0\n" },
    { "woken before the block, by a pcpu whose clock lags", "exit,exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "118 p1 blocked>runnable d1v0\n",
      "d1v0 p0 exit 110+8 HLT(0xc) woken, rip 0x1000, handler 0, seen 0\n" },
    { "woken before the exit, by a pcpu whose clock lags", "exit,exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "105 p1 blocked>runnable d1v0\n",
      "d1v0 p0 exit 110+0 HLT(0xc) woken, rip 0x1000, handler 0, seen 0\n" },
    { "an unexpected wake-up, from running", "exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "125 p1 running>runnable d1v0\n",
      "d1v0 off its pcpu 5 of the exit 110+15, handler 0\n" },
    { "the fact follows its exit", "exit,exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "d1v0 p0 exit 110+40 HLT(0xc) woken, rip 0x1000, handler 0, seen 0\n"
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
    { "each exit has a block of its own", "exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n"
      "160 p1 runnable>running d1v0\n"
      "170 p1 hvm_vmentry\n"
      "180 p1 hvm_vmexit 12 0\n"
      "190 p1 running>blocked d1v0\n"
      "197 p0 blocked>runnable d1v0\n",
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n"
      "d1v0 off its pcpu 7 of the exit 180+17, handler 0\n" },
    { "two vcpus are off at the same time", "exit_block",
      EXIT
      "100 p1 runnable>running d1v1\n"
      "112 p1 hvm_vmexit 12 0\n"
      "118 p1 running>blocked d1v1\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 blocked>runnable d1v1\n"
      "150 p1 blocked>runnable d1v0\n",
      "d1v1 off its pcpu 12 of the exit 112+18, handler 0\n"
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
};

SCRIPT_TEST(exits_end_by_wake_ups)

static const struct script_row exits_end_without_wake_up_rows[] = {
    { "paused, ended by a preemption", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "140 p1 offline>running d1v0\n"
      "145 p1 running>runnable d1v0\n",
      "d1v0 off its pcpu 20 of the exit 110+35, handler 0\n" },
    { "paused twice, ended by an entry", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "130 p1 offline>running d1v0\n"
      "137 p1 running>offline d1v0\n"
      "145 p0 offline>running d1v0\n"
      "150 p0 hvm_vmentry\n",
      "d1v0 off its pcpu 18 of the exit 110+40, handler 0\n" },
    { "paused three times, ended by a wake-up", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "130 p1 offline>running d1v0\n"
      "137 p1 running>offline d1v0\n"
      "145 p0 offline>running d1v0\n"
      "146 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "d1v0 off its pcpu 22 of the exit 110+40, handler 0\n" },
    { "paused and blocked at the same time", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "120 p1 offline>running d1v0\n"
      "120 p1 running>offline d1v0\n"
      "150 p0 offline>running d1v0\n"
      "160 p0 hvm_vmentry\n",
      "d1v0 off its pcpu 30 of the exit 110+50, handler 0\n" },
    { "runs again at the time of the entry", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "140 p1 offline>running d1v0\n"
      "140 p1 hvm_vmentry\n",
      "d1v0 off its pcpu 20 of the exit 110+30, handler 0\n" },
    { "runs again at once", "exit,exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "120 p1 offline>running d1v0\n"
      "140 p1 hvm_vmentry\n",
      "d1v0 p0 exit 110+30 HLT(0xc) entered, rip 0x1000, handler 0, seen 0\n"
    },
    { "another exit without an entry", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "140 p1 offline>running d1v0\n"
      "150 p1 hvm_vmexit 1 0\n"
      "160 p1 hvm_vmentry\n",
      "" },
    { "off the pcpu until the end of the trace", "exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "190 p1 blocked>runnable d2v0\n",
      "" },
    { "outside of exits", "exit_block",
      EXIT
      "115 p0 hvm_vmentry\n"
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "" },
    { "the vcpu is unknown before its first runstate", "exit_block",
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
};

SCRIPT_TEST(exits_end_without_wake_up)

static const struct script_row records_are_lost_rows[] = {
    { "on another pcpu, while the vcpu is off", "exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "130 p1 loss\n"
      "140 p1 lost_records 3 v65535@65535 130 0\n"
      "150 p1 blocked>runnable d1v0\n",
      "" },
    { "on its former pcpu, while the vcpu is off", "exit_block",
      EXIT
      "120 p0 running>blocked d1v0\n"
      "130 p0 loss\n"
      "140 p0 lost_records 3 v65535@65535 130 0\n"
      "150 p1 blocked>runnable d1v0\n",
      "" },
    { "on its former pcpu, once the vcpu runs elsewhere", "exit_block",
      EXIT
      "120 p0 running>offline d1v0\n"
      "130 p1 offline>running d1v0\n"
      "135 p0 loss\n"
      "140 p0 lost_records 3 v65535@65535 135 0\n"
      "150 p1 hvm_vmentry\n",
      "d1v0 off its pcpu 10 of the exit 110+40, handler 0\n" },
    { "within the exit, before the block", "exit_block",
      EXIT
      "112 p0 loss\n"
      "116 p0 lost_records 3 v0@1 112 0\n"
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "" },
    { "before the exit", "exit_block",
      RUN
      "102 p0 loss\n"
      "106 p0 lost_records 3 v0@1 102 0\n"
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
};

SCRIPT_TEST(records_are_lost)

#define OFF "120 p0 running>blocked d1v0\n150 p1 blocked>runnable d1v0\n"

static const struct script_row blocks_have_the_main_handler_rows[] = {
    { "the first main handler", "handle,exit_block",
      EXIT
      "111 p0 hvm_inj_virq 0x30 0\n"
      "112 p0 hvm_ioport_read 0x3f8 65\n"
      "113 p0 hvm_hlt 0\n"
      OFF,
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x30, value 0\n"
      "d1v0 p0 110 handler 0x82016 kind 6: at 0x3f8, value 0x41, main\n"
      "d1v0 p0 110 handler 0x82013 kind 14: at 0, value 0\n"
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0x82016\n" },
    { "an injection is no main handler", "handle,exit_block",
      EXIT
      "111 p0 hvm_inj_virq 0x30 0\n"
      OFF,
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x30, value 0\n"
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
    { "the main handler's record is too short", "handle,exit_block",
      EXIT
      "111 p0 hvm_cr_write 3\n"
      OFF,
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
    { "a handler after the block belongs to no exit", "exit_block",
      EXIT
      OFF
      "160 p1 runnable>running d1v0\n"
      "161 p1 hvm_hlt 0\n"
      "170 p1 hvm_vmentry\n",
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0\n" },
};

SCRIPT_TEST(blocks_have_the_main_handler)

UNIT_MAIN("exit blocks", exits_end_by_wake_ups, exits_end_without_wake_up,
          records_are_lost, blocks_have_the_main_handler)
