/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies across the hypercall boundary. A guest handle is untrusted: its
 * address is checked against the window of the caller's memory.
 */
#include "xensim/runtime/machine.h"

#include <string.h>

#include <public/sysctl.h>

static bool is_reachable(const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p, base = (uintptr_t)xensim_self.guest_base;

    if ( !base )
        return true;
    return at >= base && at - base <= xensim_self.guest_size &&
           bytes <= xensim_self.guest_size - (at - base);
}

bool xensim_copy_to_guest(void *to, const void *from, size_t bytes)
{
    if ( !is_reachable(to, bytes) )
        return false;
    memcpy(to, from, bytes);
    return true;
}

bool xensim_copy_from_guest(void *to, const void *from, size_t bytes)
{
    if ( !is_reachable(from, bytes) )
        return false;
    memcpy(to, from, bytes);
    return true;
}

static void set_from_bytes(cpumask_t *mask, const uint8_t *bytes,
                           unsigned int nr_bits)
{
    ASSERT(nr_bits <= nr_cpu_ids);
    cpumask_clear(mask);
    for ( unsigned int i = 0; i < nr_bits; i++ )
        if ( bytes[i / 8] >> (i % 8) & 1 )
            cpumask_set_cpu(i, mask);
}

/*
 * Copy a guest's bitmap. Missing bits are 0; bits above nr_cpu_ids are
 * dropped.
 */
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
