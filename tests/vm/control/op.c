/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control operations, one hypercall each.  Buffers for the hypervisor are
 * in locked memory.
 */
#include <errno.h>
#include <string.h>

#include <xencall.h>

#include <xen/sched.h>
#include <xen/sysctl.h>

#include "tb.h"

#define PAGE 4096u

static xencall_handle *call;
static struct xen_sysctl *sys;   /* in locked memory */
static uint8_t *bounce;          /* target of the handles in sys, likewise */

int tb_open(void)
{
    call = xencall_open(NULL, 0);
    if ( !call || tb_map_open() )
        return -errno;
    sys = xencall_alloc_buffer(call, sizeof(*sys));
    bounce = xencall_alloc_buffer(call, PAGE);

    return sys && bounce ? 0 : -ENOMEM;
}

static int do_sysctl(uint32_t cmd)
{
    sys->cmd = cmd;
    sys->interface_version = XEN_SYSCTL_INTERFACE_VERSION;

    return xencall1(call, __HYPERVISOR_sysctl, (unsigned long)sys) < 0 ? -errno
                                                                       : 0;
}

static struct xen_sysctl_tbuf_op *new_op(uint32_t cmd)
{
    memset(sys, 0, sizeof(*sys));
    sys->u.tbuf_op.cmd = cmd;

    return &sys->u.tbuf_op;
}

int tb_op(uint32_t cmd, uint32_t arg)
{
    struct xen_sysctl_tbuf_op *op = new_op(cmd);

    if ( cmd == XEN_SYSCTL_TBUFOP_set_evt_mask )
        op->evt_mask = arg;
    else
        op->size = arg;

    return do_sysctl(XEN_SYSCTL_tbuf_op);
}

int tb_cpu_mask(uint64_t cpus, uint32_t bits)
{
    struct xen_sysctl_tbuf_op *op = new_op(XEN_SYSCTL_TBUFOP_set_cpu_mask);

    memcpy(bounce, &cpus, sizeof(cpus));
    set_xen_guest_handle(op->cpu_mask.bitmap, bounce);
    op->cpu_mask.nr_bits = bits;

    return do_sysctl(XEN_SYSCTL_tbuf_op);
}

int tb_info(uint64_t *mfn, uint32_t *bytes, uint32_t *evt_mask)
{
    struct xen_sysctl_tbuf_op *op = new_op(XEN_SYSCTL_TBUFOP_get_info);
    int rc = do_sysctl(XEN_SYSCTL_tbuf_op);

    *mfn = op->buffer_mfn;
    *bytes = op->size;
    *evt_mask = op->evt_mask;

    return rc;
}

int tb_state_part(struct tb_state *s, uint32_t nr, uint32_t version)
{
    void *op = new_op(XEN_SYSCTL_TBUFOP_state);
    struct xen_sysctl_tbuf_state *state = op;
    int rc;

    _Static_assert(sizeof(s->cpu) <= PAGE, "the room of bounce");
    memset(bounce, 0xa5, PAGE);
    state->version = version;
    set_xen_guest_handle(state->cpus, (xen_tbuf_cpu_t *)bounce);
    state->nr_cpus = nr;
    rc = do_sysctl(XEN_SYSCTL_tbuf_op);
    s->head = *state;
    memcpy(s->cpu, bounce, sizeof(s->cpu));

    return rc;
}

int tb_state(struct tb_state *s)
{
    int rc = tb_state_part(s, MAX_CPUS, XEN_TBUF_STATE_VERSION);

    return !rc && s->head.nr_cpus > MAX_CPUS ? -E2BIG : rc;
}

int tb_hotplug(unsigned int cpu, bool up)
{
    int rc, tries = 0;

    do {
        memset(sys, 0, sizeof(*sys));
        sys->u.cpu_hotplug.cpu = cpu;
        sys->u.cpu_hotplug.op = up ? XEN_SYSCTL_CPU_HOTPLUG_ONLINE
                                   : XEN_SYSCTL_CPU_HOTPLUG_OFFLINE;
        rc = do_sysctl(XEN_SYSCTL_cpu_hotplug);
    } while ( rc == -EBUSY && ++tries < 1000 );

    return rc;
}

long long tb_free_pages(void)
{
    int rc;

    memset(sys, 0, sizeof(*sys));
    rc = do_sysctl(XEN_SYSCTL_physinfo);

    return rc ? rc : (long long)(sys->u.physinfo.free_pages +
                                 sys->u.physinfo.scrub_pages);
}

#ifdef __x86_64__

/* Neither the command nor the vcpu exists. */
void tb_number(uint32_t id, uint32_t number)
{
    xencall3(call, __HYPERVISOR_vcpu_op, NUMBER_CMD + id,
             FIRST_NUMBER + number, 0);
}

#else

/*
 * Only x86 traces hypercalls, but each architecture the reason of a shutdown.
 * The first reason decides what dom0's shutdown does later: 0x10001 asks for a
 * reboot, which ends QEMU as well.  A child has none of the locked memory, but
 * its stack is there, since dom0 has no swap.
 */
void tb_number(uint32_t id, uint32_t number)
{
    struct sched_shutdown shutdown = { FIRST_NUMBER + number };

    (void)id;                  /* Xen writes that of the vcpu */
    xencall2(call, __HYPERVISOR_sched_op, SCHEDOP_shutdown_code,
             (unsigned long)&shutdown);
}

#endif
