/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings in a crash dump of a host, as a back end of hypervisor.h that can
 * only map, and the state of each ring that is not in its pages.
 */
#ifndef XENTRACE_DUMP_RINGS_H
#define XENTRACE_DUMP_RINGS_H

#include "xentrace/hypervisor.h"
#include "xentrace/pcpu-ring.h"

struct dump_host
{
    unsigned int nr_cpus;       /* possible pcpus */
    uint32_t khz;               /* time stamp frequency; 0: unknown */
    uint64_t missing;           /* bytes that the truncated dump lacks */
};

/* `symbols`: path of xen-syms, or NULL. */
int dump_rings_open(struct hv **hv, const char *path, const char *symbols,
                    struct dump_host *host, struct err *e);

/* The state of a pcpu's ring. */
struct dump_ring
{
    uint64_t lost;              /* since the last record about a loss */
    bool overwrite;             /* a flight recorder */
};

/*
 * Read the state of a ring that was mapped with this number of pages.  In
 * overwrite mode, also set cons and prod, which only Xen knows, in the copy of
 * the ring's first page.
 */
void dump_rings_state(struct hv *hv, struct ring *ring, unsigned int pages,
                      struct dump_ring *state);

#endif /* XENTRACE_DUMP_RINGS_H */
