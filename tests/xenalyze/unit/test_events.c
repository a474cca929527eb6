/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines of a pcpu without much state: PV guests, memory, interrupts,
 * power, names of domains, volumes; and events without a machine.  Each row is
 * a script (script.h) and the expected facts.
 */
#include "tests/xenalyze/unit/script.h"

#define RUN "100 p0 runnable>running d1v0\n"

static const struct script_row pv_guests_rows[] = {
    { "32-bit guests", "pv,anomaly",
      RUN
      "110 p0 pv_hypercall 0xc0001000 29\n"
      "111 p0 pv_trap 0xc0001000 13\n"
      "112 p0 pv_trap 0xc0001000 0x0010800d\n"
      "113 p0 pv_page_fault 0xc0001000 0xbeef000 6\n"
      "114 p0 pv_forced_invalid_op 0xc0001000\n"
      "115 p0 pv_emulate_privop 0xc0001000\n"
      "116 p0 pv_emulate_4gb 0xc0001000\n"
      "117 p0 pv_math_state_restore\n"
      "118 p0 pv_paging_fixup 0xc0001000 0xbeef000\n"
      "119 p0 pv_gdt_ldt_mapping_fault 0xc0001000 8\n"
      "120 p0 pv_ptwr_emulation 0x67 1 0xbeef000 0xc0001000\n",
      "d1v0 p0 110 hypercall, number 0x1d, rip 0xc0001000\n"
      "d1v0 p0 111 trap, number 0xd, rip 0xc0001000\n"
      "d1v0 p0 112 trap, number 0xd, error 0x10, rip 0xc0001000\n"
      "d1v0 p0 113 page_fault, error 0x6, rip 0xc0001000, address "
      "0xbeef000\n"
      "d1v0 p0 114 forced_invalid_op, rip 0xc0001000\n"
      "d1v0 p0 115 emulate privop, rip 0xc0001000\n"
      "d1v0 p0 116 emulate 4g, rip 0xc0001000\n"
      "d1v0 p0 117 math state restore\n"
      "d1v0 p0 118 paging fixup, rip 0xc0001000, address 0xbeef000\n"
      "d1v0 p0 119 gdt/ldt mapping fault, rip 0xc0001000, address 0x8\n"
      "d1v0 p0 120 ptwr, rip 0xc0001000, address 0xbeef000, entry "
      "0x100000067\n" },
    { "64-bit guests", "pv",
      RUN
      "110 p0 pv_hypercall64 1 0xffffffff 29\n"
      "111 p0 pv_trap64 1 0xffffffff 0x0010800d\n"
      "113 p0 pv_page_fault64 1 0xffffffff 2 0xeeeeeeee 6\n"
      "118 p0 pv_paging_fixup64 1 0xffffffff 2 0xeeeeeeee\n"
      "119 p0 pv_gdt_ldt_mapping_fault64 1 0xffffffff 2 0xeeeeeeee\n"
      "120 p0 pv_ptwr_emulation64 0x67 1 2 0xeeeeeeee 1 0xffffffff\n"
      "121 p0 pv_ptwr_emulation_pae 0x67 1 0xbeef000 0xc0001000\n",
      "d1v0 p0 110 hypercall wide, number 0x1d, rip 0xffffffff00000001\n"
      "d1v0 p0 111 trap wide, number 0xd, error 0x10, rip "
      "0xffffffff00000001\n"
      "d1v0 p0 113 page_fault wide, error 0x6, rip 0xffffffff00000001, "
      "address 0xeeeeeeee00000002\n"
      "d1v0 p0 118 paging fixup wide, rip 0xffffffff00000001, address "
      "0xeeeeeeee00000002\n"
      "d1v0 p0 119 gdt/ldt mapping fault wide, rip 0xffffffff00000001, "
      "address 0xeeeeeeee00000002\n"
      "d1v0 p0 120 ptwr wide, rip 0xffffffff00000001, address "
      "0xeeeeeeee00000002, entry 0x100000067\n"
      "d1v0 p0 121 ptwr(pae), rip 0xc0001000, address 0xbeef000, entry "
      "0x100000067\n" },
    { "arguments of hypercalls", "pv",
      RUN
      "110 p0 pv_hypercall_v2 0x0000001d\n"
      "111 p0 pv_hypercall_v2 0x0010001d 7\n"
      "112 p0 pv_hypercall_v2 0x0020001d 7 1\n"
      "113 p0 pv_hypercall_v2 0x0090001d 7 8 1\n"
      "114 p0 pv_hypercall_v2 0x5550001d 1 2 3 4 5 6\n"
      "115 p0 pv_hypercall_subcall 0x00100001 9\n"
      "116 p0 pv_hypercall_v2 0x0430001d 7 8\n",
      "d1v0 p0 110 hypercall, number 0x1d\n"
      "d1v0 p0 111 hypercall, number 0x1d, args 0x7\n"
      "d1v0 p0 112 hypercall, number 0x1d, args 0x100000007\n"
      "d1v0 p0 113 hypercall, number 0x1d, args 0x7, 0x100000008\n"
      "d1v0 p0 114 hypercall, number 0x1d, args 0x1, 0x2, 0x3, 0x4, 0x5, "
      "0x6\n"
      "d1v0 p0 115 hypercall (subcall), number 0x1, args 0x9\n"
      "d1v0 p0 116 hypercall, number 0x1d\n" },
    { "too short, unknown, and without a guest", "pv,event,anomaly",
      RUN
      "110 p0 pv_page_fault64 1 2 3 4\n"
      "111 p0 pv_hypercall_v2 0x0020001d 7\n"
      "112 p0 0x201002 1\n"
      "113 p0 0x2010ff 1\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 pv_trap 1 2\n",
      "d1v0 p0 112 event 0x201002, 1 words\n"
      "d1v0 p0 113 event 0x2010ff, 1 words\n"
      "1 guest events while nobody was known to run\n"
      "2 records that are too short\n" },
};

