/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of simpletrace.
 */
#ifndef SIMPLETRACE_OPTIONS_H
#define SIMPLETRACE_OPTIONS_H

#include "common/log.h"
#include "common/opts.h"
#include "simpletrace/trace-filter.h"

enum st_when { ST_AUTO, ST_ALWAYS, ST_NEVER };

struct st_options
{
    struct log log;
    struct st_list files;       /* that declare events */
    unsigned int style, time, ids;
    unsigned int colour, pager; /* enum st_when */
    bool no_header, follow, progress;
    struct st_filter select;
    const char *recover;        /* output of --recover; or NULL */
    char **traces;
    size_t nr_traces;
};

int st_options_read(struct st_options *o, int argc, char **argv,
                    enum opts_next *next, struct err *e);

#endif /* SIMPLETRACE_OPTIONS_H */
