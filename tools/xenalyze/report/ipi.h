/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long it takes from an interrupt that a vcpu sends to all others of its
 * domain to when each of them gets it: stock's --dump-ipi-latency.
 */
#ifndef XENALYZE_REPORT_IPI_H
#define XENALYZE_REPORT_IPI_H

#include <stdio.h>

#include "xenalyze/model/facts.h"

struct ipi_vcpu;

struct ipis
{
    FILE *out;                  /* lines go here as facts come */
    struct xt_clock clock;
    struct ipi_vcpu *vcpus;     /* by index */
    uint32_t nr;
    bool failed;                /* out of memory */
};

void ipis_fini(struct ipis *i);

/* i->out is filled in. */
struct sink ipis_sink(struct ipis *i);

#endif /* XENALYZE_REPORT_IPI_H */
