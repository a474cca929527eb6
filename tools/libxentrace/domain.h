/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ids of domains that are no guest's, and vcpus as the scheduler's records
 * name them.
 */
#ifndef LIBXENTRACE_DOMAIN_H
#define LIBXENTRACE_DOMAIN_H

#include <stdint.h>

/* Xen's idle domain: its vcpu N runs on pcpu N while nothing else does. */
#define XT_DOMAIN_IDLE 0x7fffu

/*
 * No domain of Xen's, whose ids are smaller.  Vcpu N of the default domain
 * stands for the unknown vcpu that runs on pcpu N before a record names it.
 */
#define XT_DOMAIN_DEFAULT 0x8000u

/* Domain and vcpu in one number, as a change of runstate has them. */
static inline uint32_t xt_vcpu_key(unsigned int domain, unsigned int vcpu)
{
    return (uint32_t)domain << 16 | (vcpu & 0xffff);
}

#endif /* LIBXENTRACE_DOMAIN_H */