SCRIPT_TEST(pv_guests)

static const struct script_row memory_rows[] = {
    { "grants and the physical map", "memory",
      RUN
      "110 p0 mem_page_grant_map 7\n"
      "111 p0 mem_page_grant_unmap 7\n"
      "112 p0 mem_page_grant_transfer 7\n"
      "113 p0 mem_set_p2m_entry 1 2 3 4 5 0x00090003\n"
      "114 p0 mem_decrease_reservation 1 0 0x00090003\n",
      "d1v0 p0 110 grant-map for d7\n"
      "d1v0 p0 111 grant-unmap for d7\n"
      "d1v0 p0 112 grant-transfer for d7\n"
      "d1v0 p0 113 set-p2m for d3, gfn 0x200000001, mfn 0x400000003, order "
      "0x9, type 0x5\n"
      "d1v0 p0 114 decrease-reservation for d3, gfn 0x1, order 0x9, layout "
      "guessed\n" },
    { "populate on demand as of 4.17", "memory",
      "4.17\n"
      RUN
      "110 p0 mem_pod_populate 1 0 2 0 0x00090003 18\n"
      "111 p0 mem_pod_superpage_splinter 1 0 0x00090003\n"
      "112 p0 mem_pod_populate 1 0 2 0 0x00000003 18\n",
      "d1v0 p0 110 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x9\n"
      "d1v0 p0 111 pod-superpage-splinter for d3, gfn 0x1\n"
      "d1v0 p0 112 pod-populate for d3, gfn 0x1, mfn 0x2\n" },
    { "populate on demand as of 4.19", "memory",
      "4.19\n"
      RUN
      "110 p0 mem_pod_populate 1 0 2 0 3 18\n"
      "111 p0 mem_pod_superpage_splinter 1 0 3 9\n"
      "112 p0 mem_pod_populate 1 0 2 0 3 7\n",
      "d1v0 p0 110 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x12\n"
      "d1v0 p0 111 pod-superpage-splinter for d3, gfn 0x1, order 0x9\n"
      "d1v0 p0 112 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x7\n" },
    { "populate on demand of an unknown version", "memory",
      RUN
      "110 p0 mem_pod_populate 1 0 2 0 3 18\n"
      "111 p0 mem_pod_populate 1 0 2 0 3 9\n"
      "112 p0 mem_pod_populate 1 0 2 0 3 7\n"
      "113 p0 mem_pod_populate 1 0 2 0 0x00120003 9\n"
      "114 p0 mem_pod_populate 1 0 2 0 3\n",
      "d1v0 p0 110 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x12, "
      "layout guessed\n"
      "d1v0 p0 111 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "layout guessed\n"
      "d1v0 p0 112 pod-populate for d3, gfn 0x1, mfn 0x2, layout guessed\n"
      "d1v0 p0 113 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x12, "
      "layout guessed\n"
      "d1v0 p0 114 pod-populate for d3, gfn 0x1, mfn 0x2, layout guessed\n" },
    { "zero pages in faults and by the balloon driver", "memory",
      RUN
      "110 p0 mem_pod_zero_reclaim 1 0 2 0 0x00090003\n"
      "120 p0 hvm_vmexit 48 0\n"
      "121 p0 mem_pod_zero_reclaim 1 0 2 0 0x00090003\n"
      "122 p0 mem_pod_populate 1 0 2 0 0x00090003\n"
      "125 p0 hvm_vmentry\n"
      "130 p0 hvm_vmexit 18 0\n"
      "131 p0 mem_pod_zero_reclaim 1 0 2 0 0x00090003\n"
      "135 p0 hvm_vmentry\n"
      "140 p0 hvm_svm_exit 0x400 0\n"
      "141 p0 mem_pod_zero_reclaim 1 0 2 0 0x00090003\n"
      "145 p0 hvm_vmentry\n"
      "150 p0 hvm_svm_exit 0x81 0\n"
      "151 p0 mem_pod_zero_reclaim 1 0 2 0 0x00090003\n"
      "155 p0 hvm_vmentry\n"
      "160 p0 hvm_vmexit 12 0\n"
      "161 p0 mem_pod_zero_reclaim 1 0 2 0 0x00090003\n",
      "d1v0 p0 110 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "layout guessed\n"
      "d1v0 p0 121 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "context fault, layout guessed\n"
      "d1v0 p0 122 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "layout guessed\n"
      "d1v0 p0 131 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "context balloon, layout guessed\n"
      "d1v0 p0 141 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "context fault, layout guessed\n"
      "d1v0 p0 151 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "context balloon, layout guessed\n"
      "d1v0 p0 161 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "layout guessed\n" },
    { "all events whose layout changed, as of 4.17", "memory",
      "4.17\n"
      RUN
      "110 p0 mem_decrease_reservation 1 0 0x00120003\n"
      "111 p0 mem_pod_zero_reclaim 1 0 2 0 0x00090003\n"
      "112 p0 mem_set_p2m_entry 1 2 3 4 5 0x00090003\n",
      "d1v0 p0 110 decrease-reservation for d3, gfn 0x1, order 0x12\n"
      "d1v0 p0 111 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9\n"
      "d1v0 p0 112 set-p2m for d3, gfn 0x200000001, mfn 0x400000003, order "
      "0x9, type 0x5\n" },
    { "all events whose layout changed, as of 4.18", "memory",
      "4.18\n"
      RUN
      "110 p0 mem_decrease_reservation 1 0 0x00120003 9\n"
      "111 p0 mem_pod_zero_reclaim 1 0 2 0 3 9\n"
      "112 p0 mem_pod_populate 1 0 2 0 0x00090003 18\n"
      "113 p0 mem_pod_superpage_splinter 1 0 0x00090003 18\n",
      "d1v0 p0 110 decrease-reservation for d3, gfn 0x1, order 0x12\n"
      "d1v0 p0 111 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2\n"
      "d1v0 p0 112 pod-populate for d3, gfn 0x1, mfn 0x2, order 0x9\n"
      "d1v0 p0 113 pod-superpage-splinter for d3, gfn 0x1\n" },
    { "all events whose layout changed, as of 4.19", "memory",
      "4.19\n"
      RUN
      "110 p0 mem_decrease_reservation 1 0 3 18\n"
      "111 p0 mem_pod_zero_reclaim 1 0 2 0 3 9\n"
      "112 p0 mem_set_p2m_entry 1 2 3 4 5 0x00090003\n",
      "d1v0 p0 110 decrease-reservation for d3, gfn 0x1, order 0x12\n"
      "d1v0 p0 111 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9\n"
      "d1v0 p0 112 set-p2m for d3, gfn 0x200000001, mfn 0x400000003, order "
      "0x9, type 0x5\n" },
    { "an unknown version: a large domain word has the order", "memory",
      RUN
      "110 p0 mem_decrease_reservation 1 0 0x00000003 18\n"
      "111 p0 mem_decrease_reservation 1 0 0x00090003 18\n"
      "112 p0 mem_decrease_reservation 1 0 0x00000003 0\n"
      "113 p0 mem_pod_superpage_splinter 1 0 3 9\n"
      "114 p0 mem_pod_superpage_splinter 1 0 0x00090003 9\n"
      "115 p0 mem_page_grant_map 7\n",
      "d1v0 p0 110 decrease-reservation for d3, gfn 0x1, order 0x12, layout "
      "guessed\n"
      "d1v0 p0 111 decrease-reservation for d3, gfn 0x1, order 0x9, layout "
      "guessed\n"
      "d1v0 p0 112 decrease-reservation for d3, gfn 0x1, layout guessed\n"
      "d1v0 p0 113 pod-superpage-splinter for d3, gfn 0x1, order 0x9, layout "
      "guessed\n"
      "d1v0 p0 114 pod-superpage-splinter for d3, gfn 0x1, layout guessed\n"
      "d1v0 p0 115 grant-map for d7\n" },
    { "the context ends with the exit, and is of the same pcpu", "memory",
      "4.19\n"
      RUN
      "100 p1 runnable>running d1v1\n"
      "120 p0 hvm_vmexit 48 0\n"
      "121 p1 mem_pod_zero_reclaim 1 0 2 0 3 9\n"
      "125 p0 hvm_vmentry\n"
      "126 p0 mem_pod_zero_reclaim 1 0 2 0 3 9\n"
      "130 p0 hvm_vmexit 18 0\n"
      "131 p0 mem_pod_zero_reclaim 1 0 2 0 3 9\n"
      "132 p0 running>runnable d1v0\n"
      "133 p0 runnable>running d1v0\n"
      "134 p0 mem_pod_zero_reclaim 1 0 2 0 3 9\n",
      "d1v1 p1 121 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9\n"
      "d1v0 p0 126 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9\n"
      "d1v0 p0 131 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9, "
      "context balloon\n"
      "d1v0 p0 134 pod-zero-reclaim for d3, gfn 0x1, mfn 0x2, order 0x9\n" },
    { "too short, unknown, and by an unknown vcpu", "memory,event,anomaly",
      "100 p0 mem_page_grant_map 7\n"
      "110 p0 mem_pod_populate 1 0 2 0\n"
      "111 p0 mem_page_grant_map\n"
      "112 p0 0x10f006 1\n"
      "113 p0 0x10f020 1\n",
      "? p0 100 grant-map for d7\n"
      "? p0 112 event 0x10f006, 1 words\n"
      "? p0 113 event 0x10f020, 1 words\n"
      "2 records that are too short\n" },
};

SCRIPT_TEST(memory)

static const struct script_row interrupts_rows[] = {
    { "of the host", "irq",
      RUN
      "110 p0 hw_irq_move_cleanup_delay 24 0x31 3\n"
      "111 p0 hw_irq_move_cleanup 24 0x31 3\n"
      "112 p0 hw_irq_bind_vector 0x00310018 1 2 3 4 5 6\n"
      "113 p0 hw_irq_clear_vector 0x00310018 1 0 0 0 0 0x80000000\n"
      "114 p0 hw_irq_move_finish 24 0x31 3\n"
      "115 p0 hw_irq_assign_vector 0x00310018 0 0 0 0 0 0\n"
      "116 p0 hw_irq_unmapped_vector 0xee\n"
      "117 p0 hw_irq_handled 24 100 160\n"
      "118 p0 hw_irq_handled 24 0xfffffff0 0x10\n"
      "119 p0 hw_irq_handled 24 0 160\n",
      "d1v0 p0 110 move_cleanup_delay: irq 24, vector 0x31, target 0x3\n"
      "d1v0 p0 111 move_cleanup: irq 24, vector 0x31, target 0x3\n"
      "d1v0 p0 112 bind_vector: irq 24, vector 0x31, mask[0] 0x1, mask[1] "
      "0x2, mask[2] 0x3, mask[3] 0x4, mask[4] 0x5, mask[5] 0x6\n"
      "d1v0 p0 113 clear_vector: irq 24, vector 0x31, mask[0] 0x1, mask[5] "
      "0x80000000\n"
      "d1v0 p0 114 move_finish: irq 24, vector 0x31, target 0x3\n"
      "d1v0 p0 115 assign_vector: irq 24, vector 0x31\n"
      "d1v0 p0 116 unmapped_vector: irq -1, vector 0xee\n"
      "d1v0 p0 117 handled: irq 24, cycles 60\n"
      "d1v0 p0 118 handled: irq 24, cycles 32\n"
      "d1v0 p0 119 handled: irq 24\n" },
    { "too short and unknown", "irq,event,anomaly",
      "110 p0 hw_irq_handled 24 100\n"
      "111 p0 hw_irq_bind_vector 1 2 3 4 5 6\n"
      "112 p0 0x802009 1\n"
      "113 p0 0x802000 1\n",
      "? p0 112 event 0x802009, 1 words\n"
      "? p0 113 event 0x802000, 1 words\n"
      "2 records that are too short\n" },
};

SCRIPT_TEST(interrupts)

static const struct script_row power_rows[] = {
    { "sleeping and waking", "power",
      "100 p0 pm_idle_entry 3 0 100 200\n"
      "150 p0 pm_idle_exit 3 0 0 0 0 0\n"
      "160 p0 pm_idle_exit 3 0 0 0 0 0\n"
      "170 p0 pm_idle_entry 2 0\n"
      "180 p0 pm_idle_exit 3 0 0 0 0 0\n"
      "190 p0 pm_idle_exit 2 0 0 0 0 0\n",
      "p0 100 sleep 3, expected 0x64, predicted 0xc8\n"
      "p0 150 wake 3, cycles 0x32, matched\n"
      "p0 160 wake 3\n"
      "p0 170 sleep 2\n"
      "p0 180 wake 3\n"
      "p0 190 wake 2\n" },
    { "asleep on another pcpu, and through a loss", "power",
      "100 p0 pm_idle_entry 3 0 100 200\n"
      "110 p1 pm_idle_exit 3 0 0 0 0 0\n"
      "120 p0 loss\n"
      "130 p0 lost_records 1 v65535@65535 120 0\n"
      "150 p0 pm_idle_exit 3 0 0 0 0 0\n",
      "p0 100 sleep 3, expected 0x64, predicted 0xc8\n"
      "p1 110 wake 3\n"
      "p0 150 wake 3\n" },
    { "only the idle vcpu sleeps", "pcpu,runstate",
      "100 p0 pm_idle_exit 3 0 0 0 0 0\n"
      "110 p1 pm_freq_change 1200 2400\n"
      "150 p0 pm_idle_entry 3 0 100 200\n"
      "300 p0 pm_idle_exit 3 0 0 0 0 0\n"
      "400 p1 running>blocked d1v0\n",
      "p1 110..400 running d1v0 (unseen)\n"
      "d1v0 100..400 running p1 -> blocked by p1 (unseen)\n"
      "p0 100..300 idle idle0 (unseen)\n"
      "idle0 100..300 running p0 -> no data by p0 (unseen)\n"
      "p1 400..400 unknown\n"
      "d1v0 400..400 blocked p1 end (unseen)\n"
      "idle0 300..400 no data p0 end (unseen)\n" },
    { "frequencies", "power,event,anomaly",
      "100 p0 pm_freq_change 1200 2400\n"
      "110 p0 pm_freq_change 1200\n"
      "120 p0 0x801004 1\n"
      "130 p0 pm_idle_entry\n",
      "p0 100 frequency 2400, before 0x4b0\n"
      "? p0 120 event 0x801004, 1 words\n"
      "2 records that are too short\n" },
};

SCRIPT_TEST(power)

/* "Domain-0": 0x616d6f44 0x302d6e69 */
static const struct script_row names_of_domains_rows[] = {
    { "in one part", "domain_name",
      "100 p0 meta_domain_name 0x01000005 0x616d6f44 0x302d6e69 0 0 0 0\n",
      "d5 100 is \"Domain-0\"\n" },
    { "in two parts, and what is not printable", "domain_name",
      "100 p0 meta_domain_name 0x02000005 0x41414141 0x41414141 0x41414141 "
      "0x41414141 0x41414141 0x41414141\n"
      "101 p0 meta_domain_name 0x02010005 0x0a424242 0 0 0 0 0\n",
      "d5 101 is \"AAAAAAAAAAAAAAAAAAAAAAAABBB?\"\n" },
    { "the first and the last printable character", "domain_name",
      "100 p0 meta_domain_name 0x01000005 0x1f207e7f 0x00000041 0 0 0 0\n",
      "d5 100 is \"?~ ?A\"\n" },
    { "other texts of the collector are no names", "domain_name,event",
      "100 p0 meta_text 0x01000005 0x616d6f44 0x302d6e69 0 0 0 0\n",
      "" },
    { "a part is missing", "domain_name",
      "100 p0 meta_domain_name 0x03000005 0x41414141 0x41414141 0x41414141 "
      "0x41414141 0x41414141 0x41414141\n"
      "101 p0 meta_domain_name 0x03020005 0x42424242 0 0 0 0 0\n"
      "102 p0 meta_domain_name 0x01000006 0x616d6f44 0x302d6e69 0 0 0 0\n"
      "103 p0 meta_domain_name 0x01000006 0x616d6f44\n",
      "d6 102 is \"Domain-0\"\n" },
    { "longer than there is room for", "domain_name",
      "100 p0 meta_domain_name 0x03000005 0x41414141 0x41414141 0x41414141 "
      "0x41414141 0x41414141 0x41414141\n"
      "101 p0 meta_domain_name 0x03010005 0x42424242 0x42424242 0x42424242 "
      "0x42424242 0x42424242 0x42424242\n"
      "102 p0 meta_domain_name 0x03020005 0x43434343 0x43434343 0x43434343 "
      "0x43434343 0x43434343 0x43434343\n",
      "d5 102 is "
      "\"AAAAAAAAAAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBBBBBBBBBCCCCCCCCCCCCCCC\"\n" },
};

SCRIPT_TEST(names_of_domains)

static const struct script_row volumes_rows[] = {
    { "each class, and parts of the whole", "volume",
      "100 p0 runnable>running d1v0\n"
      "101 p0 sched_wake 1 0\n"
      "102 p0 0x22001 1\n"
      "103 p0 0x41001 1\n"
      "104 p0 hvm_vmexit 1 0\n"
      "105 p0 hvm_inj_virq 1 0\n"
      "106 p0 hvm_vmentry\n"
      "107 p0 0x84001 1\n"
      "108 p0 mem_page_grant_map 7\n"
      "109 p0 pv_trap 1 2\n"
      "110 p0 shadow_mmio_2 1\n"
      "111 p0 pm_freq_change 1 2\n"
      "112 p0 0x800f001 1\n"
      "113 p0 0x100f001\n"
      "- p0 0x41002\n"
      "114 p0 lost_records 12 v0@1 113 0\n"
      "115 p0 hvm_vmexit 1 0\n",
      "p0 100..115: 17 records, 12 lost, 1 open, gen 1/28, sched 3/52, "
      "dom0op 2/20, hvm 5/88, mem 1/16, pv 1/20, shadow 1/16, hw 1/20, "
      "guest 1/16, other 1/12, verbose 1/20, vmentry 1/12, vmexit 2/40, "
      "handler 1/20, emul 1/16\n" },
    { "of two pcpus", "volume",
      "100 p0 runnable>running d1v0\n"
      "150 p1 running>blocked d1v1\n"
      "170 p0 end\n",
      "p0 100..100: 1 records, 0 lost, 0 open, sched 1/16\n"
      "p1 150..150: 1 records, 0 lost, 0 open, sched 1/16\n" },
};

SCRIPT_TEST(volumes)

static const struct script_row other_events_rows[] = {
    { "that no machine handles", "event",
      RUN
      "110 p0 sched_wake 1 0\n"
      "111 p0 sched_wake 1\n"
      "112 p0 0x22001 1 2 3\n"
      "113 p0 0x84001 1\n"
      "114 p0 0x800f001\n"
      "115 p0 0x0\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 0x41001 1\n",
      "d1v0 p0 110 event 0x28004, 2 words\n"
      "d1v0 p0 111 event 0x28004, 1 words\n"
      "d1v0 p0 112 event 0x22001, 3 words\n"
      "d1v0 p0 113 event 0x84001, 1 words\n"
      "d1v0 p0 114 event 0x800f001, 0 words\n"
      "d1v0 p0 115 event 0, 0 words\n"
      "? p0 130 event 0x41001, 1 words\n" },
};

SCRIPT_TEST(other_events)

UNIT_MAIN("events", pv_guests, memory, interrupts, power, names_of_domains,
          volumes, other_events)
