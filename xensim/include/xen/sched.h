/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains and vcpus, as far as trace records and page owners refer to them.
 * Xen's header of this name includes many others, and code relies on that: the
 * same headers are included here.
 */
#ifndef XENSIM_XEN_SCHED_H
#define XENSIM_XEN_SCHED_H

#include <public/xen.h>
#include <xen/guest_access.h>
#include <xen/percpu.h>
#include <xen/smp.h>
#include <xen/spinlock.h>
#include <xen/time.h>
#include <xen/types.h>

struct domain
{
    domid_t domain_id;
    unsigned int xenheap_pages; /* pages of Xen's heap shared with the domain */
    bool is_dying;
};

struct vcpu
{
    struct domain *domain;
    unsigned int vcpu_id;
    unsigned int processor;
};

extern struct domain *dom_xen;

#define is_idle_domain(d)   ((d)->domain_id == DOMID_IDLE)
#define is_idle_vcpu(v)     is_idle_domain((v)->domain)
#define set_current(v)      ((void)(xensim_self.vcpu = (v)))

#endif /* XENSIM_XEN_SCHED_H */
