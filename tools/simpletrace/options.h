/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What simpletrace was asked for.
 */
#ifndef SIMPLETRACE_OPTIONS_H
#define SIMPLETRACE_OPTIONS_H

#include "common/log.h"
#include "common/opts.h"
#include "simpletrace/reader.h"

#define ST_MOST_NAMES 64u

struct st_list                  /* of what an option gave, in order */
{
    char *text[ST_MOST_NAMES];
    size_t nr;
};

struct st_options
{
    struct log log;
    struct st_list files;       /* of events */
    unsigned int style, time, ids;
    bool no_header;
    char **traces;
    size_t nr_traces;
};

int st_options_read(struct st_options *o, int argc, char **argv,
                    enum opts_next *next, struct err *e);

#endif /* SIMPLETRACE_OPTIONS_H */
