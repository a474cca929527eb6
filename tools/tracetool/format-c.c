/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C file that accompanies the header of format h: the objects of a
 * program's events (program-c.c), and definitions that back ends need once per
 * program.  For the hypervisor the file is empty.
 */
#include "tracetool/rows.h"

#include "tracetool/emit.h"
#include "tracetool/program.h"

static void put_backend(const struct tt_request *r,
                        const struct tt_backend *b)
{
    if ( b->c_begin )
        b->c_begin(r);
    for ( size_t i = 0; b->c_event && i < r->model->nr_events; i++ )
        if ( !r->model->events[i].disabled )
            b->c_event(r, &r->model->events[i]);
}

static int write_c(const struct tt_request *r, struct err *why)
{
    (void)why;
    fputs("/* " EMIT_BANNER " */\n", r->out);
    r->runtime->c_begin(r);
    for ( size_t i = 0; i < r->nr_backends; i++ )
        put_backend(r, r->backends[i]);
    r->runtime->c_end(r);
    return 0;
}

const struct tt_format tt_format_c = {
    .name = "c",
    .text = "C file that belongs to the header of format h.",
    .makes_code = true,
    .wants_group = true,
    .write = write_c,
};
