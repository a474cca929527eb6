/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HVM and PVH guests: exits, what Xen does about them, entries.
 *
 *     VMEXIT (reason, rip)   handler's record   [INJ_VIRQ]   VMENTRY
 *
 * An exit that is in the table has the reason of Intel's and of AMD's
 * hardware, and the names by which the truth calls it.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/emit.h"
#include "xensim/workload/mem.h"
#include "xensim/workload/sched.h"
#include "xensim/workload/tell.h"

#define KERNEL_TEXT     0xffffffff81000000ull
#define PVH             (1u << SIM_PVH)
#define HVM             (1u << SIM_HVM)
#define ANY             (PVH | HVM)
#define SET_SINGLESHOT  8
#define SCHEDOP_YIELD   0
#define X2APIC_EOI      0x80b
#define TSC_DEADLINE    0x6e0
#define FS_BASE         0xc0000100
#define GUEST_TICK      0xec
#define COM1            0x3f8
#define PM_TIMER_PORT   0xb008
#define EPT_WRITE       0x182
#define FROM_LAPIC      2       /* the source of an interrupt */
#define P2M_RAM_RW      0
#define P2M_POD         6

struct exit
{
    uint32_t reason[2];     /* Intel's, AMD's */
    const char *name;
    const char *handler;    /* NULL: leaves no record */
};

static const struct exit
    exit_interrupt = { { 1, 0x60 }, "EXTERNAL_INTERRUPT", "hvm_intr" },
    exit_nmi = { { 0, 0x61 }, "EXCEPTION_NMI", "hvm_nmi" },
    exit_window = { { 7, 0x64 }, "PENDING_VIRT_INTR", NULL },
    exit_cpuid = { { 10, 0x72 }, "CPUID", "hvm_cpuid" },
    exit_hlt = { { 12, 0x78 }, "HLT", "hvm_hlt" },
    exit_tsc = { { 16, 0x6e }, "RDTSC", "hvm_rdtsc" },
    exit_vmcall = { { 18, 0x81 }, "VMCALL", "hvm_vmmcall" },
    exit_cr = { { 28, 0x10 }, "CR_ACCESS", "hvm_cr_write64" },
    exit_dr = { { 29, 0x37 }, "DR_ACCESS", "hvm_dr_write" },
    exit_in = { { 30, 0x7b }, "IO_INSTRUCTION", "hvm_ioport_read" },
    exit_out = { { 30, 0x7b }, "IO_INSTRUCTION", "hvm_ioport_write" },
    exit_rdmsr = { { 31, 0x7c }, "MSR_READ", "hvm_msr_read" },
    exit_wrmsr = { { 32, 0x7c }, "MSR_WRITE", "hvm_msr_write" },
    exit_npf = { { 48, 0x400 }, "EPT_VIOLATION", "hvm_npf" },
    exit_vmrun = { { 24, 0x80 }, "VMRUN", NULL },
    exit_wbinvd = { { 54, 0x89 }, "WBINVD", NULL };

/* ---- out and in ------------------------------------------------------- */

static bool is_amd(const struct sim_cpu *p)
{
    return p->world->config.vendor == SIM_AMD;
}

static void exit_record(struct sim_cpu *p, uint32_t reason, uint64_t rip,
                        bool nested)
{
    bool own = is_amd(p) && p->world->config.layout == SIM_MASTER;

    if ( own && nested )
        EMIT(p, trace_hvm_svm_exit64_nested(reason, rip));
    else if ( own )
        EMIT(p, trace_hvm_svm_exit64(reason, rip));
    else if ( nested )
        EMIT(p, trace_hvm_vmexit64_nested(reason, reason >> 16, rip));
    else
        EMIT(p, trace_hvm_vmexit64(reason, reason >> 16, rip));
}

/*
 * Real Xen has interrupts off from the exit until after its record, and from
 * before the entry's record until the guest runs.  An NMI may come between;
 * it then finds the pcpu in Xen.
 */
static void leave_guest(struct sim_cpu *p, const struct exit *x)
{
    struct sim_vcpu *v = p->runs;
    uint64_t rip = KERNEL_TEXT | (random_next(&p->irq_random) & 0x7ffffc);
    uint32_t reason = x->reason[is_amd(p)];
    unsigned long flags;

    if ( !p->in_guest )
        hvm_enter(p);
    local_irq_save(flags);
    p->in_guest = false;
    barrier();
    exit_record(p, reason, rip, false);
    v->exit = (struct open_exit){
        .at = p->stamp, .cpu = p->id, .reason = reason, .name = x->name,
        .handler = x->handler,
    };
    local_irq_restore(flags);
}

/*
 * An interrupt for the guest is injected on the way in.  While the guest can
 * take none, Xen asks each time to be told when it can.
 */
static void inject(struct sim_cpu *p, struct work *k)
{
    if ( !k->vector )
        return;
    if ( k->masked )
    {
        EMIT(p, trace_hvm_intr_window(k->vector, FROM_LAPIC, -1));
        return;
    }
    EMIT(p, trace_hvm_inj_virq(k->vector, false));
    k->vector = 0;
}

