/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exits of guests and their handlers: nested, unfinished, preempted, blocked
 * and ended by other pcpus.  Each row is a script (script.h) and the expected
 * facts; d1v0 runs on p0 from 100 on.
 */
#include "tests/xenalyze/unit/script.h"

#define RUN "100 p0 runnable>running d1v0\n"

static const struct script_row exits_end_by_entries_rows[] = {
    { "HLT on Intel", "exit,anomaly",
      RUN
      "110 p0 hvm_vmentry\n"
      "130 p0 hvm_vmexit 12 0x1000\n"
      "150 p0 hvm_vmentry\n",
      "d1v0 p0 exit 130+20 HLT(0xc) entered, rip 0x1000, handler 0, seen 0, "
      "guest 20\n" },
    { "a 64-bit guest", "exit",
      RUN
      "110 p0 hvm_vmentry\n"
      "130 p0 hvm_vmexit64 0x80000021 5 6\n"
      "150 p0 hvm_vmentry\n",
      "d1v0 p0 exit 130+20 INVALID_GUEST_STATE(0x80000021) entered, rip "
      "0x600000005, handler 0, seen 0, guest 20, levels 4, wide\n" },
    { "AMD by the dialect", "exit",
      "svm\n"
      RUN
      "110 p0 hvm_vmentry\n"
      "130 p0 hvm_vmexit 0x78 0x1000\n"
      "150 p0 hvm_vmentry\n"
      "160 p0 hvm_vmexit 0x400 0x1000\n"
      "170 p0 hvm_vmentry\n"
      "180 p0 hvm_vmexit 0xffffffff 0x1000\n"
      "190 p0 hvm_vmentry\n",
      "d1v0 p0 exit 130+20 VMEXIT_HLT(0x78) entered, rip 0x1000, handler 0, "
      "seen 0, guest 20\n"
      "d1v0 p0 exit 160+10 VMEXIT_NPF(0x400) entered, rip 0x1000, handler "
      "0, seen 0, guest 10\n"
      "d1v0 p0 exit 180+10 ?(0xffffffff) entered, rip 0x1000, handler 0, "
      "seen 0, guest 10\n" },
    { "AMD by the event", "exit",
      RUN
      "130 p0 hvm_svm_exit 0x78 0x1000\n"
      "150 p0 hvm_vmentry\n"
      "160 p0 hvm_svm_exit64 0x402 1 2\n"
      "170 p0 hvm_vmentry\n",
      "d1v0 p0 exit 130+20 VMEXIT_HLT(0x78) entered, rip 0x1000, handler 0, "
      "seen 0\n"
      "d1v0 p0 exit 160+10 VMEXIT_AVIC_NOACCEL(0x402) entered, rip "
      "0x200000001, handler 0, seen 0, guest 10, levels 4, wide\n" },
    { "nested guests", "exit",
      RUN
      "130 p0 hvm_vmexit|0x400 12 0x1000\n"
      "150 p0 hvm_vmentry|0x400\n",
      "d1v0 p0 exit 130+20 HLT(0xc) entered, rip 0x1000, handler 0, seen 0, "
      "nested\n" },
    { "time in the guest begins anew after it was scheduled", "exit",
      RUN
      "110 p0 hvm_vmentry\n"
      "120 p0 running>runnable d1v0\n"
      "125 p0 runnable>running d1v0\n"
      "130 p0 hvm_vmexit 1 0x1000\n"
      "140 p0 hvm_vmentry\n"
      "160 p0 hvm_vmexit 1 0x1000\n"
      "170 p0 hvm_vmentry\n",
      "d1v0 p0 exit 130+10 EXTERNAL_INTERRUPT(0x1) entered, rip 0x1000, "
      "handler 0, seen 0\n"
      "d1v0 p0 exit 160+10 EXTERNAL_INTERRUPT(0x1) entered, rip 0x1000, "
      "handler 0, seen 0, guest 20\n" },
    { "the first entry has no exit, a second is an anomaly",
      "exit,anomaly",
      RUN
      "110 p0 hvm_vmentry\n"
      "120 p0 hvm_vmentry\n",
      "1 handlers and entries without an exit\n" },
    { "an exit without an entry since the last", "exit,anomaly,volume",
      RUN
      "110 p0 hvm_vmexit 1 0\n"
      "120 p0 hvm_vmexit 12 0\n"
      "130 p0 hvm_vmentry\n"
      "140 p0 hvm_vmexit 10 0\n",
      "d1v0 p0 exit 120+10 HLT(0xc) entered, rip 0, handler 0, seen 0\n"
      "p0 100..140: 5 records, 0 lost, 1 open, sched 1/16, hvm 4/72, "
      "vmentry 1/12, vmexit 3/60\n"
      "1 exits without an entry since the last one\n" },
    { "too short for an exit", "exit,anomaly",
      RUN
      "110 p0 hvm_vmexit 1\n"
      "120 p0 hvm_vmexit64 1 2\n"
      "130 p0 hvm_vmentry\n",
      "2 records that are too short\n" },
    { "unknown entries and exits are events", "exit,event",
      RUN
      "110 p0 0x81000 1\n"
      "120 p0 0x81004 1 2\n",
      "d1v0 p0 110 event 0x81000, 1 words\n"
      "d1v0 p0 120 event 0x81004, 2 words\n" },
};

