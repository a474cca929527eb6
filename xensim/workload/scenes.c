/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can happen on a pcpu, and how likely it is: a table of scenes by the
 * kind of vcpu on stage, and below it one of VM exits.
 */
#include "xensim/workload/emit.h"
#include "xensim/workload/stage.h"

/* ---- an HVM guest exits, Xen does something, the guest goes on --------- */

#define TIMER_VECTOR 0xec

static void exit_io(struct player *p)
{
    EMIT_UNTIMED(p, TRC_HVM_IOPORT_WRITE, 0x3f8,
                 random_below(&p->random, 256));
}

static void exit_cpuid(struct player *p)
{
    EMIT_UNTIMED(p, TRC_HVM_CPUID, random_below(&p->random, 14), 0,
                 0x000306c3, 0x02100800, 0x7ffafbff, 0xbfebfbff);
}

static void exit_msr(struct player *p)
{
    EMIT_UNTIMED(p, TRC_HVM_MSR_WRITE, 0x6e0, random_next(&p->random), 0x1f);
}

static void exit_interrupt(struct player *p)
{
    EMIT_UNTIMED(p, TRC_HVM_INTR, TIMER_VECTOR);
}

static void exit_cr(struct player *p)
{
    EMIT_UNTIMED(p, TRC_HVM_CR_WRITE64, 3, random_next(&p->random), 0);
}

static void exit_vmcall(struct player *p)
{
    EMIT_UNTIMED(p, TRC_HVM_VMMCALL, __HYPERVISOR_event_channel_op);
}

static void exit_npf(struct player *p)
{
    uint32_t gfn = random_below(&p->random, 1 << 18);

    EMIT_UNTIMED(p, TRC_HVM_NPF, gfn << 12, gfn >> 20, gfn + 0x10000, 0,
                 0x182, 4);
}

/* Nothing to do for this vcpu until something wakes it. */
static void exit_hlt(struct player *p)
{
    EMIT_UNTIMED(p, TRC_HVM_HLT, 0);
    EMIT(p, TRC_SCHED_BLOCK,
         TRACE_2D(TRC_SCHED_BLOCK, current->domain->domain_id,
                  current->vcpu_id));
    stage_switch(p, BLOCKED);
}

static const struct
{
    uint32_t weight;
    uint32_t reason;        /* VMX basic exit reason */
    void (*handle)(struct player *p);
} exits[] = {
    { 30, 30, exit_io },        /* I/O instruction */
    {  6, 10, exit_cpuid },
    { 20, 32, exit_msr },       /* WRMSR */
    { 15,  1, exit_interrupt }, /* external interrupt */
    {  8, 28, exit_cr },
    { 10, 18, exit_vmcall },
    {  6, 48, exit_npf },       /* EPT violation */
    {  5, 12, exit_hlt },
};

static void scene_hvm(struct player *p)
{
    uint32_t pick = random_below(&p->random, 100);
    size_t i = 0;

    if ( !p->in_guest )     /* it has just been scheduled */
    {
        if ( random_below(&p->random, 2) )
            EMIT_UNTIMED(p, TRC_HVM_INJ_VIRQ, TIMER_VECTOR, 0);
        stage_enter(p);
        return;
    }

    for ( ; i < ARRAY_SIZE(exits) - 1 && pick >= exits[i].weight; i++ )
        pick -= exits[i].weight;
    stage_exit(p, exits[i].reason);
    exits[i].handle(p);
    if ( p->roles[p->on_stage].kind == KIND_HVM )
        stage_enter(p);
}

/* ---- a PV guest ------------------------------------------------------- */

