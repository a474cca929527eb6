/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A spinlock records its owner, so a CPU that waits for itself (an NMI that
 * takes a lock held by the interrupted code) is a BUG and not a deadlock. An
 * all-zero lock is free, as per-CPU areas start zeroed.
 */
#ifndef XENSIM_XEN_SPINLOCK_H
#define XENSIM_XEN_SPINLOCK_H

#include <xen/lib.h>
#include <asm/atomic.h>
#include <asm/processor.h>
#include <asm/system.h>

typedef struct
{
    struct xensim_self *owner; /* NULL: free */
} spinlock_t;

#define SPIN_LOCK_UNLOCKED      { NULL }
#define DEFINE_SPINLOCK(l)      spinlock_t l = SPIN_LOCK_UNLOCKED
#define spin_lock_init(l)       ((void)(*(l) = (spinlock_t)SPIN_LOCK_UNLOCKED))

void xensim_spin_wait(spinlock_t *lock);

static always_inline bool spin_trylock(spinlock_t *lock)
{
    struct xensim_self *nobody = NULL;

    return __atomic_compare_exchange_n(&lock->owner, &nobody, &xensim_self,
                                       false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static always_inline void spin_lock(spinlock_t *lock)
{
    if ( unlikely(!spin_trylock(lock)) )
        xensim_spin_wait(lock);
}

static always_inline void spin_unlock(spinlock_t *lock)
{
    ASSERT(__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == &xensim_self);
    __atomic_store_n(&lock->owner, NULL, __ATOMIC_RELEASE);
}

static always_inline bool spin_is_locked(spinlock_t *lock)
{
    return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != NULL;
}

#define spin_lock_irqsave(l, flags)                                     \
    do {                                                                \
        local_irq_save(flags);                                          \
        spin_lock(l);                                                   \
    } while ( 0 )
#define spin_unlock_irqrestore(l, flags)                                \
    do {                                                                \
        spin_unlock(l);                                                 \
        local_irq_restore(flags);                                       \
    } while ( 0 )
#define spin_lock_irq(l)                                                \
    do {                                                                \
        local_irq_disable();                                            \
        spin_lock(l);                                                   \
    } while ( 0 )
#define spin_unlock_irq(l)                                              \
    do {                                                                \
        spin_unlock(l);                                                 \
        local_irq_enable();                                             \
    } while ( 0 )

#endif /* XENSIM_XEN_SPINLOCK_H */