SCRIPT_TEST(exits_end_by_entries)

static const struct script_row exits_need_a_guest_rows[] = {
    { "before the first runstate", "exit,anomaly",
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 hvm_vmentry\n"
      "130 p0 running>blocked d1v0\n"
      "140 p0 hvm_vmexit 12 0\n",
      "default0 p0 exit 110+10 HLT(0xc) entered, rip 0, handler 0, seen 0\n"
      "1 guest events while nobody was known to run\n" },
    { "an exit of the unknown vcpu that is then named", "exit,anomaly",
      "110 p0 hvm_vmexit 12 0\n"
      "130 p0 running>runnable d1v0\n",
      "d1v0 p0 exit 110+20 HLT(0xc) preempted, rip 0, handler 0, seen 0\n" },
    { "on an idle pcpu", "exit,anomaly,volume",
      "100 p0 runnable>running d32767v0\n"
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 hvm_vmentry\n",
      "p0 100..120: 3 records, 0 lost, 0 open, sched 1/16, hvm 2/32\n"
      "2 guest events while the pcpu was idle\n" },
    { "after a loss", "exit,anomaly",
      RUN
      "110 p0 hvm_vmexit 12 0\n"
      "115 p0 loss\n"
      "120 p0 lost_records 4 v0@1 115 0\n"
      "130 p0 hvm_vmentry\n"
      "140 p0 hvm_vmexit 1 0\n"
      "150 p0 hvm_vmentry\n",
      "d1v0 p0 exit 140+10 EXTERNAL_INTERRUPT(0x1) entered, rip 0, handler "
      "0, seen 0, guest 10\n" },
};

SCRIPT_TEST(exits_need_a_guest)

