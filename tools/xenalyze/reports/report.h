/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the reports: the conclusions from the facts of a trace, each
 * report in its own file and with its own row in table.c.
 *
 * One pass over the trace serves all wanted reports (struct report_pass): each
 * report adds its sinks, the engine feeds the sinks, and then each report
 * prints text, or its tables are exported as JSON or CSV.
 *
 * To add a report: a file with one `const struct report` (report-wakeups.c is a
 * short example), a row in table.c, an option in options.c, a paragraph in
 * xenalyze(1), and the tables in xenalyze-json(5).
 */
#ifndef XENALYZE_REPORTS_REPORT_H
#define XENALYZE_REPORTS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "common/log.h"
#include "xenalyze/account/account.h"
#include "xenalyze/export/export.h"
#include "xenalyze/model/model.h"
#include "xenalyze/plot/plot.h"
#include "xenalyze/viewers/viewer.h"

/* --- configuration -------------------------------------------------------- */

#define REPORT_MAX_IDS 64u

/* Three kinds have a table for each domain. */
#define REPORT_MAX_INTERVALS (INTERVAL_KINDS + 3 * REPORT_MAX_IDS)

struct report_ids
{
    uint64_t ids[REPORT_MAX_IDS];
    const char *names[REPORT_MAX_IDS];  /* a domain's name, which ends at a
                                           comma; NULL: the id is given */
    size_t nr;
};

#define REPORT_MAX_EXPORTS 8u

/* --export FORMAT:FILE */
struct report_file
{
    const struct viewer_format *format;
    const char *path;           /* "-": the output of the run */
};

struct report_config
{
    bool summary;               /* also if nothing else is asked for */
    bool overview;
    bool pcpus;
    bool latency;
    bool exits;
    bool storms;                /* bursts of VM exits */
    bool wakeups;
    bool migrations;
    bool timers;
    bool interrupts;
    bool check_scheduler;
    uint64_t allow_late;                /* ns, of check_scheduler */
    bool io;
    bool why;
    const char *why_vcpu;       /* a vcpu or a domain; NULL: the slowest */
    const char *critical_path;  /* vcpu, or NULL */
    bool ipi_latency;           /* in addition to another report */
    bool json, csv;
    bool json_schema;           /* instead of everything else */

    bool scatter[SCATTER_KINDS];
    uint64_t which[SCATTER_KINDS];      /* vector or port */

    bool interval[INTERVAL_KINDS];
    struct report_ids ids[INTERVAL_KINDS];
    uint64_t interval_length;           /* ns */

    const char *plot, *gnuplot;         /* files for the picture; or NULL */
    unsigned int plot_theme;            /* enum plot_theme */
    struct report_file exports[REPORT_MAX_EXPORTS];
    size_t nr_exports;
    bool ctf, trace_dat;                /* exports of records, ... */
    const char *ctf_path;               /* ... a folder */
    const char *trace_dat_path;         /* ... a file; or NULL */
    const char *symbol_file;
    unsigned int levels;                /* page table levels of 32-bit guests */
    struct report_request request;

    /* Options of stock that are accepted and not needed. */
    unsigned int ignored;
    bool ignored_flag;
};

/* Is any report requested, so that the summary need not be the default? */
bool report_is_wanted(const struct report_config *c);

/* --- one report ----------------------------------------------------------- */

#define REPORT_MAX 32u
#define REPORT_MAX_TABLES 4u    /* arrays of tables of one report */

struct report_pass;

enum report_kind
{
    REPORT_TABLES,              /* text, and tables at the end of the trace */
    REPORT_STREAM,              /* rows that are exported as facts arrive */
    REPORT_AUXILIARY,           /* serves other reports */
};

#define REPORT_MAX_NEEDS 3u

struct report
{
    const char *name;           /* for messages */
    enum report_kind kind;
    bool is_addition;           /* requested alone, the summary comes as well */
    bool in_every_export;       /* JSON has it without a request */

    /* The error if pcpus, domains or vcpus are selected; NULL: this is fine. */
    const char *needs_all;

    /*
     * Is the report empty?  If so, and the trace lacks this class of events, no
     * text is printed but an error: "no VM exits; capture with -e hvm".
     */
    bool (*is_empty)(struct report_pass *p);    /* NULL: text is printed */
    const char *events, *class, *capture;       /* "VM exits", hvm:entryexit,
                                                   hvm */

    /*
     * Reports that report_state() is called for.  Rows above in the table;
     * opened together with this report; their sinks get each fact first.
     */
    const struct report *needs[REPORT_MAX_NEEDS];

    /* Did the user ask for it? */
    bool (*is_requested)(const struct report_config *c);

    /*
     * Allocate *state and add the sinks.  0, -ENOMEM, or -errno with *e.  NULL:
     * the report only prints the state of its needs.
     */
    int (*open)(struct report_pass *p, void **state, struct err *e);

    /* Complete the numbers at the end of the trace.  0 or -ENOMEM. */
    int (*close)(struct report_pass *p, void *state);

    /* Print text to p->out.  0 or -ENOMEM. */
    int (*print)(struct report_pass *p, void *state);

    /* Export tables: arrays that end with a table without a name. */
    const struct export_table *tables[REPORT_MAX_TABLES];

