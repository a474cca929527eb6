/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sysctls and domctls that only read.  The structs below have had the same
 * layout since Xen 4.5.
 */
#include "xentrace/xen-scheduler.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define SYSCTL_CPUPOOL_OP     18u
#define SYSCTL_SCHEDULER_OP   19u
#define DOMCTL_SCHEDULER_OP   16u
#define DOMCTL_GETAFFINITY    25u

#define POOL_INFO             3u    /* the first pool with this id or higher */
#define GET_INFO              1u
#define GET_VCPU_INFO         3u

#define SCHEDULER_CREDIT      5u
#define SCHEDULER_CREDIT2     6u
#define SCHEDULER_RTDS        8u

/* Values of affinity_kind of events/11-meta. */
#define AFFINITY_HARD 0u
#define AFFINITY_SOFT 1u
#define AFFINITY_ANY 2u
#define ALL_VCPUS 0xffffu
#define CPUS_PER_RECORD 160u

#define VCPUS_MAX 8192u             /* of a PV domain; HVM has less */
#define POOLS_MAX 4096u

struct pool_op
{
    uint32_t op;
    uint32_t pool;
    uint32_t scheduler;             /* out */
    uint32_t domain, cpu, nr_domains;
    uint64_t bitmap;                /* address */
    uint32_t nr_bits;
    uint32_t zero;
};

struct pool_scheduler_op
{
    uint32_t pool;
    uint32_t scheduler;
    uint32_t cmd;
    uint32_t zero;
    union
    {
        struct { uint32_t timeslice_ms, ratelimit_us, delay_us; } credit;
        struct { uint32_t ratelimit_us; } credit2;
        uint64_t room[4];
    };
};

struct domain_scheduler_op
{
    uint32_t scheduler;
    uint32_t cmd;
    union
    {
        struct { uint16_t weight, cap; } share; /* credit and credit2 */
        struct { uint64_t vcpus; uint32_t nr_vcpus, zero; } list;
        uint64_t room[4];
    };
};

/* An element of domain_scheduler_op.list. */
struct vcpu_budget
{
    uint32_t period, budget, flags; /* flag 0: extra time */
    uint32_t vcpu;
};

struct affinity_op
{
    uint32_t vcpu;
    uint32_t flags;                 /* 1: hard, 2: soft */
    uint64_t hard;                  /* address */
    uint32_t hard_bits;
    uint32_t zero;
    uint64_t soft;                  /* address */
    uint32_t soft_bits;
    uint32_t zero2;
};

_Static_assert(sizeof(struct pool_op) == 40 &&
               sizeof(struct affinity_op) == 40 &&
               sizeof(struct vcpu_budget) == 16 &&
               offsetof(struct pool_scheduler_op, credit) == 16 &&
               offsetof(struct domain_scheduler_op, share) == 8, "Xen's ABI");

/* A buffer for a mask of pcpus; Xen fills in whole bytes. */
static size_t mask_bytes(unsigned int nr_cpus)
{
    return (nr_cpus + 31) / 32 * sizeof(uint32_t);
}

static bool has_bit(const void *mask, unsigned int bit)
{
    return ((const unsigned char *)mask)[bit / 8] >> bit % 8 & 1;
}

/* --- cpupools ------------------------------------------------------------- */

/* The first pool with this id or a higher one. */
static int query_pool(struct xen_call *c, uint32_t from, struct pool_op *op,
                      void *mask, unsigned int nr_cpus)
{
    *op = (struct pool_op){
        .op = POOL_INFO, .pool = from, .bitmap = (uintptr_t)mask,
        .nr_bits = mask ? nr_cpus : 0,
    };
    return xen_call_sysctl(c, SYSCTL_CPUPOOL_OP, op, sizeof(*op));
}

static void put_pool_times(struct xen_call *c, const struct pool_op *pool,
                           hv_record_fn *put, void *arg)
{
    struct pool_scheduler_op op = {
        .pool = pool->pool, .scheduler = pool->scheduler, .cmd = GET_INFO,
    };
    struct xt_meta m = {
        .event = TRC_META_POOL_TIMES,
        .pool_times = { .pool = pool->pool, .timeslice = UINT32_MAX,
                        .ratelimit = UINT32_MAX,
                        .migration_delay = UINT32_MAX },
    };

    if ( (pool->scheduler != SCHEDULER_CREDIT &&
          pool->scheduler != SCHEDULER_CREDIT2) ||
         xen_call_sysctl(c, SYSCTL_SCHEDULER_OP, &op, sizeof(op)) )
        return;
    if ( pool->scheduler == SCHEDULER_CREDIT )
    {
        m.pool_times.timeslice = 1000 * op.credit.timeslice_ms;
        m.pool_times.ratelimit = op.credit.ratelimit_us;
        m.pool_times.migration_delay = op.credit.delay_us;
    }
    else
        m.pool_times.ratelimit = op.credit2.ratelimit_us;
    put(arg, &m);
}

