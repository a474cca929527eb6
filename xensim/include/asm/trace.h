/* SPDX-License-Identifier: GPL-2.0-only */
/* Included by name only: 4.17's xen/trace.h asks for it, and it is empty. */
#ifndef XENSIM_ASM_TRACE_H
#define XENSIM_ASM_TRACE_H
#endif /* XENSIM_ASM_TRACE_H */
