/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files for viewers of other projects: timelines and flame graphs.
 *
 * A format is one file of code and one row of VIEWER_TABLE().  The file has
 * a table of callbacks: a timeline has callbacks for ACTIVITIES (activity.h), a
 * flame graph a function for STACKS (stacks.h).  Both come from the facts that
 * reports are made of, so no format interprets records.
 *
 *     struct viewer *viewer;
 *
 *     viewer_new(&viewer, viewer_find("perfetto", 8), &options, out);
 *     ... viewer_sink(viewer) ...
 *     rc = viewer_finish(viewer);
 *     viewer_free(viewer);
 *
 * A timeline is written as facts arrive: memory use depends on the number of
 * vcpus and pcpus, not on the length of the trace.
 */
#ifndef XENALYZE_VIEWERS_VIEWER_H
#define XENALYZE_VIEWERS_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libxentrace/internal.h"
#include "xenalyze/model/model.h"

/*
 * Name, callbacks, member of struct viewer_format, is the file binary?  Does
 * the file have the numbers of reports?
 */
#define VIEWER_TABLE(row)                                                   \
    row(html, html_ops, activities, false, true)                            \
    row(perfetto, perfetto_ops, activities, true, false)                    \
    row(perfetto-compact, perfetto_compact_ops, activities, true, false)    \
    row(fxt, fxt_ops, activities, true, false)                              \
    row(chrome, chrome_ops, activities, false, false)                       \
    row(speedscope, speedscope_ops, stacks, false, false)                   \
    row(collapsed, collapsed_ops, stacks, false, false)

/*
 * Formats that are made of records instead of facts (convert/): name, is it a
 * folder?
 */
#define VIEWER_RECORDS_TABLE(row)                                           \
    row(trace.dat, false)                                                   \
    row(ctf, true)

#define VIEWER_WORD(name, ...) #name,

/* The names of all formats. */
#define VIEWER_WORDS                                                        \
    VIEWER_TABLE(VIEWER_WORD) VIEWER_RECORDS_TABLE(VIEWER_WORD)

struct programs;
struct summary;
struct latency;
struct wait_causes;
struct activity_ops;
struct stacks_ops;

/* One of both tables of callbacks is set, unless the format has records. */
struct viewer_format
{
    const char *name;
    bool is_binary, has_records, is_folder, has_numbers;
    const struct activity_ops *activities;
    const struct stacks_ops *stacks;
};

/* Numbers of reports: valid in viewer_add_numbers(), all pointers borrowed. */
struct viewer_numbers
{
    struct summary *summary;    /* closed */
    const struct latency *latency;      /* closed */
    const char *verdict;        /* text of --why; NULL: none */
    struct wait_causes *waits;  /* closed causes; NULL: no verdict */
    bool clock_assumed;         /* the trace lacks the TSC frequency */
    bool is_selection;          /* a part of the trace is selected */
};

/* One of several hosts in a timeline. */
#define VIEWER_HOST_MAX 64u     /* bytes of a label, with its 0 */

struct viewer_host
{
    const char *label;
    int64_t origin;             /* nanosecond 0 of the timeline, in nanoseconds
                                   since 1970 */
};

/* All pointers are borrowed. */
struct viewer_options
{
    const char *trace;          /* name of the trace */
    const struct viewer_host *host;     /* NULL: the trace is of one host */
    uint32_t first_pcpu;        /* set by the viewer: row of its pcpu 0 */
    const struct xt_domain_names *names;        /* or NULL */
    /* Selected pcpus and vcpus, with the argument `filter`; NULL: all. */
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);
    bool (*wants_vcpu)(const void *filter, unsigned int domain,
                       unsigned int vcpu);
    const void *filter;
    const struct viewer_numbers *numbers;       /* if format->has_numbers */
    const struct symbols *symbols;      /* guest symbols; or NULL */
    struct programs *programs;  /* whose events are shown; or NULL */
};

struct viewer;

/* The format of this name; NULL: there is none. */
const struct viewer_format *viewer_find(const char *name, size_t length);

/* Has the format a place for events of programs? */
bool viewer_has_programs(const struct viewer_format *format);

/* 0 or -ENOMEM. */
int viewer_new(struct viewer **viewer, const struct viewer_format *format,
               const struct viewer_options *options, FILE *out);
void viewer_free(struct viewer *viewer);        /* NULL is fine */

struct sink viewer_sink(struct viewer *viewer);

/*
 * The sink of the longest waits, beside viewer_sink().  False: the format shows
 * none.
 */
bool viewer_get_waits_sink(struct viewer *viewer, struct sink *sink);

/* The same for the reasons of blocked times, and for the load of run queues. */
bool viewer_get_blocks_sink(struct viewer *viewer, struct sink *sink);
bool viewer_get_queues_sink(struct viewer *viewer, struct sink *sink);

/*
 * Add a part of a vcpu's critical path, such as "Domain-0/0 runs", to a
 * timeline; the time stamps are of the current segment, in order.
 */
void viewer_add_path(struct viewer *viewer, uint64_t from, uint64_t to,
                     const char *path, const char *name);

/* Have vcpus no row, since there are too many of all hosts? */
bool viewer_hides_vcpus(const struct viewer *viewer);

/* The bound of the format, if the trace has more pcpus; or 0. */
uint32_t viewer_pcpu_bound(const struct viewer *viewer);

/* Is there nothing to show? */
bool viewer_is_empty(const struct viewer *viewer);

/* Can the format show several hosts? */
bool viewer_has_hosts(const struct viewer_format *format);

/*
 * Before the facts of another host: they come from a new viewer_sink().  The
 * options before had a host, too.  0 or -ENOMEM.
 */
int viewer_begin_host(struct viewer *viewer,
                      const struct viewer_options *options);

/*
 * The numbers of the options are complete: behind the facts of each host, for a
 * format that has numbers.  0 or -ENOMEM.
 */
int viewer_add_numbers(struct viewer *viewer);

/*
 * Write the end of the file.  0, -ENOMEM, or -errno of a write that the stream
 * has forgotten; the stream has other write errors.
 */
int viewer_finish(struct viewer *viewer);

#endif /* XENALYZE_VIEWERS_VIEWER_H */
