/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses and numbers of page frames. */
#ifndef XENSIM_XEN_PFN_H
#define XENSIM_XEN_PFN_H

#include <xen/types.h>

#define PFN_DOWN(x)     ((x) >> PAGE_SHIFT)
#define PFN_UP(x)       (((x) + PAGE_SIZE - 1) >> PAGE_SHIFT)

#endif /* XENSIM_XEN_PFN_H */
