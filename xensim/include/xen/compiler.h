/* SPDX-License-Identifier: GPL-2.0-only */
/* Compiler attributes and builtins by Xen's names. */
#ifndef XENSIM_XEN_COMPILER_H
#define XENSIM_XEN_COMPILER_H

#include <stddef.h>

/* Instrumented by ThreadSanitizer? */
#if defined(__SANITIZE_THREAD__)
# define XENSIM_TSAN 1
#elif defined(__has_feature)
# if __has_feature(thread_sanitizer)
#  define XENSIM_TSAN 1
# endif
#endif

#define likely(x)       __builtin_expect(!!(x), 1)
#define unlikely(x)     __builtin_expect(!!(x), 0)

#define always_inline   inline __attribute__((__always_inline__))
#define noinline        __attribute__((__noinline__))

#ifndef __packed
# define __packed       __attribute__((__packed__))
#endif
#define __aligned(a)    __attribute__((__aligned__(a)))
#define __maybe_unused  __attribute__((__unused__))
#define __must_check    __attribute__((__warn_unused_result__))
#define __used            __attribute__((__used__))
#define __used_section(s) __attribute__((__used__, __section__(s)))
#define __read_mostly
#define __ro_after_init
#define cf_check

#define barrier()       __asm__ __volatile__ ( "" ::: "memory" )

/*
 * For loads only; an atomic load tells ThreadSanitizer that the race is
 * intended.
 */
#ifdef XENSIM_TSAN
# define ACCESS_ONCE(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#else
# define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#endif

/*
 * The address `off` bytes from `ptr`, hidden from the optimizer's assumption
 * that the result points into the same object.
 */
#define RELOC_HIDE(ptr, off)                                            \
    ({                                                                  \
        unsigned long hidden_;                                          \
        __asm__ ( "" : "=r" (hidden_) : "0" (ptr) );                    \
        (__typeof__(ptr))(hidden_ + (unsigned long)(off));              \
    })

#endif /* XENSIM_XEN_COMPILER_H */
