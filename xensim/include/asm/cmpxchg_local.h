/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86 cmpxchg_local_(): a compare-and-exchange that is atomic only towards
 * interrupts of this CPU, so the instruction has no LOCK prefix. As in Xen
 * there is no memory clobber: a caller that needs compiler ordering adds
 * barrier(). ThreadSanitizer cannot instrument assembly and gets a relaxed
 * builtin.
 */
#ifndef XENSIM_ASM_CMPXCHG_LOCAL_H
#define XENSIM_ASM_CMPXCHG_LOCAL_H

#include <xen/lib.h>

#ifdef XENSIM_TSAN
# define XENSIM_CMPXCHG(type, width, ptr, old, new)                     \
    ({                                                                  \
        type found_ = (type)(old);                                      \
        __atomic_compare_exchange_n((type *)(ptr), &found_,             \
                                    (type)(new), false,                 \
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        (unsigned long)found_;                                          \
    })
#else
# define XENSIM_CMPXCHG(type, width, ptr, old, new)                     \
    ({                                                                  \
        type found_;                                                    \
        __asm__ __volatile__ ( "cmpxchg %" width "[n], %[p]"            \
                               : "=a" (found_), [p] "+m" (*(type *)(ptr)) \
                               : [n] "r" ((type)(new)),                 \
                                 "0" ((type)(old))                      \
                               : "cc" );                                \
        (unsigned long)found_;                                          \
    })
#endif

static always_inline unsigned long cmpxchg_local_(void *ptr,
                                                  unsigned long old,
                                                  unsigned long new,
                                                  unsigned int size)
{
    switch ( size )
    {
    case 1: return XENSIM_CMPXCHG(uint8_t, "b", ptr, old, new);
    case 2: return XENSIM_CMPXCHG(uint16_t, "w", ptr, old, new);
    case 4: return XENSIM_CMPXCHG(uint32_t, "k", ptr, old, new);
    case 8: return XENSIM_CMPXCHG(uint64_t, "q", ptr, old, new);
    }
    BUG();
}

#endif /* XENSIM_ASM_CMPXCHG_LOCAL_H */
