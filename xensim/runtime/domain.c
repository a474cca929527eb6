/* SPDX-License-Identifier: GPL-2.0-only */
/* Domains and vcpus, created when first mentioned. */
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

struct domain *dom_xen;

static struct
{
    pthread_mutex_t lock;       /* protects the lists */
    struct known_domain *all;
    struct vcpu *idle;          /* array, an element per pcpu */
    struct domain idle_domain;
} domains = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *require_memory(void *p)
{
    BUG_ON(!p); /* the host is out of memory */
    return p;
}

/* Return a domain, created if needed. Called under the lock. */
static struct known_domain *find_or_add_domain(domid_t domid)
{
    struct known_domain *k = domains.all;

    while ( k && k->d.domain_id != domid )
        k = k->next;
    if ( !k )
    {
        k = require_memory(calloc(1, sizeof(*k)));
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
    d = find_or_add_domain(domid);
    k = d->vcpus;
    while ( k && k->v.vcpu_id != vcpu_id )
        k = k->next;
    if ( !k )
    {
        k = require_memory(calloc(1, sizeof(*k)));
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
    ASSERT(!domains.idle && nr_cpus);
    domains.idle_domain.domain_id = DOMID_IDLE;
    domains.idle = calloc(nr_cpus, sizeof(*domains.idle));
    if ( !domains.idle )
        return -ENOMEM;

    for ( unsigned int cpu = 0; cpu < nr_cpus; cpu++ )
        domains.idle[cpu] = (struct vcpu){
            .domain = &domains.idle_domain, .vcpu_id = cpu, .processor = cpu,
        };
    dom_xen = &find_or_add_domain(DOMID_XEN)->d;
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
    dom_xen = NULL;
}

size_t xensim_list_domains(struct xensim_domain *to, size_t max)
{
    const struct xensim_guest *guest = &machine_config()->guest;

    return guest->list_domains ? guest->list_domains(guest->arg, to, max) : 0;
}

const struct xensim_guest *xensim_guest(void)
{
    return &machine_config()->guest;
}
