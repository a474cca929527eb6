/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each control operation is one hypercall.
 */
#include "xentrace/tbuf.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <public/trace.h>

#include "common/fault.h"

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

static void count_cpu(struct tbuf_state *out, const struct hv_tbuf_cpu *cpu)
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
                     const struct hv_tbuf_cpu *from)
{
    count_cpu(a->state, from);
    if ( a->lost )
        a->lost[cpu] = from->lost;
    if ( a->traced && !(from->flags & XEN_TBUF_CPU_MASKED) )
        a->traced[cpu / 8] |= 1u << cpu % 8;
}

/* Xen may have fewer CPUs than were asked for, or more. */
static int request_state(struct hv *hv, const struct state_answer *a,
                         struct hv_tbuf_cpu *cpus, struct err *e)
{
    struct hv_tbuf op = {
        .cmd = XEN_SYSCTL_TBUFOP_state, .out = cpus,
        .nr_bits = a->nr_cpus * sizeof(*cpus) * 8,
    };
    int rc = hv->type->tbuf(hv, &op, e);

    if ( rc )
        return rc;
    *a->state = (struct tbuf_state){
        .flags = op.flags, .evt_mask = op.evt_mask,
    };
    for ( unsigned int i = 0; i < a->nr_cpus && i < op.nr_cpus; i++ )
        take_cpu(a, i, &cpus[i]);
    return 0;
}

static int read_state(struct hv *hv, const struct state_answer *a,
                      struct err *e)
{
    struct hv_tbuf_cpu *cpus = fault_calloc(a->nr_cpus, sizeof(*cpus));
    int rc;

    assert(a->nr_cpus > 0);
    rc = cpus ? request_state(hv, a, cpus, e) : -ENOMEM;
    free(cpus);
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
