/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulated sysctl, in the binary layout of real Xen. */
#ifndef XENSIM_PUBLIC_SYSCTL_H
#define XENSIM_PUBLIC_SYSCTL_H

#include <public/xen.h>

struct xenctl_bitmap
{
    XEN_GUEST_HANDLE_64(uint8) bitmap;
    uint32_t nr_bits;
};

#define XEN_SYSCTL_TBUFOP_get_info      0
#define XEN_SYSCTL_TBUFOP_set_cpu_mask  1
#define XEN_SYSCTL_TBUFOP_set_evt_mask  2
#define XEN_SYSCTL_TBUFOP_set_size      3
#define XEN_SYSCTL_TBUFOP_enable        4
#define XEN_SYSCTL_TBUFOP_disable       5

struct xen_sysctl_tbuf_op
{
    uint32_t cmd;                   /* in */
    struct xenctl_bitmap cpu_mask;  /* in */
    uint32_t evt_mask;              /* in and out */
    uint64_aligned_t buffer_mfn;    /* out */
    uint32_t size;                  /* in and out */
};


#endif /* XENSIM_PUBLIC_SYSCTL_H */
