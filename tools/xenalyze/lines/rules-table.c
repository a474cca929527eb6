/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of rules: the texts of stock's xenalyze, with the catalogue's field
 * names.  For records that stock decodes wrongly, the text has stock's form and
 * the right values; tests/xenalyze/lines/exceptions.txt lists each of these.
 *
 * An event without a rule is shown by its name and the catalogue's text.
 */
#include "xenalyze/lines/rules.h"

#define NEEDS_EXIT true

static const struct line_rule rules[] = {
    /* dump.c adds the current vcpu and the lines behind. */
    { "lost_records", ' ', false,
      "lost_records count {lost} d{dom}v{vcpu} (cur " },

    /* The scheduler's own interface. */
    { "sched_runstate_change", ' ', false,
      "runstate_change d{dom}v{vcpu} {from:name}->{to:name}" },
    { "sched_continue_running", ' ', false,
      "runstate_continue d{dom}v{vcpu} running->running" },
    { "sched_dom_add", ' ', false, "sched_init_domain d{dom}" },
    { "sched_dom_rem", ' ', false, "sched_destroy_domain d{dom}" },
    { "sched_sleep", ' ', false, "vcpu_sleep d{dom}v{vcpu}" },
    { "sched_wake", ' ', false, "vcpu_wake d{dom}v{vcpu}" },
    { "sched_yield", ' ', false, "vcpu_yield d{dom}v{vcpu}" },
    { "sched_block", ' ', false, "vcpu_block d{dom}v{vcpu}" },
    { "sched_shutdown", ' ', false,
      "sched_shutdown d{dom}v{vcpu}, reason = {reason:u}" },
    { "sched_shutdown_code", ' ', false,
      "sched_shutdown_code d{dom}v{vcpu}, reason = {reason:u}" },
    { "sched_adjdom", ' ', false, "sched_adjust d{dom}" },
    { "sched_switch", ' ', false,
      "sched_switch prev d{prev_dom}v{prev} next d{next_dom}v{next}" },
    { "sched_switch_infprev", ' ', false,
      "sched_switch prev d{dom}v{unit}, run for {ran:us}us" },
    { "sched_switch_infnext", ' ', false,
      "sched_switch next d{dom}v{unit}"
      "<waited!0|, was runnable for {waited:us}us>"
      "{@slice=slice}" },
    { "sched_switch_infcont", ' ', false,
      "sched_switch continue d{dom}v{unit}, run for {ran:us}us{@slice=slice}" },

    /* credit */
    { "csched_sched_tasklet", ' ', false, "csched:sched_tasklet" },
    { "csched_account_start", ' ', false,
      "csched:acct_start d{dom}v{unit}, active_vcpus {active}" },
    { "csched_account_stop", ' ', false,
      "csched:acct_stop d{dom}v{unit}, active_vcpus {active}" },
    { "csched_stolen_unit", ' ', false,
      "csched:stolen_vcpu d{dom}v{unit} from cpu {peer}" },
    { "csched_picked_cpu", ' ', false,
      "csched:pick_cpu {cpu} for d{dom}v{unit}" },
    { "csched_tickle", ' ', false, "csched:runq_tickle, cpu {cpu}" },
    { "csched_boost_start", ' ', false, "csched: d{dom}v{unit} boosted" },
    { "csched_boost_end", ' ', false, "csched: d{dom}v{unit} unboosted" },
    { "csched_schedule", ' ', false,
      "csched:schedule cpu {cpu}<tasklet!0|, tasklet scheduled>"
      "<idle!0|, idle><idle=0|, busy>" },
    { "csched_ratelimit", ' ', false,
      "csched:ratelimit, d{dom}v{unit} run only {ran:us}us" },
    { "csched_steal_check", ' ', false,
      "csched:load_balance <checked!0|checking><checked=0|skipping> {peer}" },

    /* credit2 */
    { "csched2_runq_pos", ' ', false,
      "csched2:runq_insert d{dom}v{unit}, position {position}" },
    { "csched2_credit_burn", ' ', false,
      "csched2:burn_credits d{dom}v{unit}, credit = {credit}, "
      "<budget!-2147483648|budget = {budget}, >delta = {delta}" },
    { "csched2_tickle_check", ' ', false,
      "csched2:tickle_check d{dom}v{unit}, credit = {credit}, "
      "score = {score}" },
    { "csched2_tickle", ' ', false, "csched2:runq_tickle cpu {cpu}" },
    { "csched2_credit_reset", ' ', false,
      "csched2:reset_credits d{dom}v{unit}, credit_start = {before}, "
      "credit_end = {after}" },
    { "csched2_sched_tasklet", ' ', false, "csched2:sched_tasklet" },
    { "csched2_update_load", ' ', false, "csched2:update_load" },
    { "csched2_runq_assign", ' ', false,
      "csched2:runq_assign d{dom}v{unit} on rq# {runq}" },
    { "csched2_update_unit_load", ' ', false,
      "csched2:update_vcpu_load d{dom}v{unit}, "
      "vcpu_load = {avgload:pct=shift} ({avgload})" },
    { "csched2_update_runq_load", ' ', false,
      "csched2:update_rq_load rq# {runq}, load = {load}, "
      "avgload = {avgload:pct=shift} ({avgload}), "
      "b_avgload = {b_avgload:pct=shift} ({b_avgload})" },
    { "csched2_tickle_new", ' ', false,
      "csched2:runq_tickle_new d{dom}v{unit}, processor = {cpu}, "
      "credit = {credit}" },
    { "csched2_runq_max_weight", ' ', false,
      "csched2:update_max_weight rq# {runq}, max_weight = {max_weight}" },
    { "csched2_migrate", ' ', false,
      "csched2:migrate d{dom}v{unit} rq# {from} --> rq# {to}" },
    { "csched2_load_check", ' ', false,
      "csched2:load_balance_check lrq# {local}, orq# {other}, "
      "delta = {delta}" },
    { "csched2_load_balance", ' ', false,
      "csched2:load_balance_begin lrq# {local}, avg_load = {local_load} -- "
      "orq# {other}, avg_load = {other_load}" },
    { "csched2_picked_cpu", ' ', false,
      "csched2:picked_cpu d{dom}v{unit}, rq# {runq}, cpu {cpu}" },
    { "csched2_runq_candidate", ' ', false,
      "csched2:runq_candidate d{dom}v{unit}, credit = {credit}, "
      "<tickled=-1|no cpu was tickled>"
      "<tickled!-1|cpu {tickled} was tickled>" },
    { "csched2_schedule", ' ', false,
      "csched2:schedule cpu {cpu}, rq# {runq}"
      "<tasklet!0|, tasklet scheduled><idle=0|, busy><idle!0|, idle"
      "{@smt=smt_idle}>"
      "<tickled!0|, tickled><tickled=0|, not tickled>" },
    { "csched2_ratelimit", ' ', false,
      "csched2:ratelimit, d{dom}v{unit} run only {ran:us}us" },
    { "csched2_runq_cand_check", ' ', false,
      "csched2:runq_cand_check d{dom}v{unit}" },

    /* rtds */
    { "rtds_tickle", ' ', false, "rtds:runq_tickle cpu {cpu}" },
    { "rtds_runq_pick", ' ', false,
      "rtds:runq_pick d{dom}v{unit}, deadline = {deadline}, "
      "budget = {budget}" },
    { "rtds_budget_burn", ' ', false,
      "rtds:burn_budget d{dom}v{unit}, budget = {budget}, delta = {delta}" },
    { "rtds_budget_replenish", ' ', false,
      "rtds:repl_budget d{dom}v{unit}, deadline = {deadline}, "
      "budget = {budget}, priority = {priority}" },
    { "rtds_sched_tasklet", ' ', false, "rtds:sched_tasklet" },
    { "rtds_schedule", ' ', false,
      "rtds:schedule cpu {cpu}<tasklet!0|, tasklet scheduled>"
      "<idle!0|, idle><idle=0|, busy>"
      "<tickled!0|, tickled><tickled=0|, not tickled>" },

    /* null */
    { "snull_picked_cpu", ' ', false,
      "null:picked_cpu d{dom}v{unit}, cpu {cpu}" },
    { "snull_unit_assign", ' ', false,
      "null:vcpu_assign d{dom}v{unit} to cpu {cpu}" },
    { "snull_unit_deassign", ' ', false,
      "null:vcpu_deassign d{dom}v{unit} from cpu {cpu}" },
    { "snull_migrate", ' ', false,
      "null:migrate d{dom}v{unit}, cpu {from}, new_cpu {to}" },
    { "snull_schedule", ' ', false,
      "null:schedule cpu {cpu}<tasklet!0|, tasklet scheduled>"
      "<unit!-1|, vcpu d{dom}v{unit}><unit=-1|, no vcpu>" },
    { "snull_tasklet", ' ', false, "null:sched_tasklet" },

    /* dom0's operations, and memory */
    { "dom0_dom_add", ' ', false, "creating domain d{dom}" },
    { "dom0_dom_rem", ' ', false, "destroying domain d{dom}" },
    { "mem_page_grant_map", ' ', false, "grant-map domain {dom}" },
    { "mem_page_grant_unmap", ' ', false, "grant-unmap domain {dom}" },
    { "mem_page_grant_transfer", ' ', false, "grant-transfer domain {dom}" },
    { "mem_set_p2m_entry", ' ', false,
      "set_p2m_entry d{dom} o{order} t {type:u} g {gfn:x} m {mfn:x}" },
    { "mem_decrease_reservation", ' ', false,
      "decrease_reservation d{dom} o{order} g {gfn:x}" },
    { "mem_pod_populate", ' ', false,
      "pod_populate d{dom} o{order} g {gfn:x} m {mfn:x}" },
    { "mem_pod_zero_reclaim", ' ', false,
      "pod_zero_reclaim d{dom} o{order} g {gfn:x} m {mfn:x}" },
    { "mem_pod_superpage_splinter", ' ', false,
      "pod_spage_splinter d{dom} o{order} g {gfn:x}" },
    { "mem_pod_superpage_splinter", ' ', false,
      "pod_spage_splinter d{dom} g {gfn:x}" },

    /* HVM */
    { "hvm_vmexit*", ']', false,
      "vmexit exit_reason {@exit} eip {rip:x}" },
    { "hvm_svm_exit*", ']', false,
      "vmexit exit_reason {@exit} eip {rip:x}" },
    { "hvm_vmentry*", ']', NEEDS_EXIT, "vmentry{@entry}" },
    { "hvm_pf_xen*", ']', NEEDS_EXIT, "pf_xen va {va:x} ec {error_code:x}" },
    { "hvm_pf_inject64", ' ', false,
      "pf_inject64 guest_cr2 {cr2:x}  guest_ec {error_code:x}" },
    { "hvm_pf_inject", ' ', false,
      "pf_inject guest_cr2 {cr2:x}  guest_ec {error_code:x}" },
    { "hvm_inj_exc", ' ', false,
      "inj_exc trap {@trap=trap} ec {error_code:x}" },
    { "hvm_inj_virq", ' ', false,
      "inj_virq vec {vector}  <fake!0|fake><fake=0|real>" },
    { "hvm_reinj_virq", ' ', false, "inj_virq vec {vector}" },
    { "hvm_cr_read64", ']', NEEDS_EXIT, "cr_read cr{cr} val {value:x}" },
    { "hvm_cr_write64", ' ', false,
      "cr_write cr{cr} val {value:x}{@cr3=value}" },
    { "hvm_msr_read", ' ', NEEDS_EXIT, "msr_read addr {msr:x} val {value:x}" },
    { "hvm_msr_write", ' ', NEEDS_EXIT,
      "msr_write addr {msr:x} val {value:x}" },
    { "hvm_intr", ' ', NEEDS_EXIT, "intr{@vector=vector}" },
    { "hvm_vmmcall", ' ', NEEDS_EXIT, "vmcall {op:2x}{@call=op}" },
    { "hvm_ioport_read", ' ', NEEDS_EXIT, "io read port {port:x}{@data=data}" },
    { "hvm_ioport_write", ' ', NEEDS_EXIT,
      "io write port {port:x}{@data=data}" },
    { "hvm_iomem_read*", ']', NEEDS_EXIT,
      "mmio_assist r gpa {gpa:x}{@mmio_data}" },
    { "hvm_iomem_write*", ']', NEEDS_EXIT,
      "mmio_assist w gpa {gpa:x}{@mmio_data}" },
    { "hvm_rdtsc", ' ', NEEDS_EXIT, "rdtsc {tsc:x} {tsc} {@backwards}" },
    { "hvm_intr_window", ' ', NEEDS_EXIT,
      "intr_window vec {pending} src {source:u}({source:name}) intr "
      "<injected=-1|#><injected!-1|{injected:x}>" },
    { "hvm_npf", ' ', NEEDS_EXIT,
      "npf gpa {gpa:x} q {qualification:x} mfn {mfn:x} t {type:u}" },
    { "hvm_dr_write", ']', NEEDS_EXIT, "dr_write [{*} ]" },
    { "hvm_cpuid", ']', NEEDS_EXIT, "cpuid [{*} ]" },
    { "hvm_nmi", ']', NEEDS_EXIT, "nmi [{*} ]" },
    { "hvm_smi", ']', NEEDS_EXIT, "smi [{*} ]" },
    { "hvm_hlt", ']', NEEDS_EXIT, "hlt [{*} ]" },
    { "hvm_invlpg64", ']', NEEDS_EXIT, "invlpg64 [{*} ]" },
    { "hvm_mce", ']', NEEDS_EXIT, "mce [{*} ]" },
    { "hvm_clts", ']', NEEDS_EXIT, "clts [{*} ]" },
    { "hvm_lmsw64", ']', NEEDS_EXIT, "lmsw64 [{*} ]" },
    { "hvm_realmode_emulate", ']', NEEDS_EXIT, "realmode_emulate [{*} ]" },
    { "hvm_trap", ']', NEEDS_EXIT, "trap [{*} ]" },
    { "hvm_trap_debug", ']', NEEDS_EXIT, "trap_debug [{*} ]" },
    { "hvm_vlapic", ']', NEEDS_EXIT, "vlapic [{*} ]" },
    { "hvm_xcr_read64", ']', NEEDS_EXIT, "xcr_read xcr{xcr} val {value:x}" },
    { "hvm_xcr_write64", ']', NEEDS_EXIT, "xcr_write xcr{xcr} val {value:x}" },

    /* PV */
    { "pv_hypercall_v2", ' ', false,
      "hypercall {op:2x}{@call=op}{@arguments=op}" },
    { "pv_hypercall_subcall", ' ', false,
      " hypercall {op:2x}{@call=op}{@arguments=op}" },
    { "pv_hypercall*", ' ', false, "hypercall {op:2x}{@call=op} eip {rip:x}" },
    { "pv_trap*", ' ', false,
      "trap {trap:x} eip {rip:x}<has_error!0| ec {error_code:x}>" },
    { "pv_page_fault*", ' ', false, "page_fault[{*} ]" },
    { "pv_forced_invalid_op*", ' ', false, "forced_invalid_op[{*} ]" },
    { "pv_emulate_privop*", ' ', false, "emulate privop[{*} ]" },
    { "pv_emulate_4gb", ' ', false, "emulate 4g[{*} ]" },
    { "pv_math_state_restore", ' ', false, "math state restore" },
    { "pv_paging_fixup*", ' ', false, "paging fixup[{*} ]" },
    { "pv_gdt_ldt_mapping_fault*", ' ', false, "gdt/ldt mapping fault[{*} ]" },
    { "pv_ptwr_emulation*", ' ', false,
      "ptwr l1e {npte:x} eip {rip:x} addr {va:x}" },

    /* Shadow paging. */
    { "shadow_not_shadow*", ']', NEEDS_EXIT,
      "propagate va {va:x} gl1e {gl1e:x} flags ({path:x}){@path=path}" },
    { "shadow_fast_propagate*", ']', NEEDS_EXIT,
      "shadow fast propagate va {va:x}" },
    { "shadow_fast_mmio*", ']', NEEDS_EXIT, "fast mmio va {va:x}" },
    { "shadow_false_fast_path*", ']', NEEDS_EXIT,
      "shadow false fast path va {va:x}" },
    { "shadow_mmio*", ']', NEEDS_EXIT, "mmio va {va:x}" },
    { "shadow_fixup*", ']', NEEDS_EXIT,
      "fixup{@unsync=path} va {va:x} gl1e {gl1e:x} flags ({path:x})"
      "{@path=path}" },
    { "shadow_domf_dying*", ']', NEEDS_EXIT, "shadow dom dying va {va:x}" },
    { "shadow_emulate_unshadow_user*", ']', NEEDS_EXIT,
      "shadow unshadow:user-mode gfn {gfn:x} va {va:x}" },
    { "shadow_emulate_unshadow_evtinj*", ']', NEEDS_EXIT,
      "shadow unshadow:evt inj gfn {gfn:x} va {va:x}" },
    { "shadow_emulate_unshadow_unhandled*", ']', NEEDS_EXIT,
      "shadow unshadow:unhandled instr gfn {gfn:x} va {va:x}" },
    { "shadow_emulate_*", ']', NEEDS_EXIT,
      "emulate va {va:x} gl1e {gl1e:8x} wval {value:8x} "
      "flags {@path=path}({path:x})" },
    { "shadow_wrmap_bf", ' ', NEEDS_EXIT, "wrmap-bf gfn {gfn:x}" },
    { "shadow_prealloc_unpin", ' ', NEEDS_EXIT, "prealloc-unpin gfn {gfn:x}" },
    { "shadow_resync_full", ' ', NEEDS_EXIT, "oos resync full gfn {gfn:x}" },
    { "shadow_resync_only", ' ', NEEDS_EXIT, "oos resync only gfn {gfn:x}" },

    /* Hardware. */
    { "pm_freq_change", ' ', false, "pm_freq_change o{from} n{to}" },
    { "pm_idle_entry", ' ', false, "pm_idle_start c{state:u}" },
    { "pm_idle_exit", ' ', false, "pm_idle_end c{state:u}" },
    { "hw_irq_move_cleanup_delay", ' ', false,
      "irq_move_cleanup_delay irq {irq:x} vec {vector:x} cpu {cpu}" },
    { "hw_irq_move_cleanup", ' ', false,
      "irq_move_cleanup irq {irq:x} vec {vector:x} cpu {cpu}" },
    { "hw_irq_move_finish", ' ', false,
      "irq_move_finish irq {irq:x} vec {vector:x} cpu {cpu}" },
    { "hw_irq_bind_vector", ' ', false,
      "irq_bind_vector irq {irq:x} vec {vector:x} mask{@cpus}" },
    { "hw_irq_assign_vector", ' ', false,
      "irq_assign_vector irq {irq:x} vec {vector:x} mask{@cpus}" },
    { "hw_irq_clear_vector", ' ', false,
      "irq_clear_vector irq {irq:x} vec {vector:x} mask{@cpus}" },
    { "hw_irq_unmapped_vector", ' ', false,
      "irq_unmapped_vector vec {vector:x}" },
    { "hw_irq_handled", ' ', false,
      "irq_handled irq {irq:x} {@taken} ({in:u},{out:u})" },
};

const struct line_rule *line_rules(unsigned int *nr)
{
    *nr = sizeof(rules) / sizeof(rules[0]);
    return rules;
}
