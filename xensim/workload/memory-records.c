/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generated trace points have the newest layout. 4.17 packs domain and
 * order into one word; its last word is uninitialized stack memory, here zero.
 */
#include "xensim/workload/memory-records.h"

#include "xensim/workload/trace-emit.h"

#define ORDER_2M    9
#define FRAMES      (1u << 18)      /* 1 GiB per guest */

static uint64_t any_gfn(struct sim_cpu *p)
{
    return random_below(&p->random, FRAMES);
}

static uint64_t any_mfn(struct sim_cpu *p)
{
    return 0x100000 + random_below(&p->random, 1u << 22);
}

static bool is_packed(const struct sim_cpu *p)
{
    return p->sim->config.layout == SIM_4_17;
}

static uint32_t pack_domain_order(const struct sim_dom *d, unsigned int order)
{
    ASSERT(order <= ORDER_2M);
    return d->id | order << 16;
}

void mem_decrease(struct sim_cpu *p, const struct sim_dom *d)
{
    uint64_t gfn = any_gfn(p);

    if ( is_packed(p) )
        EMIT(p, TRACE(TRC_MEM_DECREASE_RESERVATION, gfn, gfn >> 32,
                      pack_domain_order(d, 0), 0));
    else
        EMIT(p, trace_mem_decrease_reservation(gfn, d->id, 0));
}

void mem_populate(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn)
{
    uint64_t mfn = any_mfn(p) & ~511ull;

    ASSERT(!(gfn & 511));       /* a superpage */
    if ( is_packed(p) )
        EMIT(p, TRACE(TRC_MEM_POD_POPULATE, gfn, gfn >> 32, mfn, mfn >> 32,
                      pack_domain_order(d, ORDER_2M), 0));
    else
        EMIT(p, trace_mem_pod_populate(gfn, mfn, d->id, ORDER_2M));
}

void mem_reclaim(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn)
{
    uint64_t mfn = any_mfn(p);

    if ( is_packed(p) )
        EMIT(p, TRACE(TRC_MEM_POD_ZERO_RECLAIM, gfn, gfn >> 32, mfn,
                      mfn >> 32, pack_domain_order(d, 0), 0));
    else
        EMIT(p, trace_mem_pod_zero_reclaim(gfn, mfn, d->id, 0));
}

void mem_splinter(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn)
{
    ASSERT(!(gfn & 511));       /* a superpage */
    if ( is_packed(p) )
        EMIT(p, TRACE(TRC_MEM_POD_SUPERPAGE_SPLINTER, gfn, gfn >> 32,
                      pack_domain_order(d, 0), 0));
    else
        EMIT(p, trace_mem_pod_superpage_splinter(gfn, d->id, ORDER_2M));
}

void mem_p2m(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn)
{
    EMIT(p, trace_mem_set_p2m_entry(gfn, any_mfn(p), 0, d->id, 0));
}
