/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/xentrace/fake_xen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xencall.h>
#include <xenevtchn.h>
#include <xenforeignmemory.h>

#include <xen/version.h>

struct fake_xen *fake_xen(void)
{
    static struct fake_xen xen;

    return &xen;
}

/* The target of all handles; its value is not used. */
static char handle;

static void *open_handle(int with_errno)
{
    errno = with_errno;
    fake_xen()->open += !with_errno;
    return with_errno ? NULL : &handle;
}

static int fail_with(int with_errno)
{
    errno = with_errno;
    return -1;
}

/* --- hypercalls ----------------------------------------------------------- */

xencall_handle *xencall_open(struct xentoollog_logger *logger, unsigned flags)
{
    (void)flags;
    return logger ? open_handle(fake_xen()->open_errno) : NULL;
}

int xencall_close(xencall_handle *call)
{
    fake_xen()->open -= !!call;
    return 0;
}

void *xencall_alloc_buffer(xencall_handle *call, size_t size)
{
    fake_xen()->open += !!call;
    return malloc(size);
}

void xencall_free_buffer(xencall_handle *call, void *buffer)
{
    fake_xen()->open -= !!call;
    free(buffer);
}

static int answer_physinfo(struct xen_sysctl_physinfo *info)
{
    *info = (struct xen_sysctl_physinfo){
        .threads_per_core = 1, .cores_per_socket = 2, .nr_cpus = 3,
        .max_cpu_id = fake_xen()->max_cpu_id, .nr_nodes = 1, .cpu_khz = 2100000,
    };
    return 0;
}

static int answer_state(struct xen_sysctl_tbuf_state *s)
{
    fake_xen()->state = *s;
    for ( unsigned int i = 0; i < s->nr_cpus && i < 2; i++ )
        s->cpus.p[i] = fake_xen()->cpus[i];
    s->nr_cpus = 2;
    s->flags = XEN_TBUF_OVERWRITE;
    s->evt_mask = 0x2f000;
    s->pages = 7;
    return 0;
}

static int answer_tbuf_op(struct xen_sysctl_tbuf_op *op)
{
    size_t bytes = (op->cpu_mask.nr_bits + 7) / 8;

    fake_xen()->tbuf = *op;
    if ( fake_xen()->tbuf_errno )
            return fail_with(fake_xen()->tbuf_errno);
    if ( op->cmd == XEN_SYSCTL_TBUFOP_state )
            return answer_state((struct xen_sysctl_tbuf_state *)op);
    if ( bytes > sizeof(fake_xen()->bits) )
            return fail_with(EFAULT);
    if ( bytes )
            memcpy(fake_xen()->bits, op->cpu_mask.bitmap.p, bytes);
    op->buffer_mfn = 0x123456789a;
    op->size = 4096;
    op->evt_mask = 0x0ffff000;
    return 0;
}

/* Pcpu n is core n / 2 of socket 0; the last pcpu is offline. */
static int answer_topology(struct xen_sysctl_cputopoinfo *info)
{
    unsigned int i;

    for ( i = 0; i < info->num_cpus && i < fake_xen()->max_cpu_id; i++ )
        info->cputopo.p[i] = (xen_sysctl_cputopo_t){ .core = i / 2 };
    info->cputopo.p[i] = (xen_sysctl_cputopo_t){ ~0u, ~0u, ~0u };
    info->num_cpus = i + 1;
    return 0;
}

static int list_domains(struct xen_sysctl_getdomaininfolist *list)
{
    list->num_domains = 0;
    for ( size_t i = 0; i < fake_xen()->domains; i++ )
        if ( fake_xen()->domain[i].domain >= list->first_domain &&
             list->num_domains < list->max_domains )
            list->buffer.p[list->num_domains++] = fake_xen()->domain[i];
    return 0;
}

/* Pools 0 with pcpus 0 to 3, and 3 with pcpu 4. */
static int answer_pool(struct xen_sysctl_cpupool_op *op)
{
    if ( op->op != XEN_SYSCTL_CPUPOOL_OP_INFO || op->cpupool_id > 3 ||
         !fake_xen()->scheduler )
        return fail_with(ENOENT);
    op->cpupool_id = op->cpupool_id ? 3 : 0;
    op->sched_id = fake_xen()->scheduler;
    if ( op->cpumap.nr_bits )
        op->cpumap.bitmap.p[0] = op->cpupool_id ? 0x10 : 0x0f;
    return 0;
}

