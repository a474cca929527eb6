/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entities stand in an arena and are found by two hashes of chains that only
 * grow at their heads: so a thread that looks needs no lock, and one that
 * makes takes it, looks again, and publishes a whole entity with one store.
 */
#include "xenalyze/model/guests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_UP(size) (((size) + 15) & ~(size_t)15)

static unsigned int hash(uint32_t key)
{
    return key * UINT32_C(0x9e3779b1) >> (32 - 13);
}

int guests_init(struct guests *w, size_t domain_bytes, size_t vcpu_bytes)
{
    _Static_assert(GUESTS_HASH_SIZE == 1u << 13, "what hash() gives");

    memset(w, 0, sizeof(*w));
    w->domain_bytes = domain_bytes;
    w->vcpu_bytes = vcpu_bytes;
    arena_init(&w->arena, 0);
    return -pthread_mutex_init(&w->lock, NULL);
}

void guests_fini(struct guests *w)
{
    arena_fini(&w->arena);
    pthread_mutex_destroy(&w->lock);
}

/* An entity and, behind it, what belongs to the machines. */
static void *make(struct guests *w, size_t size, size_t more, void **machine)
{
    char *entity = arena_zalloc(&w->arena, ROUND_UP(size) + more, 16);

    if ( !entity )
    {
        w->failed = true;
        return NULL;
    }
    *machine = entity + ROUND_UP(size);
    return entity;
}

static struct domain *find_domain(struct guests *w, unsigned int id)
{
    struct domain *d = atomic_load_explicit(&w->domain_hash[hash(id)],
                                            memory_order_acquire);

    while ( d && d->id != id )
        d = atomic_load_explicit(&d->next, memory_order_acquire);
    return d;
}

/* With the lock. */
static struct domain *make_domain(struct guests *w, unsigned int id)
{
    struct domain *d = find_domain(w, id);
    void *machine;

    if ( d || !(d = make(w, sizeof(*d), w->domain_bytes, &machine)) )
        return d;
    d->id = id;
    d->index = w->nr_domains++;
    d->machine = machine;
    atomic_init(&d->next, w->domain_hash[hash(id)]);
    atomic_store_explicit(&w->domain_hash[hash(id)], d, memory_order_release);
    return d;
}

struct domain *guests_get_domain(struct guests *w, unsigned int id)
{
    struct domain *d = find_domain(w, id & 0xffff);

    if ( d )
        return d;
    pthread_mutex_lock(&w->lock);
    d = make_domain(w, id & 0xffff);
    pthread_mutex_unlock(&w->lock);
    return d;
}

static struct vcpu *find_vcpu(struct guests *w, unsigned int domain,
                              unsigned int id)
{
    unsigned int row = hash(domain << 16 | id);
    struct vcpu *v = atomic_load_explicit(&w->vcpu_hash[row],
                                          memory_order_acquire);

    while ( v && (v->id != id || v->domain->id != domain) )
        v = atomic_load_explicit(&v->next, memory_order_acquire);
    return v;
}

/* With the lock. */
static struct vcpu *make_vcpu(struct guests *w, unsigned int domain,
                              unsigned int id)
{
    struct vcpu *v = find_vcpu(w, domain, id);
    unsigned int row = hash(domain << 16 | id);
    struct domain *d;
    void *machine;

    if ( v || w->nr_vcpus == GUESTS_MAX_VCPUS )
        return v;
    d = make_domain(w, domain);
    if ( !d || !(v = make(w, sizeof(*v), w->vcpu_bytes, &machine)) )
        return NULL;
    v->id = id;
    v->index = w->nr_vcpus++;
    v->domain = d;
    v->machine = machine;
    d->nr_vcpus++;
    atomic_init(&v->next, w->vcpu_hash[row]);
    atomic_store_explicit(&w->vcpu_hash[row], v, memory_order_release);
    return v;
}

struct vcpu *guests_get_vcpu(struct guests *w, unsigned int domain,
                             unsigned int id)
{
    struct vcpu *v = find_vcpu(w, domain & 0xffff, id & 0xffff);

    if ( v )
        return v;
    pthread_mutex_lock(&w->lock);
    v = make_vcpu(w, domain & 0xffff, id & 0xffff);
    pthread_mutex_unlock(&w->lock);
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

static int collect_domains(struct guests *w)
{
    uint32_t nr = 0;

    w->domains = arena_array(&w->arena, w->nr_domains, sizeof(*w->domains),
                             sizeof(void *));
    if ( !w->domains )
        return -ENOMEM;
    for ( unsigned int i = 0; i < GUESTS_HASH_SIZE; i++ )
        for ( struct domain *d = w->domain_hash[i]; d; d = d->next )
            w->domains[nr++] = d;
    qsort(w->domains, nr, sizeof(*w->domains), domains_by_id);
    return 0;
}

static int collect_vcpus(struct guests *w)
{
    for ( uint32_t i = 0; i < w->nr_domains; i++ )
    {
        struct domain *d = w->domains[i];

        d->vcpus = arena_array(&w->arena, d->nr_vcpus, sizeof(*d->vcpus),
                               sizeof(void *));
        if ( !d->vcpus )
            return -ENOMEM;
        d->nr_vcpus = 0;
    }
    for ( unsigned int i = 0; i < GUESTS_HASH_SIZE; i++ )
        for ( struct vcpu *v = w->vcpu_hash[i]; v; v = v->next )
            v->domain->vcpus[v->domain->nr_vcpus++] = v;
    for ( uint32_t i = 0; i < w->nr_domains; i++ )
        qsort(w->domains[i]->vcpus, w->domains[i]->nr_vcpus,
              sizeof(struct vcpu *), vcpus_by_id);
    return 0;
}

int guests_sort(struct guests *w)
{
    int rc = collect_domains(w);

    return rc ? rc : collect_vcpus(w);
}