void hvm_enter(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runs;
    unsigned long flags;

    if ( p->in_guest )
        return;
    local_irq_save(flags);
    inject(p, &v->work);
    EMIT(p, trace_hvm_vmentry());
    tell_exit(p, v);
    barrier();
    p->in_guest = true;
    local_irq_restore(flags);
}

void hvm_exit_for_interrupt(struct sim_cpu *p, unsigned int vector)
{
    leave_guest(p, &exit_interrupt);
    if ( is_amd(p) )
        EMIT(p, trace_hvm_intr_short());
    else
        EMIT(p, trace_hvm_intr(vector));
}

void hvm_exit_for_nmi(struct sim_cpu *p)
{
    leave_guest(p, &exit_nmi);
    EMIT(p, trace_hvm_nmi());
}

/* ---- atoms ------------------------------------------------------------ */

static void hypercall(struct sim_cpu *p, struct sim_vcpu *v, unsigned int op,
                      uint64_t a0, uint64_t a1)
{
    (void)v;
    (void)a0;
    (void)a1;
    leave_guest(p, &exit_vmcall);
    EMIT(p, trace_hvm_vmmcall(op));
}

/* The timer that Xen lends it has fired: an event for the guest. */
static void tick(struct sim_cpu *p, struct sim_vcpu *v)
{
    hvm_exit_for_interrupt(p, TIMER_VECTOR);
    v->work.vector = CALLBACK_VECTOR;
}

static void eoi(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    leave_guest(p, &exit_wrmsr);
    EMIT(p, trace_hvm_msr_write(X2APIC_EOI, 0));
}

static void read_tsc(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    leave_guest(p, &exit_tsc);
    EMIT(p, trace_hvm_rdtsc(clock_shows(&p->clock, true_now(p)) / 2));
}

static void set_timer(struct sim_cpu *p, struct sim_vcpu *v)
{
    hypercall(p, v, __HYPERVISOR_vcpu_op, SET_SINGLESHOT, v->id);
}

/* The local APIC's timer, which Xen emulates. */
static void set_deadline(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t ns = 1000000 + random_below(&v->random, 3000000);

    leave_guest(p, &exit_wrmsr);
    EMIT(p, trace_hvm_msr_write(TSC_DEADLINE, true_now(p)));
    EMIT(p, trace_hvm_emul_lapic_start_timer(ns, 0, GUEST_TICK));
}

static void deadline(struct sim_cpu *p, struct sim_vcpu *v)
{
    hvm_exit_for_interrupt(p, TIMER_VECTOR);
    EMIT(p, trace_hvm_emul_lapic_timer_cb());
    v->work.vector = GUEST_TICK;
}

static void ask_cpuid(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_cpuid);
    EMIT(p, trace_hvm_cpuid(random_below(&v->random, 14), 0, 0x000306c3,
                            0x02100800, 0x7ffafbff, 0xbfebfbff));
}

static void write_cr(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_cr);
    EMIT(p, trace_hvm_cr_write64(random_below(&v->random, 2) ? 4 : 0,
                                 0x80050033));
}

static void write_dr(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    leave_guest(p, &exit_dr);
    EMIT(p, trace_hvm_dr_write());
}

static void read_msr(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_rdmsr);
    EMIT(p, trace_hvm_msr_read(FS_BASE,
                               random_next(&v->random) & 0x7fffffffff));
}

static void read_port(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_in);
    EMIT(p, trace_hvm_ioport_read(PM_TIMER_PORT,
                                  random_next(&v->random) & 0xffffff));
}

static void write_port(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_out);
    EMIT(p, trace_hvm_ioport_write(COM1, random_below(&v->random, 256)));
}

/* The device model in dom0 has to do it, and the vcpu waits in Xen. */
static void ask_model(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( v->mail )
        return;
    leave_guest(p, &exit_out);
    EMIT(p, trace_hvm_ioport_write(0x1f7, 0xc8));
    mail_send(p, v, MAIL_EMULATE);
    wait_in_xen(p);
}

static uint64_t page_fault(struct sim_cpu *p, struct sim_vcpu *v,
                           uint32_t type)
{
    uint64_t gfn = random_below(&v->random, 1u << 18);

    leave_guest(p, &exit_npf);
    EMIT(p, trace_hvm_npf(gfn << 12, type == P2M_POD ? ~0ull : gfn + 0x100000,
                          is_amd(p) ? 0 : EPT_WRITE, type));
    return gfn;
}

static void dirty(struct sim_cpu *p, struct sim_vcpu *v)
{
    page_fault(p, v, P2M_RAM_RW);
}

/* AMD's tables are those that Xen records changes of. */
static void populate(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t gfn = page_fault(p, v, P2M_POD);

    if ( random_once_in(&v->random, 8) )
        mem_splinter(p, v->dom, gfn & ~511ull);
    if ( random_once_in(&v->random, 16) )
        mem_reclaim(p, v->dom, gfn ^ 1);
    mem_populate(p, v->dom, gfn & ~511ull);
    if ( is_amd(p) )
        mem_p2m(p, v->dom, gfn);
}