/* Returns the number of pcpus in the pool. */
static uint32_t note_pool(const struct pool_op *pool, const void *mask,
                          int32_t *pool_of, unsigned int nr_cpus)
{
    uint32_t nr = 0;

    for ( unsigned int cpu = 0; cpu < nr_cpus; cpu++ )
        if ( has_bit(mask, cpu) )
        {
            pool_of[cpu] = pool->pool;
            nr++;
        }
    return nr;
}

void xen_scheduler_put_pools(struct xen_call *c, int32_t *pool_of,
                             unsigned int nr_cpus, hv_record_fn *put,
                             void *arg)
{
    void *mask = xen_call_new_buffer(c, mask_bytes(nr_cpus));
    struct pool_op pool;

    for ( uint32_t from = 0, nr = 0;
          mask && nr < POOLS_MAX &&
          !query_pool(c, from, &pool, mask, nr_cpus) && pool.pool >= from;
          from = pool.pool + 1, nr++ )
    {
        struct xt_meta m = {
            .event = TRC_META_POOL,
            .pool = { .pool = pool.pool, .scheduler = pool.scheduler },
        };

        m.pool.cpus = note_pool(&pool, mask, pool_of, nr_cpus);
        put(arg, &m);
        put_pool_times(c, &pool, put, arg);
        memset(mask, 0, mask_bytes(nr_cpus));
    }
    xen_call_free_buffer(c, mask);
}

/* --- weights and budgets -------------------------------------------------- */

static void put_share(struct xen_call *c, unsigned int domain,
                       uint32_t scheduler, hv_record_fn *put, void *arg)
{
    struct domain_scheduler_op op = { .scheduler = scheduler,
                                      .cmd = GET_INFO };
    struct xt_meta m = {
        .event = TRC_META_DOMAIN_WEIGHT,
        .domain_weight = { .dom = domain, .scheduler = scheduler },
    };

    if ( xen_call_domctl(c, DOMCTL_SCHEDULER_OP, domain, &op, sizeof(op)) )
        return;
    m.domain_weight.weight = op.share.weight;
    m.domain_weight.cap = op.share.cap;
    put(arg, &m);
}

static void put_budgets(struct xen_call *c, const struct xen_call_domain *d,
                        hv_record_fn *put, void *arg)
{
    struct vcpu_budget *budget = xen_call_new_buffer(c, sizeof(*budget));

    for ( uint32_t vcpu = 0; budget && vcpu < d->vcpu_ids; vcpu++ )
    {
        struct domain_scheduler_op op = {
            .scheduler = SCHEDULER_RTDS, .cmd = GET_VCPU_INFO,
            .list = { .vcpus = (uintptr_t)budget, .nr_vcpus = 1 },
        };
        struct xt_meta m = { .event = TRC_META_VCPU_BUDGET };

        budget->vcpu = vcpu;
        if ( xen_call_domctl(c, DOMCTL_SCHEDULER_OP, d->id, &op, sizeof(op)) )
            continue;
        m.vcpu_budget.vcpu = vcpu;
        m.vcpu_budget.dom = d->id;
        m.vcpu_budget.period = budget->period;
        m.vcpu_budget.budget = budget->budget;
        m.vcpu_budget.extra = budget->flags & 1;
        put(arg, &m);
    }
    xen_call_free_buffer(c, budget);
}

/* --- affinity ------------------------------------------------------------- */

/* The masks of a vcpu, in buffers that Xen can write. */
struct affinity
{
    struct xen_call *xen;
    unsigned int nr_cpus;
    uint32_t *hard, *soft;
};

static bool is_full_mask(const struct affinity *a, const void *mask)
{
    unsigned int cpu = 0;

    while ( cpu < a->nr_cpus && has_bit(mask, cpu) )
        cpu++;
    return cpu == a->nr_cpus;
}

static int query_affinity(const struct affinity *a, unsigned int domain,
                          uint32_t vcpu)
{
    struct affinity_op op = {
        .vcpu = vcpu, .flags = 1 | 2,
        .hard = (uintptr_t)a->hard, .hard_bits = a->nr_cpus,
        .soft = (uintptr_t)a->soft, .soft_bits = a->nr_cpus,
    };

    memset(a->hard, 0, mask_bytes(a->nr_cpus));
    memset(a->soft, 0, mask_bytes(a->nr_cpus));
    return xen_call_domctl(a->xen, DOMCTL_GETAFFINITY, domain, &op,
                           sizeof(op));
}

