/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of a run.  The table in options.c fills in a struct config;
 * each output reads its part of the struct.
 */
#ifndef XENALYZE_OPTIONS_H
#define XENALYZE_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/log.h"
#include "common/opts.h"
#include "xenalyze/reports/report.h"

enum order { ORDER_TIME, ORDER_FILE };
enum complete_values
{
    COMPLETE_NONE,
    COMPLETE_DOMAINS,
    COMPLETE_VCPUS,
    COMPLETE_PCPUS,
};
enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Xen version of the record layouts, for traces without metadata. */
enum layout { LAYOUT_AUTO, LAYOUT_417, LAYOUT_MASTER };

#define OPTIONS_TOP_AUTO UINT_MAX       /* no --top */

struct config
{
    const char *path;           /* the trace, or "-": standard input */
    const char **paths;         /* array of the files of the trace */
    size_t nr_paths;            /* 0: standard input */
    const char **programs;      /* array of the traces of programs */
    size_t nr_programs;
    const char *program_events; /* declarations for these; NULL: none */
    const char *output;         /* NULL: standard output */
    bool draws;                 /* the output is a picture */
    const char *picture;        /* what it shows: "timeline", "irq" */

    /* Outputs: one flag each, with a row in outputs.c. */
    bool dump_all;
    bool dump_raw_process;
    bool dump_raw_reads;
    bool dump_no_processing;    /* only raw reads, no other output */
    bool records;
    bool count;
    bool formats;               /* lines by the rules in `rules` */
    const char *rules;
    unsigned int order;         /* enum order */
    uint64_t mhz;               /* clock of printed seconds; 0: print cycles */
    unsigned int threads;
    bool info;

    /*
     * The comparison of two traces, or of two spans of one trace: `time` is the
     * span of the first, `against` of the second (NULL: the same).
     */
    bool compare;
    const char *against;
    bool all_rows;              /* also differences within noise */
    bool time_is_against;       /* `time` is the argument of --against */

    bool index;                 /* write an index beside the trace */
    bool cut;                   /* write a part of the trace ... */
    const char *cut_path;       /* ... here; "-": the output of the run */

    bool reports_wanted;        /* any report in `reports` */

    /* Options of the dump. */
    bool dump_show_power_states;

    /* Filters; NULL: all records. */
    const char *time, *pcpus, *domains, *vcpus, *events;

    unsigned int complete_values;       /* enum complete_values */

    /* Terminal options. */
    unsigned int colour, pager; /* enum when */
    bool progress;

    /* Trace options. */
    bool follow;                /* wait for more records at the end */
    struct report_config reports;
    uint64_t hz;                /* TSC frequency; 0: from the trace */
    unsigned int layout;        /* enum layout */
    unsigned int vendor;        /* enum xt_hardware; 0: from the trace */
    bool svm_mode;              /* stock's option for AMD */

    struct log log;
};

/* OPTS_RUN: continue; OPTS_EXIT: --help or a similar option was answered. */
int options_parse(struct config *config, int argc, char **argv,
                  enum opts_next *next, struct err *e);

#endif /* XENALYZE_OPTIONS_H */
