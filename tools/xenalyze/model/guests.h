/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who there is: domains and their vcpus, as the records of a trace make them
 * known.  A trace does not introduce anybody, so the first record that names
 * one makes it.
 *
 * Entities never move and never go before the world does.  Each has an index,
 * dense from 0, for arrays of whoever wants to know something of it.  Threads
 * that read different pcpus make entities at the same time: so an index says
 * nothing about order, and what is printed goes through the world in the
 * order of ids (world_sort).
 *
 * A hostile trace names 2^32 vcpus: from WORLD_MAX_VCPUS on there are no new
 * ones, and what is said of others is counted and not believed.
 */
#ifndef XENALYZE_MODEL_GUESTS_H
#define XENALYZE_MODEL_GUESTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"

#define WORLD_MAX_VCPUS (1u << 18)

/* Domain ids as Xen has them. */
#define WORLD_IDLE 0x7fffu

/*
 * No domain, since Xen's ids are smaller: vcpu N of it stands for whoever runs
 * on pcpu N before a record tells.
 */
#define WORLD_DEFAULT 0x8000u

struct world_domain
{
    uint32_t index;
    uint16_t id;
    void *machine;              /* of the state machines */
    struct world_domain *_Atomic next;  /* of the same hash */

    /* After world_sort(): in the order of ids. */
    struct world_vcpu **vcpus;
    uint32_t nr_vcpus;
};

struct world_vcpu
{
    uint32_t index;
    uint16_t id;
    struct world_domain *domain;
    void *machine;
    struct world_vcpu *_Atomic next;    /* of the same hash */
};

#define WORLD_HASHES 8192u

struct world
{
    /* After world_sort(): in the order of ids. */
    struct world_domain **domains;
    uint32_t nr_domains, nr_vcpus;      /* so many indexes were given out */

    /* Of world.c.  Whoever finds does so without the lock. */
    struct world_domain *_Atomic domain_hash[WORLD_HASHES];
    struct world_vcpu *_Atomic vcpu_hash[WORLD_HASHES];
    pthread_mutex_t lock;
    struct arena arena;
    size_t domain_bytes, vcpu_bytes;
    bool failed;                        /* out of memory */
};

/*
 * Every entity comes with so many bytes, zeroed, at its `machine`.  0 or
 * -ENOMEM; a world that was not made need not be finished.
 */
int world_init(struct world *w, size_t domain_bytes, size_t vcpu_bytes);
void world_fini(struct world *w);

/* Find or make one; NULL: there are too many (or no memory: w->failed). */
struct world_domain *world_domain(struct world *w, unsigned int id);
struct world_vcpu *world_vcpu(struct world *w, unsigned int domain,
                              unsigned int id);

/* Fill in what is for reading.  0 or -ENOMEM. */
int world_sort(struct world *w);

static inline bool world_is_idle(const struct world_vcpu *v)
{
    return v->domain->id == WORLD_IDLE;
}

#endif /* XENALYZE_MODEL_GUESTS_H */
