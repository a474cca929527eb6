/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals: what happened in each second, or whatever length the user wants.
 */
#ifndef XENALYZE_REPORT_INTERVAL_H
#define XENALYZE_REPORT_INTERVAL_H

#include <stdio.h>

#include "xenalyze/model/facts.h"

enum interval_kind
{
    INTERVAL_DOMAIN_TIME,       /* of the domains that are named */
    INTERVAL_DOMAIN_TIME_ALL,
    INTERVAL_DOMAIN_SUMMARY,    /* of one domain */
    INTERVAL_DOMAIN_INTERRUPT,
    INTERVAL_DOMAIN_GRANT_MAPS,
    INTERVAL_CR3_TIME,          /* of the frames that are named */
    INTERVAL_CR3_TIME_ALL,
    INTERVAL_CR3_ORDERED,
    INTERVAL_CR3_SUMMARY,       /* of one frame */
    INTERVAL_KINDS
};

struct interval;

/*
 * `ids`: domains, or frames of CR3, in the order of their columns; copied.
 * 0 or -ENOMEM.
 */
int interval_new(struct interval **i, enum interval_kind kind,
                 uint64_t length_ns, const uint64_t *ids, size_t nr_ids);
void interval_free(struct interval *i);

struct sink interval_sink(struct interval *i);

/* When all has been told. */
void interval_print(const struct interval *i, FILE *out);

/* There were too many: those after the last that was printed are missing. */
bool interval_cut(const struct interval *i);

#endif /* XENALYZE_REPORT_INTERVAL_H */
