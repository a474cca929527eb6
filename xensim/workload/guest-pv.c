/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 64-bit PV guests. The operations and their frequencies were counted in
 * traces of Linux guests on real Xen; xensim(1) gives the deviation.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/memory-records.h"
#include "xensim/workload/scheduler.h"
#include "xensim/workload/trace-emit.h"

#define KERNEL_TEXT     0xffffffff81000000ull
#define USER_TEXT       0x0000000000400000ull
#define USER_SPACE      0x00007f0000000000ull
#define SCHEDOP_YIELD   0
#define SCHEDOP_BLOCK   1
#define SET_SINGLESHOT  8       /* operation of vcpu_op */
#define VERSION_FEATURES 6

static uint64_t kernel_rip(struct sim_vcpu *v)
{
    return KERNEL_TEXT | (random_next(&v->random) & 0x7fffff);
}

static void emit_call(struct sim_cpu *p, unsigned int op, uint64_t a0,
                      uint64_t a1, uint64_t a2)
{
    xen_ulong_t args[6] = { a0, a1, a2 };

    EMIT(p, emit_hypercall(p, TRC_PV_HYPERCALL_V2, op, args));
}

static void pv_hypercall(struct sim_cpu *p, struct sim_vcpu *v, unsigned int op,
                         uint64_t a0, uint64_t a1)
{
    (void)v;
    ASSERT(v == p->runs);
    /* The third argument of grant_table_op is a count. */
    emit_call(p, op, a0, a1, op == __HYPERVISOR_grant_table_op ? a1 : 0);
}

/* ---- operations ------------------------------------------------------- */

static void op_privop(struct sim_cpu *p, struct sim_vcpu *v)
{
    EMIT(p, trace_pv_emulate_privop64(kernel_rip(v)));
}

static void op_set_timer(struct sim_cpu *p, struct sim_vcpu *v)
{
    emit_call(p, __HYPERVISOR_vcpu_op, SET_SINGLESHOT, v->id, 0);
}

static void op_iret(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    emit_call(p, __HYPERVISOR_iret, 0, 0, 0);
}

static void op_set_segment(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    emit_call(p, __HYPERVISOR_set_segment_base, 0, 0, 0);
}

static void op_stack_switch(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    emit_call(p, __HYPERVISOR_stack_switch, 0, 0, 0);
}

static void op_mmu_update(struct sim_cpu *p, struct sim_vcpu *v)
{
    emit_call(p, __HYPERVISOR_mmu_update, 0,
              random_once_in(&v->random, 4) ? 16 : 1, 0);
}

static void op_tlb_flush(struct sim_cpu *p, struct sim_vcpu *v)
{
    emit_call(p, __HYPERVISOR_mmuext_op, 0, 1 + random_below(&v->random, 2), 0);
}

static void op_update_mapping(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    emit_call(p, __HYPERVISOR_update_va_mapping, 0, 0, 0);
}

static void op_page_fault(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t va = USER_SPACE | (random_next(&v->random) & 0xfffffff000);

    EMIT(p, trace_pv_page_fault64(USER_TEXT + (va >> 12 & 0xffff), va,
                                  random_once_in(&v->random, 3) ? 6 : 4));
}

static void op_ptwr(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t pte = (random_next(&v->random) & 0xffffff000) | 0x67;

    EMIT(p, trace_pv_ptwr_emulation64(pte, 0xffff888000000000ull + (pte >> 9),
                                      kernel_rip(v)));
}

/* Later versions of Xen load the FPU eagerly. */
static void op_restore_fpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    if ( p->sim->config.layout == SIM_4_17 )
        EMIT(p, TRACE_0D(TRC_PV_MATH_STATE_RESTORE));
}

static void op_trap(struct sim_cpu *p, struct sim_vcpu *v)
{
    EMIT(p, trace_pv_trap64(kernel_rip(v), 13, true, 0));
}

static void op_paging_fixup(struct sim_cpu *p, struct sim_vcpu *v)
{
    EMIT(p, trace_pv_paging_fixup64(kernel_rip(v), USER_SPACE));
}

