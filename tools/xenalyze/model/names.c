/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of names.
 */
#include "xenalyze/model/names.h"

#include <stddef.h>

#include "xenalyze/model/facts.h"

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static const char *const states[] = {
    "running", "runnable", "blocked", "offline", "lost", "queued", "init",
    "no data",
};

static const char *const whys[] = { NULL, "wake", "preempt", "other" };

static const char *const domain_states[] = {
    "blocked", "partial run", "full run", "partial contention",
    "concurrency_hazard", "full_contention", "lost", "no data",
};

static const char *const pcpu_states[] = {
    "running", "idle", "lost", "unknown",
};

static const char *const handlers[] = {
    "(no handler)", "pf_xen", "pf_inject", "inj_exc", "inj_virq",
    "reinj_virq", "io_read", "io_write", "cr_read", "cr_write", "dr_read",
    "dr_write", "msr_read", "msr_write", "cpuid", "intr", "nmi", "smi",
    "vmcall", "hlt", "invlpg", "mce", "io_assist", "mmio_assist", "clts",
    "lmsw", "rdtsc",
    [0x20] = "intr_window", "npf", "realmode_emulate", "trap", "trap_debug",
    "vlapic", "xcr_read", "xcr_write",
};

static const char *const shadows[] = {
    "(no handler)", "propagate", "fast propagate", "fast mmio",
    "false fast path", "mmio", "fixup", "dom dying", "emulate",
    "unshadow:user-mode", "unshadow:evt inj", "unshadow:unhandled instr",
    "wrmap_bf", "prealloc_unpin", "resync_full", "resync_only",
    "fixup|mmio",
};

static const char *const hypercalls[] = {
    "set_trap_table", "mmu_update", "set_gdt", "stack_switch",
    "set_callbacks", "fpu_taskswitch", "sched_op(compat)", "platform_op",
    "set_debugreg", "get_debugreg", "update_descriptor",
    [12] = "memory_op", "multicall", "update_va_mapping", "set_timer_op",
    "evtchn_op(compat)", "xen_version", "console_io", "physdev_op(compat)",
    "grant_table_op", "vm_assist", "update_va_mapping_otherdomain", "iret",
    "vcpu_op", "set_segment_base", "mmuext_op", "acm_op", "nmi_op",
    "sched_op", "callback_op", "xenoprof_op", "evtchn_op", "physdev_op",
    "hvm_op", "sysctl", "domctl", "kexec_op", "tmem_op", "argo_op",
    "xenpmu_op", "dm_op", "hypfs_op",
    [48] = "arch_0", "arch_1", "arch_2", "arch_3", "arch_4", "arch_5",
    "arch_6", "arch_7",
};

static const char *const pvs[PV_KINDS] = {
    [PV_HYPERCALL] = "hypercall", [PV_TRAP] = "trap",
    [PV_PAGE_FAULT] = "page_fault",
    [PV_FORCED_INVALID_OP] = "forced_invalid_op",
    [PV_EMULATE_PRIVOP] = "emulate privop",
    [PV_EMULATE_4GB] = "emulate 4g",
    [PV_MATH_STATE_RESTORE] = "math state restore",
    [PV_PAGING_FIXUP] = "paging fixup",
    [PV_GDT_LDT_MAPPING_FAULT] = "gdt/ldt mapping fault",
    [PV_PTWR_EMULATION] = "ptwr",
    [PV_PTWR_EMULATION_PAE] = "ptwr(pae)",
    [PV_HYPERCALL_V2] = "hypercall",
    [PV_HYPERCALL_SUBCALL] = "hypercall (subcall)",
};

static const char *const memories[] = {
    "grant-map", "grant-unmap", "grant-transfer", "set-p2m",
    "decrease-reservation", "pod-populate", "pod-zero-reclaim",
    "pod-superpage-splinter",
};

static const char *const contexts[] = {
    "unknown", "fault", "balloon",
};

static const char *const irqs[] = {
    NULL, "move_cleanup_delay", "move_cleanup", "bind_vector",
    "clear_vector", "move_finish", "assign_vector", "unmapped_vector",
    "handled",
};

/*
 * Interrupt vectors of Xen itself that are the same in all versions since 4.2.
 * Vectors 0xf1 .. 0xf9 are allocated at run time (0xf9 since 4.22), and the
 * others belong to devices.
 */