static int answer_pool_scheduler(struct xen_sysctl_scheduler_op *op)
{
    if ( op->cmd != XEN_SYSCTL_SCHEDOP_getinfo ||
         op->sched_id != fake_xen()->scheduler )
        return fail_with(EINVAL);
    if ( op->sched_id == XEN_SCHEDULER_CREDIT )
        op->u.sched_credit = (struct xen_sysctl_credit_schedule){ 30, 1000, 7 };
    else
        op->u.sched_credit2.ratelimit_us = 500;
    return 0;
}

/* Vcpu 0 is pinned to pcpus 0, 2 and 3 and prefers 2; others are free. */
static int answer_affinity(struct xen_domctl_vcpuaffinity *op)
{
    if ( op->vcpu >= fake_xen()->affinity_vcpus )
        return fail_with(ESRCH);
    op->cpumap_hard.bitmap.p[0] = op->vcpu ? 0x3f : 0x0d;
    op->cpumap_soft.bitmap.p[0] = op->vcpu ? 0x3f : 0x04;
    return 0;
}

static int answer_scheduler(const struct xen_domctl *d,
                            struct xen_domctl_scheduler_op *op)
{
    if ( op->sched_id != fake_xen()->scheduler )
        return fail_with(EINVAL);
    if ( op->cmd == XEN_DOMCTL_SCHEDOP_getinfo )
    {
        op->u.credit2.weight = 256 + d->domain;
        op->u.credit2.cap = 150;
        return 0;
    }
    if ( op->cmd != XEN_DOMCTL_SCHEDOP_getvcpuinfo || op->u.v.nr_vcpus != 1 ||
         op->u.v.vcpus.p->vcpuid > 1 )
        return fail_with(EINVAL);
    op->u.v.vcpus.p->u.rtds = (struct xen_domctl_sched_rtds){
        10000, 4000, XEN_DOMCTL_SCHEDRT_extra,
    };
    return 0;
}

/* Vcpu 0 runs on pcpu 2, 1 is blocked, 3 waits, 4 is offline. */
static int answer_vcpu(struct xen_domctl_getvcpuinfo *op)
{
    if ( op->vcpu == 2 || op->vcpu > 4 )
        return fail_with(ESRCH);
    op->online = op->vcpu < 4;
    op->running = op->vcpu == 0;
    op->blocked = op->vcpu == 1;
    op->cpu_time = UINT64_C(5000000000) + op->vcpu;
    op->cpu = 2 + op->vcpu;
    return 0;
}

static int answer_domctl(struct xen_domctl *d)
{
    fake_xen()->domctls++;
    if ( fake_xen()->domctl_errno )
        return fail_with(fake_xen()->domctl_errno);
    if ( d->interface_version != fake_xen()->domctl_version )
        return fail_with(EACCES);
    if ( d->cmd == XEN_DOMCTL_getvcpuaffinity )
        return answer_affinity(&d->u.vcpuaffinity);
    if ( d->cmd == XEN_DOMCTL_getvcpuinfo )
        return answer_vcpu(&d->u.getvcpuinfo);
    if ( d->cmd == XEN_DOMCTL_scheduler_op )
        return answer_scheduler(d, &d->u.scheduler_op);
    return fail_with(ENOSYS);
}