    /* Write a separate file.  0, or -errno with *e. */
    int (*write)(struct report_pass *p, void *state, struct err *e);

    /* Did an allocation fail, so that numbers are missing? */
    bool (*has_failed)(const void *state);

    /* After printing: 0, or -errno with *e if the output is incomplete. */
    int (*check)(struct report_pass *p, void *state, struct err *e);

    void (*free)(void *state);  /* NULL is fine */
};

/* --- the pass ------------------------------------------------------------- */

#define REPORT_MAX_REUSES 8u

/* Domains with the id of a destroyed one; the first have an entry. */
struct report_reuses
{
    struct { uint16_t domain; int64_t ns; } all[REPORT_MAX_REUSES];
    uint64_t nr;
};

/*
 * Timelines of several hosts: each host is a pass, and the files are complete
 * after report_hosts_write().
 */
struct report_hosts
{
    const char *name;           /* names of the traces, for messages */
    struct viewer_host host;    /* the host of the next pass */
    struct viewers *viewers;    /* open exports; NULL: no pass so far */
};

struct report_pass
{
    /* Filled in by the caller; pointers are borrowed. */
    const struct report_config *config;
    const struct log *log;      /* for warnings */
    const char *name;           /* file name of the trace */
    FILE *out;
    const char *output;         /* name of out in messages; NULL: no file */
    bool clock_assumed;         /* the trace lacks the TSC frequency */
    const struct xt_info *info; /* or NULL */
    const struct xt_domain_names *names;        /* or NULL */
    bool is_selection;          /* --time, --domain ... select a part */
    /* Selected pcpus and vcpus, with the argument `filter`; NULL: all. */
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);
    bool (*wants_vcpu)(const void *filter, unsigned int domain,
                       unsigned int vcpu);
    const void *filter;
    const char *pcpus, *domains, *vcpus;        /* the selection; or NULL */
    /* Callback: copy the names in a list of classes that were not traced. */
    void (*list_missing)(const struct report_pass *p, const char *classes,
                         char *text, size_t size);
    const void *run;            /* for the callback */
    struct programs *programs;  /* to be copied; NULL: none */
    struct report_hosts *hosts; /* NULL: one host */

    /* For reports. */
    struct report_request request;      /* the config's, completed */
    bool was_cut;               /* a table has more rows than a screen */
    struct export *export;      /* NULL: text is wanted */
    bool exports_tables;        /* not only points and intervals */

    /* Input of the engine. */
    struct sink sinks[REPORT_MAX + SCATTER_KINDS + REPORT_MAX_INTERVALS +
                      3 * REPORT_MAX_EXPORTS];
    size_t nr_sinks;

    /* At the end of the trace: the worst of all segments. */
    struct fact_disorder disorder;
    uint64_t sched_records;     /* read */
    struct report_reuses reuses;

    /* State of the loop. */
    bool lacks_events[REPORT_MAX];      /* no text, for lack of events */
    bool is_open[REPORT_MAX];   /* by table row */
    void *states[REPORT_MAX];
    struct symbols *symbols;
};

/* Open all wanted reports.  0, or -errno with *e. */
int report_pass_open(struct report_pass *p, struct err *e);

/* Print or export at the end of the trace.  0, or -errno with *e. */
int report_pass_print(struct report_pass *p, struct err *e);

/* After printing: -errno with *e if a report is incomplete. */
int report_pass_check(struct report_pass *p, struct err *e);
void report_pass_fini(struct report_pass *p);

/* Complete the timelines of all passes: 0, or -errno with *e. */
int report_hosts_write(struct report_hosts *h, struct err *e);
void report_hosts_fini(struct report_hosts *h);

/* Does the output have a section for data quality? */
bool report_pass_shows_quality(const struct report_pass *p);

/* Does the output include lost records and damage? */
bool report_pass_shows_losses(const struct report_pass *p);

/*
 * True if exits have reasons of AMD, and the trace does not name the vendor
 * before: the reports have wrong names of exits.
 */
bool report_pass_found_svm(const struct report_pass *p);

/*
 * True if the layout of records depends on the version of Xen, which is
 * unknown.
 */
bool report_pass_guessed_layout(const struct report_pass *p);

/* Count of points out of the order of time (plot/point-order.h). */
uint64_t report_pass_count_late_points(const struct report_pass *p);

/* For reports: in open(). */
void report_add_sink(struct report_pass *p, struct sink sink);

/* For reports: does this one print no text for lack of events? */
bool report_lacks_events(const struct report_pass *p, const struct report *r);

/* For reports: without scheduler events, vcpus are unknown. */
static inline bool report_lacks_runstates(struct report_pass *p)
{
    return !p->sched_records;
}

#define REPORT_NEEDS_RUNSTATES .is_empty = report_lacks_runstates, \
    .events = "scheduler events", .class = "sched:min", .capture = "sched:min"

/* For reports: the state of a report in `needs`; NULL if not open. */
void *report_state(const struct report_pass *p, const struct report *r);

/* Export the tables of the host and its domains. */
void report_export_host(struct export *x, const struct xt_host *host);

/*
 * Print the JSON Schema of all tables, and of the arrays in `more`, which ends
 * with NULL; the last table of an array has no name.
 */
void report_print_schema(const struct export_table *const *more, FILE *out);

#endif /* XENALYZE_REPORTS_REPORT_H */
