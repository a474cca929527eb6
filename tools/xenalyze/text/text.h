/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the text reports: each function prints one closed account to
 * `out`, and leaves write errors to the caller.
 */
#ifndef XENALYZE_TEXT_TEXT_H
#define XENALYZE_TEXT_TEXT_H

#include <stdio.h>

#include "common/num.h"
#include "xenalyze/account/account.h"
#include "xenalyze/text/start-time.h"

/* Sections of a closed summary: summary, pcpus, data quality. */
void text_print_summary(struct summary *summary,
                        const struct report_request *request, FILE *out);
void text_print_pcpus(struct summary *summary,
                      const struct report_request *request, FILE *out);
void text_print_quality(struct summary *summary,
                        const struct report_request *request, FILE *out);

/*
 * "pcpus 1 and 3 differ by 20.0ms or more", or "4 of 8 pcpus have no records,
 * so states contradict each other"; returns `text`.
 */
#define TEXT_DISORDER_MAX 96
char *text_format_disorder(const struct fact_disorder *d,
                           const struct xt_clock *clock,
                           char text[TEXT_DISORDER_MAX]);

/* A line above a report on waits, if clocks differ or pcpus are missing. */
void text_print_disorder(const struct fact_disorder *d,
                         const struct xt_clock *clock, FILE *out);

/* VM exits of a closed summary.  0 or -ENOMEM. */
int text_print_exits(struct summary *summary,
                     const struct report_request *request,
                     FILE *out);

/* A closed latency account.  0 or -ENOMEM. */
int text_print_latency(struct latency *l, const struct report_request *request,
                       FILE *out);

/*
 * One screen of a closed summary and latency account of the trace `name`.  0 or
 * -ENOMEM.
 */
int text_print_overview(struct summary *summary, const struct latency *latency,
                        const struct report_request *request,
                        const char *name, FILE *out);

/* If tables were cut, tell a user on a terminal how to see the rest. */
void text_print_cut(bool was_cut, FILE *out);

/* Cycles as a time with a unit; returns `text`. */
const char *text_duration(const struct xt_clock *clock, uint64_t cycles,
                          char text[NUM_CLOCK_MAX]);

/* "--time A..B", in seconds since the start of the trace. */
void text_print_span_ns(int64_t from, int64_t to, FILE *out);
void text_print_span(const struct xt_clock *clock, uint64_t from, uint64_t to,
                     FILE *out);

/* Why a vcpu is slow, in at most 20 lines. */
struct text_why
{
    struct verdict_facts facts;
    struct verdict_result verdict;
    bool is_asked;              /* for this vcpu or domain */
    const struct block_vcpu *blocks;    /* NULL: never blocked */
    const struct access_range *device;  /* the domain's first; or NULL */
    const struct io_path *path; /* I/O through the backend; or NULL */
    const struct wait_vcpu *backend;    /* the backend's slowest vcpu; or
                                           NULL */
    const struct co_stops *co_stops;
    const struct machine_stalls *stalls;
    const struct silent_vcpus *silent;
    uint32_t captured;          /* event mask of the capture; 0: unknown */
    bool is_part;               /* a part of the trace is selected */
    const struct xt_domain_names *names;
    FILE *out;
};

void text_print_why(const struct text_why *t);

/*
 * Tables of closed causes: what had the pcpu while domains waited, and the
 * longest waits in pieces.  0 or -ENOMEM.
 */
int text_print_why_tables(struct wait_causes *w,
                          const struct report_request *request, FILE *out);

/* An interval table in the line format of stock. */
void text_print_interval(const struct interval *i, FILE *out);

/* The same in a table of our own, with headings. */
void text_print_interval_table(const struct interval *i,
                               const struct report_request *request,
                               const char *missing, FILE *out);

/* The classes with the values of an empty table; NULL: none, or not empty. */
const char *text_interval_lacks(const struct interval *i);

#endif /* XENALYZE_TEXT_TEXT_H */
