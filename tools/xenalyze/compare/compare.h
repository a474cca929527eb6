/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of this room: the comparison of two traces, or two spans of a trace.
 *
 * A PROFILE is a sink: a hash table of sums of events and times, and a table of
 * histograms.  Each sum is an array with a field per interval of the span: the
 * spread of the fields is the noise of the value.  A COMPARISON is a table
 * with a row per value that two profiles share: domains are matched by name,
 * and a rank test marks the rows with a change beyond noise.
 */
#ifndef XENALYZE_COMPARE_COMPARE_H
#define XENALYZE_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "libxentrace/internal.h"
#include "xenalyze/account/account.h"
#include "xenalyze/export/export.h"
#include "xenalyze/model/model.h"

/* --- a profile ------------------------------------------------------------ */

struct profile;

struct profile_options
{
    uint64_t from, until;       /* time stamps of the span */
    bool per_vcpu, per_pcpu;    /* rows per vcpu and pcpu, too */
    bool has_host;              /* rows about the pcpus */
    /* Callbacks that select vcpus and pcpus, with the pointer `filter` as first
       argument; NULL: all. */
    bool (*wants_vcpu)(const void *filter, unsigned int domain,
                       unsigned int vcpu);
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);
    const void *filter;
};

/* 0 or -ENOMEM. */
int profile_new(struct profile **p, const struct profile_options *options);
void profile_free(struct profile *p);   /* NULL is fine */

/* Store the sinks of the profile in the array, for one analysis. */
#define PROFILE_SINKS 2u

void profile_get_sinks(struct profile *p, struct sink sinks[PROFILE_SINKS]);

/* --- a comparison --------------------------------------------------------- */

/* A trace and its profile; pointers are borrowed. */
struct compare_side
{
    const char *name;           /* file name, for messages */
    struct profile *profile;    /* complete */
    const struct xt_domain_names *names;        /* or NULL */
    bool is_part;               /* both sides are parts of one trace */
    bool clock_assumed;         /* the trace lacks the TSC frequency */
};

struct comparison;

/*
 * Compare sides[1] with sides[0].  Returns 0, or an error and *e: -ENODATA
 * without a common domain or without scheduler events, -E2BIG with too many
 * vcpus for the hash table, -ENOMEM.
 */
int comparison_new(struct comparison **c, const struct compare_side sides[2],
                   struct err *e);
void comparison_free(struct comparison *c);     /* NULL is fine */

/* Print the table: rows with a change, or with `all_rows` all rows. */
void comparison_print(const struct comparison *c,
                      const struct report_request *request, bool all_rows,
                      FILE *out);

/* Export tables with all rows.  Returns 0 or -ENOMEM. */
int comparison_export(const struct comparison *c, enum export_format format,
                      FILE *out);

/* The array of exported tables; the last table has no name. */
const struct export_table *comparison_tables(void);

#endif /* XENALYZE_COMPARE_COMPARE_H */
