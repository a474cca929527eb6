/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The console, assertions and arithmetic helpers of xen/lib.h.
 *
 * A failed BUG_ON or ASSERT prints its location and aborts the program: a
 * condition that crashes the host must not go unnoticed here. ASSERT exists in
 * debug builds; -DNDEBUG compiles it out, as in a release build of Xen.
 */
#ifndef XENSIM_XEN_LIB_H
#define XENSIM_XEN_LIB_H

#include <string.h>

#include <xen/types.h>

#define XENLOG_ERR      "<0>"
#define XENLOG_WARNING  "<1>"
#define XENLOG_INFO     "<2>"
#define XENLOG_DEBUG    "<3>"
#define XENLOG_GUEST    "<G>"
#define XENLOG_G_ERR     XENLOG_GUEST XENLOG_ERR
#define XENLOG_G_WARNING XENLOG_GUEST XENLOG_WARNING
#define XENLOG_G_INFO    XENLOG_GUEST XENLOG_INFO
#define XENLOG_G_DEBUG   XENLOG_GUEST XENLOG_DEBUG

void printk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void xensim_bug(const char *what, const char *file, unsigned int line)
    __attribute__((__noreturn__, __cold__));
void xensim_warn(const char *what, const char *file, unsigned int line)
    __attribute__((__cold__));

#define printk_once(fmt, ...)                                           \
    ({                                                                  \
        static bool said_;                                              \
        if ( !__atomic_exchange_n(&said_, true, __ATOMIC_RELAXED) )     \
            printk(fmt, ## __VA_ARGS__);                                \
    })
#define gprintk(level, fmt, ...) printk(level fmt, ## __VA_ARGS__)
#define dprintk(level, fmt, ...) printk(level fmt, ## __VA_ARGS__)

#define BUG()           xensim_bug("BUG", __FILE__, __LINE__)
#define BUG_ON(p)                                                       \
    do {                                                                \
        if ( unlikely(p) )                                              \
            xensim_bug(#p, __FILE__, __LINE__);                         \
    } while ( 0 )
#define WARN()          xensim_warn("WARN", __FILE__, __LINE__)
#define WARN_ON(p)                                                      \
    do {                                                                \
        if ( unlikely(p) )                                              \
            xensim_warn(#p, __FILE__, __LINE__);                        \
    } while ( 0 )

#ifndef NDEBUG
# define ASSERT(p)      BUG_ON(!(p))
# define ASSERT_UNREACHABLE() BUG()
#else
# define ASSERT(p)      do { if ( 0 && (p) ) {} } while ( 0 )
# define ASSERT_UNREACHABLE() do { } while ( 0 )
#endif

#define BUILD_BUG_ON(p) ({ _Static_assert(!(p), "!(" #p ")"); })

#define min(x, y)                                                       \
    ({                                                                  \
        const __typeof__(x) x_ = (x);                                   \
        const __typeof__(y) y_ = (y);                                   \
        (void)(&x_ == &y_); /* warns if types differ */  \
        x_ < y_ ? x_ : y_;                                              \
    })
#define max(x, y)                                                       \
    ({                                                                  \
        const __typeof__(x) x_ = (x);                                   \
        const __typeof__(y) y_ = (y);                                   \
        (void)(&x_ == &y_);                                             \
        x_ > y_ ? x_ : y_;                                              \
    })
#define min_t(type, x, y)                                               \
    ({ type tx_ = (x); type ty_ = (y); tx_ < ty_ ? tx_ : ty_; })
#define max_t(type, x, y)                                               \
    ({ type tx_ = (x); type ty_ = (y); tx_ > ty_ ? tx_ : ty_; })

#define DIV_ROUND_UP(n, d)  (((n) + (d) - 1) / (d))
#define ROUNDUP(x, a)       (((x) + (a) - 1) & ~((a) - 1))
#define ARRAY_SIZE(a)       (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member)                                 \
    ({                                                                  \
        __typeof__(((type *)0)->member) *member_ = (ptr);               \
        (type *)((char *)member_ - offsetof(type, member));             \
    })

#endif /* XENSIM_XEN_LIB_H */
