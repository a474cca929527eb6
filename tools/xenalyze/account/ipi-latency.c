/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vcpu sends an IPI by a write to the memory-mapped command register of the
 * local APIC.  The fact of that write arrives at the end of the exit, so the
 * receiver's facts on another pcpu may come first.  Therefore each slot also
 * keeps the time of the most recent delivery.
 */
#include "xenalyze/account/ipi-latency.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/grow.h"

#define APIC_COMMAND 0xfee00300u     /* address of the ICR */
#define VECTOR(command) ((command) & 0xff)
#define IS_BROADCAST(command) (((command) >> 18 & 3) == 3)

void ipi_latency_init(struct ipi_latency *i, FILE *out)
{
    i->out = out;
    stats_pool_init(&i->pool);
}

void ipi_latency_fini(struct ipi_latency *i)
{
    free(i->vcpus);
    stats_pool_fini(&i->pool);
}

static struct ipi_vcpu *get_ipi_vcpu(struct ipi_latency *i,
                                const struct vcpu *v)
{
    struct ipi_vcpu *own;

    debug_assert(!i->closed);
    if ( !grow_to_index(&i->vcpus, &i->nr, v->index, sizeof(*i->vcpus)) )
    {
        i->failed = true;
        return NULL;
    }
    own = &i->vcpus[v->index];
    own->vcpu = v;
    own->domain = v->domain->id;
    own->id = v->id;
    return own;
}

/* Find the slot of the vector, or a free slot. */
static struct ipi_slot *get_ipi_slot(struct ipi_vcpu *v, uint32_t vector)
{
    struct ipi_slot *free = NULL;

    for ( unsigned int k = 0; k < IPI_SLOTS; k++ )
    {
        struct ipi_slot *s = &v->slots[k];

        if ( s->vector == vector && (s->sent || s->injected || s->entered) )
            return s;
        if ( !s->sent && !s->injected &&
             (!free || s->entered < free->entered) )
            free = s;
    }
    if ( free )
        *free = (struct ipi_slot){ .vector = vector };
    return free;
}

static void deliver_latency(struct ipi_latency *i, struct ipi_vcpu *v,
                            struct ipi_slot *s, uint64_t from, uint64_t to)
{
    uint64_t cycles = to > from ? to - from : 0;
    uint64_t ns = xt_clock_duration(&i->clock, cycles);

    assert(s->sent);
    if ( i->out )
        fprintf(i->out, " [vla] d%uv%u vec %" PRIu32 " ipis %" PRIu32
                ", latency %" PRIu64 " (%" PRIu64 ".%09" PRIu64 " s)\n",
                v->domain, v->id, s->vector, s->sent, cycles,
                ns / 1000000000, ns % 1000000000);
    else
        stats_map_add(&v->latency, &i->pool, s->vector, cycles, from);
    s->sent = 0;
    s->entered = 0;
}

static void receive_ipi(struct ipi_latency *i, struct ipi_vcpu *v,
                        struct ipi_slot *s, uint64_t time)
{
    s->injected = false;
    if ( s->sent && s->first <= time )
        deliver_latency(i, v, s, s->first, time);
    else
        s->entered = time;
}

static void send_ipi(struct ipi_latency *i, struct ipi_vcpu *v,
                     struct ipi_slot *s, uint64_t time)
{
    if ( s->sent++ == 0 )
        s->first = time;
    if ( s->entered > time )
        deliver_latency(i, v, s, time, s->entered);
}

static void broadcast_ipi(struct ipi_latency *i, const struct fact_handle *f)
{
    for ( uint32_t k = 0; k < i->nr; k++ )
    {
        struct ipi_vcpu *v = &i->vcpus[k];
        struct ipi_slot *s;

        if ( !v->vcpu || v->vcpu == f->vcpu ||
             v->vcpu->domain != f->vcpu->domain )
            continue;
        s = get_ipi_slot(v, VECTOR(f->value));
        if ( s )
            send_ipi(i, v, s, f->time);
    }
}

static void note_ipi_handler(void *state, const struct fact_handle *f)
{
    struct ipi_latency *i = state;
    struct ipi_vcpu *v = get_ipi_vcpu(i, f->vcpu);
    struct ipi_slot *s;

    if ( v && f->kind == HANDLE_MMIO && f->write && f->has_value &&
         f->at == APIC_COMMAND && IS_BROADCAST(f->value) )
        broadcast_ipi(i, f);
    if ( !v || f->kind != HANDLE_INJECT )
        return;
    s = get_ipi_slot(v, (uint32_t)f->at);
    if ( s && f->exit )
        s->injected = true;
    else if ( s )
        receive_ipi(i, v, s, f->time);
}

static void note_ipi_exit(void *state, const struct fact_exit *f)
{
    struct ipi_latency *i = state;
    struct ipi_vcpu *v = get_ipi_vcpu(i, f->vcpu);

    for ( unsigned int k = 0; v && k < IPI_SLOTS; k++ )
        if ( v->slots[k].injected )
            receive_ipi(i, v, &v->slots[k], f->start + f->cycles);
}

static void ipi_latency_begin(void *state, const struct fact_begin *f)
{
    struct ipi_latency *i = state;

    assert(!i->closed);
    i->clock = *f->clock;
}

static int ipi_latency_end(void *state, const struct fact_end *f, struct err *e)
{
    struct ipi_latency *i = state;

    (void)f;
    for ( uint32_t k = 0; k < i->nr; k++ )
    {
        i->vcpus[k].vcpu = NULL;
        memset(i->vcpus[k].slots, 0, sizeof(i->vcpus[k].slots));
    }
    return i->failed || i->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep interrupts") : 0;
}

static int compare_ipi_vcpus(const void *a, const void *b)
{
    const struct ipi_vcpu *x = a, *y = b;

    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

void ipi_latency_close(struct ipi_latency *i)
{
    assert(!i->closed);
    i->closed = true;
    if ( i->nr )
        qsort(i->vcpus, i->nr, sizeof(*i->vcpus), compare_ipi_vcpus);
}

struct sink ipi_latency_sink(struct ipi_latency *i)
{
    static const struct sink_ops ops = {
        .name = "ipis", .ordered = true, .begin = ipi_latency_begin,
        .end = ipi_latency_end, .handle = note_ipi_handler,
        .exit = note_ipi_exit,
    };

    return (struct sink){ &ops, i };
}
