/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All rings of a host, found through t_info, the directory that Xen shares
 * (<public/trace.h>).  The directory may change: a pcpu that comes online later
 * gets its ring and its entry later.  Numbers in the directory are checked
 * before use.
 */
#ifndef XENTRACE_HOST_RINGS_H
#define XENTRACE_HOST_RINGS_H

#include <pthread.h>
#include <stddef.h>

#include "xentrace/hypervisor.h"
#include "xentrace/pcpu-ring.h"

struct rings
{
    struct hv *hv;              /* borrowed */
    const unsigned char *info;  /* t_info, mapped read-only */
    size_t info_size;
    uint32_t evt_mask;          /* Xen's event mask at the time of open */
    unsigned int pages;         /* of each ring */
    unsigned int nr_cpus;       /* number of possible pcpus */
    unsigned int nr_mapped;
    struct ring *ring;          /* of each possible pcpu */
    pthread_mutex_t lock;       /* protects place, cons and copied of the rings:
                                   see ring-drain.h */
};

/* Map the directory, but no ring.  -ENODEV: Xen has no rings. */
int rings_open(struct rings *r, struct hv *hv, unsigned int nr_cpus,
               struct err *e);
void rings_close(struct rings *r);

/*
 * Map the ring of a pcpu, if the directory has one that is not mapped.  On
 * failure the ring is given up, and *e has the reason.
 */
int rings_map(struct rings *r, unsigned int cpu, struct err *e);

#endif /* XENTRACE_HOST_RINGS_H */
