/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long it takes from an interrupt that a vcpu sends to all others of its
 * domain to when each of them gets it: stock's --dump-ipi-latency.
 */
#ifndef XENALYZE_ACCOUNT_IPI_LATENCY_H
#define XENALYZE_ACCOUNT_IPI_LATENCY_H

#include <stdio.h>

#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define IPI_SLOTS 8u            /* vectors under way to a vcpu */

struct ipi_slot
{
    uint32_t vector;
    uint32_t sent;              /* times; 0: not under way */
    bool injected;              /* it enters with the next entry */
    uint64_t first;             /* sent, ... */
    uint64_t entered;           /* ... or got last, before that was told */
};

struct ipi_vcpu
{
    const struct vcpu *vcpu;            /* of this segment; or NULL */
    struct ipi_slot slots[IPI_SLOTS];
    uint16_t domain, id;
    struct stats_map latency;   /* cycles, by vector; or empty */
};

struct ipi_latency
{
    FILE *out;                  /* lines go here as facts come; NULL: none,
                                   and what they would say is kept */
    struct xt_clock clock;
    struct stats_pool pool;
    struct ipi_vcpu *vcpus;     /* by index; after ipi_latency_close(): by id */
    uint32_t nr;
    bool failed;                /* out of memory */
};

/* The others of *i are 0. */
void ipi_latency_init(struct ipi_latency *i, FILE *out);
void ipi_latency_fini(struct ipi_latency *i);

struct sink ipi_latency_sink(struct ipi_latency *i);

/* Nothing comes any more. */
void ipi_latency_close(struct ipi_latency *i);

#endif /* XENALYZE_ACCOUNT_IPI_LATENCY_H */
