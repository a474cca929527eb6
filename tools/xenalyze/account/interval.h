/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals: what happened in each second, or whatever length the user wants.
 */
#ifndef XENALYZE_ACCOUNT_INTERVAL_H
#define XENALYZE_ACCOUNT_INTERVAL_H

#include <stdio.h>

#include "xenalyze/model/model.h"

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

/*
 * Likewise, cell by cell: what happened in one interval, and of what.  Of named
 * domains, frames and kinds there are all, in all intervals; of those in order
 * those with something in it.
 */
struct interval_cell
{
    enum interval_kind kind;
    uint64_t at;                /* time stamp that the interval begins at */
    uint64_t ns;                /* the same since the trace began */
    uint64_t cycles;            /* its length, as far as the trace has it */
    bool has_domain, has_number;
    uint64_t domain;
    uint64_t number;            /* frame, or vector */
    const char *name;           /* what for; "new"; or NULL */
    uint64_t value;             /* cycles, or how many */
};

typedef void interval_fn(void *state, const struct interval_cell *c);

void interval_walk(const struct interval *i, interval_fn *fn, void *state);

/* As its option is called, without "interval-". */
const char *interval_name(enum interval_kind kind);

/* There were too many: those after the last that was printed are missing. */
bool interval_cut(const struct interval *i);

/* Likewise things to look at: those after the first 4096 are missing. */
bool interval_crowded(const struct interval *i);

#endif /* XENALYZE_ACCOUNT_INTERVAL_H */
