/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains of wake-ups: a vcpu that was woken wakes another one within a
 * millisecond, as a back end does for each request:
 *
 *      d3v0  ---- wakes
 *                   |
 *      d0v2         +== waits ==|---- wakes
 *                                      |
 *      d3v1                            +== waits ==|----
 *                   +---------- length ------------+
 *
 * A chain has three vcpus; a longer one is counted as the chains in it.  If the
 * first vcpu is also the last, the chain is a round of a loop.
 *
 * Memory: for each vcpu a struct wakeup_vcpu, and two maps of statistics with a
 * bounded number of keys.
 */
#ifndef XENALYZE_ACCOUNT_WAKEUP_CHAIN_H
#define XENALYZE_ACCOUNT_WAKEUP_CHAIN_H

#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define WAKEUP_CHAIN_NS 1000000u        /* from the first wake-up to the next */
#define WAKEUP_CHAIN_VCPUS 3u

/* The last wake-up of a vcpu. */
struct wakeup_vcpu
{
    uint16_t domain, id;
    bool has_waker;             /* a vcpu woke it */
    uint32_t waker;             /* its index */
    uint64_t woken, ran;
    uint64_t waited;
    uint32_t rank;              /* by domain and id, after sorting */
};

struct wakeup_chains
{
    struct stats_pool pool;
    struct xt_clock clock;
    uint64_t limit;             /* WAKEUP_CHAIN_NS in cycles */
    struct wakeup_vcpu *vcpus;  /* by index */
    uint32_t nr_vcpus;
    struct stats_map lengths;   /* in cycles, by a key of the chain */
    struct stats_map waits;     /* likewise: both waits of the chain */
    uint64_t ignored;           /* chains of vcpus with too great an index */
    bool failed;
};

/* Requires a zeroed struct. */
void wakeup_chains_init(struct wakeup_chains *c);
void wakeup_chains_fini(struct wakeup_chains *c);

struct sink wakeup_chains_sink(struct wakeup_chains *c);

static inline bool wakeup_chains_have_failed(const struct wakeup_chains *c)
{
    return c->failed || c->pool.failed;
}

/*
 * An array of the rows of `lengths`, by the domains and ids of their vcpus, in
 * memory of the pool.  NULL: no rows, or no memory.
 */
struct stats_row **wakeup_chains_sort(struct wakeup_chains *c);

/* The vcpus of the key of a chain, in the order of their wake-ups. */
void wakeup_chain_find(const struct wakeup_chains *c, uint64_t key,
                       const struct wakeup_vcpu *vcpus[WAKEUP_CHAIN_VCPUS]);

#endif /* XENALYZE_ACCOUNT_WAKEUP_CHAIN_H */