static const struct script_row exits_end_by_scheduling_rows[] = {
    { "preempted", "exit,anomaly",
      RUN
      "110 p0 hvm_vmexit 1 0\n"
      "120 p0 running>runnable d1v0\n"
      "130 p0 runnable>running d1v0\n"
      "140 p0 hvm_vmentry\n",
      "d1v0 p0 exit 110+10 EXTERNAL_INTERRUPT(0x1) preempted, rip 0, "
      "handler 0, seen 0\n" },
    { "off the pcpu: blocked, then woken", "handle,exit_block",
      RUN
      "110 p0 hvm_vmexit 12 0x1000\n"
      "115 p0 hvm_inj_virq 0x30 0\n"
      "116 p0 hvm_hlt 0\n"
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n"
      "160 p1 runnable>running d1v0\n"
      "170 p1 hvm_vmentry\n",
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x30, value 0\n"
      "d1v0 p0 110 handler 0x82013 kind 14: at 0, value 0, main\n"
      "d1v0 off its pcpu 30 of the exit 110+40, handler 0x82013\n" },
    { "a pause comes before its exit", "exit,exit_pause",
      RUN
      "110 p0 hvm_vmexit 1 0\n"
      "120 p0 running>offline d1v0\n"
      "140 p1 offline>running d1v0\n"
      "150 p1 hvm_vmentry\n"
      "160 p1 hvm_vmexit 12 0x1000\n"
      "170 p1 running>runnable d1v0\n",
      "d1v0 p0 120 pause of the exit 110, reason 0x1\n"
      "d1v0 p0 exit 110+40 EXTERNAL_INTERRUPT(0x1) entered, rip 0, "
      "handler 0, seen 0\n"
      "d1v0 p1 exit 160+10 HLT(0xc) preempted, rip 0x1000, handler 0, seen 0, "
      "guest 10\n" },
    { "off the pcpu: paused, ended by an entry", "exit_block",
      RUN
      "110 p0 hvm_vmexit 1 0\n"
      "120 p0 running>offline d1v0\n"
      "140 p1 offline>running d1v0\n"
      "150 p1 hvm_vmentry\n",
      "d1v0 off its pcpu 20 of the exit 110+40, handler 0\n" },
    { "not off the pcpu: an exit that ends with a preemption", "exit_block",
      RUN
      "110 p0 hvm_vmexit 1 0\n"
      "120 p0 running>runnable d1v0\n"
      "130 p0 runnable>running d1v0\n"
      "140 p0 hvm_vmentry\n"
      "150 p0 hvm_vmexit 1 0\n"
      "160 p0 hvm_vmentry\n",
      "" },
    { "blocked, then woken by another pcpu", "exit,anomaly",
      RUN
      "110 p0 hvm_vmexit 12 0x1000\n"
      "115 p0 hvm_hlt 0\n"
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n"
      "160 p1 runnable>running d1v0\n"
      "170 p1 hvm_vmentry\n",
      "d1v0 p0 exit 110+40 HLT(0xc) woken, rip 0x1000, handler 19, seen "
      "0x80000\n" },
    { "blocked, its handlers come with it", "handle,exit",
      RUN
      "110 p0 hvm_vmexit 12 0x1000\n"
      "115 p0 hvm_hlt 1\n"
      "116 p0 hvm_inj_virq 0x30 0\n"
      "120 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "d1v0 p0 110 handler 0x82013 kind 14: at 0, value 0x1, main\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x30, value 0\n"
      "d1v0 p0 exit 110+40 HLT(0xc) woken, rip 0x1000, handler 19, seen "
      "0x80010\n" },
    { "offline, ended by an entry", "exit",
      RUN
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 running>offline d1v0\n"
      "140 p1 offline>running d1v0\n"
      "150 p1 hvm_vmentry\n",
      "d1v0 p0 exit 110+40 HLT(0xc) entered, rip 0, handler 0, seen 0\n" },
    { "offline, then there was another exit", "exit",
      RUN
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 running>offline d1v0\n"
      "140 p1 offline>running d1v0\n"
      "150 p1 hvm_vmexit 1 0\n"
      "160 p1 hvm_vmentry\n",
      "d1v0 p1 exit 150+10 EXTERNAL_INTERRUPT(0x1) entered, rip 0, handler "
      "0, seen 0\n" },
    { "blocked, and a loss", "exit",
      RUN
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 running>blocked d1v0\n"
      "130 p1 loss\n"
      "140 p1 lost_records 3 v65535@65535 130 0\n"
      "150 p1 blocked>runnable d1v0\n",
      "" },
    { "left from running to runnable elsewhere", "exit,anomaly",
      RUN
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 running>blocked d1v0\n"
      "125 p1 running>runnable d1v0\n",
      "d1v0 p0 exit 110+15 HLT(0xc) woken, rip 0, handler 0, seen 0\n"
      "1 runstate changes from another state than known\n" },
    { "the exit of another vcpu is dropped on arrival", "exit",
      RUN
      "110 p0 hvm_vmexit 12 0\n"
      "120 p0 runnable>running d2v0\n"
      "130 p0 hvm_vmentry\n",
      "" },
};

SCRIPT_TEST(exits_end_by_scheduling)

