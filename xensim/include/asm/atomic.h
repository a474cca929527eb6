/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single accesses without tearing. Xen guarantees no memory order for them;
 * here a write releases and a read acquires, which is free on x86 and shows
 * ThreadSanitizer the synchronization of the barriers around them.
 */
#ifndef XENSIM_ASM_ATOMIC_H
#define XENSIM_ASM_ATOMIC_H

#include <asm/system.h>

#define read_atomic(p)                                                  \
    ((XENSIM_VALUE(p))__atomic_load_n(p, __ATOMIC_ACQUIRE))
#define write_atomic(p, x)      __atomic_store_n(p, x, __ATOMIC_RELEASE)

typedef struct
{
    int counter;
} atomic_t;

#define ATOMIC_INIT(i)          { (i) }
#define atomic_read(v)          __atomic_load_n(&(v)->counter, __ATOMIC_ACQUIRE)
#define atomic_set(v, i)                                                \
    __atomic_store_n(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_add(i, v)                                                \
    ((void)__atomic_add_fetch(&(v)->counter, i, __ATOMIC_SEQ_CST))
#define atomic_sub(i, v)                                                \
    ((void)__atomic_sub_fetch(&(v)->counter, i, __ATOMIC_SEQ_CST))
#define atomic_inc(v)           atomic_add(1, v)
#define atomic_dec(v)           atomic_sub(1, v)
#define atomic_inc_return(v)                                            \
    __atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_dec_and_test(v)                                          \
    (__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST) == 0)

#endif /* XENSIM_ASM_ATOMIC_H */
