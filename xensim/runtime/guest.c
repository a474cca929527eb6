/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies across the hypercall boundary.  What a handle says is a guest's
 * claim: it is checked against the window of its memory.
 */
#include "xensim/runtime/machine.h"

#include <string.h>

#include <public/sysctl.h>

static bool reachable(const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p, base = (uintptr_t)xensim_self.guest_base;

    if ( !base )
        return true;
    return at >= base && at - base <= xensim_self.guest_size &&
           bytes <= xensim_self.guest_size - (at - base);
}

bool xensim_copy_to_guest(void *to, const void *from, size_t bytes)
{
    if ( !reachable(to, bytes) )
        return false;
    memcpy(to, from, bytes);
    return true;
}

bool xensim_copy_from_guest(void *to, const void *from, size_t bytes)
{
    if ( !reachable(from, bytes) )
        return false;
    memcpy(to, from, bytes);
    return true;
}

static void set_from_bytes(cpumask_t *mask, const uint8_t *bytes,
                           unsigned int nr_bits)
{
    cpumask_clear(mask);
    for ( unsigned int i = 0; i < nr_bits; i++ )
        if ( bytes[i / 8] >> (i % 8) & 1 )
            cpumask_set_cpu(i, mask);
}

/* Bits that the guest did not give are 0, bits beyond our CPUs dropped. */
int xenctl_bitmap_to_cpumask(cpumask_var_t *mask,
                             const struct xenctl_bitmap *bitmap)
{
    unsigned int nr_bits = min(bitmap->nr_bits, nr_cpu_ids);
    uint8_t bytes[DIV_ROUND_UP(NR_CPUS, 8)];

    if ( !alloc_cpumask_var(mask) )
        return -ENOMEM;
    if ( copy_from_guest(bytes, bitmap->bitmap, DIV_ROUND_UP(nr_bits, 8)) )
    {
        free_cpumask_var(*mask);
        return -EFAULT;
    }
    set_from_bytes(*mask, bytes, nr_bits);
    return 0;
}

/* As much as fits; the rest of the guest's bytes become 0. */
int cpumask_to_xenctl_bitmap(struct xenctl_bitmap *bitmap,
                             const cpumask_t *mask)
{
    unsigned int nr_bits = min(bitmap->nr_bits, nr_cpu_ids);

    for ( unsigned int i = 0; i < DIV_ROUND_UP(bitmap->nr_bits, 8); i++ )
    {
        uint8_t byte = 0;

        for ( unsigned int b = i * 8; b < (i + 1) * 8 && b < nr_bits; b++ )
            byte |= cpumask_test_cpu(b, mask) << (b % 8);
        if ( copy_to_guest_offset(bitmap->bitmap, i, &byte, 1) )
            return -EFAULT;
    }
    return 0;
}