static const struct script_row handlers_come_with_their_exit_rows[] = {
    { "in order, the first main handler counts", "handle,exit",
      RUN
      "110 p0 hvm_vmexit 30 0\n"
      "111 p0 hvm_inj_virq 0x30 0\n"
      "112 p0 hvm_ioport_read 0x3f8 65\n"
      "113 p0 hvm_cpuid 1 2 3 4 5\n"
      "120 p0 hvm_vmentry\n",
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x30, value 0\n"
      "d1v0 p0 110 handler 0x82016 kind 6: at 0x3f8, value 0x41, main\n"
      "d1v0 p0 110 handler 0x8200e kind 11: at 0x1, value 0x2\n"
      "d1v0 p0 exit 110+10 IO_INSTRUCTION(0x1e) entered, rip 0, handler 22, "
      "seen 0x404010\n" },
    { "without an exit", "handle,anomaly",
      RUN
      "110 p0 hvm_inj_virq 0x30 1\n"
      "120 p0 hvm_hlt 0\n",
      "d1v0 p0 110 handler 0x82004 kind 4, no exit: at 0x30, value 0x1\n"
      "d1v0 p0 120 handler 0x82013 kind 14, no exit: at 0, value 0\n"
      "1 handlers and entries without an exit\n" },
    { "seen, even if no sink wants handlers", "exit",
      RUN
      "110 p0 hvm_vmexit 30 0\n"
      "112 p0 hvm_ioport_read 0x3f8 65\n"
      "113 p0 hvm_cpuid 1 2\n"
      "120 p0 hvm_vmentry\n",
      "d1v0 p0 exit 110+10 IO_INSTRUCTION(0x1e) entered, rip 0, handler 22, "
      "seen 0x404000\n" },
    { "more than there is room for: the main one is kept", "handle,exit",
      RUN
      "110 p0 hvm_vmexit 30 0\n"
      "111 p0 hvm_inj_virq 1 0\n111 p0 hvm_inj_virq 2 0\n"
      "111 p0 hvm_inj_virq 3 0\n111 p0 hvm_inj_virq 4 0\n"
      "111 p0 hvm_inj_virq 5 0\n111 p0 hvm_inj_virq 6 0\n"
      "111 p0 hvm_inj_virq 7 0\n111 p0 hvm_inj_virq 8 0\n"
      "111 p0 hvm_inj_virq 9 0\n111 p0 hvm_inj_virq 10 0\n"
      "111 p0 hvm_inj_virq 11 0\n111 p0 hvm_inj_virq 12 0\n"
      "111 p0 hvm_inj_virq 13 0\n111 p0 hvm_inj_virq 14 0\n"
      "111 p0 hvm_inj_virq 15 0\n111 p0 hvm_inj_virq 16 0\n"
      "111 p0 hvm_inj_virq 17 0\n"
      "112 p0 hvm_ioport_read 0x3f8 65\n"
      "113 p0 hvm_hlt 0\n"
      "120 p0 hvm_vmentry\n",
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x1, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x2, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x3, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x4, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x5, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x6, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x7, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x8, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0x9, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0xa, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0xb, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0xc, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0xd, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0xe, value 0\n"
      "d1v0 p0 110 handler 0x82004 kind 4: at 0xf, value 0\n"
      "d1v0 p0 110 handler 0x82016 kind 6: at 0x3f8, value 0x41, main\n"
      "d1v0 p0 exit 110+10 IO_INSTRUCTION(0x1e) entered, rip 0, handler 22, "
      "seen 0x480010\n" },
    { "loads of CR3", "cr3",
      RUN
      "110 p0 hvm_vmexit 28 0\n"
      "111 p0 hvm_cr_write 3 0x12345678\n"
      "112 p0 hvm_cr_write64 3 0x55555018 0x80000001\n"
      "113 p0 hvm_cr_write 0 0x11\n"
      "114 p0 hvm_cr_write64 3 1\n"
      "120 p0 hvm_vmentry\n",
      "d1v0 p0 111 cr3 0x12345678 frame 0x12345\n"
      "d1v0 p0 112 cr3 0x8000000155555018 frame 0x155555\n" },
    { "a load of CR3 by an unknown vcpu", "cr3,handle",
      "110 p0 hvm_cr_write 3 0x12345678\n",
      "default0 p0 110 handler 0x82009 kind 8, no exit: at 0x3, value "
      "0x12345678, write\n" },
};

SCRIPT_TEST(handlers_come_with_their_exit)

