/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency of broadcast IPIs, from the sending vcpu's register write to the
 * interrupt's delivery on each other vcpu of the domain: --dump-ipi-latency.
 */
#ifndef XENALYZE_ACCOUNT_IPI_LATENCY_H
#define XENALYZE_ACCOUNT_IPI_LATENCY_H

#include <stdio.h>

#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define IPI_SLOTS 8u            /* pending vectors per vcpu */

struct ipi_slot
{
    uint32_t vector;
    uint32_t sent;              /* number of pending sends */
    bool injected;              /* delivery with the next VM entry */
    uint64_t first;             /* time of the first pending send */
    uint64_t entered;           /* last delivery without a known send */
};

struct ipi_vcpu
{
    const struct vcpu *vcpu;            /* of the current segment; or NULL */
    struct ipi_slot slots[IPI_SLOTS];
    uint16_t domain, id;
    struct stats_map latency;   /* cycles, by vector; or empty */
};

struct ipi_latency
{
    FILE *out;                  /* lines are printed on the fly; NULL: fill
                                   the histograms instead */
    struct xt_clock clock;
    struct stats_pool pool;
    struct ipi_vcpu *vcpus;     /* array by index; by id after
                                   ipi_latency_close() */
    uint32_t nr;
    bool failed;                /* out of memory */
    bool closed;                /* no more facts; sorted */
};

/* Requires a zeroed struct. */
void ipi_latency_init(struct ipi_latency *i, FILE *out);
void ipi_latency_fini(struct ipi_latency *i);

struct sink ipi_latency_sink(struct ipi_latency *i);

/* Call after the last fact; sorts the array of vcpus. */
void ipi_latency_close(struct ipi_latency *i);

#endif /* XENALYZE_ACCOUNT_IPI_LATENCY_H */