static void op_xen_version(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    emit_call(p, __HYPERVISOR_xen_version, VERSION_FEATURES, 0, 0);
}

static void op_send_event(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    emit_call(p, __HYPERVISOR_event_channel_op, 2, 0, 0);
}

static void op_yield(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    emit_call(p, __HYPERVISOR_sched_op, SCHEDOP_YIELD, 0, 0);
    vcpu_yield(p);
}

static void op_multicall(struct sim_cpu *p, struct sim_vcpu *v)
{
    static const unsigned int ops[] = {
        __HYPERVISOR_mmuext_op, __HYPERVISOR_update_va_mapping,
        __HYPERVISOR_stack_switch, __HYPERVISOR_update_va_mapping,
    };
    xen_ulong_t args[6] = { 0, 1, 0 };
    unsigned int nr = 2 + random_below(&v->random, 7);

    emit_call(p, __HYPERVISOR_multicall, 0, nr, 0);
    for ( unsigned int i = 0; i < nr; i++ )
        EMIT(p, emit_hypercall(p, TRC_PV_HYPERCALL_SUBCALL,
                               ops[i % ARRAY_SIZE(ops)], args));
}

static void op_balloon(struct sim_cpu *p, struct sim_vcpu *v)
{
    emit_call(p, __HYPERVISOR_memory_op, 1, 0, 0);
    mem_decrease(p, v->dom);
}

#define PV (1u << SIM_PV)

static const struct op_sequence sequences[] = {
    { 574, PV, true, { op_privop, op_privop, op_privop, op_privop, op_privop,
                       op_set_timer, op_privop, op_privop, op_iret } },
                                                   /* timer tick */
    { 574, PV, false, { op_set_timer, op_iret } },
    { 337, PV, false, { op_privop, op_set_segment, op_stack_switch,
                        op_iret } }, /* task switch */
    { 1800, PV, true, { op_privop } },                 /* clock read */
    { 338, PV, false, { op_mmu_update, op_mmu_update, op_mmu_update,
                        op_mmu_update, op_mmu_update, op_mmu_update,
                        op_mmu_update, op_mmu_update, op_tlb_flush } },
    { 144, PV, false, { op_page_fault, op_update_mapping, op_iret } },
    { 163, PV, false, { op_page_fault, op_ptwr, op_iret } },
    { 48, PV, false, { op_page_fault, op_iret } },
    { 79, PV, false, { op_restore_fpu } },
    { 41, PV, false, { op_multicall } },
    { 41, PV, false, { op_xen_version } },
    { 16, PV, false, { op_send_event } },
    { 6, PV, false, { op_yield } },
    { 4, PV, false, { op_trap, op_iret } },
    { 2, PV, false, { op_paging_fixup } },
};

static void pv_act(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v == p->runs && !p->in_guest);   /* in_guest is of HVM only */
    guest_run_op(p, v, sequences, ARRAY_SIZE(sequences));
}

static const struct op_sequence boot_sequences[] = {
    { 40, PV, false, { op_mmu_update, op_mmu_update, op_mmu_update,
                       op_mmu_update, op_mmu_update, op_mmu_update,
                       op_tlb_flush } },
    { 20, PV, false, { op_page_fault, op_ptwr, op_iret } },
    { 20, PV, false, { op_privop, op_privop, op_privop } },
    { 10, PV, false, { op_multicall } },
    { 4, PV, false, { op_balloon } },
};

static void pv_boot(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v == p->runs && !p->in_guest);
    guest_run_op(p, v, boot_sequences, ARRAY_SIZE(boot_sequences));
}

static void pv_wait(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v == p->runs && !v->blocked);
    if ( event_is_queued(&v->timer) )
        op_set_timer(p, v);
    emit_call(p, __HYPERVISOR_sched_op, SCHEDOP_BLOCK, 0, 0);
    vcpu_block(p);
}

const struct guest_ops *guest_pv(void)
{
    static const struct guest_ops table = {
        .act = pv_act, .boot = pv_boot, .hypercall = pv_hypercall, .wait =
                                            pv_wait,
    };

    return &table;
}