/* Each handler record: where its values are. */
static const struct script_row each_handler_rows[] = {
    { "faults and injections", "handle",
      RUN
      "levels 2\n"
      "110 p0 hvm_pf_xen 2 0x5000\n"
      "111 p0 hvm_pf_xen64 2 0x5000 7\n"
      "112 p0 hvm_pf_inject 4 0x6000\n"
      "113 p0 hvm_pf_inject64 4 0x6000 1\n"
      "114 p0 hvm_inj_exc 14 0xffffffff\n"
      "115 p0 hvm_inj_virq 0xef 1\n"
      "116 p0 hvm_reinj_virq 0xef\n"
      "117 p0 hvm_intr_window 0x30 2\n"
      "118 p0 hvm_trap 1\n",
      "d1v0 p0 110 handler 0x82001 kind 1, no exit: at 0x5000, value 0x2\n"
      "d1v0 p0 111 handler 0x82101 kind 1, no exit: at 0x700005000, value "
      "0x2\n"
      "d1v0 p0 112 handler 0x82002 kind 2, no exit: at 0x6000, value 0x4\n"
      "d1v0 p0 113 handler 0x82102 kind 2, no exit: at 0x100006000, value "
      "0x4\n"
      "d1v0 p0 114 handler 0x82003 kind 3, no exit: at 0xe, value "
      "0xffffffff\n"
      "d1v0 p0 115 handler 0x82004 kind 4, no exit: at 0xef, value 0x1\n"
      "d1v0 p0 116 handler 0x82005 kind 5, no exit: at 0xef\n"
      "d1v0 p0 117 handler 0x82020 kind 18, no exit: at 0x30, value 0x2\n"
      "d1v0 p0 118 handler 0x82023 kind 20, no exit: at 0x1\n" },
    { "accesses to devices", "handle",
      RUN
      "110 p0 hvm_ioport_read 0x3f8 0x41\n"
      "111 p0 hvm_ioport_write 0x3f8 0x42\n"
      "112 p0 hvm_iomem_read 0xfee00020 7\n"
      "113 p0 hvm_iomem_write 0xfee000b0 0\n"
      "114 p0 hvm_iomem_read64 0xfee00020 1 5 6\n"
      "115 p0 hvm_iomem_write64 0xfee00020 1 5 6\n"
      "116 p0 hvm_ioport_read 0x3f8\n",
      "d1v0 p0 110 handler 0x82016 kind 6, no exit: at 0x3f8, value 0x41\n"
      "d1v0 p0 111 handler 0x82216 kind 6, no exit: at 0x3f8, value 0x42, "
      "write\n"
      "d1v0 p0 112 handler 0x82017 kind 7, no exit: at 0xfee00020, value "
      "0x7\n"
      "d1v0 p0 113 handler 0x82217 kind 7, no exit: at 0xfee000b0, value 0, "
      "write\n"
      "d1v0 p0 114 handler 0x82117 kind 7, no exit: at 0x1fee00020, value "
      "0x600000005\n"
      "d1v0 p0 115 handler 0x82317 kind 7, no exit: at 0x1fee00020, value "
      "0x600000005, write\n"
      "d1v0 p0 116 handler 0x82016 kind 6, no exit: at 0x3f8\n" },
    { "registers", "handle",
      RUN
      "110 p0 hvm_cr_read 0 0x80050033\n"
      "111 p0 hvm_cr_read64 4 0x2660 1\n"
      "112 p0 hvm_cr_write 4 0x2660\n"
      "113 p0 hvm_cr_write64 8 3 0\n"
      "114 p0 hvm_msr_read 0xc0000080 0xd01 0\n"
      "115 p0 hvm_msr_write 0x6e0 1 2\n"
      "116 p0 hvm_xcr_read64 0 7 0\n"
      "117 p0 hvm_xcr_write64 0 7 0\n"
      "118 p0 hvm_lmsw 0x31\n"
      "119 p0 hvm_lmsw64 0x31 1\n",
      "d1v0 p0 110 handler 0x82008 kind 8, no exit: at 0, value 0x80050033\n"
      "d1v0 p0 111 handler 0x82108 kind 8, no exit: at 0x4, value "
      "0x100002660\n"
      "d1v0 p0 112 handler 0x82009 kind 8, no exit: at 0x4, value 0x2660, "
      "write\n"
      "d1v0 p0 113 handler 0x82109 kind 8, no exit: at 0x8, value 0x3, "
      "write\n"
      "d1v0 p0 114 handler 0x8200c kind 9, no exit: at 0xc0000080, value "
      "0xd01\n"
      "d1v0 p0 115 handler 0x8200d kind 9, no exit: at 0x6e0, value "
      "0x200000001, write\n"
      "d1v0 p0 116 handler 0x82126 kind 10, no exit: at 0, value 0x7\n"
      "d1v0 p0 117 handler 0x82127 kind 10, no exit: at 0, value 0x7, "
      "write\n"
      "d1v0 p0 118 handler 0x82019 kind 16, no exit: at 0, value 0x31\n"
      "d1v0 p0 119 handler 0x82119 kind 16, no exit: at 0, value "
      "0x100000031\n" },
    { "instructions and interrupts", "handle",
      RUN
      "110 p0 hvm_cpuid 0xb 1 2 3 4\n"
      "111 p0 hvm_intr 0xf0\n"
      "112 p0 hvm_intr\n"
      "113 p0 hvm_vmmcall 29\n"
      "114 p0 hvm_hlt 1\n"
      "115 p0 hvm_invlpg 0 0x7000\n"
      "116 p0 hvm_invlpg64 0 0x7000 9\n"
      "117 p0 hvm_rdtsc 1 2\n"
      "118 p0 hvm_nmi\n"
      "119 p0 hvm_npf 0x9000 1 0x77 0 0x181 4\n",
      "d1v0 p0 110 handler 0x8200e kind 11, no exit: at 0xb, value 0x1\n"
      "d1v0 p0 111 handler 0x8200f kind 12, no exit: at 0xf0, value 0xf0\n"
      "d1v0 p0 112 handler 0x8200f kind 12, no exit: at 0\n"
      "d1v0 p0 113 handler 0x82012 kind 13, no exit: at 0x1d\n"
      "d1v0 p0 114 handler 0x82013 kind 14, no exit: at 0, value 0x1\n"
      "d1v0 p0 115 handler 0x82014 kind 15, no exit: at 0x7000, value 0\n"
      "d1v0 p0 116 handler 0x82114 kind 15, no exit: at 0x900007000, value "
      "0\n"
      "d1v0 p0 117 handler 0x8201a kind 17, no exit: at 0, value "
      "0x200000001\n"
      "d1v0 p0 118 handler 0x82010 kind 0, no exit: at 0\n"
      "d1v0 p0 119 handler 0x82021 kind 19, no exit: at 0x100009000, value "
      "0x181, mfn 0x77, type 4\n" },
    { "too short", "handle",
      RUN
      "110 p0 hvm_pf_xen 2\n"
      "111 p0 hvm_msr_read 1 2\n"
      "112 p0 hvm_npf 1 2 3 4 5\n"
      "113 p0 hvm_vmmcall\n",
      "" },
};

