/* SPDX-License-Identifier: GPL-2.0-only */
/* The helpers of the host's architecture. 4.17's xen/trace.h includes them. */
#ifndef XENSIM_ASM_TRACE_H
#define XENSIM_ASM_TRACE_H

#if defined(__x86_64__)
# include "xen/arch/x86/include/asm/trace.h"
#elif defined(__aarch64__)
# define cmpxchg64(ptr, old, new) cmpxchg(ptr, old, new)
# include "xen/arch/arm/include/asm/trace.h"
#endif

#endif /* XENSIM_ASM_TRACE_H */
