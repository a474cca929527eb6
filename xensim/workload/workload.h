/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload: what the pcpus of the stand-in do, so that there is
 * something to trace.  Every pcpu schedules a few vcpus of its own (a PV
 * dom0, HVM and PV guests) and emits what Xen would at each turn; devices
 * interrupt it at any instruction.
 *
 * It keeps exact books: for each pcpu, how many records it has emitted that
 * the hypervisor must either put into the ring or count as lost.
 */
#ifndef XENSIM_WORKLOAD_H
#define XENSIM_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>

#include "xensim/runtime/runtime.h"

struct workload_config
{
    unsigned int cpus;
    uint64_t rate;          /* records a second and pcpu; 0: flat out */
    uint64_t interrupts;    /* a second and pcpu */
    uint64_t nmis;          /* likewise */
    uint64_t hotplug_ns;    /* a pcpu goes or comes this often; 0: never */
    uint64_t seed;
};

struct workload;

/* Before power on.  NULL: no memory. */
struct workload *workload_new(const struct workload_config *config);
void workload_free(struct workload *w);

/* To be played by the machine; borrows the workload. */
struct xensim_guest workload_guest(struct workload *w);

/* The devices, which are threads: between power on and power off. */
int workload_start_devices(struct workload *w);
void workload_stop_devices(struct workload *w);

/* The books, as one JSON object.  After power off. */
int workload_report(const struct workload *w, FILE *out);

#endif /* XENSIM_WORKLOAD_H */
