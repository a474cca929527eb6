/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmpxchg_local_() of x86: compare and exchange that only this CPU's own
 * interrupts can interfere with, so the instruction goes without its LOCK
 * prefix.  Like Xen's it does not clobber memory: whoever wants the compiler
 * to keep an order around it says barrier().  ThreadSanitizer cannot see
 * into assembly and gets a relaxed builtin.
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
