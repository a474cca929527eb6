/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ids of special domains, and vcpus as the scheduler's records name them.
 */
#ifndef LIBXENTRACE_DOMAIN_H
#define LIBXENTRACE_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Xen's idle domain: its vcpu N runs on pcpu N when no other vcpu does. */
#define XT_DOMAIN_IDLE 0x7fffu

/*
 * No domain of Xen has this id: real ids are smaller.  Vcpu N of the default
 * domain stands for the unknown vcpu on pcpu N before a record names it.
 */
#define XT_DOMAIN_DEFAULT 0x8000u

/* Domain and vcpu in one number, as in a record of a runstate change. */
static inline uint32_t xt_vcpu_key(unsigned int domain, unsigned int vcpu)
{
    return (uint32_t)domain << 16 | (vcpu & 0xffff);
}

static inline bool xt_vcpu_key_is_idle(uint32_t key)
{
    return key >> 16 == XT_DOMAIN_IDLE;
}

#endif /* LIBXENTRACE_DOMAIN_H */