static void balloon(struct sim_cpu *p, struct sim_vcpu *v)
{
    hypercall(p, v, __HYPERVISOR_memory_op, 1, 0);
    mem_decrease(p, v->dom);
}

static void give_up(struct sim_cpu *p, struct sim_vcpu *v)
{
    hypercall(p, v, __HYPERVISOR_sched_op, SCHEDOP_YIELD, 0);
    yield(p);
}

/* The same, in the midst of something where the guest can take none. */
static void tick_masked(struct sim_cpu *p, struct sim_vcpu *v)
{
    tick(p, v);
    v->work.masked = true;
}

static void tsc_masked(struct sim_cpu *p, struct sim_vcpu *v)
{
    read_tsc(p, v);
    v->work.vector = CALLBACK_VECTOR;
    v->work.masked = true;
}

static void timer_masked(struct sim_cpu *p, struct sim_vcpu *v)
{
    set_timer(p, v);
    v->work.vector = CALLBACK_VECTOR;
    v->work.masked = true;
}

static void open_window(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_window);
    v->work.vector = CALLBACK_VECTOR;
    v->work.masked = false;
}

/* AMD's guests may do that by themselves. */
static void write_back(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    if ( !is_amd(p) )
        leave_guest(p, &exit_wbinvd);
}

/* It traces itself, by HVMOP_xentrace. */
static void own_event(struct sim_cpu *p, struct sim_vcpu *v)
{
    hypercall(p, v, __HYPERVISOR_hvm_op, 0, 0);
    if ( v->dom->order->guest_events )
        EMIT(p, TRACE(TRC_GUEST | (dom_of(v) & 0xfff), v->id,
                      random_below(&v->random, 1000)));
}

/* The guest runs a guest: into it, and out again. */
static void nested(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t rip = KERNEL_TEXT | (random_next(&v->random) & 0x7ffffc);

    if ( !p->world->config.nested )
    {
        ask_cpuid(p, v);
        return;
    }
    leave_guest(p, &exit_vmrun);
    EMIT(p, trace_hvm_vmentry_nested());
    tell_exit(p, v);
    exit_record(p, exit_cpuid.reason[1], rip, true);
    v->exit = (struct open_exit){
        .at = p->stamp, .cpu = p->id, .reason = exit_cpuid.reason[1],
        .name = "CPUID",
    };
}

static const struct phrase phrases[] = {
    { 3500, ANY, true, { tick, eoi, read_tsc, read_tsc, read_tsc, read_tsc,
                         read_tsc, read_tsc, set_timer, read_tsc, read_tsc,
                         read_tsc } },
    { 225, ANY, true, { tick_masked, open_window, eoi, read_tsc, read_tsc,
                        read_tsc, set_timer, read_tsc, read_tsc } },
    { 150, ANY, true, { tsc_masked, open_window, eoi, read_tsc, read_tsc,
                        read_tsc, set_timer, read_tsc, read_tsc } },
    { 125, ANY, true, { timer_masked, read_tsc, read_tsc, read_tsc, read_tsc,
                        read_tsc, read_tsc, read_tsc, set_timer, read_tsc,
                        open_window, eoi } },
    { 1650, ANY, true, { read_tsc, read_tsc, read_tsc } },
    { 800, PVH, false, { tick, eoi, set_timer } },
    { 400, HVM, false, { set_deadline, deadline, eoi } },
    { 120, ANY, false, { tick_masked, open_window, eoi, set_timer } },
    { 150, ANY, false, { read_msr } },
    { 100, ANY, false, { dirty } },
    { 80, ANY, false, { ask_cpuid } },
    { 60, ANY, false, { write_cr, write_cr } },
    { 250, HVM, false, { read_port } },
    { 120, HVM, false, { write_port, write_port, write_port } },
    { 30, HVM, false, { ask_model } },
    { 8, ANY, false, { nested } },
    { 8, ANY, false, { write_back } },
    { 8, ANY, false, { give_up } },
    { 8, ANY, false, { own_event } },
    { 4, ANY, false, { write_dr } },
};

static void act(struct sim_cpu *p, struct sim_vcpu *v)
{
    guest_say(p, v, phrases, ARRAY_SIZE(phrases));
}

static const struct phrase boots[] = {
    { 40, ANY, false, { populate, populate, populate } },
    { 30, ANY, false, { ask_cpuid, ask_cpuid, read_msr } },
    { 20, HVM, false, { write_port, read_port, write_port } },
    { 6, HVM, false, { ask_model } },
    { 4, ANY, false, { balloon } },
};

static void boot(struct sim_cpu *p, struct sim_vcpu *v)
{
    guest_say(p, v, boots, ARRAY_SIZE(boots));
}

/* Nobody waits with interrupts off. */
static void wait(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( v->work.masked )
        open_window(p, v);
    leave_guest(p, &exit_hlt);
    EMIT(p, trace_hvm_hlt(false));
    if ( event_is_due(&v->timer) )
        v->work.vector = CALLBACK_VECTOR;
    block(p);
}

const struct guest_ops *guest_hvm(void)
{
    static const struct guest_ops table = {
        .act = act, .boot = boot, .hypercall = hypercall, .wait = wait,
    };

    return &table;
}