static void scene_hypercall(struct player *p)
{
    static const uint8_t ops[] = {
        __HYPERVISOR_mmu_update, __HYPERVISOR_multicall,
        __HYPERVISOR_grant_table_op, __HYPERVISOR_iret,
        __HYPERVISOR_mmuext_op, __HYPERVISOR_event_channel_op,
        __HYPERVISOR_xen_version, __HYPERVISOR_vcpu_op,
    };
    xen_ulong_t args[6] = {
        random_below(&p->random, 8), 1 + random_below(&p->random, 16), 1,
    };
    uint8_t op = ops[random_below(&p->random, ARRAY_SIZE(ops))];

    EMIT(p, TRC_PV_HYPERCALL_V2,
         if ( unlikely(ACCESS_ONCE(tb_init_done)) )
             __trace_hypercall(TRC_PV_HYPERCALL_V2, op, args));
}

static void scene_pv_fault(struct player *p)
{
    uint64_t rip = 0xffffffff81000000 + random_below(&p->random, 1 << 22);
    uint64_t va = 0x7f0000000000 + random_next(&p->random) % (1ul << 32);

    EMIT(p, TRC_PV_PAGE_FAULT | TRC_64_FLAG,
         TRACE_5D(TRC_PV_PAGE_FAULT | TRC_64_FLAG, rip, rip >> 32,
                  va, va >> 32, 6));
}

/* sched_op(SCHEDOP_block): the way a PV vcpu goes to sleep. */
static void scene_pv_block(struct player *p)
{
    xen_ulong_t args[6] = { 1 };

    EMIT(p, TRC_PV_HYPERCALL_V2,
         if ( unlikely(ACCESS_ONCE(tb_init_done)) )
             __trace_hypercall(TRC_PV_HYPERCALL_V2, __HYPERVISOR_sched_op,
                               args));
    EMIT(p, TRC_SCHED_BLOCK,
         TRACE_2D(TRC_SCHED_BLOCK, current->domain->domain_id,
                  current->vcpu_id));
    stage_switch(p, BLOCKED);
}

/* ---- anyone ----------------------------------------------------------- */

static void scene_wake(struct player *p)
{
    bool in_guest = p->in_guest;

    if ( in_guest )
        stage_exit(p, 1);
    stage_wake(p);
    if ( in_guest )
        stage_enter(p);
}

/* The time slice is over. */
static void scene_preempt(struct player *p)
{
    if ( p->in_guest )
        stage_exit(p, 1);
    stage_switch(p, RUNNABLE);
}

/* To sleep; and, when it is on stage again, awake. */
static void scene_idle(struct player *p)
{
    uint32_t tick = get_cycles() >> 10;

    p->asleep = !p->asleep;
    if ( p->asleep )
    {
        EMIT(p, TRC_PM_IDLE_ENTRY,
             TRACE_4D(TRC_PM_IDLE_ENTRY, 2, tick, 900, 700));
        return;
    }
    EMIT(p, TRC_PM_IDLE_EXIT,
         TRACE_6D(TRC_PM_IDLE_EXIT, 2, tick, TIMER_VECTOR, 0, 0, 0));
    if ( stage_wake(p) )
        stage_switch(p, RUNNABLE);
}

static const struct
{
    unsigned int kinds;     /* enum vcpu_kind of whoever is on stage */
    uint32_t weight;
    void (*play)(struct player *p);
} scenes[] = {
    { KIND_HVM,           80, scene_hvm },
    { KIND_PV,            60, scene_hypercall },
    { KIND_PV,            16, scene_pv_fault },
    { KIND_PV,             4, scene_pv_block },
    { KIND_HVM | KIND_PV,  8, scene_wake },
    { KIND_HVM | KIND_PV,  3, scene_preempt },
    { KIND_IDLE,           1, scene_idle },
};

void play_scene(struct player *p)
{
    enum vcpu_kind kind = p->roles[p->on_stage].kind;
    uint32_t total = 0, pick;
    size_t i;

    for ( i = 0; i < ARRAY_SIZE(scenes); i++ )
        total += scenes[i].kinds & kind ? scenes[i].weight : 0;
    ASSERT(total);
    pick = random_below(&p->random, total);
    for ( i = 0; ; i++ )
    {
        uint32_t weight = scenes[i].kinds & kind ? scenes[i].weight : 0;

        if ( pick < weight )
            break;
        pick -= weight;
    }
    scenes[i].play(p);
}
