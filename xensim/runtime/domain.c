/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The domains and vcpus that exist because someone mentioned them.
 */
#include "xensim/runtime/machine.h"

#include <pthread.h>
#include <stdlib.h>

struct known_vcpu
{
    struct vcpu v;
    struct known_vcpu *next;
};

struct known_domain
{
    struct domain d;
    struct known_vcpu *vcpus;
    struct known_domain *next;
};

struct domain *dom_xen, *hardware_domain;

static struct
{
    pthread_mutex_t lock;       /* the lists */
    struct known_domain *all;
    struct vcpu *idle;          /* one a pcpu */
    struct domain idle_domain;
} domains = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *must(void *p)
{
    BUG_ON(!p); /* the host of the stand-in has no memory left */
    return p;
}

/* Under the lock. */
static struct known_domain *domain(domid_t domid)
{
    struct known_domain *k = domains.all;

    while ( k && k->d.domain_id != domid )
        k = k->next;
    if ( !k )
    {
        k = must(calloc(1, sizeof(*k)));
        k->d.domain_id = domid;
        k->next = domains.all;
        domains.all = k;
    }
    return k;
}

struct vcpu *xensim_vcpu(domid_t domid, unsigned int vcpu_id)
{
    struct known_domain *d;
    struct known_vcpu *k;

    if ( domid == DOMID_IDLE )
        return idle_vcpu(vcpu_id);

    pthread_mutex_lock(&domains.lock);
    d = domain(domid);
    k = d->vcpus;
    while ( k && k->v.vcpu_id != vcpu_id )
        k = k->next;
    if ( !k )
    {
        k = must(calloc(1, sizeof(*k)));
        k->v = (struct vcpu){ .domain = &d->d, .vcpu_id = vcpu_id };
        k->next = d->vcpus;
        d->vcpus = k;
    }
    pthread_mutex_unlock(&domains.lock);
    return &k->v;
}

struct vcpu *idle_vcpu(unsigned int cpu)
{
    ASSERT(cpu < nr_cpu_ids);
    return &domains.idle[cpu];
}

int domains_init(unsigned int nr_cpus)
{
    domains.idle_domain.domain_id = DOMID_IDLE;
    domains.idle = calloc(nr_cpus, sizeof(*domains.idle));
    if ( !domains.idle )
        return -ENOMEM;

    for ( unsigned int cpu = 0; cpu < nr_cpus; cpu++ )
        domains.idle[cpu] = (struct vcpu){
            .domain = &domains.idle_domain, .vcpu_id = cpu, .processor = cpu,
        };
    hardware_domain = &domain(0)->d;
    dom_xen = &domain(DOMID_XEN)->d;
    return 0;
}

static void free_vcpus(struct known_vcpu *k)
{
    while ( k )
    {
        struct known_vcpu *next = k->next;

        free(k);
        k = next;
    }
}

void domains_fini(void)
{
    while ( domains.all )
    {
        struct known_domain *next = domains.all->next;

        free_vcpus(domains.all->vcpus);
        free(domains.all);
        domains.all = next;
    }
    free(domains.idle);
    domains.idle = NULL;
    dom_xen = hardware_domain = NULL;
}
