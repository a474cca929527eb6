/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HVM and PVH guests: VM exits, the records of their handlers, VM entries.
 *
 *     VMEXIT (reason, rip)   handler's record   [INJ_VIRQ]   VMENTRY
 *
 * Each exit has the reason numbers of Intel's and AMD's hardware, and its
 * names in the ground-truth log.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/memory-records.h"
#include "xensim/workload/scheduler.h"
#include "xensim/workload/trace-emit.h"

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
#define PM_TIMER_PORT   0xb008
#define EPT_WRITE       0x182
#define FROM_LAPIC      2       /* source of an interrupt */
#define P2M_RAM_RW      0
#define P2M_POD         6

struct exit
{
    uint32_t reason[2];     /* Intel, AMD */
    const char *name;
    const char *handler;    /* NULL: no handler record */
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
    exit_in_device = { { 30, 0x7b }, "IO_INSTRUCTION", NULL },
    exit_out = { { 30, 0x7b }, "IO_INSTRUCTION", "hvm_ioport_write" },
    exit_rdmsr = { { 31, 0x7c }, "MSR_READ", "hvm_msr_read" },
    exit_wrmsr = { { 32, 0x7c }, "MSR_WRITE", "hvm_msr_write" },
    exit_pause = { { 40, 0x77 }, "PAUSE_INSTRUCTION", NULL },
    exit_npf = { { 48, 0x400 }, "EPT_VIOLATION", "hvm_npf" },
    exit_vmrun = { { 24, 0x80 }, "VMRUN", NULL },
    exit_wbinvd = { { 54, 0x89 }, "WBINVD", NULL };

/* ---- exits and entries ------------------------------------------------ */

static bool is_amd(const struct sim_cpu *p)
{
    return p->sim->config.vendor == SIM_AMD;
}

static void emit_exit_record(struct sim_cpu *p, uint32_t reason, uint64_t rip,
                             bool op_nested_guest)
{
    bool own = is_amd(p) && p->sim->config.layout == SIM_MASTER;

    if ( own && op_nested_guest )
        EMIT(p, trace_hvm_svm_exit64_nested(reason, rip));
    else if ( own )
        EMIT(p, trace_hvm_svm_exit64(reason, rip));
    else if ( op_nested_guest )
        EMIT(p, trace_hvm_vmexit64_nested(reason, reason >> 16, rip));
    else
        EMIT(p, trace_hvm_vmexit64(reason, reason >> 16, rip));
}

/*
 * Real Xen disables interrupts from the exit until after the exit record, and
 * from before the entry record until the guest runs. An NMI in between finds
 * the pcpu in Xen.
 */
static void leave_guest(struct sim_cpu *p, const struct exit *x)
{
    struct sim_vcpu *v = p->runs;
    uint64_t rip = KERNEL_TEXT | (random_next(&p->irq_random) & 0x7ffffc);
    uint32_t reason = x->reason[is_amd(p)];
    unsigned long flags;

    ASSERT(is_hvm(v));
    if ( v->exit_storm.exits )
        rip = SIM_STORM_RIP;
    if ( !p->in_guest )
        hvm_enter(p);
    local_irq_save(flags);
    ASSERT(!v->exit.at);        /* the entry has ended the previous exit */
    p->in_guest = false;
    barrier();
    emit_exit_record(p, reason, rip, false);
    v->exit = (struct open_exit){
        .at = p->stamp, .cpu = p->id, .reason = reason, .name = x->name,
        .handler = x->handler,
    };
    local_irq_restore(flags);
}

/* Xen's callback for the interrupt of a timer that has been injected. */
static void deliver_apic_timer(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( !v->apic_fired )
        return;
    ASSERT(v->apic_due);
    EMIT(p, trace_hvm_emul_lapic_timer_cb());
    truth_log_timer(p, v);
    v->apic_due = 0;
    v->apic_fired = false;
}

/*
 * Inject the pending vector at the entry, and return it; 0: none.  While the
 * guest masks interrupts, Xen requests an interrupt-window exit instead.
 */
static unsigned int inject_vector(struct sim_cpu *p, struct work *k)
{
    unsigned int vector = __atomic_load_n(&k->vector, __ATOMIC_RELAXED);
    unsigned int pending = vector;

    ASSERT(!p->in_guest);
    if ( vector && k->masked )
        EMIT(p, trace_hvm_intr_window(vector, FROM_LAPIC, -1));
    if ( !vector || k->masked )
        return 0;
    EMIT(p, trace_hvm_inj_virq(vector, false));
    /* Another pcpu may have posted one meanwhile, which stays pending. */
    __atomic_compare_exchange_n(&k->vector, &pending, 0, false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    deliver_apic_timer(p, p->runs);
    return vector;
}

void hvm_enter(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runs;
    unsigned long flags;
    unsigned int vector;

    ASSERT(is_hvm(v));
    if ( p->in_guest )
        return;
    local_irq_save(flags);
    if ( v->read_is_answered )
        EMIT(p, trace_hvm_ioport_read(0x1f7, 0x50));
    v->read_is_answered = false;
    vector = inject_vector(p, &v->work);
    EMIT(p, trace_hvm_vmentry());
    if ( vector )
        truth_log_injection(p, vector);
    truth_log_exit(p, v);
    barrier();
    p->in_guest = true;
    local_irq_restore(flags);
}

void hvm_exit_for_interrupt(struct sim_cpu *p, unsigned int vector)
{
    ASSERT(vector >= 16 && vector < 256);   /* lower ones are exceptions */
    leave_guest(p, &exit_interrupt);
    if ( is_amd(p) )
        EMIT(p, trace_hvm_intr_short());
    else
        EMIT(p, trace_hvm_intr(vector));
}

void hvm_exit_for_nmi(struct sim_cpu *p)
{
    ASSERT(p->in_guest);
    leave_guest(p, &exit_nmi);
    EMIT(p, trace_hvm_nmi());
}

/* ---- operations ------------------------------------------------------- */

static void hvm_hypercall(struct sim_cpu *p, struct sim_vcpu *v,
                          unsigned int op, uint64_t a0, uint64_t a1)
{
    (void)a0;
    (void)a1;
    ASSERT(v == p->runs);
    leave_guest(p, &exit_vmcall);
    EMIT(p, trace_hvm_vmmcall(op));
}

/* Xen's timer for the guest has expired: an event for the guest. */
static void op_tick(struct sim_cpu *p, struct sim_vcpu *v)
{
    hvm_exit_for_interrupt(p, TIMER_VECTOR);
    post_vector(v, CALLBACK_VECTOR);
}

static void op_eoi(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    leave_guest(p, &exit_wrmsr);
    EMIT(p, trace_hvm_msr_write(X2APIC_EOI, 0));
}

static void op_read_tsc(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    leave_guest(p, &exit_tsc);
    EMIT(p, trace_hvm_rdtsc(skewed_clock_read(&p->clock, true_now(p)) / 2));
}

static void op_set_timer(struct sim_cpu *p, struct sim_vcpu *v)
{
    hvm_hypercall(p, v, __HYPERVISOR_vcpu_op, SET_SINGLESHOT, v->id);
}

static void op_cpuid(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_cpuid);
    EMIT(p, trace_hvm_cpuid(random_below(&v->random, 14), 0, 0x000306c3,
                            0x02100800, 0x7ffafbff, 0xbfebfbff));
}

/* Program the local APIC's timer, which Xen emulates. */
static void set_deadline(struct sim_cpu *p, uint64_t ns)
{
    leave_guest(p, &exit_wrmsr);
    EMIT(p, trace_hvm_msr_write(TSC_DEADLINE, true_now(p)));
    EMIT(p, trace_hvm_emul_lapic_start_timer(ns, 0, GUEST_TICK));
}

void apic_timer_start(struct sim_cpu *p, struct sim_vcpu *v, uint64_t ns)
{
    ASSERT(is_hvm(v) && v == p->runs);
    set_deadline(p, ns);
    v->apic_due = p->stamp + to_cycles(p->sim, ns);
    v->apic_fired = false;
    event_at(v->cpu, &v->timer, v->apic_due +
             to_cycles(p->sim, p->sim->config.timer_slack));
}

void apic_timer_fire(struct sim_vcpu *v)
{
    ASSERT(v->apic_due);
    v->apic_fired = true;
    post_vector(v, GUEST_TICK);
}

/*
 * In a guest without `apic-timer`, a sequence of operations has a timer that
 * fires before its time, which no ground truth describes.
 */
static void op_set_deadline(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( v->dom->config->apic_timer )
        op_cpuid(p, v);
    else
        set_deadline(p, 1000000 + random_below(&v->random, 3000000));
}

static void op_deadline_fired(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( v->dom->config->apic_timer )
    {
        op_cpuid(p, v);
        return;
    }
    hvm_exit_for_interrupt(p, TIMER_VECTOR);
    EMIT(p, trace_hvm_emul_lapic_timer_cb());
    post_vector(v, GUEST_TICK);
}

static void op_write_cr(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_cr);
    EMIT(p, trace_hvm_cr_write64(random_below(&v->random, 2) ? 4 : 0,
                                 0x80050033));
}