SCRIPT_TEST(each_handler)

static const struct script_row shadow_faults_rows[] = {
    { "widths by levels", "handle",
      RUN
      "110 p0 0x40f003 1 2\n"
      "111 p0 shadow_mmio_2 0xc000\n"
      "112 p0 shadow_mmio_2|0x100 0xc000\n"
      "113 p0 shadow_mmio_2|0x200 0xc000 1\n"
      "114 p0 shadow_fixup_2 1 0x2000 0x100\n"
      "115 p0 shadow_fixup_2|0x100 1 2 0x3000 0x100\n"
      "116 p0 shadow_fixup_2|0x200 1 2 0x3000 4 0x100\n"
      "117 p0 shadow_emulate_2 1 2 0x3000 0x40000001\n"
      "118 p0 shadow_emulate_2|0x100 1 2 3 4 0x5000 0x40000001\n"
      "119 p0 shadow_emulate_2|0x200 1 2 3 4 0x5000 6 0x40000001\n",
      "d1v0 p0 110 handler 0x40f003 kind 21, no exit: at 0x1; fast mmio, "
      "levels 2, va 0x1\n"
      "d1v0 p0 111 handler 0x40f005 kind 21, no exit: at 0xc000; mmio, "
      "levels 2, va 0xc000\n"
      "d1v0 p0 112 handler 0x40f105 kind 21, no exit: at 0xc000; mmio, "
      "levels 3, va 0xc000\n"
      "d1v0 p0 113 handler 0x40f205 kind 21, no exit: at 0x10000c000; mmio, "
      "levels 4, va 0x10000c000\n"
      "d1v0 p0 114 handler 0x40f006 kind 21, no exit: at 0x2000, value "
      "0x100; fixup, levels 2, va 0x2000, gl1e 0x1, flags 0x100\n"
      "d1v0 p0 115 handler 0x40f106 kind 21, no exit: at 0x3000, value "
      "0x100; fixup, levels 3, va 0x3000, gl1e 0x200000001, flags 0x100\n"
      "d1v0 p0 116 handler 0x40f206 kind 21, no exit: at 0x400003000, value "
      "0x100; fixup, levels 4, va 0x400003000, gl1e 0x200000001, flags "
      "0x100\n"
      "d1v0 p0 117 handler 0x40f008 kind 21, no exit: at 0x3000, value "
      "0x40000001; emulate, levels 2, va 0x3000, gl1e 0x1, written 0x2, "
      "flags 0x1, count 0x2\n"
      "d1v0 p0 118 handler 0x40f108 kind 21, no exit: at 0x5000, value "
      "0x40000001; emulate, levels 3, va 0x5000, gl1e 0x200000001, written "
      "0x400000003, flags 0x1, count 0x2\n"
      "d1v0 p0 119 handler 0x40f208 kind 21, no exit: at 0x600005000, value "
      "0x40000001; emulate, levels 4, va 0x600005000, gl1e 0x200000001, "
      "written 0x400000003, flags 0x1, count 0x2\n" },
    { "unshadowing, with and without flags", "handle",
      RUN
      "110 p0 shadow_emulate_unshadow_user_2 7 0x3000\n"
      "111 p0 shadow_emulate_unshadow_user_2 7 0x3000 0x400\n"
      "112 p0 shadow_emulate_unshadow_evtinj_2|0x200 7 0 0x3000 1\n"
      "113 p0 shadow_emulate_unshadow_unhandled_2|0x200 7 0 0x3000 1 2\n",
      "d1v0 p0 110 handler 0x40f009 kind 21, no exit: at 0x3000; "
      "unshadow:user-mode, levels 2, va 0x3000, gfn 0x7\n"
      "d1v0 p0 111 handler 0x40f009 kind 21, no exit: at 0x3000, value "
      "0x400; unshadow:user-mode, levels 2, va 0x3000, gfn 0x7, flags "
      "0x400\n"
      "d1v0 p0 112 handler 0x40f20a kind 21, no exit: at 0x100003000; "
      "unshadow:evt inj, levels 4, va 0x100003000, gfn 0x7\n"
      "d1v0 p0 113 handler 0x40f20b kind 21, no exit: at 0x100003000, value "
      "0x2; unshadow:unhandled instr, levels 4, va 0x100003000, gfn 0x7, "
      "flags 0x2\n" },
    { "too short", "handle",
      RUN
      "110 p0 shadow_fixup_2|0x200 1 2 3\n"
      "111 p0 shadow_emulate_unshadow_user_2 7\n"
      "112 p0 shadow_wrmap_bf 7\n",
      "" },
    { "besides the fault of an exit", "handle,exit",
      RUN
      "110 p0 hvm_vmexit 0 0x1000\n"
      "111 p0 shadow_wrmap_bf 7 0\n"
      "112 p0 shadow_prealloc_unpin 8 0\n"
      "113 p0 shadow_resync_full 9 0\n"
      "114 p0 shadow_resync_only 9 0\n"
      "115 p0 shadow_fixup_2|0x200 1 2 3 4 0x100\n"
      "120 p0 hvm_vmentry\n",
      "d1v0 p0 110 handler 0x40f00c kind 21: at 0; wrmap_bf, levels 0, gfn "
      "0x7\n"
      "d1v0 p0 110 handler 0x40f00d kind 21: at 0; prealloc_unpin, levels "
      "0, gfn 0x8\n"
      "d1v0 p0 110 handler 0x40f00e kind 21: at 0; resync_full, levels 0, "
      "gfn 0x9\n"
      "d1v0 p0 110 handler 0x40f00f kind 21: at 0; resync_only, levels 0, "
      "gfn 0x9\n"
      "d1v0 p0 110 handler 0x40f206 kind 21: at 0x400000003, value 0x100, "
      "main; fixup, levels 4, va 0x400000003, gl1e 0x200000001, flags "
      "0x100\n"
      "d1v0 p0 exit 110+10 EXCEPTION_NMI(0) entered, rip 0x1000, handler 1, "
      "seen 0x2, levels 4, resyncs 2, unpinned, brute force\n" },
    { "unknown shadow events in an exit", "handle,exit",
      RUN
      "110 p0 hvm_vmexit 0 0x1000\n"
      "111 p0 0x40f010 7 0\n"
      "112 p0 0x40f000 7 0\n"
      "120 p0 hvm_vmentry\n",
      "d1v0 p0 110 handler 0x40f010 kind 0: at 0\n"
      "d1v0 p0 110 handler 0x40f000 kind 0: at 0\n"
      "d1v0 p0 exit 110+10 EXCEPTION_NMI(0) entered, rip 0x1000, handler 0, "
      "seen 0x2\n" },
    { "an unknown shadow event before the main handler", "handle,exit",
      RUN
      "110 p0 hvm_vmexit 0 0x1000\n"
      "111 p0 0x40f200 7 0\n"
      "112 p0 hvm_ioport_read 0x3f8 65\n"
      "120 p0 hvm_vmentry\n",
      "d1v0 p0 110 handler 0x40f200 kind 0: at 0\n"
      "d1v0 p0 110 handler 0x82016 kind 6: at 0x3f8, value 0x41, main\n"
      "d1v0 p0 exit 110+10 EXCEPTION_NMI(0) entered, rip 0x1000, "
      "handler 22, seen 0x400002\n" },
    { "levels of the guest stay unknown without a fault", "exit",
      "levels 3\n"
      RUN
      "110 p0 hvm_vmexit 0 0x1000\n"
      "120 p0 hvm_vmentry\n"
      "130 p0 hvm_vmexit 0 0x1000\n"
      "131 p0 shadow_mmio_2 0xc000\n"
      "140 p0 hvm_vmentry\n",
      "d1v0 p0 exit 110+10 EXCEPTION_NMI(0) entered, rip 0x1000, handler 0, "
      "seen 0, levels 3\n"
      "d1v0 p0 exit 130+10 EXCEPTION_NMI(0) entered, rip 0x1000, handler 1, "
      "seen 0x2, guest 10\n" },
};

