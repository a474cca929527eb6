/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interval series: values per second, or per any other length of interval.
 */
#ifndef XENALYZE_ACCOUNT_INTERVAL_H
#define XENALYZE_ACCOUNT_INTERVAL_H

#include <stdio.h>

#include "xenalyze/model/model.h"

enum interval_kind
{
    INTERVAL_DOMAIN_TIME,       /* selected domains */
    INTERVAL_DOMAIN_TIME_ALL,
    INTERVAL_DOMAIN_WAIT_ALL,   /* runnable; sum over the vcpus of a domain */
    INTERVAL_DOMAIN_SUMMARY,    /* a single domain */
    INTERVAL_DOMAIN_INTERRUPT,
    INTERVAL_DOMAIN_GRANT_MAPS,
    INTERVAL_CR3_TIME,          /* selected frames */
    INTERVAL_CR3_TIME_ALL,
    INTERVAL_CR3_ORDERED,
    INTERVAL_CR3_SUMMARY,       /* a single frame */
    INTERVAL_KINDS
};

struct interval;

/*
 * `ids` is an array of domains or CR3 frames, in the order of the columns; the
 * function copies the array.  0 or -ENOMEM.
 */
int interval_new(struct interval **i, enum interval_kind kind,
                 uint64_t length_ns, const uint64_t *ids, size_t nr_ids);
void interval_free(struct interval *i);

/*
 * Count time on these pcpus only, and waits for them: `wants` is called with
 * `filter`.  Other facts than runstates are filtered in front of the sink.
 */
void interval_select_pcpus(struct interval *i,
                           bool (*wants)(const void *filter,
                                         unsigned int pcpu),
                           const void *filter);

/* False: a part of the pcpus makes no sense. */
bool interval_has_pcpus(enum interval_kind kind);

struct sink interval_sink(struct interval *i);

/*
 * A cell of a series: the value of one subject in one interval.  Kinds with
 * selected domains, frames or categories have a cell for each in every
 * interval; the ordered kind only has cells with a value.
 */
struct interval_cell
{
    enum interval_kind kind;
    uint64_t at;                /* time stamp of the interval's begin */
    uint64_t ns;                /* the begin in ns since the trace's start */
    uint64_t cycles;            /* length covered by the trace */
    bool has_domain, has_number;
    uint64_t domain;
    uint64_t number;            /* frame or vector */
    const char *name;           /* category, "new", or NULL */
    uint64_t value;             /* cycles, or a count */
};

typedef void interval_fn(void *state, const struct interval_cell *c);

void interval_walk(const struct interval *i, interval_fn *fn, void *state);

/* Name of the option, without the prefix "interval-". */
const char *interval_name(enum interval_kind kind);

/* True if the number of rows exceeds the limit; further rows are missing. */
bool interval_is_truncated(const struct interval *i);

#define INTERVAL_MAX_COLUMNS 4096u

/* True if more ids appeared; further columns are missing. */
bool interval_has_too_many_ids(const struct interval *i);

#endif /* XENALYZE_ACCOUNT_INTERVAL_H */