static void op_write_dr(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    leave_guest(p, &exit_dr);
    EMIT(p, trace_hvm_dr_write());
}

static void op_read_msr(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_rdmsr);
    EMIT(p, trace_hvm_msr_read(FS_BASE,
                               random_next(&v->random) & 0x7fffffffff));
}

static void op_read_port(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_in);
    EMIT(p, trace_hvm_ioport_read(PM_TIMER_PORT,
                                  random_next(&v->random) & 0xffffff));
}

static void op_write_port(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_out);
    EMIT(p, trace_hvm_ioport_write(SIM_COM1, random_below(&v->random, 256)));
}

/*
 * An access handled by the device model in dom0; the vcpu waits in Xen. As in
 * real Xen, a write is traced before the request, and a read when the vcpu runs
 * again.
 */
static void op_device_model(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( v->request )
        return;
    leave_guest(p, v->reads_device ? &exit_in_device : &exit_out);
    if ( !v->reads_device )
        EMIT(p, trace_hvm_ioport_write(0x1f7, 0xc8));
    v->read_is_answered = v->reads_device;
    v->reads_device = !v->reads_device;
    request_send(p, v, REQUEST_EMULATE);
    vcpu_wait_in_xen(p);
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

static void op_dirty_page(struct sim_cpu *p, struct sim_vcpu *v)
{
    page_fault(p, v, P2M_RAM_RW);
}

/* Xen records changes of page tables on AMD only. */
static void op_populate_page(struct sim_cpu *p, struct sim_vcpu *v)
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

static void op_balloon(struct sim_cpu *p, struct sim_vcpu *v)
{
    hvm_hypercall(p, v, __HYPERVISOR_memory_op, 1, 0);
    mem_decrease(p, v->dom);
}

static void op_yield(struct sim_cpu *p, struct sim_vcpu *v)
{
    hvm_hypercall(p, v, __HYPERVISOR_sched_op, SCHEDOP_YIELD, 0);
    vcpu_yield(p);
}

/* A tick while the guest masks interrupts. */
static void op_tick_masked(struct sim_cpu *p, struct sim_vcpu *v)
{
    op_tick(p, v);
    v->work.masked = true;
}

static void op_tsc_masked(struct sim_cpu *p, struct sim_vcpu *v)
{
    op_read_tsc(p, v);
    post_vector(v, CALLBACK_VECTOR);
    v->work.masked = true;
}

static void op_timer_masked(struct sim_cpu *p, struct sim_vcpu *v)
{
    op_set_timer(p, v);
    post_vector(v, CALLBACK_VECTOR);
    v->work.masked = true;
}

static void op_open_window(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_window);
    if ( !v->apic_fired )
        post_vector(v, CALLBACK_VECTOR);
    v->work.masked = false;
}

