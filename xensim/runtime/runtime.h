/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door of the runtime: a machine that hypervisor code compiled against
 * xensim/include believes to run on.  There are two kinds.
 *
 * A *quiet* machine is the calling thread alone.  It plays one pcpu at a
 * time (xensim_become_cpu), an IPI is a function call on each pcpu in turn,
 * an interrupt happens where the test says so (xensim_interrupt), tasklets
 * run when asked to (xensim_run_tasklets).  Nothing is random: for tests.
 *
 * A *threaded* machine has a thread a pcpu.  IPIs, interrupts and NMIs are
 * signals, which land at any instruction.  Threads that are no pcpu (a test,
 * the control server) reach the hypervisor by xensim_call_on().
 *
 * One process has one machine: hypervisor code keeps its state in static
 * variables, and nothing here could reset those.  A test that wants a new
 * machine forks.
 */
#ifndef XENSIM_RUNTIME_H
#define XENSIM_RUNTIME_H

#include <xen/mm.h>
#include <xen/sched.h>

/* What the pcpus do, apart from running the hypervisor.  All may be NULL. */
struct xensim_guest
{
    void *arg;
    /* One step of a pcpu's work; answers how many ns it may idle after it. */
    uint64_t (*step)(void *arg);
    /* The handlers of interrupts, NMIs and machine checks. */
    void (*irq)(void *arg);
    void (*nmi)(void *arg);
    void (*mce)(void *arg);
};

#define XENSIM_FOREVER  UINT64_MAX  /* idle until someone calls */

struct xensim_config
{
    unsigned int cpus;          /* nr_cpu_ids, 1 ... NR_CPUS */
    unsigned int online;        /* of them, from the start; 0: all */
    unsigned long frames;       /* size of the arena; 0: 65536 */
    const char *boot;           /* "tbuf_size=8 tevt_mask=0x..."; NULL: none */
    unsigned int loglevel;      /* messages from it on are dropped; 0: 2 */
    bool threads;               /* a threaded machine, not a quiet one */
    bool park;                  /* offline pcpus keep their per-CPU area */
    bool scatter;               /* no two frames in a row are neighbours */
    bool poison;                /* fill frames at allocation and when freed */
    struct xensim_guest guest;
};

/*
 * Power on: memory, boot parameters, presmp initcalls, the other pcpus,
 * initcalls.  The caller, who then is pcpu 0 of a quiet machine and no pcpu
 * of a threaded one, goes on with init_trace_bufs() (on pcpu 0) himself.
 * 0 or -errno; -EINVAL with *bad set (if asked for) is a boot parameter,
 * copied to a static buffer, that does not parse.
 */
int xensim_start(const struct xensim_config *config, const char **bad);

/* Power off: threads are joined, memory is returned.  No DEAD callbacks. */
void xensim_stop(void);

/* ---- who runs what ---------------------------------------------------- */

/* Quiet: from now on this thread plays pcpu n (online, or just STARTING). */
void xensim_become_cpu(unsigned int cpu);

/*
 * Run fn on a pcpu, outside of interrupts, and wait for it: how a hypercall
 * arrives.  Not from an interrupt.  -ENODEV: the pcpu is offline.
 */
int xensim_call_on(unsigned int cpu, void (*fn)(void *arg), void *arg);

/* Threaded: it has something to do, should it idle. */
void xensim_kick(unsigned int cpu);

/* The vcpu (domid, vcpu_id), made at first mention; for set_current(). */
struct vcpu *xensim_vcpu(domid_t domid, unsigned int vcpu_id);

/* Run this pcpu's scheduled tasklets.  Threads do it by themselves. */
void xensim_run_tasklets(void);

/* ---- interrupts ------------------------------------------------------- */

enum xensim_vector
{
    XENSIM_IPI,     /* on_selected_cpus'; the others are the guest's */
    XENSIM_IRQ,
    XENSIM_NMI,     /* lands while interrupts are off, too */
    XENSIM_MCE,     /* lands in an NMI, too */
    XENSIM_NR_VECTORS,
};

/* Threaded: raise a vector on a pcpu.  One that is pending stays one. */
void xensim_raise(unsigned int cpu, enum xensim_vector vector);

/* Quiet: run fn here and now as the handler of a vector. */
void xensim_interrupt(enum xensim_vector vector, void (*fn)(void *arg),
                      void *arg);

/* ---- dom0's side ------------------------------------------------------ */

/*
 * The memory of this thread's caller: handles into [base, base + size) work,
 * all others fail.  NULL: every handle works.
 */
void xensim_guest_window(void *base, size_t size);

/*
 * Foreign mappings, as dom0 makes them of dom_xen's frames.  -EINVAL: no
 * such frame of dom_xen's; -EPERM: not shared for writing.
 */
int xensim_map_frame(unsigned long mfn, bool write);
void xensim_unmap_frame(unsigned long mfn, bool write);

/* The arena: frame m at byte m * PAGE_SIZE.  The descriptor stays ours. */
int xensim_arena_fd(void);
unsigned long xensim_nr_frames(void);

/*
 * An eventfd that VIRQ_TBUF is written to, the caller's to close after
 * unbind; or -errno.
 */
int xensim_bind_virq(void);
void xensim_unbind_virq(int fd);
unsigned long xensim_virqs(void);   /* VIRQ_TBUFs sent since power on */

/* Of the cycle counter.  The first call may take a moment to measure it. */
unsigned int xensim_cpu_khz(void);

/*
 * Before power on: what get_cycles() answers, and how fast that runs (0: as
 * fast as the hardware's counter).
 */
void xensim_set_clock(cycles_t (*clock)(void), unsigned int khz);

/* ---- for tests -------------------------------------------------------- */

/* Fail the nth page or xmalloc allocation from now (1: the next); 0: none. */
void xensim_fail_allocation(unsigned int nth);

unsigned long xensim_frames_in_use(void);
unsigned long xensim_xmallocs_in_use(void);

/*
 * Keep console output instead of printing it; the buffer is the runtime's,
 * NUL-terminated, emptied by each call.  Warnings (WARN_ON) land there, too.
 */
const char *xensim_capture_console(void);

#endif /* XENSIM_RUNTIME_H */
