/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of guests: domains and their vcpus.  A trace does not declare
 * domains or vcpus: the first record that names an entity creates it.
 *
 * Entities never move and live as long as the table.  Each has an index, dense
 * from 0, for arrays of per-entity data.  Threads that read different pcpus
 * create entities concurrently, so the order of indexes is arbitrary; output
 * iterates in the order of ids (guests_sort()).
 *
 * A hostile trace names 2^32 vcpus: after GUESTS_MAX_VCPUS no more are created,
 * and records of further vcpus are counted and ignored.
 */
#ifndef XENALYZE_MODEL_GUESTS_H
#define XENALYZE_MODEL_GUESTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "libxentrace/libxentrace.h"

#define GUESTS_MAX_VCPUS (1u << 16)

struct domain
{
    uint32_t index;
    uint16_t id;
    void *machine;              /* state of the machines */
    struct domain *_Atomic next;        /* of the same hash */

    /* After guests_sort(), in the order of ids. */
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
    /* After guests_sort(), in the order of ids. */
    struct domain **domains;
    uint32_t nr_domains, nr_vcpus;      /* indexes in use */

    /* Private.  Lookups take no lock. */
    struct domain *_Atomic domain_hash[GUESTS_HASH_SIZE];
    struct vcpu *_Atomic vcpu_hash[GUESTS_HASH_SIZE];
    pthread_mutex_t lock;
    struct arena arena, states;
    size_t domain_bytes, vcpu_bytes;
    bool failed;                        /* out of memory */
};

/*
 * Every entity has so many zeroed bytes at its `machine`.  0 or -ENOMEM; after
 * a failure guests_fini() need not be called.
 */
int guests_init(struct guests *g, size_t domain_bytes, size_t vcpu_bytes);
void guests_fini(struct guests *g);

/* Find or create.  NULL: too many entities, or no memory (g->failed). */
struct domain *guests_get_domain(struct guests *g, unsigned int id);
struct vcpu *guests_get_vcpu(struct guests *g, unsigned int domain,
                             unsigned int id);

/* Fill in the arrays of domains and vcpus.  0 or -ENOMEM. */
int guests_sort(struct guests *g);

static inline bool vcpu_is_idle(const struct vcpu *v)
{
    return v->domain->id == XT_DOMAIN_IDLE;
}

#endif /* XENALYZE_MODEL_GUESTS_H */
