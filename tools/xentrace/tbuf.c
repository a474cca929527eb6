/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each control operation is one hypercall.  Only `state` has an answer of
 * variable length: it is requested again with a larger buffer until it fits.
 */
#include "xentrace/tbuf.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <public/trace.h>

#include "common/fault.h"

/* A plausible state is not larger. */
#define STATE_MAX (1u << 20)

static int request_op(struct hv *hv, struct hv_tbuf *op, const char *what,
                      struct err *e)
{
    int rc = hv->type->tbuf(hv, op, e);

    return rc ? err_sys(e, rc, "Xen refuses to %s", what) : 0;
}

int tbuf_get_info(struct hv *hv, struct tbuf_info *info, struct err *e)
{
    struct hv_tbuf op = { .cmd = HV_TBUF_GET_INFO };
    int rc = request_op(hv, &op, "return the address of its trace buffers", e);

    if ( rc )
        return rc;
    *info = (struct tbuf_info){
        .evt_mask = op.evt_mask, .mfn = op.mfn, .size = op.size,
    };
    return 0;
}

int tbuf_set_evt_mask(struct hv *hv, uint32_t mask, struct err *e)
{
    struct hv_tbuf op = { .cmd = HV_TBUF_SET_EVT_MASK, .evt_mask = mask };

    return request_op(hv, &op, "set the event mask", e);
}

int tbuf_set_cpu_mask(struct hv *hv, const unsigned char *bits,
                      unsigned int nr_cpus, struct err *e)
{
    struct hv_tbuf op = {
        .cmd = HV_TBUF_SET_CPU_MASK, .in = bits, .nr_bits = nr_cpus,
    };

    assert(bits && nr_cpus > 0);
    return request_op(hv, &op, "set the pcpu mask", e);
}

int tbuf_set_size(struct hv *hv, uint32_t pages, struct err *e)
{
    struct hv_tbuf op = { .cmd = HV_TBUF_SET_SIZE, .size = pages };

    assert(pages > 0);
    return request_op(hv, &op, "create trace buffers", e);
}

int tbuf_enable(struct hv *hv, struct err *e)
{
    struct hv_tbuf op = { .cmd = HV_TBUF_ENABLE };

    return request_op(hv, &op, "start tracing", e);
}

int tbuf_disable(struct hv *hv, struct err *e)
{
    struct hv_tbuf op = { .cmd = HV_TBUF_DISABLE };

    return request_op(hv, &op, "stop tracing", e);
}

int tbuf_overwrite(struct hv *hv, struct err *e)
{
    struct hv_tbuf op = { .cmd = XEN_SYSCTL_TBUFOP_overwrite };
    int rc = hv->type->tbuf(hv, &op, e);

    if ( rc == -EINVAL && !e->code )
        return -EOPNOTSUPP;
    return rc ? err_sys(e, rc, "Xen refuses the flight recorder mode") : 0;
}

/* --- state ---------------------------------------------------------------- */

static void count_cpu(struct tbuf_state *out, const struct xen_tbuf_cpu *cpu)
{
    if ( !(cpu->flags & XEN_TBUF_CPU_ONLINE) )
        return;
    out->nr_online++;
    if ( cpu->flags & XEN_TBUF_CPU_MASKED )
        out->nr_masked++;
    assert(out->nr_masked <= out->nr_online);
}

/* The destinations of a state. */
struct state_answer
{
    struct tbuf_state *state;
    uint64_t *lost;             /* nr_cpus numbers; or NULL */
    unsigned char *traced;      /* nr_cpus bits, all zero; or NULL */
    unsigned int nr_cpus;
};

static void take_cpu(const struct state_answer *a, unsigned int cpu,
                     const struct xen_tbuf_cpu *from)
{
    count_cpu(a->state, from);
    if ( a->lost )
        a->lost[cpu] = from->lost;
    if ( a->traced && !(from->flags & XEN_TBUF_CPU_MASKED) )
        a->traced[cpu / 8] |= 1u << cpu % 8;
}

/* Parse `size` bytes of state; offsets and sizes in it are not trusted. */
static int parse_state(const unsigned char *state, size_t size,
                       const struct state_answer *a)
{
    struct xen_tbuf_state s;
    struct xen_tbuf_cpu cpu;
    uint64_t at;

    if ( size < sizeof(s) )
        return -EPROTO;
    memcpy(&s, state, sizeof(s));
    *a->state = (struct tbuf_state){ .flags = s.flags, .evt_mask = s.evt_mask };
    if ( s.cpu_offset < sizeof(s) || s.cpu_size < sizeof(cpu) )
        return -EPROTO;
    for ( unsigned int i = 0; i < a->nr_cpus && i < s.nr_cpus; i++ )
    {
        at = s.cpu_offset + (uint64_t)i * s.cpu_size;
        if ( at + sizeof(cpu) > size )
            return -EPROTO;
        memcpy(&cpu, state + at, sizeof(cpu));
        take_cpu(a, i, &cpu);
    }
    return 0;
}

/* One request with a buffer of *size bytes; sets *size to the bytes needed. */
static int request_state(struct hv *hv, size_t *size,
                         const struct state_answer *a, struct err *e)
{
    unsigned char *state = fault_calloc(1, *size);
    struct hv_tbuf op = {
        .cmd = XEN_SYSCTL_TBUFOP_state, .out = state, .nr_bits = *size * 8,
    };
    int rc;

    if ( !state )
        return -ENOMEM;
    rc = hv->type->tbuf(hv, &op, e);
    if ( !rc && op.size > *size )
        rc = -EAGAIN;
    if ( !rc )
        rc = parse_state(state, op.size, a);
    *size = op.size;
    free(state);
    return rc;
}

static int read_state(struct hv *hv, const struct state_answer *a,
                      struct err *e)
{
    size_t size = sizeof(struct xen_tbuf_state) +
                  a->nr_cpus * sizeof(struct xen_tbuf_cpu), asked;
    int rc;

    assert(a->nr_cpus > 0);
    do
    {
        asked = size;
        rc = request_state(hv, &size, a, e);
    }
    while ( rc == -EAGAIN && size > asked && size <= STATE_MAX );
    if ( rc == -EINVAL && !e->code )
        return -EOPNOTSUPP;
    return rc ? err_sys(e, rc, "cannot read the state of Xen's tracing") : 0;
}

int tbuf_state(struct hv *hv, struct tbuf_state *state, uint64_t *lost,
               unsigned int nr_cpus, struct err *e)
{
    const struct state_answer a = {
        .state = state, .lost = lost, .nr_cpus = nr_cpus,
    };

    memset(lost, 0, nr_cpus * sizeof(*lost));
    return read_state(hv, &a, e);
}

int tbuf_get_cpu_mask(struct hv *hv, unsigned char *bits, unsigned int nr_cpus,
                      struct err *e)
{
    struct tbuf_state state;
    const struct state_answer a = {
        .state = &state, .traced = bits, .nr_cpus = nr_cpus,
    };

    memset(bits, 0, (nr_cpus + 7) / 8);
    return read_state(hv, &a, e);
}
