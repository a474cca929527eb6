/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending is a write to the command register of the local APIC in memory, which
 * is told when its exit ends; so a receiver on another pcpu may have been told
 * of before, and the last time that it got a vector is kept.
 */
#include "xenalyze/account/ipi-latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "xenalyze/account/grow.h"

#define COMMAND 0xfee00300u     /* where the register is */
#define VECTOR(command) ((command) & 0xff)
#define IS_TO_OTHERS(command) (((command) >> 18 & 3) == 3)

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

static struct ipi_vcpu *vcpu_of(struct ipi_latency *i,
                                const struct vcpu *v)
{
    struct ipi_vcpu *own;

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

/* That of the vector, or one that nothing is under way in. */
static struct ipi_slot *slot_of(struct ipi_vcpu *v, uint32_t vector)
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

static void say(struct ipi_latency *i, struct ipi_vcpu *v, struct ipi_slot *s,
                uint64_t from, uint64_t to)
{
    uint64_t cycles = to > from ? to - from : 0;
    uint64_t ns = xt_clock_duration(&i->clock, cycles);

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

static void arrive(struct ipi_latency *i, struct ipi_vcpu *v,
                   struct ipi_slot *s,
                   uint64_t time)
{
    s->injected = false;
    if ( s->sent && s->first <= time )
        say(i, v, s, s->first, time);
    else
        s->entered = time;
}

static void send(struct ipi_latency *i, struct ipi_vcpu *v, struct ipi_slot *s,
                 uint64_t time)
{
    if ( s->sent++ == 0 )
        s->first = time;
    if ( s->entered > time )
        say(i, v, s, time, s->entered);
}

static void send_to_others(struct ipi_latency *i, const struct fact_handle *f)
{
    for ( uint32_t k = 0; k < i->nr; k++ )
    {
        struct ipi_vcpu *v = &i->vcpus[k];
        struct ipi_slot *s;

        if ( !v->vcpu || v->vcpu == f->vcpu ||
             v->vcpu->domain != f->vcpu->domain )
            continue;
        s = slot_of(v, VECTOR(f->value));
        if ( s )
            send(i, v, s, f->time);
    }
}

static void handle(void *state, const struct fact_handle *f)
{
    struct ipi_latency *i = state;
    struct ipi_vcpu *v = vcpu_of(i, f->vcpu);
    struct ipi_slot *s;

    if ( v && f->kind == HANDLE_MMIO && f->write && f->has_value &&
         f->at == COMMAND && IS_TO_OTHERS(f->value) )
        send_to_others(i, f);
    if ( !v || f->kind != HANDLE_INJECT )
        return;
    s = slot_of(v, (uint32_t)f->at);
    if ( s && f->exit )
        s->injected = true;
    else if ( s )
        arrive(i, v, s, f->time);
}

static void leave(void *state, const struct fact_exit *f)
{
    struct ipi_latency *i = state;
    struct ipi_vcpu *v = vcpu_of(i, f->vcpu);

    for ( unsigned int k = 0; v && k < IPI_SLOTS; k++ )
        if ( v->slots[k].injected )
            arrive(i, v, &v->slots[k], f->start + f->cycles);
}

static void begin(void *state, const struct fact_begin *f)
{
    struct ipi_latency *i = state;

    i->clock = *f->clock;
}

static int end(void *state, const struct fact_end *f, struct err *e)
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

static int by_id(const void *a, const void *b)
{
    const struct ipi_vcpu *x = a, *y = b;

    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

void ipi_latency_close(struct ipi_latency *i)
{
    if ( i->nr )
        qsort(i->vcpus, i->nr, sizeof(*i->vcpus), by_id);
}

struct sink ipi_latency_sink(struct ipi_latency *i)
{
    static const struct sink_ops ops = {
        .name = "ipis", .ordered = true, .begin = begin, .end = end,
        .handle = handle, .exit = leave,
    };

    return (struct sink){ &ops, i };
}
