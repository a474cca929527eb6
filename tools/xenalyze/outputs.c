/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of outputs, and the loop that runs it.
 *
 * A pass runs once, however many of its outputs are wanted, when the first of
 * them comes in the table: so the table is also the order in which things are
 * printed.
 *
 * Facts want a file, for clocks that differ and for records of a collector that
 * was late: what is made of a stream in one go knows less.
 */
#include "xenalyze/outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "xenalyze/no-match.h"

struct output
{
    size_t wanted;              /* the flag in struct config */
    pass_fn *pass;
};

static const struct output outputs[] = {
    { offsetof(struct config, dump_raw_reads), raw_pass },
    { offsetof(struct config, dump_no_processing), raw_pass },
    { offsetof(struct config, dump_all), dump_pass },
    { offsetof(struct config, dump_raw_process), dump_pass },
    { offsetof(struct config, records), records_pass },
    { offsetof(struct config, formats), formats_pass },
    { offsetof(struct config, count), count_pass },
    { offsetof(struct config, info), windows_pass },
    { offsetof(struct config, reports_wanted), reports_pass },
    { offsetof(struct config, reports.summary), reports_pass },
};

#define NR_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

static bool is_wanted(const struct config *config, const struct output *o)
{
    return *(const bool *)((const char *)config + o->wanted);
}

/* Of what programs read there is one, and nothing else is in it. */
static int check_form(const struct config *config, struct err *e)
{
    const struct report_config *f = &config->reports;
    const char *form = f->json ? "json" : "csv";
    bool lines = false;

    if ( f->json && f->csv )
        return err_set(e, -EINVAL, "--json or --csv: one of them at a time");
    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        lines |= outputs[i].pass != reports_pass &&
                 is_wanted(config, &outputs[i]);
    if ( lines && (f->json || f->csv) )
        return err_set(e, -EINVAL, "--%s: has reports, scatterplots and "
                       "intervals; lines of records and counts need a run of "
                       "their own", form);
    return 0;
}

int outputs_choose(struct config *config, struct err *e)
{
    int rc = check_form(config, e);

    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        if ( is_wanted(config, &outputs[i]) )
            return rc;
    config->reports.summary = true;
    return rc;
}

/* Was it run for an output above this one? */
static bool was_run(const struct config *config, const struct output *o)
{
    for ( const struct output *above = outputs; above < o; above++ )
        if ( above->pass == o->pass && is_wanted(config, above) )
            return true;
    return false;
}

static bool begins_pass(const struct config *config, const struct output *o)
{
    return is_wanted(config, o) && !was_run(config, o);
}

bool outputs_read_again(const struct config *config)
{
    unsigned int nr = 0;

    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        if ( begins_pass(config, &outputs[i]) )
            nr += outputs[i].pass == reports_pass ? 2 : 1;
    return nr > 1;
}

/* How well the order of time could be kept; of a file that is mapped: well. */
static void say_bounds(const struct run *run)
{
    struct xt_trace_bounds b;

    xt_trace_bounds(run->trace, &b);
    if ( b.exact )
        log_debug(run->log, "%s: the order in time is exact", run->name);
    else
        log_debug(run->log, "%s: the order in time is exact if the collector "
                  "was two passes late at most: of %" PRIu64 " passes, %" PRIu64
                  " bytes were held at most, and %" PRIu64
                  " records came too late", run->name, b.passes, b.held,
                  b.late);
}

/* By enum layout: 4.19, or as good as that, is what master is. */
static const uint16_t versions[] = { 0, 0x0411, 0x0413 };

int outputs_run(struct run *run, struct err *e)
{
    int rc = xt_trace_info(run->trace, &run->info, e);
    bool again = false;

    xt_dialect_assume(&run->info.dialect, versions[run->config->layout],
                      XT_HARDWARE_UNKNOWN);
    for ( size_t i = 0; !rc && i < NR_OUTPUTS; i++ )
    {
        if ( !begins_pass(run->config, &outputs[i]) )
            continue;
        if ( again )
            rc = xt_trace_rewind(run->trace, e);
        if ( !rc )
            rc = outputs[i].pass(run, e);
        if ( rc == PASS_NOBODY )
            rc = nobody_explain(run, e);
        if ( !rc )
            say_bounds(run);
        again = true;
    }
    return rc;
}
