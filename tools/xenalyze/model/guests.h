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
 * order of ids (guests_sort).
 *
 * A hostile trace names 2^32 vcpus: from GUESTS_MAX_VCPUS on there are no new
 * ones, and what is said of others is counted and not believed.
 */
#ifndef XENALYZE_MODEL_GUESTS_H
#define XENALYZE_MODEL_GUESTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"

#define GUESTS_MAX_VCPUS (1u << 18)

/* Domain ids as Xen has them. */
#define DOMID_IDLE 0x7fffu

/*
 * No domain, since Xen's ids are smaller: vcpu N of it stands for whoever runs
 * on pcpu N before a record tells.
 */
#define DOMID_DEFAULT 0x8000u

struct domain
{
    uint32_t index;
    uint16_t id;
    void *machine;              /* of the state machines */
    struct domain *_Atomic next;        /* of the same hash */

    /* After guests_sort(): in the order of ids. */
    struct vcpu **vcpus;
    uint32_t nr_vcpus;
};

struct vcpu
{
    uint32_t index;
    uint16_t id;
    struct domain *domain;
    void *machine;
    struct vcpu *_Atomic next;          /* of the same hash */
};

#define GUESTS_HASH_SIZE 8192u

struct guests
{
    /* After guests_sort(): in the order of ids. */
    struct domain **domains;
    uint32_t nr_domains, nr_vcpus;      /* so many indexes were given out */

    /* Of world.c.  Whoever finds does so without the lock. */
    struct domain *_Atomic domain_hash[GUESTS_HASH_SIZE];
    struct vcpu *_Atomic vcpu_hash[GUESTS_HASH_SIZE];
    pthread_mutex_t lock;
    struct arena arena;
    size_t domain_bytes, vcpu_bytes;
    bool failed;                        /* out of memory */
};

/*
 * Every entity comes with so many bytes, zeroed, at its `machine`.  0 or
 * -ENOMEM; a world that was not made need not be finished.
 */
int guests_init(struct guests *w, size_t domain_bytes, size_t vcpu_bytes);
void guests_fini(struct guests *w);

/* Find or make one; NULL: there are too many (or no memory: w->failed). */
struct domain *guests_get_domain(struct guests *w, unsigned int id);
struct vcpu *guests_get_vcpu(struct guests *w, unsigned int domain,
                             unsigned int id);

/* Fill in what is for reading.  0 or -ENOMEM. */
int guests_sort(struct guests *w);

static inline bool vcpu_is_idle(const struct vcpu *v)
{
    return v->domain->id == DOMID_IDLE;
}

#endif /* XENALYZE_MODEL_GUESTS_H */