int xencall1(xencall_handle *call, unsigned int number, uint64_t arg)
{
    struct xen_sysctl *sys = (struct xen_sysctl *)(uintptr_t)arg;

    (void)call;
    if ( number == __HYPERVISOR_domctl )
            return answer_domctl((struct xen_domctl *)(uintptr_t)arg);
    fake_xen()->sysctls++;
    if ( number != __HYPERVISOR_sysctl )
            return fail_with(ENOSYS);
    if ( fake_xen()->sysctl_errno )
            return fail_with(fake_xen()->sysctl_errno);
    if ( sys->interface_version != fake_xen()->version )
            return fail_with(EACCES);
    if ( sys->cmd == XEN_SYSCTL_physinfo )
            return answer_physinfo(&sys->u.physinfo);
    if ( sys->cmd == XEN_SYSCTL_tbuf_op )
            return answer_tbuf_op(&sys->u.tbuf_op);
    if ( sys->cmd == XEN_SYSCTL_cputopoinfo )
            return answer_topology(&sys->u.cputopoinfo);
    if ( sys->cmd == XEN_SYSCTL_getdomaininfolist )
            return list_domains(&sys->u.getdomaininfolist);
    if ( sys->cmd == XEN_SYSCTL_cpupool_op )
            return answer_pool(&sys->u.cpupool_op);
    if ( sys->cmd == XEN_SYSCTL_scheduler_op )
            return answer_pool_scheduler(&sys->u.scheduler_op);
    return fail_with(ENOSYS);
}

int xencall2(xencall_handle *call, unsigned int number, uint64_t cmd,
             uint64_t arg)
{
    static const char *const texts[] = {
        [XENVER_extraversion] = ".5-fake",
        [XENVER_compile_info] = "gcc of old",
        [XENVER_capabilities] = "xen-3.0-x86_64 hvm-3.0-x86_64",
        [XENVER_changeset] = "abcdef",
        [XENVER_commandline] = "sched=credit tbuf_size=8 loglvl=all",
    };

    (void)call;
    if ( number != __HYPERVISOR_xen_version )
        return fail_with(ENOSYS);
    if ( cmd < sizeof(texts) / sizeof(texts[0]) && texts[cmd] )
        strcpy((char *)(uintptr_t)arg, texts[cmd]);
    return cmd == XENVER_version ? 4 << 16 | 17 : 0;
}

/* --- memory --------------------------------------------------------------- */

xenforeignmemory_handle *xenforeignmemory_open(struct xentoollog_logger *logger,
                                               unsigned flags)
{
    (void)flags;
    return logger ? open_handle(0) : NULL;
}

int xenforeignmemory_close(xenforeignmemory_handle *memory)
{
    fake_xen()->open -= !!memory;
    return 0;
}

void *xenforeignmemory_map(xenforeignmemory_handle *memory, uint32_t dom,
                           int prot, size_t pages, const xen_pfn_t *frame,
                           int *err)
{
    (void)memory;
    (void)err;
    fake_xen()->owner = dom;
    fake_xen()->prot = prot;
    fake_xen()->frames = pages;
    for ( size_t i = 0; i < pages && i < FAKE_FRAMES; i++ )
        fake_xen()->frame[i] = frame[i];
    return open_handle(fake_xen()->map_errno) ? malloc(1) : NULL;
}

int xenforeignmemory_unmap(xenforeignmemory_handle *memory, void *at,
                           size_t pages)
{
    (void)memory;
    fake_xen()->open--;
    fake_xen()->unmapped = pages;
    free(at);
    return 0;
}

/* --- events --------------------------------------------------------------- */

xenevtchn_handle *xenevtchn_open(struct xentoollog_logger *logger,
                                 unsigned int flags)
{
    (void)flags;
    return logger ? open_handle(0) : NULL;
}

int xenevtchn_close(xenevtchn_handle *events)
{
    fake_xen()->open -= !!events;
    return 0;
}

int xenevtchn_fd(xenevtchn_handle *events)
{
    (void)events;
    return fake_xen()->event_fd;
}

xenevtchn_port_or_error_t xenevtchn_bind_virq(xenevtchn_handle *events,
                                              unsigned int virq)
{
    (void)events;
    fake_xen()->virq = virq;
    return fake_xen()->bind_errno ? fail_with(fake_xen()->bind_errno) : 7;
}

/* A pipe instead of /dev/xen/evtchn: reading removes the port. */
xenevtchn_port_or_error_t xenevtchn_pending(xenevtchn_handle *events)
{
    unsigned char port;
    ssize_t n = read(fake_xen()->event_fd, &port, 1);

    (void)events;
    return n == 1 ? port : -1;
}

int xenevtchn_unmask(xenevtchn_handle *events, evtchn_port_t port)
{
    (void)events;
    fake_xen()->unmasked = port;
    return fake_xen()->unmask_errno ? fail_with(fake_xen()->unmask_errno) : 0;
}
