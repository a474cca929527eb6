/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The C library includes its own <asm/types.h> by this name: forward to the
 * library's header, then add Xen's types.
 */
#ifndef XENSIM_ASM_TYPES_H
#define XENSIM_ASM_TYPES_H

#include_next <asm/types.h>
#include <xen/types.h>

#endif /* XENSIM_ASM_TYPES_H */
