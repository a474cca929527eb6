/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PV guests, of 64 bits.  What they say and how often is what was counted in
 * traces of Linux guests on real Xen; xensim(8) says how close it comes.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/emit.h"
#include "xensim/workload/mem.h"
#include "xensim/workload/sched.h"

#define KERNEL_TEXT     0xffffffff81000000ull
#define USER_TEXT       0x0000000000400000ull
#define USER_SPACE      0x00007f0000000000ull
#define SCHEDOP_YIELD   0
#define SCHEDOP_BLOCK   1
#define SET_SINGLESHOT  8       /* of vcpu_op */
#define VERSION_FEATURES 6

static uint64_t kernel_rip(struct sim_vcpu *v)
{
    return KERNEL_TEXT | (random_next(&v->random) & 0x7fffff);
}

static void call(struct sim_cpu *p, unsigned int op, uint64_t a0, uint64_t a1,
                 uint64_t a2)
{
    xen_ulong_t args[6] = { a0, a1, a2 };

    EMIT(p, emit_hypercall(p, TRC_PV_HYPERCALL_V2, op, args));
}

static void hypercall(struct sim_cpu *p, struct sim_vcpu *v, unsigned int op,
                      uint64_t a0, uint64_t a1)
{
    (void)v;
    /* The count of grant_table_op is its third argument. */
    call(p, op, a0, a1, op == __HYPERVISOR_grant_table_op ? a1 : 0);
}

/* ---- atoms ------------------------------------------------------------ */

static void privop(struct sim_cpu *p, struct sim_vcpu *v)
{
    EMIT(p, trace_pv_emulate_privop64(kernel_rip(v)));
}

static void set_timer(struct sim_cpu *p, struct sim_vcpu *v)
{
    call(p, __HYPERVISOR_vcpu_op, SET_SINGLESHOT, v->id, 0);
}

static void iret(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    call(p, __HYPERVISOR_iret, 0, 0, 0);
}

static void segment(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    call(p, __HYPERVISOR_set_segment_base, 0, 0, 0);
}

static void stack(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    call(p, __HYPERVISOR_stack_switch, 0, 0, 0);
}

static void mmu(struct sim_cpu *p, struct sim_vcpu *v)
{
    call(p, __HYPERVISOR_mmu_update, 0,
         random_once_in(&v->random, 4) ? 16 : 1, 0);
}

static void flush(struct sim_cpu *p, struct sim_vcpu *v)
{
    call(p, __HYPERVISOR_mmuext_op, 0, 1 + random_below(&v->random, 2), 0);
}

static void mapping(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    call(p, __HYPERVISOR_update_va_mapping, 0, 0, 0);
}

static void fault(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t va = USER_SPACE | (random_next(&v->random) & 0xfffffff000);

    EMIT(p, trace_pv_page_fault64(USER_TEXT + (va >> 12 & 0xffff), va,
                                  random_once_in(&v->random, 3) ? 6 : 4));
}

static void page_table_write(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t pte = (random_next(&v->random) & 0xffffff000) | 0x67;

    EMIT(p, trace_pv_ptwr_emulation64(pte, 0xffff888000000000ull + (pte >> 9),
                                      kernel_rip(v)));
}

/* Later Xen loads the FPU eagerly. */
static void fpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    if ( p->world->config.layout == SIM_4_17 )
        EMIT(p, TRACE_0D(TRC_PV_MATH_STATE_RESTORE));
}

static void trap(struct sim_cpu *p, struct sim_vcpu *v)
{
    EMIT(p, trace_pv_trap64(kernel_rip(v), 13, true, 0));
}

static void fixup(struct sim_cpu *p, struct sim_vcpu *v)
{
    EMIT(p, trace_pv_paging_fixup64(kernel_rip(v), USER_SPACE));
}

static void version(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    call(p, __HYPERVISOR_xen_version, VERSION_FEATURES, 0, 0);
}

static void event(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    call(p, __HYPERVISOR_event_channel_op, 2, 0, 0);
}

static void give_up(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    call(p, __HYPERVISOR_sched_op, SCHEDOP_YIELD, 0, 0);
    yield(p);
}

static void many(struct sim_cpu *p, struct sim_vcpu *v)
{
    static const unsigned int ops[] = {
        __HYPERVISOR_mmuext_op, __HYPERVISOR_update_va_mapping,
        __HYPERVISOR_stack_switch, __HYPERVISOR_update_va_mapping,
    };
    xen_ulong_t args[6] = { 0, 1, 0 };
    unsigned int nr = 2 + random_below(&v->random, 7);

    call(p, __HYPERVISOR_multicall, 0, nr, 0);
    for ( unsigned int i = 0; i < nr; i++ )
        EMIT(p, emit_hypercall(p, TRC_PV_HYPERCALL_SUBCALL,
                               ops[i % ARRAY_SIZE(ops)], args));
}

static void balloon(struct sim_cpu *p, struct sim_vcpu *v)
{
    call(p, __HYPERVISOR_memory_op, 1, 0, 0);
    mem_decrease(p, v->dom);
}

#define PV (1u << SIM_PV)

static const struct phrase phrases[] = {
    { 574, PV, true, { privop, privop, privop, privop, privop, set_timer,
                       privop, privop, iret } },    /* a tick */
    { 574, PV, false, { set_timer, iret } },
    { 337, PV, false, { privop, segment, stack, iret } }, /* another task */
    { 1800, PV, true, { privop } },                 /* what time is it? */
    { 338, PV, false, { mmu, mmu, mmu, mmu, mmu, mmu, mmu, mmu, flush } },
    { 144, PV, false, { fault, mapping, iret } },
    { 163, PV, false, { fault, page_table_write, iret } },
    { 48, PV, false, { fault, iret } },
    { 79, PV, false, { fpu } },
    { 41, PV, false, { many } },
    { 41, PV, false, { version } },
    { 16, PV, false, { event } },
    { 6, PV, false, { give_up } },
    { 4, PV, false, { trap, iret } },
    { 2, PV, false, { fixup } },
};

static void act(struct sim_cpu *p, struct sim_vcpu *v)
{
    guest_say(p, v, phrases, ARRAY_SIZE(phrases));
}

static const struct phrase boots[] = {
    { 40, PV, false, { mmu, mmu, mmu, mmu, mmu, mmu, flush } },
    { 20, PV, false, { fault, page_table_write, iret } },
    { 20, PV, false, { privop, privop, privop } },
    { 10, PV, false, { many } },
    { 4, PV, false, { balloon } },
};

static void boot(struct sim_cpu *p, struct sim_vcpu *v)
{
    guest_say(p, v, boots, ARRAY_SIZE(boots));
}

static void wait(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( event_is_due(&v->timer) )
        set_timer(p, v);
    call(p, __HYPERVISOR_sched_op, SCHEDOP_BLOCK, 0, 0);
    block(p);
}

const struct guest_ops *guest_pv(void)
{
    static const struct guest_ops table = {
        .act = act, .boot = boot, .hypercall = hypercall, .wait = wait,
    };

    return &table;
}
