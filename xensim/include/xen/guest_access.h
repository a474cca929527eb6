/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies to and from the memory of a hypercall's caller. They return the
 * number of elements that could *not* be copied: a handle out of the caller's
 * memory (xensim_guest_window in runtime.h) fails without a fault.
 */
#ifndef XENSIM_XEN_GUEST_ACCESS_H
#define XENSIM_XEN_GUEST_ACCESS_H

#include <public/xen.h>
#include <xen/cpumask.h>

bool xensim_copy_to_guest(void *to, const void *from, size_t bytes);
bool xensim_copy_from_guest(void *to, const void *from, size_t bytes);

#define guest_handle_is_null(hnd)   ((hnd).p == NULL)
#define guest_handle_okay(hnd, nr)  true
#define guest_handle_add_offset(hnd, nr) ((void)((hnd).p += (nr)))

/* Untrusted offset: pointer arithmetic out of the buffer would be undefined. */
#define guest_address(hnd, off) \
    ((void *)((unsigned long)(hnd).p + (off) * sizeof(*(hnd).p)))

#define copy_to_guest_offset(hnd, off, ptr, nr)                         \
    ({                                                                  \
        const __typeof__(*(hnd).p) *from_ = (ptr);                      \
        unsigned long nr_ = (nr);                                       \
        xensim_copy_to_guest(guest_address(hnd, off), from_,            \
                             nr_ * sizeof(*from_)) ? 0UL : nr_;         \
    })
#define copy_from_guest_offset(ptr, hnd, off, nr)                       \
    ({                                                                  \
        __typeof__(*(hnd).p) *to_ = (ptr);                              \
        unsigned long nr_ = (nr);                                       \
        xensim_copy_from_guest(to_, guest_address(hnd, off),            \
                               nr_ * sizeof(*to_)) ? 0UL : nr_;         \
    })
#define copy_to_guest(hnd, ptr, nr)     copy_to_guest_offset(hnd, 0, ptr, nr)
#define copy_from_guest(ptr, hnd, nr)   copy_from_guest_offset(ptr, hnd, 0, nr)
#define __copy_to_guest(hnd, ptr, nr)   copy_to_guest(hnd, ptr, nr)
#define __copy_to_guest_offset(hnd, off, ptr, nr)                       \
    copy_to_guest_offset(hnd, off, ptr, nr)

struct xenctl_bitmap;
int xenctl_bitmap_to_cpumask(cpumask_var_t *mask,
                             const struct xenctl_bitmap *bitmap);

#endif /* XENSIM_XEN_GUEST_ACCESS_H */
