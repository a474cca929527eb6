/* SPDX-License-Identifier: GPL-2.0-only */
/* Empty: 4.17's xen/trace.h includes it. */
#ifndef XENSIM_ASM_TRACE_H
#define XENSIM_ASM_TRACE_H
#endif /* XENSIM_ASM_TRACE_H */
