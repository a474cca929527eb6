/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All rings of a host, found through t_info, the directory that Xen shares
 * (<public/trace.h>).  It may change: a pcpu that comes up later gets a ring
 * and an entry later.  Its numbers are checked before they are followed.
 */
#ifndef XENTRACE_HOST_RINGS_H
#define XENTRACE_HOST_RINGS_H

#include <stddef.h>

#include "xentrace/hypervisor.h"
#include "xentrace/pcpu-ring.h"

struct rings
{
    struct hv *hv;          /* borrowed */
    const unsigned char *info;      /* t_info, mapped read-only */
    size_t info_size;
    uint32_t evt_mask;      /* as it was in Xen when they were opened */
    unsigned int pages;     /* of each ring */
    unsigned int nr_cpus;   /* possible ones */
    unsigned int nr_mapped;
    struct ring *ring;      /* of each possible pcpu */
};

/* Map the directory, and no ring yet.  -ENODEV: there is none. */
int rings_open(struct rings *r, struct hv *hv, unsigned int nr_cpus,
               struct err *e);
void rings_close(struct rings *r);

/*
 * Map the ring of a pcpu if there is one now that was not there before.  If
 * that fails the ring is given up, and *e says why.
 */
int rings_map(struct rings *r, unsigned int cpu, struct err *e);

#endif /* XENTRACE_HOST_RINGS_H */
