/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes that print a line for each record: what is asked for becomes a
 * style, its state, and the order of the records.
 */
#include "xenalyze/outputs.h"

#include "libxentrace/catalogue.h"
#include "xenalyze/report/dump.h"
#include "xenalyze/report/file-order.h"
#include "xenalyze/report/formats.h"
#include "xenalyze/report/raw.h"
#include "xenalyze/report/records.h"

/* What a style is run with; the order of time if not said otherwise. */
static struct print_job job_of(const struct run *run,
                               const struct print_style *style, void *state)
{
    return (struct print_job){
        .trace = run->trace, .style = style, .state = state,
        .out = run->out, .threads = run->config->threads,
    };
}

static int print_in_order(const struct run *run, struct print_job *job,
                          enum order order, struct err *e)
{
    struct file_order file;
    int rc;

    if ( order == ORDER_TIME )
        return print_run(job, e);
    file_order_init(&file, run->trace);
    job->next = file_order_next;
    job->next_arg = &file;
    rc = print_run(job, e);
    file_order_fini(&file);
    return rc;
}

int dump_pass(const struct run *run, struct err *e)
{
    const struct config *config = run->config;
    struct dump_options options = {
        .text = config->dump_all, .raw = config->dump_raw_process,
        .show_power = config->dump_show_power_states,
    };
    struct xt_catalogue *catalogue = NULL;
    struct print_job job;
    struct dump *d = NULL;
    int rc = xt_catalogue_new(&catalogue, &run->info.dialect);

    xt_info_clock(&run->info, config->hz, &options.clock);
    if ( !rc )
        rc = dump_new(&d, run->trace, catalogue, &options);
    job = job_of(run, dump_style(), d);
    if ( rc )
        err_sys(e, rc, "cannot dump %s", run->name);
    else
        rc = print_run(&job, e);
    dump_free(d);
    xt_catalogue_free(catalogue);
    return rc;
}

int records_pass(const struct run *run, struct err *e)
{
    struct xt_catalogue *catalogue = NULL;
    struct print_job job;
    int rc = xt_catalogue_new(&catalogue, &run->info.dialect);

    if ( rc )
        return err_sys(e, rc, "cannot print the records of %s", run->name);
    job = job_of(run, records_style(), catalogue);
    rc = print_in_order(run, &job, run->config->order, e);
    xt_catalogue_free(catalogue);
    return rc;
}

int raw_pass(const struct run *run, struct err *e)
{
    struct print_job job = job_of(run, raw_read_style(), NULL);

    job.threads = 1;
    return print_in_order(run, &job, ORDER_FILE, e);
}

int formats_pass(const struct run *run, struct err *e)
{
    struct print_job job;
    struct formats *f;
    int rc = formats_read(&f, run->config->rules, e);

    if ( rc )
        return rc;
    formats_set_mhz(f, run->config->mhz);
    job = job_of(run, formats_style(), f);
    rc = print_in_order(run, &job, run->config->order, e);
    formats_free(f);
    return rc;
}
