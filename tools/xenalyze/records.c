/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes over the records in the order of time that print a line for each:
 * the dump, and the records as they are.
 */
#include "xenalyze/outputs.h"

#include "libxentrace/catalogue.h"
#include "xenalyze/report/dump.h"
#include "xenalyze/report/records.h"

static int print(const struct run *run, const struct print_style *style,
                 void *state, struct err *e)
{
    struct print_job job = {
        .trace = run->trace, .style = style, .state = state,
        .out = run->out, .threads = 1,
    };

    return print_run(&job, e);
}

int dump_pass(const struct run *run, struct err *e)
{
    const struct config *config = run->config;
    struct dump_options options = {
        .text = config->dump_all, .raw = config->dump_raw_process,
        .show_power = config->dump_show_power_states,
    };
    struct xt_catalogue *catalogue = NULL;
    struct dump *d = NULL;
    int rc = xt_catalogue_new(&catalogue, &run->info.dialect);

    xt_info_clock(&run->info, config->hz, &options.clock);
    if ( !rc )
        rc = dump_new(&d, run->trace, catalogue, &options);
    if ( rc )
        err_sys(e, rc, "cannot dump %s", run->name);
    else
        rc = print(run, dump_style(), d, e);
    dump_free(d);
    xt_catalogue_free(catalogue);
    return rc;
}

int records_pass(const struct run *run, struct err *e)
{
    struct xt_catalogue *catalogue = NULL;
    int rc = xt_catalogue_new(&catalogue, &run->info.dialect);

    if ( rc )
        return err_sys(e, rc, "cannot print the records of %s", run->name);
    rc = print(run, records_style(), catalogue, e);
    xt_catalogue_free(catalogue);
    return rc;
}