/* On AMD the instruction does not exit. */
static void op_wbinvd(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)v;
    if ( !is_amd(p) )
        leave_guest(p, &exit_wbinvd);
}

/* A guest's own event, by HVMOP_xentrace. */
static void op_guest_event(struct sim_cpu *p, struct sim_vcpu *v)
{
    hvm_hypercall(p, v, __HYPERVISOR_hvm_op, 0, 0);
    if ( v->dom->config->guest_events )
        EMIT(p, TRACE(TRC_GUEST | (dom_of(v) & 0xfff), v->id,
                      random_below(&v->random, 1000)));
}

/* A nested guest: an entry and an exit. */
static void op_nested_guest(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t rip = KERNEL_TEXT | (random_next(&v->random) & 0x7ffffc);

    if ( !p->sim->config.nested )
    {
        op_cpuid(p, v);
        return;
    }
    leave_guest(p, &exit_vmrun);
    EMIT(p, trace_hvm_vmentry_nested());
    truth_log_exit(p, v);
    emit_exit_record(p, exit_cpuid.reason[1], rip, true);
    v->exit = (struct open_exit){
        .at = p->stamp, .cpu = p->id, .reason = exit_cpuid.reason[1],
        .name = "CPUID",
    };
}

static const struct op_sequence sequences[] = {
    { 3500, ANY, true, { op_tick, op_eoi, op_read_tsc, op_read_tsc,
                         op_read_tsc, op_read_tsc, op_read_tsc, op_read_tsc,
                         op_set_timer, op_read_tsc, op_read_tsc,
                         op_read_tsc } },
    { 225, ANY, true, { op_tick_masked, op_open_window, op_eoi, op_read_tsc,
                        op_read_tsc, op_read_tsc, op_set_timer, op_read_tsc,
                        op_read_tsc } },
    { 150, ANY, true, { op_tsc_masked, op_open_window, op_eoi, op_read_tsc,
                        op_read_tsc, op_read_tsc, op_set_timer, op_read_tsc,
                        op_read_tsc } },
    { 125, ANY, true, { op_timer_masked, op_read_tsc, op_read_tsc, op_read_tsc,
                        op_read_tsc, op_read_tsc, op_read_tsc, op_read_tsc,
                        op_set_timer, op_read_tsc, op_open_window, op_eoi } },
    { 1650, ANY, true, { op_read_tsc, op_read_tsc, op_read_tsc } },
    { 800, PVH, false, { op_tick, op_eoi, op_set_timer } },
    { 400, HVM, false, { op_set_deadline, op_deadline_fired, op_eoi } },
    { 120, ANY, false, { op_tick_masked, op_open_window, op_eoi,
                         op_set_timer } },
    { 150, ANY, false, { op_read_msr } },
    { 100, ANY, false, { op_dirty_page } },
    { 80, ANY, false, { op_cpuid } },
    { 60, ANY, false, { op_write_cr, op_write_cr } },
    { 250, HVM, false, { op_read_port } },
    { 120, HVM, false, { op_write_port, op_write_port, op_write_port } },
    { 30, HVM, false, { op_device_model } },
    { 8, ANY, false, { op_nested_guest } },
    { 8, ANY, false, { op_wbinvd } },
    { 8, ANY, false, { op_yield } },
    { 8, ANY, false, { op_guest_event } },
    { 4, ANY, false, { op_write_dr } },
};

