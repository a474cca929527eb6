/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of the runtime: the machine below hypervisor code compiled with
 * the headers of xensim/include. There are two kinds of machine.
 *
 * A single-threaded machine is the calling thread. The thread runs as one pcpu
 * at a time (xensim_become_cpu), an IPI is a function call on each pcpu in
 * turn, an interrupt is a call of the test (xensim_interrupt), and so are
 * tasklets (xensim_run_tasklets). Nothing is random: for unit tests.
 *
 * A threaded machine has a thread per pcpu. IPIs, interrupts and NMIs are
 * signals, which arrive at any instruction. A thread that is no pcpu (a test,
 * the control server) enters the hypervisor by xensim_call_on().
 *
 * A process has one machine: hypervisor code keeps its state in static
 * variables, which cannot be reset here. A test that needs a new machine
 * forks.
 */
#ifndef XENSIM_RUNTIME_H
#define XENSIM_RUNTIME_H

#include <xen/mm.h>
#include <xen/sched.h>

struct xensim_domain;

/* The guest's work: callbacks of the pcpus. Each may be NULL. */
struct xensim_guest
{
    void *arg;
    /*
     * Do one step of a pcpu's work. Return for how many ns the pcpu may idle.
     */
    uint64_t (*step)(void *arg);
    /* Handlers of interrupts, NMIs and machine checks. */
    void (*irq)(void *arg);
    void (*nmi)(void *arg);
    void (*mce)(void *arg);
    /* Store the domains that exist; returns their number, at most `max`. */
    size_t (*list_domains)(void *arg, struct xensim_domain *to, size_t max);
    /* The machine as dom0 sees it; fields as in struct xensim_hello. */
    uint32_t hardware;          /* enum xensim_hardware; 0: unknown */
    unsigned int minor;         /* Xen's version 4.minor; 0: 4.17 */
    uint32_t scheduler, ratelimit, socket_cpus;
    unsigned int first_irq, nr_irqs;    /* device interrupts */
};

#define XENSIM_FOREVER  UINT64_MAX  /* idle until woken */

struct xensim_config
{
    unsigned int cpus;          /* nr_cpu_ids, 1 ... NR_CPUS */
    unsigned int online;        /* pcpus online at boot; 0: all */
    unsigned long frames;       /* size of the arena; 0: 65536 */
    const char *boot;           /* "tbuf_size=8 tevt_mask=0x..."; or NULL */
    unsigned int loglevel;      /* this level and above are dropped; 0: 2 */
    bool all_messages;          /* no rate limit of guests' messages */
    bool threads;               /* threaded instead of single-threaded */
    bool park;                  /* offline pcpus keep their per-CPU area */
    bool scatter;               /* consecutive allocations are not adjacent */
    bool separate_heap;         /* frames never have PGC_xen_heap (arm32) */
    bool poison;                /* fill frames at allocation and when freed */
    struct xensim_guest guest;
};

/*
 * Power on: memory, boot parameters, presmp initcalls, the other pcpus,
 * initcalls. The caller then is pcpu 0 of a single-threaded machine, or no
 * pcpu of a threaded one, and has to call init_trace_bufs() on pcpu 0. Return
 * 0 or -errno; -EINVAL with *bad (if bad is not NULL) is an invalid boot
 * parameter, in a static buffer.
 */
int xensim_start(const struct xensim_config *config, const char **bad);

/* Power off: threads are joined, memory is freed. No DEAD callbacks run. */
void xensim_stop(void);

/* ---- who runs what ---------------------------------------------------- */

/*
 * Single-threaded: from now on this thread is pcpu `cpu`, which is online or
 * in STARTING.
 */
void xensim_become_cpu(unsigned int cpu);

/*
 * Run fn on a pcpu, outside of interrupts, and wait for its end: the way of a
 * hypercall. Not from an interrupt. -ENODEV: the pcpu is offline.
 */
int xensim_call_on(unsigned int cpu, void (*fn)(void *arg), void *arg);

/* Threaded: wake the pcpu if it is idle. */
void xensim_kick(unsigned int cpu);

/*
 * Return the vcpu (domid, vcpu_id), created at the first call; for
 * set_current().
 */
struct vcpu *xensim_vcpu(domid_t domid, unsigned int vcpu_id);

/* Store the guest's domains; returns their number. From any thread. */
size_t xensim_list_domains(struct xensim_domain *to, size_t max);

/* The guest of the machine, with what dom0 sees of the machine. */
const struct xensim_guest *xensim_guest(void);

/* Run the scheduled tasklets of this pcpu. Threads do so by themselves. */
void xensim_run_tasklets(void);

/* ---- interrupts ------------------------------------------------------- */

enum xensim_vector
{
    XENSIM_IPI,     /* of on_selected_cpus(); all others: the guest's */
    XENSIM_IRQ,
    XENSIM_NMI,     /* arrives also while interrupts are off */
    XENSIM_MCE,     /* arrives also in an NMI */
    XENSIM_NR_VECTORS,
};

/*
 * Threaded: raise a vector on a pcpu. Raising a pending vector has no effect.
 */
void xensim_raise(unsigned int cpu, enum xensim_vector vector);

/* Single-threaded: run fn as the handler of a vector. */
void xensim_interrupt(enum xensim_vector vector, void (*fn)(void *arg),
                      void *arg);

/* ---- dom0's side ------------------------------------------------------ */

/*
 * Memory of the hypercall's caller on this thread: handles into [base, base +
 * size) are valid, all others fail. NULL: every handle is valid.
 */
void xensim_guest_window(void *base, size_t size);

/*
 * Foreign mappings of dom_xen's frames by dom0. -EINVAL: not a frame of
 * dom_xen; -EPERM: not shared for writing.
 */
int xensim_map_frame(unsigned long mfn, bool write);
void xensim_unmap_frame(unsigned long mfn, bool write);

/*
 * The arena: frame m is at byte m * PAGE_SIZE. The caller borrows the
 * descriptor.
 */
int xensim_arena_fd(void);
unsigned long xensim_nr_frames(void);

/*
 * Return an eventfd that receives VIRQ_TBUF, or -errno. The caller unbinds and
 * then closes the descriptor.
 */
int xensim_bind_virq(void);
void xensim_unbind_virq(int fd);
unsigned long xensim_virqs(void);   /* VIRQ_TBUFs sent since power on */

/*
 * Frequency of the cycle counter. The first call may take a moment to measure
 * it.
 */
unsigned int xensim_cpu_khz(void);

/*
 * Set the function behind get_cycles() and its frequency (0: the hardware's).
 * Call before power on.
 */
void xensim_set_clock(cycles_t (*clock)(void), unsigned int khz);

/* ---- for tests -------------------------------------------------------- */

/*
 * Let the nth page or xmalloc allocation from now fail (1: the next); 0:
 * disarm.
 */
void xensim_fail_allocation(unsigned int nth);

unsigned long xensim_frames_in_use(void);
unsigned long xensim_xmallocs_in_use(void);

/*
 * Capture console output instead of printing. Return the buffer of the
 * previous capture, NUL-terminated, owned by the runtime. Warnings (WARN_ON)
 * are captured, too.
 */
const char *xensim_capture_console(void);

#endif /* XENSIM_RUNTIME_H */
