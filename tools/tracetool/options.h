/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line, in today's spelling and in that of the first tracetool,
 * which was a filter: `tracetool --nop -h <trace-events >trace.h`.
 */
#ifndef TRACETOOL_OPTIONS_H
#define TRACETOOL_OPTIONS_H

#include "common/opts.h"
#include "tracetool/output.h"

#define TT_MAX_BACKENDS 16u

struct options
{
    const struct tt_format *format;
    const struct tt_backend *backends[TT_MAX_BACKENDS];
    size_t nr_backends;
    char *group;                /* identifiers' letters only; or NULL */
    const char *provider, *binary, *probe_prefix, *target_type, *target_name;
    char **inputs;
    size_t nr_inputs;
    const char *output;
    char *filter[1];            /* the input of a filter: "-" */
    char *prefix;               /* the default one, if it was made */
};

/*
 * 0 and *next == OPTS_RUN: *o is complete and sound.  0 and OPTS_EXIT: all
 * that was asked for has been printed.  Else *e says what is wrong; it may
 * be empty for --check-backends, which says nothing.  options_fini() in any
 * case.
 */
int options_read(struct options *o, int argc, char **argv,
                 enum opts_next *next, struct err *e);
void options_fini(struct options *o);

#endif /* TRACETOOL_OPTIONS_H */
