/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scatterplots: sinks that turn facts into points.  Each kind is a row of the
 * table in scatter-kinds.h, and has an option --scatterplot-NAME.
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
    uint64_t nr_points;
    uint64_t which;             /* vector or port */
    struct xt_clock clock;
    /* Selects values that are pcpus; NULL: all. */
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);
    const void *filter;
    const struct cr3_table *cr3; /* for kinds of CR3 and of shadow tables */
    bool cr3_ids;               /* the values are ids in that table */
    bool *seen;                 /* by index of the vcpu: it has points */
    uint32_t nr_seen;
    bool failed;                /* out of memory */
};

/* The name in the option --scatterplot-NAME. */
const char *scatter_name(enum scatter_kind kind);

/* The records that it needs, for an error about a trace without: their name,
   and the argument of xentrace -e. */
const char *scatter_source(enum scatter_kind kind, const char **classes);

/* Title, label and unit of its picture. */
const struct plot_about *scatter_about(enum scatter_kind kind);

/* The caller keeps `s`, and sets its points, which, cr3 and cr3_ids. */
struct sink scatter_sink(struct scatter *s, enum scatter_kind kind);

#endif /* XENALYZE_PLOT_SCATTER_H */
