/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loads: how long a vcpu computes before it waits, and how long it waits.
 *
 *     busy       |##########################################
 *     periodic   |####........|####........|####........
 *     io         |##...|#....|###..|##.....        until the I/O is done
 *     bursty     |################..............#########...
 *     quiet      |#.......................................#
 */
#include "xensim/workload/guest.h"

#define FOREVER UINT64_MAX

static const struct load
{
    uint64_t period;            /* ns */
    unsigned int duty;          /* percent of the period, computing */
    bool regular;               /* fixed period, without jitter */
    bool io;
} loads[] = {
    [SIM_BUSY] = { .duty = 100 },
    [SIM_PERIODIC] = { .period = MS(10), .duty = 20, .regular = true },
    [SIM_IO] = { .period = MS(2), .duty = 25, .io = true },
    [SIM_BURSTY] = { .period = MS(150), .duty = 33 },
    [SIM_QUIET] = { .period = MS(120), .duty = 1 },
};

static const struct load *load_of(const struct sim_vcpu *v)
{
    const struct dom_config *o = v->dom->config;

    ASSERT(o->nr_loads && o->nr_loads <= SIM_LOADS_MAX);
    return &loads[o->loads[v->id % o->nr_loads]];
}

static uint64_t period_of(const struct sim_vcpu *v)
{
    return v->dom->config->period ?: load_of(v)->period;
}

static unsigned int duty_of(const struct sim_vcpu *v)
{
    return v->dom->config->duty ?: load_of(v)->duty;
}

bool load_does_io(const struct sim_vcpu *v)
{
    return load_of(v)->io;
}

void load_begin(struct sim_cpu *p, struct sim_vcpu *v)
{
    const struct load *l = load_of(v);
    struct work *k = &v->work;
    uint64_t ns = period_of(v) * duty_of(v) / 100;

    ASSERT(duty_of(v) <= 100);
    if ( k->booting )
        k->left = FOREVER;
    else if ( duty_of(v) == 100 )
        k->left = FOREVER;
    else
        k->left = to_cycles(p->sim, l->regular ? ns
                                                 : random_gap(&v->random, ns));
    if ( l->regular )
        k->next = true_now(p) + to_cycles(p->sim, period_of(v));
    k->at = true_now(p);
}

uint64_t load_wait(struct sim_cpu *p, struct sim_vcpu *v)
{
    const struct load *l = load_of(v);
    uint64_t mean = period_of(v) * (100 - duty_of(v)) / 100;
    uint64_t now = true_now(p);

    ASSERT(!l->io);
    if ( !l->regular )
        return random_gap(&v->random, mean) + US(1);
    return v->work.next > now ? to_ns(p->sim, v->work.next - now) : US(1);
}
