/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fakes of Xen's libraries: fake_xen.c defines the library functions that the
 * back end calls, and is linked before the libraries.  Sysctls are parsed with
 * the layouts of <xen/sysctl.h>, to compare them with Xen's own definitions.
 * Include <xen/xen.h> before any header that includes public/trace.h.
 */
#ifndef TESTS_UNIT_XENTRACE_FAKE_XEN_H
#define TESTS_UNIT_XENTRACE_FAKE_XEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xen/xen.h>
#include <xen/domctl.h>
#include <xen/sysctl.h>
#include <public/trace.h>

#define FAKE_FRAMES 4

struct fake_xen
{
    /* The behaviour of the fake. */
    uint32_t version;           /* version of sysctls */
    int open_errno;             /* 0: success; likewise below */
    int sysctl_errno;           /* for sysctls of the right version */
    int tbuf_errno;
    int map_errno;
    int bind_errno;
    int unmask_errno;
    int event_fd;               /* descriptor of the event channel */
    unsigned int max_cpu_id;
    struct xen_tbuf_cpu cpus[2]; /* answer to XEN_SYSCTL_TBUFOP_state */
    const xen_domctl_getdomaininfo_t *domain;
    size_t domains;
    uint32_t domctl_version;
    int domctl_errno;           /* for domctls of any version */
    uint32_t scheduler;         /* used by both pools; 0: no pools */
    unsigned int affinity_vcpus;    /* vcpus with an affinity */

    /* The calls that the fake has seen. */
    unsigned int sysctls;       /* calls of any version */
    unsigned int domctls;       /* likewise */
    struct xen_sysctl_tbuf_op tbuf;
    struct xen_sysctl_tbuf_state state;
    unsigned char bits[8];      /* the buffer of the operation */
    uint64_t frame[FAKE_FRAMES];
    size_t frames, unmapped;
    uint32_t owner, virq;
    int prot;
    unsigned int unmasked;
    int open;                   /* number of handles, buffers and mappings */
};

struct fake_xen *fake_xen(void);

#endif /* TESTS_UNIT_XENTRACE_FAKE_XEN_H */
