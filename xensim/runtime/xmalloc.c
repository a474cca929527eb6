/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xmalloc: the C library's allocator with a counter. Not for use in
 * interrupts, as in Xen.
 */
#include "xensim/runtime/machine.h"

#include <stdlib.h>
#include <string.h>

#include <xen/xmalloc.h>

static unsigned long in_use;

unsigned long xensim_xmallocs_in_use(void)
{
    return __atomic_load_n(&in_use, __ATOMIC_RELAXED);
}

void *_xmalloc(unsigned long size, unsigned long align)
{
    void *p = NULL;

    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    if ( alloc_fault_now() ||
         posix_memalign(&p, max(align, sizeof(void *)), size ?: 1) )
        return NULL;
    __atomic_add_fetch(&in_use, 1, __ATOMIC_RELAXED);
    return p;
}

void *_xzalloc(unsigned long size, unsigned long align)
{
    void *p = _xmalloc(size, align);

    return p ? memset(p, 0, size) : NULL;
}

void *xensim_xmalloc_array(unsigned long size, unsigned long align,
                           unsigned long number, bool zeroed)
{
    unsigned long bytes;

    if ( __builtin_mul_overflow(size, number, &bytes) )
        return NULL;
    return zeroed ? _xzalloc(bytes, align) : _xmalloc(bytes, align);
}

void xfree(void *p)
{
    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    if ( p )
        __atomic_sub_fetch(&in_use, 1, __ATOMIC_RELAXED);
    free(p);
}
