/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains and their vcpus, as far as a trace record or a page's owner names
 * them.  Xen's header of this name brings half of Xen with it, and code
 * relies on that; so the same headers come along here.
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
    unsigned int xenheap_pages; /* pages of Xen's that it has been given */
    bool is_dying;
};

struct vcpu
{
    struct domain *domain;
    unsigned int vcpu_id;
    unsigned int processor;
};

extern struct domain *dom_xen, *hardware_domain;

#define is_idle_domain(d)   ((d)->domain_id == DOMID_IDLE)
#define is_idle_vcpu(v)     is_idle_domain((v)->domain)
#define set_current(v)      ((void)(xensim_self.vcpu = (v)))

#endif /* XENSIM_XEN_SCHED_H */