SCRIPT_TEST(shadow_faults)

/* The addresses at which Windows maps its own page tables. */
START_TEST(linear_page_tables)
{
    static const struct
    {
        unsigned int levels;
        uint64_t va;
        unsigned int level;
    } rows[] = {
        { 2, 0x80000000, 0 }, { 2, 0xc0001000, 1 }, { 2, 0xc0300000, 2 },
        { 2, 0xc02ff000, 1 }, { 2, 0xc0301000, 1 }, { 2, 0xc0400000, 0 },
        { 3, 0x80000000, 0 }, { 3, 0xc0000000, 1 }, { 3, 0xc0600000, 2 },
        { 3, 0xc0603000, 3 }, { 3, 0xc060301f, 3 }, { 3, 0xc0603020, 2 },
        { 3, 0xc07fffff, 1 }, { 3, 0xc0800000, 0 },
        { 4, 0xfffff68000000000, 1 }, { 4, 0xfffff6fb40000000, 2 },
        { 4, 0xfffff6fb7da00000, 3 }, { 4, 0xfffff6fb7dbed000, 4 },
        { 4, 0xfffff70000000000, 0 }, { 4, 0x1000, 0 },
        { 0, 0xc0300000, 0 }, { 5, 0xfffff68000000000, 0 },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
        ck_assert_msg(find_linear_level(rows[i].levels, rows[i].va) ==
                      rows[i].level, "row %zu", i);
}
END_TEST

UNIT_MAIN("exits", exits_end_by_entries, exits_need_a_guest,
          exits_end_by_scheduling, handlers_come_with_their_exit,
          each_handler, shadow_faults, linear_page_tables)
