/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scatterplots: sinks that make points of facts.
 */
#ifndef XENALYZE_PLOT_SCATTER_H
#define XENALYZE_PLOT_SCATTER_H

#include "xenalyze/account/account.h"
#include "xenalyze/model/model.h"
#include "xenalyze/plot/picture.h"
#include "xenalyze/plot/points.h"
#include "xenalyze/plot/scatter-kinds.h"

#define SCATTER_ENUMERATOR(kind, ...) SCATTER_##kind,

enum scatter_kind
{
    SCATTER_TABLE(SCATTER_ENUMERATOR)
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
