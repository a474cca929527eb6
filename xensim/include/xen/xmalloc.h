/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocator for objects of any size: malloc with a counter and fault
 * injection.
 */
#ifndef XENSIM_XEN_XMALLOC_H
#define XENSIM_XEN_XMALLOC_H

#include <xen/types.h>

void *_xmalloc(unsigned long size, unsigned long align);
void *_xzalloc(unsigned long size, unsigned long align);
void *xensim_xmalloc_array(unsigned long size, unsigned long align,
                           unsigned long number, bool zeroed);
void xfree(void *p);

#define xmalloc(type)   ((type *)_xmalloc(sizeof(type), _Alignof(type)))
#define xzalloc(type)   ((type *)_xzalloc(sizeof(type), _Alignof(type)))
#define xmalloc_array(type, n)                                          \
    ((type *)xensim_xmalloc_array(sizeof(type), _Alignof(type), n, false))
#define xzalloc_array(type, n)                                          \
    ((type *)xensim_xmalloc_array(sizeof(type), _Alignof(type), n, true))
#define xmalloc_bytes(n)    _xmalloc(n, sizeof(void *))
#define xzalloc_bytes(n)    _xzalloc(n, sizeof(void *))
#define XFREE(p)                                                        \
    do {                                                                \
        xfree(p);                                                       \
        (p) = NULL;                                                     \
    } while ( 0 )

#endif /* XENSIM_XEN_XMALLOC_H */
