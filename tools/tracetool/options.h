/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line, in the current syntax and in that of the first tracetool,
 * which was a filter: `tracetool --nop -h <trace-events >trace.h`.
 */
#ifndef TRACETOOL_OPTIONS_H
#define TRACETOOL_OPTIONS_H

#include "common/opts.h"
#include "tracetool/output.h"

#define TT_MAX_BACKENDS 16u

struct options
{
    const struct tt_runtime *runtime;   /* valid even after an error */
    const struct tt_format *format;
    const struct tt_backend *backends[TT_MAX_BACKENDS];
    size_t nr_backends;
    char *group;                /* valid in identifiers; or NULL */
    const char *provider, *binary, *probe_prefix, *target_type, *target_name;
    char **inputs;
    size_t nr_inputs;
    const char *output;
    char *filter[1];            /* the input of a filter: "-" */
    char *prefix;               /* the default prefix, if composed */
};

/*
 * Returns 0 and *next == OPTS_RUN: *o is complete and valid.  0 and OPTS_EXIT:
 * the requested information has been printed.  Otherwise *e has the error,
 * which may be empty for --check-backends, which prints nothing.  Call
 * options_fini() in any case.
 */
int options_read(struct options *o, int argc, char **argv,
                 enum opts_next *next, struct err *e);
void options_fini(struct options *o);

#endif /* TRACETOOL_OPTIONS_H */
