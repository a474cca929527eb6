/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entities are allocated in an arena and found by two hash tables with chains
 * that grow only at their heads.  So lookups need no lock.  To create an
 * entity, a thread takes the lock, repeats the lookup, and publishes the
 * complete entity with one store-release, which pairs with the load-acquire of
 * lookups.
 */
#include "xenalyze/model/guests.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"

#define STATE_ALIGN 64u         /* a cache line, for the fields used most */

static unsigned int hash_id(uint32_t key)
{
    return key * UINT32_C(0x9e3779b1) >> (32 - 13);
}

int guests_init(struct guests *g, size_t domain_bytes, size_t vcpu_bytes)
{
    _Static_assert(GUESTS_HASH_SIZE == 1u << 13, "range of hash_id()");

    memset(g, 0, sizeof(*g));
    g->domain_bytes = domain_bytes;
    g->vcpu_bytes = vcpu_bytes;
    arena_init(&g->arena, 0);
    arena_init(&g->states, 0);
    return -pthread_mutex_init(&g->lock, NULL);
}

void guests_fini(struct guests *g)
{
    arena_fini(&g->arena);
    arena_fini(&g->states);
    pthread_mutex_destroy(&g->lock);
}

/*
 * An entity and the state of the machines.  All threads read entities, and one
 * thread writes states: in a common cache line they would delay each other.
 */
static void *new_entity(struct guests *g, size_t size, size_t state_bytes,
                        void **state)
{
    void *entity = arena_zalloc(&g->arena, size, _Alignof(struct vcpu));

    *state = arena_zalloc(&g->states, state_bytes, STATE_ALIGN);
    g->failed |= !entity || !*state;
    return *state ? entity : NULL;
}

static struct domain *find_domain(struct guests *g, unsigned int id)
{
    struct domain *d = atomic_load_explicit(&g->domain_hash[hash_id(id)],
                                            memory_order_acquire);

    while ( d && d->id != id )
        d = atomic_load_explicit(&d->next, memory_order_acquire);
    return d;
}

/* Caller holds the lock. */
static struct domain *new_domain(struct guests *g, unsigned int id)
{
    struct domain *d = find_domain(g, id);
    void *machine;

    debug_assert(pthread_mutex_trylock(&g->lock) == EBUSY);
    if ( d || !(d = new_entity(g, sizeof(*d), g->domain_bytes, &machine)) )
        return d;
    d->id = id;
    d->index = g->nr_domains++;
    assert(d->index <= 0xffff);
    d->machine = machine;
    atomic_init(&d->next, g->domain_hash[hash_id(id)]);
    atomic_store_explicit(&g->domain_hash[hash_id(id)], d,
                          memory_order_release);
    return d;
}

struct domain *guests_get_domain(struct guests *g, unsigned int id)
{
    struct domain *d = find_domain(g, id & 0xffff);

    if ( d )
        return d;
    pthread_mutex_lock(&g->lock);
    d = new_domain(g, id & 0xffff);
    pthread_mutex_unlock(&g->lock);
    return d;
}

static struct vcpu *find_vcpu(struct guests *g, unsigned int domain,
                              unsigned int id)
{
    unsigned int row = hash_id(domain << 16 | id);
    struct vcpu *v = atomic_load_explicit(&g->vcpu_hash[row],
                                          memory_order_acquire);

    while ( v && (v->id != id || v->domain->id != domain) )
        v = atomic_load_explicit(&v->next, memory_order_acquire);
    return v;
}

/* Caller holds the lock. */
static struct vcpu *new_vcpu(struct guests *g, unsigned int domain,
                             unsigned int id)
{
    struct vcpu *v = find_vcpu(g, domain, id);
    unsigned int row = hash_id(domain << 16 | id);
    struct domain *d;
    void *machine;

    debug_assert(pthread_mutex_trylock(&g->lock) == EBUSY);
    if ( v || g->nr_vcpus == GUESTS_MAX_VCPUS )
        return v;
    d = new_domain(g, domain);
    if ( !d || !(v = new_entity(g, sizeof(*v), g->vcpu_bytes, &machine)) )
        return NULL;
    v->id = id;
    v->index = g->nr_vcpus++;
    assert(v->index < GUESTS_MAX_VCPUS);
    v->domain = d;
    v->machine = machine;
    d->nr_vcpus++;
    atomic_init(&v->next, g->vcpu_hash[row]);
    atomic_store_explicit(&g->vcpu_hash[row], v, memory_order_release);
    return v;
}

struct vcpu *guests_get_vcpu(struct guests *g, unsigned int domain,
                             unsigned int id)
{
    struct vcpu *v = find_vcpu(g, domain & 0xffff, id & 0xffff);

    if ( v )
        return v;
    pthread_mutex_lock(&g->lock);
    v = new_vcpu(g, domain & 0xffff, id & 0xffff);
    pthread_mutex_unlock(&g->lock);
    return v;
}

static int domains_by_id(const void *a, const void *b)
{
    const struct domain *const *x = a, *const *y = b;

    return (int)(*x)->id - (int)(*y)->id;
}

static int vcpus_by_id(const void *a, const void *b)
{
    const struct vcpu *const *x = a, *const *y = b;

    return (int)(*x)->id - (int)(*y)->id;
}

static int collect_domains(struct guests *g)
{
    uint32_t nr = 0;

    g->domains = arena_array(&g->arena, g->nr_domains, sizeof(*g->domains),
                             sizeof(void *));
    if ( !g->domains )
        return -ENOMEM;
    for ( unsigned int i = 0; i < GUESTS_HASH_SIZE; i++ )
        for ( struct domain *d = g->domain_hash[i]; d; d = d->next )
            g->domains[nr++] = d;
    assert(nr == g->nr_domains);
    qsort(g->domains, nr, sizeof(*g->domains), domains_by_id);
    return 0;
}

static int collect_vcpus(struct guests *g)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < g->nr_domains; i++ )
    {
        struct domain *d = g->domains[i];

        d->vcpus = arena_array(&g->arena, d->nr_vcpus, sizeof(*d->vcpus),
                               sizeof(void *));
        if ( !d->vcpus )
            return -ENOMEM;
        d->nr_vcpus = 0;
    }
    for ( unsigned int i = 0; i < GUESTS_HASH_SIZE; i++ )
        for ( struct vcpu *v = g->vcpu_hash[i]; v; v = v->next )
        {
            v->domain->vcpus[v->domain->nr_vcpus++] = v;
            nr++;
        }
    assert(nr == g->nr_vcpus);
    for ( uint32_t i = 0; i < g->nr_domains; i++ )
        qsort(g->domains[i]->vcpus, g->domains[i]->nr_vcpus,
              sizeof(struct vcpu *), vcpus_by_id);
    return 0;
}

int guests_sort(struct guests *g)
{
    int rc = collect_domains(g);

    return rc ? rc : collect_vcpus(g);
}
