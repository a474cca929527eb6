/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scatterplots: sinks that make points of facts.  Which there are is a table;
 * an option names a row.
 */
#ifndef XENALYZE_PLOT_SCATTER_H
#define XENALYZE_PLOT_SCATTER_H

#include "xenalyze/account/account.h"
#include "xenalyze/model/model.h"
#include "xenalyze/plot/picture.h"
#include "xenalyze/plot/points.h"

enum scatter_kind
{
    SCATTER_RUNSTATE,
    SCATTER_RUNSTATE_TIME,
    SCATTER_PCPU,
    SCATTER_RDTSC,
    SCATTER_IRQ,
    SCATTER_INTERRUPT_EIP,      /* vector */
    SCATTER_EXTINT_CYCLES,      /* vector */
    SCATTER_IO,                 /* port */
    SCATTER_UNPIN_PROMOTE,
    SCATTER_CR3_SWITCH,
    SCATTER_WAKE_TO_HALT,
    SCATTER_VMEXIT_EIP,
    SCATTER_KINDS
};

struct scatter
{
    struct points points;
    uint64_t which;             /* vector or port */
    struct xt_clock clock;
    const struct cr3_table *cr3; /* of those of CR3 and of shadow tables */
    bool cr3_ids;               /* values are ids of it */
    bool *known;                /* vcpus by index: it has been told of */
    uint32_t nr_known;
    bool failed;                /* out of memory */
};

/* As its option is called, without "scatterplot-". */
const char *scatter_name(enum scatter_kind kind);

/* What a plot of it says beside the points. */
const struct plot_about *scatter_about(enum scatter_kind kind);

/* `s` stays the caller's; points, which, cr3 and cr3_ids are filled
   in. */
struct sink scatter_sink(struct scatter *s, enum scatter_kind kind);

#endif /* XENALYZE_PLOT_SCATTER_H */
