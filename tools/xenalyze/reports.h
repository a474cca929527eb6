/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user wants of what is made of facts: a part of struct config.
 */
#ifndef XENALYZE_REPORTS_H
#define XENALYZE_REPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/opts.h"
#include "xenalyze/account/account.h"
#include "xenalyze/plot/plot.h"

#define FACTS_MAX_IDS 64u

struct facts_ids
{
    uint64_t ids[FACTS_MAX_IDS];
    size_t nr;
};

struct facts_config
{
    bool pcpus;
    bool latency;
    bool exits;
    bool ipis;                  /* besides another report */
    bool json, csv;

    bool scatter[SCATTER_KINDS];
    uint64_t which[SCATTER_KINDS];      /* vector or port */

    bool interval[INTERVAL_KINDS];
    struct facts_ids ids[INTERVAL_KINDS];
    uint64_t interval_length;           /* ns */

    const char *plot, *gnuplot;         /* files: of one scatterplot, or of
                                           the timeline if there is none */
    const char *symbol_file;
    unsigned int levels;                /* of 32-bit guests' page tables */
    struct report_request request;

    /* Stock's, accepted and not needed. */
    unsigned int ignored;
    bool ignored_flag;
};

/* For rows of the table of options whose .at is in the config as named. */
int facts_parse_which(const struct opt *o, const char *text, void *config,
                      struct err *e);           /* facts.which[kind] */
int facts_parse_ids(const struct opt *o, const char *text, void *config,
                    struct err *e);             /* facts.ids[kind] */
int facts_parse_eips(const struct opt *o, const char *text, void *config,
                     struct err *e);            /* facts.request */
int facts_parse_histogram(const struct opt *o, const char *text, void *config,
                          struct err *e);       /* facts.request */

/* Anything that a pass over facts has to be made for, but the summary. */
bool facts_wanted(const struct facts_config *f);

#endif /* XENALYZE_REPORTS_H */
