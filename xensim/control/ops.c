/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations: one table row each, with the bounds of the request's length.
 * Each operation checks its payload; frame numbers and hypercall arguments are
 * checked by the hypervisor below.
 */
#include "xensim/control/ops.h"
#include "xensim/hypercall.h"
#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <public/trace.h>

static int op_hello(struct exchange *x)
{
    const struct xensim_guest *guest = xensim_guest();
    struct xensim_hello hello = {
        .wire_version = XENSIM_WIRE_VERSION,
        .max_cpu_id = nr_cpu_ids - 1,
        .nr_cpus = num_online_cpus(),
        .cpu_khz = xensim_cpu_khz(),
        .hardware = guest->hardware,
        .scheduler = guest->scheduler,
        .ratelimit = guest->ratelimit,
        .socket_cpus = guest->socket_cpus,
    };

    snprintf(hello.version, sizeof(hello.version), "4.%u-xensim",
             guest->minor ?: 17);
    memcpy(x->payload, &hello, sizeof(hello));
    x->length = sizeof(hello);
    return 0;
}

/*
 *     request   struct xensim_tbuf
 *     answer    struct xensim_tbuf | struct xensim_tbuf_cpu[]
 */
static int op_tbuf_state(struct exchange *x)
{
    struct xen_tbuf_cpu *cpus = (void *)(x->payload +
                                         sizeof(struct xensim_tbuf));
    struct xen_sysctl_tbuf_state s;
    struct xensim_tbuf t;
    uint32_t nr;
    int rc;

    _Static_assert(sizeof(*cpus) == sizeof(struct xensim_tbuf_cpu), "wire");
    memcpy(&t, x->payload, sizeof(t));
    nr = t.nr_bits / 8 / sizeof(*cpus);
    if ( nr > (XENSIM_MAX_PAYLOAD - sizeof(t)) / sizeof(*cpus) )
        return -E2BIG;
    if ( x->length != sizeof(t) )
        return -EINVAL;
    memset(cpus, 0, nr * sizeof(*cpus));
    rc = hypercall_tbuf_state(&s, cpus, nr);
    if ( rc )
        return rc;

    t.evt_mask = s.evt_mask;
    t.size = s.pages;
    t.nr_cpus = s.nr_cpus;
    t.flags = s.flags;
    memcpy(x->payload, &t, sizeof(t));
    x->length = sizeof(t) + nr * sizeof(*cpus);
    return 0;
}

/*
 *     request   struct xensim_tbuf | bytes of the guest buffer, or none
 *     answer    struct xensim_tbuf | guest buffer, if the request had none
 *
 * The bytes behind the struct are the buffer of the guest handle: input, if
 * the request has them; else a buffer of zeroes for the hypervisor's output.
 */
static int op_tbuf(struct exchange *x)
{
    uint8_t *buffer = x->payload + sizeof(struct xensim_tbuf);
    uint32_t came = x->length - sizeof(struct xensim_tbuf);
    struct xen_sysctl_tbuf_op op = { .cpu_mask.bitmap.p = buffer };
    struct xensim_tbuf t;
    uint32_t size;
    int rc;

    memcpy(&t, x->payload, sizeof(t));
    if ( t.cmd == XEN_SYSCTL_TBUFOP_state )
        return op_tbuf_state(x);
    size = t.nr_bits / 8 + (t.nr_bits % 8 != 0);
    if ( size > XENSIM_MAX_PAYLOAD - sizeof(t) )
        return -E2BIG;
    if ( came ? came != size
              : size && t.cmd == XEN_SYSCTL_TBUFOP_set_cpu_mask )
        return -EINVAL;
    if ( !came )
        memset(buffer, 0, size);

    op.cmd = t.cmd;
    op.cpu_mask.nr_bits = t.nr_bits;
    op.evt_mask = t.evt_mask;
    op.size = t.size;
    rc = hypercall_tbuf(&op, buffer, size);
    if ( rc )
        return rc;

    t.nr_bits = op.cpu_mask.nr_bits;
    t.evt_mask = op.evt_mask;
    t.size = op.size;
    t.buffer_mfn = op.buffer_mfn;
    memcpy(x->payload, &t, sizeof(t));
    x->length = sizeof(t) + (came ? 0 : size);
    return 0;
}

