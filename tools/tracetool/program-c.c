/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a program's events in format c that all runtimes have.
 */
#include "tracetool/program.h"

#include "tracetool/emit.h"

void program_c_group(const struct tt_request *r)
{
    fprintf(r->out, "%s%s", r->group ? r->group : "", r->group ? "_" : "");
}

void program_c_array(const struct tt_request *r)
{
    const struct tt_event *e, *events = r->model->events;

    fputs("TraceEvent *", r->out);
    program_c_group(r);
    fputs("trace_events[] = {\n", r->out);
    for ( e = events; e < events + r->model->nr_events; e++ )
    {
        if ( !program_has(e) )
            continue;
        fputs("    &_", r->out);
        program_token(r->out, e);
        fputs("_EVENT,\n", r->out);
    }
    fputs("    NULL,\n};\n\n", r->out);
}