static uint32_t get_mask_word(const struct affinity *a, const uint32_t *mask,
                          unsigned int first)
{
    assert(first % 32 == 0);
    return first < a->nr_cpus ? mask[first / 32] : 0;
}

static void put_cpu_mask(const struct affinity *a, struct xt_meta *m,
                     const uint32_t *mask, hv_record_fn *put, void *arg)
{
    for ( unsigned int first = 0; first < a->nr_cpus;
          first += CPUS_PER_RECORD )
    {
        m->affinity.first = first;
        m->affinity.cpus0 = get_mask_word(a, mask, first);
        m->affinity.cpus1 = get_mask_word(a, mask, first + 32);
        m->affinity.cpus2 = get_mask_word(a, mask, first + 64);
        m->affinity.cpus3 = get_mask_word(a, mask, first + 96);
        m->affinity.cpus4 = get_mask_word(a, mask, first + 128);
        put(arg, m);
    }
}

static void put_any(unsigned int domain, uint32_t vcpu, hv_record_fn *put,
                    void *arg)
{
    struct xt_meta m = {
        .event = TRC_META_AFFINITY,
        .affinity = { .vcpu = vcpu, .dom = domain, .kind = AFFINITY_ANY },
    };

    put(arg, &m);
}

/* Put the masks of a vcpu.  True if both are full, and nothing was put. */
static bool put_masks(const struct affinity *a, unsigned int domain,
                      uint32_t vcpu, hv_record_fn *put, void *arg)
{
    struct xt_meta m = {
        .event = TRC_META_AFFINITY,
        .affinity = { .vcpu = vcpu, .dom = domain, .kind = AFFINITY_HARD },
    };

    if ( is_full_mask(a, a->hard) && is_full_mask(a, a->soft) )
        return true;
    put_cpu_mask(a, &m, a->hard, put, arg);
    m.affinity.kind = AFFINITY_SOFT;
    if ( !is_full_mask(a, a->soft) )
        put_cpu_mask(a, &m, a->soft, put, arg);
    return false;
}

/* One record stands for all vcpus without a mask, unless some are unknown. */
static void put_affinities(const struct affinity *a,
                         const struct xen_call_domain *d, hv_record_fn *put,
                         void *arg)
{
    bool *is_any = fault_calloc(d->vcpu_ids + 1, sizeof(*is_any));
    bool all_known = true;

    for ( uint32_t vcpu = 0; is_any && vcpu < d->vcpu_ids; vcpu++ )
        if ( query_affinity(a, d->id, vcpu) )
            all_known = false;
        else
        {
            is_any[vcpu] = put_masks(a, d->id, vcpu, put, arg);
            is_any[d->vcpu_ids] |= is_any[vcpu];
        }
    if ( is_any && all_known && is_any[d->vcpu_ids] )
        put_any(d->id, ALL_VCPUS, put, arg);
    for ( uint32_t vcpu = 0; is_any && !all_known && vcpu < d->vcpu_ids;
          vcpu++ )
        if ( is_any[vcpu] )
            put_any(d->id, vcpu, put, arg);
    free(is_any);
}

/* --- domains -------------------------------------------------------------- */

void xen_scheduler_put_domain(struct xen_call *c,
                              const struct xen_call_domain *d,
                              unsigned int nr_cpus, hv_record_fn *put,
                              void *arg)
{
    struct affinity a = {
        .xen = c, .nr_cpus = nr_cpus,
        .hard = xen_call_new_buffer(c, mask_bytes(nr_cpus)),
        .soft = xen_call_new_buffer(c, mask_bytes(nr_cpus)),
    };
    struct xen_call_domain domain = *d;
    struct pool_op pool;

    assert(nr_cpus && nr_cpus <= XT_MAX_CPUS);
    if ( domain.vcpu_ids > VCPUS_MAX )
        domain.vcpu_ids = VCPUS_MAX;
    if ( query_pool(c, d->pool, &pool, NULL, 0) || pool.pool != d->pool )
        pool.scheduler = 0;
    if ( pool.scheduler == SCHEDULER_CREDIT ||
         pool.scheduler == SCHEDULER_CREDIT2 )
        put_share(c, d->id, pool.scheduler, put, arg);
    if ( pool.scheduler == SCHEDULER_RTDS )
        put_budgets(c, &domain, put, arg);
    if ( a.hard && a.soft )
        put_affinities(&a, &domain, put, arg);
    xen_call_free_buffer(c, a.hard);
    xen_call_free_buffer(c, a.soft);
}
