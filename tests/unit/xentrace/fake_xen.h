/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's libraries, without a Xen: fake_xen.c has the functions of theirs that
 * the back end calls, and comes before them when the test is linked.  The
 * sysctls are read through <xen/sysctl.h>, whose layout is Xen's own word.
 */
#ifndef TESTS_UNIT_XENTRACE_FAKE_XEN_H
#define TESTS_UNIT_XENTRACE_FAKE_XEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xen/xen.h>
#include <xen/sysctl.h>

#define FAKE_FRAMES 4

struct fake_xen
{
    /* What it is like. */
    uint32_t version;           /* of sysctls */
    int open_errno;             /* 0: that succeeds, and so on */
    int sysctl_errno;           /* of those of the right version */
    int tbuf_errno;
    int map_errno;
    int bind_errno;
    int unmask_errno;
    int event_fd;               /* that of its events */
    unsigned int max_cpu_id;
    unsigned char state[8];     /* that an operation hands out */
    const xen_domctl_getdomaininfo_t *domain;
    size_t domains;

    /* What it saw. */
    unsigned int sysctls;       /* of any version */
    struct xen_sysctl_tbuf_op tbuf;
    unsigned char bits[8];      /* behind its handle */
    uint64_t frame[FAKE_FRAMES];
    size_t frames, unmapped;
    uint32_t owner, virq;
    int prot;
    unsigned int unmasked;
    int open;                   /* handles, buffers and mappings */
};

struct fake_xen *fake_xen(void);

#endif /* TESTS_UNIT_XENTRACE_FAKE_XEN_H */
