/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of xentrace, as the structs of the other files.
 */
#ifndef XENTRACE_OPTIONS_H
#define XENTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/log.h"
#include "common/opts.h"
#include "xentrace/collect.h"
#include "xentrace/from-dump.h"
#include "xentrace/hypervisor.h"
#include "xentrace/mask.h"
#include "xentrace/request-client.h"
#include "xentrace/writer.h"

struct options
{
    struct collect_plan plan;
    struct writer_plan output;
    struct mask_events events;
    const char *hypervisor;
    struct hv_address address;
    struct from_dump from_dump;
    struct log log;
    char *arguments;            /* the command line as one string */

    /* Values that the plans have in other units or as pointers. */
    uint64_t log_thresh, reserve_mb;
    bool compress, daemon;
    bool list;                  /* print the events and end */
    bool control;               /* listen on a control socket */
    struct request_plan request; /* to another xentrace */
    const char *pattern;        /* events to list; NULL: all */
    struct triggers triggers;
};

/*
 * Returns 0 and *next like opts_parse().  xentrace_options_fini() has to be
 * called in any case.
 */
int xentrace_options_parse(struct options *o, int argc, char **argv,
                           enum opts_next *next, struct err *e);
void xentrace_options_fini(struct options *o);

#endif /* XENTRACE_OPTIONS_H */
