/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hypercalls: the arguments are packed into a struct, a call on pcpu 0 runs
 * the hypervisor's function, the struct carries the result back.
 */
#include "xensim/hypercall.h"
#include "xensim/runtime/runtime.h"

#include <xen/cpu.h>
#include <xen/trace.h>

#include <asm/time.h>

static unsigned int epoch;

unsigned int hypercall_epoch(void)
{
    return __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
}

static void boot_trace_buffers(void *unused)
{
    (void)unused;
    init_trace_bufs();
}

void hypercall_boot(void)
{
    xensim_call_on(0, boot_trace_buffers, NULL);
}

struct tbuf_call
{
    struct xen_sysctl_tbuf_op *op;
    void *buffer;
    size_t size;
    int rc;
};

static bool is_read_only(uint32_t cmd)
{
    return cmd == XEN_SYSCTL_TBUFOP_get_info || cmd == XEN_SYSCTL_TBUFOP_state;
}

static void run_tbuf(void *arg)
{
    struct tbuf_call *call = arg;
    unsigned int step = is_read_only(call->op->cmd) ? 0 : 1;

    /* All operations run here, so one is over before the next begins. */
    ASSERT(smp_processor_id() == 0 && !(epoch & 1));
    xensim_guest_window(call->buffer, call->size);
    __atomic_fetch_add(&epoch, step, __ATOMIC_SEQ_CST);
    call->rc = tb_control(call->op);
    __atomic_fetch_add(&epoch, step, __ATOMIC_SEQ_CST);
    xensim_guest_window(NULL, 0);
}

int hypercall_tbuf(struct xen_sysctl_tbuf_op *op, void *buffer, size_t size)
{
    struct tbuf_call call = { .op = op, .buffer = buffer, .size = size };

    return xensim_call_on(0, run_tbuf, &call) ?: call.rc;
}

int hypercall_tbuf_state(struct xen_sysctl_tbuf_state *state,
                         struct xen_tbuf_cpu *cpus, size_t nr)
{
    union
    {
        struct xen_sysctl_tbuf_op op;
        struct xen_sysctl_tbuf_state state;
    } u = {
        .state = {
            .cmd = XEN_SYSCTL_TBUFOP_state,
            .version = XEN_TBUF_STATE_VERSION,
            .cpus.p = cpus,
            .nr_cpus = nr,
        },
    };
    int rc = hypercall_tbuf(&u.op, cpus, nr * sizeof(*cpus));

    *state = u.state;
    return rc;
}

struct cpu_call
{
    int (*move)(unsigned int cpu);
    unsigned int cpu;
    int rc;
};

static void move_cpu(void *arg)
{
    struct cpu_call *call = arg;

    call->rc = call->move(call->cpu);
}

int hypercall_cpu_up(unsigned int cpu)
{
    struct cpu_call call = { .move = cpu_up, .cpu = cpu };

    return xensim_call_on(0, move_cpu, &call) ?: call.rc;
}

static void read_clock(void *now)
{
    *(uint64_t *)now = get_cycles();
}

uint64_t hypercall_clock(void)
{
    uint64_t now = 0;

    xensim_call_on(0, read_clock, &now);
    return now;
}

/*
 * pcpu 0 cannot take itself down, and cpu_down() asserts its argument: check a
 * client's number here.
 */
int hypercall_cpu_down(unsigned int cpu)
{
    struct cpu_call call = { .move = cpu_down, .cpu = cpu };

    if ( cpu == 0 )
        return -EINVAL;
    return xensim_call_on(0, move_cpu, &call) ?: call.rc;
}
