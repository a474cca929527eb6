/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the compiler calls with -fsanitize=thread, of gcc and
 * clang: before a plain access, and instead of an atomic access.
 *
 * An exchange weaker than sequentially consistent stands for an exchange that
 * is atomic on this CPU only (exchange_word() of ring-write.c, an instruction
 * without lock prefix): it sees the stores of its own thread, and may itself
 * become visible late.
 */
#include "tests/interleave/access.h"

#include <string.h>

#define SYMBOL __attribute__((visibility("default")))

static void plain_read(const void *at)
{
    if ( access_is_shared(at) )
        access_plain(at, false);
}

static void plain_write(const void *at)
{
    if ( access_is_shared(at) )
        access_plain(at, true);
}

#define PLAIN(bytes)                                                    \
    SYMBOL void __tsan_read##bytes(void *at);                           \
    void __tsan_read##bytes(void *at)                                   \
    {                                                                   \
        plain_read(at);                                                 \
    }                                                                   \
    SYMBOL void __tsan_write##bytes(void *at);                          \
    void __tsan_write##bytes(void *at)                                  \
    {                                                                   \
        plain_write(at);                                                \
    }                                                                   \
    SYMBOL void __tsan_unaligned_read##bytes(void *at);                 \
    void __tsan_unaligned_read##bytes(void *at)                         \
    {                                                                   \
        plain_read(at);                                                 \
    }                                                                   \
    SYMBOL void __tsan_unaligned_write##bytes(void *at);                \
    void __tsan_unaligned_write##bytes(void *at)                        \
    {                                                                   \
        plain_write(at);                                                \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

SYMBOL void __tsan_read_range(void *at, unsigned long size);
void __tsan_read_range(void *at, unsigned long size)
{
    (void)size;
    plain_read(at);
}

SYMBOL void __tsan_write_range(void *at, unsigned long size);
void __tsan_write_range(void *at, unsigned long size)
{
    (void)size;
    plain_write(at);
}

SYMBOL void __tsan_init(void);
void __tsan_init(void)
{
}

SYMBOL void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

SYMBOL void __tsan_func_exit(void *caller);
void __tsan_func_exit(void *caller)
{
    (void)caller;
}

SYMBOL void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

SYMBOL void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    access_step();
    if ( order == __ATOMIC_SEQ_CST )
        access_drain();
}

static void store_value(void *at, uint64_t value, unsigned int bytes, int order)
{
    if ( order == __ATOMIC_SEQ_CST )
    {
        access_drain();
        memcpy(at, &value, bytes);
    }
    else
        access_store_late(at, value, bytes);
}

#define ATOMIC(bits, type)                                              \
    SYMBOL type __tsan_atomic##bits##_load(const type *at, int order);  \
    type __tsan_atomic##bits##_load(const type *at, int order)          \
    {                                                                   \
        (void)order;                                                    \
        access_step();                                                  \
        return access_load(at, sizeof(type));                           \
    }                                                                   \
    SYMBOL void __tsan_atomic##bits##_store(type *at, type value,       \
                                            int order);                 \
    void __tsan_atomic##bits##_store(type *at, type value, int order)   \
    {                                                                   \
        access_step();                                                  \
        store_value(at, value, sizeof(type), order);                          \
    }                                                                   \
    SYMBOL type __tsan_atomic##bits##_exchange(type *at, type value,    \
                                               int order);              \
    type __tsan_atomic##bits##_exchange(type *at, type value, int order) \
    {                                                                   \
        type before;                                                    \
                                                                        \
        access_step();                                                  \
        before = access_load(at, sizeof(type));                         \
        store_value(at, value, sizeof(type), order);                          \
        return before;                                                  \
    }                                                                   \
    SYMBOL type __tsan_atomic##bits##_fetch_add(type *at, type value,   \
                                                int order);             \
    type __tsan_atomic##bits##_fetch_add(type *at, type value, int order) \
    {                                                                   \
        type before;                                                    \
                                                                        \
        access_step();                                                  \
        before = access_load(at, sizeof(type));                         \
        store_value(at, before + value, sizeof(type), order);                 \
        return before;                                                  \
    }                                                                   \
    SYMBOL int __tsan_atomic##bits##_compare_exchange_strong(           \
        type *at, type *from, type to, int order, int failed);          \
    int __tsan_atomic##bits##_compare_exchange_strong(                  \
        type *at, type *from, type to, int order, int failed)           \
    {                                                                   \
        type before;                                                    \
                                                                        \
        (void)failed;                                                   \
        access_step();                                                  \
        before = access_load(at, sizeof(type));                         \
        if ( before == *from )                                          \
        {                                                               \
            store_value(at, to, sizeof(type), order);                         \
            return 1;                                                   \
        }                                                               \
        *from = before;                                                 \
        return 0;                                                       \
    }

ATOMIC(8, uint8_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

/* The same operation as called by clang. */
SYMBOL uint64_t __tsan_atomic64_compare_exchange_val(
    uint64_t *at, uint64_t from, uint64_t to, int order, int failed);
uint64_t __tsan_atomic64_compare_exchange_val(uint64_t *at, uint64_t from,
                                              uint64_t to, int order,
                                              int failed)
{
    __tsan_atomic64_compare_exchange_strong(at, &from, to, order, failed);
    return from;
}