static uint32_t mfn_at(const struct exchange *x, uint32_t i)
{
    uint32_t mfn;

    ASSERT(i < x->length / sizeof(mfn));
    memcpy(&mfn, x->payload + i * sizeof(mfn), sizeof(mfn));
    return mfn;
}

/* Map all frames of the list, or none. */
static int op_map(struct exchange *x)
{
    bool write = x->arg & XENSIM_MAP_WRITE;
    uint32_t nr = x->length / sizeof(uint32_t), i;
    int rc = 0;

    if ( x->length % sizeof(uint32_t) || (x->arg & ~XENSIM_MAP_WRITE) )
        return -EINVAL;
    for ( i = 0; i < nr && !rc; i++ )
        rc = client_map(x->client, mfn_at(x, i), write);
    if ( rc )
    {
        for ( i--; i-- > 0; )
            client_unmap_kind(x->client, mfn_at(x, i), write);
        return rc;
    }

    x->fd = write ? xensim_arena_fd() : x->read_only_fd;
    x->length = 0;
    return 0;
}

/* Unmap frames up to the first error. */
static int op_unmap(struct exchange *x)
{
    uint32_t nr = x->length / sizeof(uint32_t);
    int rc = x->length % sizeof(uint32_t) ? -EINVAL : 0;

    for ( uint32_t i = 0; i < nr && !rc; i++ )
        rc = client_unmap(x->client, mfn_at(x, i));
    x->length = 0;
    return rc;
}

/* As in Xen, the VIRQ has one owner. */
static int op_bind_virq(struct exchange *x)
{
    for ( const struct client *c = x->clients; c; c = c->next )
        if ( client_owns_virq(c) )
            return -EEXIST;
    x->fd = client_bind_virq(x->client);
    return x->fd < 0 ? x->fd : 0;
}

static int op_cpu_up(struct exchange *x)
{
    return hypercall_cpu_up(x->arg);
}

static int op_cpu_down(struct exchange *x)
{
    return hypercall_cpu_down(x->arg);
}

static int op_clock(struct exchange *x)
{
    uint64_t now = hypercall_clock();

    memcpy(x->payload, &now, sizeof(now));
    x->length = sizeof(now);
    return 0;
}

static int op_domains(struct exchange *x)
{
    struct xensim_domain *domains = calloc(XENSIM_MAX_DOMAINS,
                                           sizeof(*domains));

    _Static_assert(XENSIM_MAX_DOMAINS * sizeof(*domains) <= XENSIM_MAX_PAYLOAD,
                   "all domains fit into one answer");
    if ( !domains )
        return -ENOMEM;
    x->length = sizeof(*domains) *
                xensim_list_domains(domains, XENSIM_MAX_DOMAINS);
    memcpy(x->payload, domains, x->length);
    free(domains);
    return 0;
}

static const struct
{
    int (*run)(struct exchange *x);
    uint32_t min, max; /* bounds of the request's payload bytes */
} ops[] = {
    [XENSIM_HELLO] = { op_hello, 0, 0 },
    [XENSIM_TBUF] = { op_tbuf, sizeof(struct xensim_tbuf),
                      XENSIM_MAX_PAYLOAD },
    [XENSIM_MAP] = { op_map, sizeof(uint32_t), XENSIM_MAX_PAYLOAD },
    [XENSIM_UNMAP] = { op_unmap, sizeof(uint32_t), XENSIM_MAX_PAYLOAD },
    [XENSIM_BIND_VIRQ] = { op_bind_virq, 0, 0 },
    [XENSIM_CPU_UP] = { op_cpu_up, 0, 0 },
    [XENSIM_CPU_DOWN] = { op_cpu_down, 0, 0 },
    [XENSIM_CLOCK] = { op_clock, 0, 0 },
    [XENSIM_DOMAINS] = { op_domains, 0, 0 },
};

int op_run(uint32_t op, struct exchange *x)
{
    int rc;

    ASSERT(x->client && x->payload);
    if ( op >= ARRAY_SIZE(ops) || !ops[op].run )
        return -ENOSYS;
    if ( x->length < ops[op].min || x->length > ops[op].max )
        return -EINVAL;

    rc = ops[op].run(x);
    if ( rc )
    {
        x->length = 0;
        x->fd = -1;
    }
    return rc;
}
