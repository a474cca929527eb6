/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef XENSIM_ASM_PAGE_H
#define XENSIM_ASM_PAGE_H

#include <xen/pfn.h>

#include <string.h>

extern const char idle_pg_table[];  /* none: there is no virtual memory */

static inline void clear_page(void *page)
{
    memset(page, 0, PAGE_SIZE);
}

#endif /* XENSIM_ASM_PAGE_H */
