/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LTTng's trace points: the session daemon enables them, babeltrace reads the
 * traces.  Their definitions are two further files, of formats ust-events-h
 * ("trace-ust-GROUP.h", which the header includes) and ust-events-c.
 */
#include "tracetool/rows.h"

#include <errno.h>

#include "tracetool/program.h"

#define UST_MAX_ARGS 10u

static int ust_accepts(const struct tt_event *e, struct err *why)
{
    if ( program_nr_args(e) > UST_MAX_ARGS )
        return err_set(why, -EINVAL, "back end ust: %s: the vcpu makes it %zu "
                       "arguments, and LTTng takes %u: leave one out",
                       e->name, program_nr_args(e), UST_MAX_ARGS);
    return program_accepts(e, why);
}

static void ust_h_begin(const struct tt_request *r)
{
    fprintf(r->out, "#include \"trace-ust-%s.h\"\n\n",
            r->group ? r->group : "all");
}

static void ust_h_enabled(const struct tt_request *r, const struct tt_event *e)
{
    fprintf(r->out, "tracepoint_enabled(%s, %s)", r->provider, e->name);
}

static void ust_h_body(const struct tt_request *r, const struct tt_event *e)
{
    fprintf(r->out, "tracepoint(%s, %s", r->provider, e->name);
    program_arguments(r->out, ", ", e);
    fputs(");\n", r->out);
}

const struct tt_backend tt_backend_ust = {
    .name = "ust",
    .text = "LTTng's trace points.",
    .accepts = ust_accepts,
    .h_begin = ust_h_begin,
    .h_body = ust_h_body,
    .h_enabled = ust_h_enabled,
};