/* The guest writes a long text to the serial port. */
static void act_in_exit_storm(struct sim_cpu *p, struct sim_vcpu *v)
{
    bool is_first = !v->exit_storm.exits++;

    op_write_port(p, v);
    if ( is_first )
        v->exit_storm.from = p->stamp;
    v->exit_storm.to = p->stamp;
}

/* A spin lock of the guest executes PAUSE in a loop. */
static void act_in_spin_loop(struct sim_cpu *p, struct sim_vcpu *v)
{
    leave_guest(p, &exit_pause);
    if ( v->spin.exits && v->spin.from < v->since )
        truth_log_spin(p, v);
    if ( !v->spin.exits++ )
        v->spin.from = p->stamp;
    v->spin.to = p->stamp;
}

static void hvm_act(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( guest_spins(v) )
    {
        act_in_spin_loop(p, v);
        return;
    }
    if ( v->spin.exits )
        truth_log_spin(p, v);
    if ( guest_has_exit_storm(p, v) )
    {
        act_in_exit_storm(p, v);
        return;
    }
    if ( v->exit_storm.exits )
        truth_log_exit_storm(p, v);
    guest_run_op(p, v, sequences, ARRAY_SIZE(sequences));
}

static const struct op_sequence boot_sequences[] = {
    { 40, ANY, false, { op_populate_page, op_populate_page,
                        op_populate_page } },
    { 30, ANY, false, { op_cpuid, op_cpuid, op_read_msr } },
    { 20, HVM, false, { op_write_port, op_read_port, op_write_port } },
    { 6, HVM, false, { op_device_model } },
    { 4, ANY, false, { op_balloon } },
};

static void hvm_boot(struct sim_cpu *p, struct sim_vcpu *v)
{
    guest_run_op(p, v, boot_sequences, ARRAY_SIZE(boot_sequences));
}

/* No guest halts with interrupts masked. */
static void hvm_wait(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v == p->runs && !v->blocked);
    if ( v->work.masked )
        op_open_window(p, v);
    leave_guest(p, &exit_hlt);
    EMIT(p, trace_hvm_hlt(false));
    if ( event_is_queued(&v->timer) && !v->apic_due )
        post_vector(v, CALLBACK_VECTOR);
    vcpu_block(p);
}

const struct guest_ops *guest_hvm(void)
{
    static const struct guest_ops table = {
        .act = hvm_act, .boot = hvm_boot, .hypercall = hvm_hypercall, .wait =
                                            hvm_wait,
    };

    return &table;
}
