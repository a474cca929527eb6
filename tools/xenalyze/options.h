/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user asked for.  The table in options.c fills in a struct config;
 * each output reads the part of it that is its own.
 */
#ifndef XENALYZE_OPTIONS_H
#define XENALYZE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/log.h"
#include "common/opts.h"
#include "xenalyze/reports/report.h"

enum order { ORDER_TIME, ORDER_FILE };
enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Whose layouts of records, where the trace does not tell. */
enum layout { LAYOUT_AUTO, LAYOUT_417, LAYOUT_MASTER };

struct config
{
    const char *path;           /* of the trace, or "-": standard input */

    /* Outputs: a flag each, and a row in outputs.c. */
    bool dump_all;
    bool dump_raw_process;
    bool dump_raw_reads;
    bool dump_no_processing;    /* the same, and nothing else */
    bool records;
    bool count;
    bool formats;               /* by the rules of `rules` */
    const char *rules;
    unsigned int order;         /* enum order */
    uint64_t mhz;               /* show seconds by so many; 0: cycles */
    unsigned int threads;
    bool info;

    bool reports_wanted;        /* any of those in `reports` */

    /* Of the dump. */
    bool dump_show_power_states;

    /* What is wanted of the records; NULL: all. */
    const char *time, *pcpus, *domains, *vcpus, *events;

    /* On a terminal. */
    unsigned int colour, pager; /* enum when */
    bool progress;

    /* Of the trace. */
    bool follow;                /* go on when it grows */
    struct report_config reports;
    uint64_t hz;                /* of the time stamps; 0: as it says */
    unsigned int layout;        /* enum layout */

    struct log log;
};

/* OPTS_RUN: go on; OPTS_EXIT: --help or the like, and it is answered. */
int options_parse(struct config *config, int argc, char **argv,
                  enum opts_next *next, struct err *e);

#endif /* XENALYZE_OPTIONS_H */
