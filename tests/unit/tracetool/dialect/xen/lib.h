/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of Xen's headers used by xen/trace.h, with awkward macros. */
#ifndef TESTS_DIALECT_LIB_H
#define TESTS_DIALECT_LIB_H

#define inline __inline__
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)

struct vcpu *get_current(void);
#define current (get_current())

#endif /* TESTS_DIALECT_LIB_H */