static const char *const vectors[] = {
    [0xf0] = "irq0-timer",
    [0xfa] = "local-timer", "call-function", "event-check", "invalidate-tlb",
    "apic-error", "spurious",
};

static const char *const volumes[] = {
    "gen", "sched", "dom0op", "hvm", "mem", "pv", "shadow", "hw", "guest",
    "other", "verbose", "vmentry", "vmexit", "handler", "emul",
};

static const char *const anomalies[ANOMALY_KINDS] = {
    [ANOMALY_TRANSITION] = "runstate changes that Xen does not make",
    [ANOMALY_OLD_STATE] = "runstate changes from another state than known",
    [ANOMALY_SKEW] = "runstate changes out of order between pcpus",
    [ANOMALY_CONTINUE] = "vcpus that went on to run where they did not",
    [ANOMALY_PREVIOUS] = "vcpus that left a pcpu that another one ran on",
    [ANOMALY_NO_VCPU] = "guest events while nobody was known to run",
    [ANOMALY_IDLE] = "guest events while the pcpu was idle",
    [ANOMALY_NO_EXIT] = "handlers and entries without an exit",
    [ANOMALY_NO_ENTRY] = "exits without an entry since the last one",
    [ANOMALY_SHORT] = "records that are too short",
    [ANOMALY_EVENT] = "records of unknown events",
    [ANOMALY_LOSS] = "losses that end before they begin",
    [ANOMALY_BACKWARD] = "entries before their exits",
    [ANOMALY_TOO_MANY] = "records of more vcpus than are kept",
};

/* The tables without indices have a name for each value. */
_Static_assert(NR(states) == STATES, "states");
_Static_assert(NR(whys) == WHY_OTHER + 1, "whys");
_Static_assert(NR(domain_states) == DOMAIN_STATES, "domain_states");
_Static_assert(NR(pcpu_states) == PCPU_STATES, "pcpu_states");
_Static_assert(NR(shadows) == SHADOW_KINDS + 1, "and a fault with both");
_Static_assert(NR(memories) == MEMORY_KINDS, "memories");
_Static_assert(NR(contexts) == POD_CONTEXTS, "contexts");
_Static_assert(NR(irqs) == IRQ_KINDS, "irqs");
_Static_assert(NR(volumes) == VOLUME_KINDS, "volumes");

/* NULL: no such index. */
static const char *find_name(const char *const *names, size_t nr,
                             unsigned int i)
{
    return i < nr ? names[i] : NULL;
}

const char *state_name(unsigned int state)
{
    return find_name(states, NR(states), state);
}

const char *state_label(unsigned int state)
{
    return state == STATE_RUNNABLE ? "waiting" : state_name(state);
}

const char *why_name(unsigned int why)
{
    return find_name(whys, NR(whys), why);
}

const char *domain_state_name(unsigned int state)
{
    return find_name(domain_states, NR(domain_states), state);
}

const char *pcpu_state_name(unsigned int state)
{
    return find_name(pcpu_states, NR(pcpu_states), state);
}

const char *handler_name(unsigned int minor)
{
    return find_name(handlers, NR(handlers), minor);
}

const char *shadow_name(unsigned int kind)
{
    return find_name(shadows, NR(shadows), kind);
}

const char *hypercall_name(unsigned int number)
{
    return find_name(hypercalls, NR(hypercalls), number);
}

const char *pv_name(unsigned int kind)
{
    return find_name(pvs, NR(pvs), kind);
}

const char *memory_name(unsigned int kind)
{
    return find_name(memories, NR(memories), kind);
}

const char *pod_context_name(unsigned int context)
{
    return find_name(contexts, NR(contexts), context);
}

const char *irq_kind_name(unsigned int kind)
{
    return find_name(irqs, NR(irqs), kind);
}

const char *xen_vector_name(uint64_t vector)
{
    return vector < NR(vectors) ? vectors[vector] : NULL;
}

const char *volume_name(unsigned int kind)
{
    return find_name(volumes, NR(volumes), kind);
}

const char *anomaly_name(unsigned int kind)
{
    return find_name(anomalies, NR(anomalies), kind);
}
