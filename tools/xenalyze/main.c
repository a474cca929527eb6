/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenalyze: print the contents of a trace, and reports on it.
 *
 * main() prints errors and chooses the exit code: 0 if the input was read,
 * damaged or not; 1 if the input could not be read or is not a trace, or if the
 * output could not be written; 2 for a wrong call.  options.c has the options,
 * outputs.c runs them.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/fault.h"
#include "common/output-file.h"
#include "common/pager.h"
#include "xenalyze/compare/compare.h"
#include "xenalyze/hosts.h"
#include "xenalyze/info-tables.h"
#include "xenalyze/options.h"
#include "xenalyze/outputs.h"
#include "xenalyze/spool.h"

/* The name of the trace in messages: "a.xt", "a.xt and 3 more files". */
static const char *trace_name(const struct config *config, char *text,
                              size_t size)
{
    if ( config->nr_paths < 2 || config->compare )
        return strcmp(config->path, "-") ? config->path : "standard input";
    snprintf(text, size, "%s and %zu more file%s", config->path,
             config->nr_paths - 1, config->nr_paths > 2 ? "s" : "");
    return text;
}

static bool is_enabled(unsigned int when, bool automatic)
{
    return when == WHEN_ALWAYS || (when == WHEN_AUTO && automatic);
}

static int run_traces(struct run *run, struct hosts *hosts, struct err *e)
{
    assert(!hosts != !run->trace);
    return hosts ? hosts_run(hosts, run, e) : outputs_run(run, e);
}

/* Run the outputs into the file of --output. */
static int write_output(struct run *run, struct hosts *hosts, struct err *e)
{
    const struct config *config = run->config;
    struct output_file file;
    int rc = output_file_open(&file, config->output, e);

    if ( rc )
        return rc;
    run->out = file.out;
    run->output = config->output;
    if ( config->progress )
        run->progress = stderr;
    run->colour = is_enabled(config->colour, false);
    rc = run_traces(run, hosts, e);
    if ( !rc )
        return output_file_commit(&file, e);
    output_file_discard(&file);
    return rc;
}

/* Run the outputs; on a terminal with a pager and colours. */
static int print_output(struct run *run, struct hosts *hosts, struct err *e)
{
    const struct config *config = run->config;
    bool terminal = isatty(STDOUT_FILENO);
    const char *no_colour = getenv("NO_COLOR");
    struct pager pager = { .out = stdout };
    int rc, closed;

    run->colour = is_enabled(config->colour,
                             terminal && !(no_colour && *no_colour));
    if ( is_enabled(config->pager, terminal && !config->follow) )
        pager_open(&pager);
    else if ( config->progress && !terminal )
        run->progress = stderr;
    run->out = pager.out;
    rc = run_traces(run, hosts, e);
    closed = pager_close(&pager);
    /* A user who leaves the pager early has seen enough: no error. */
    if ( pager.pid && rc == -EPIPE )
        rc = 0;
    return rc || !closed ? rc : err_sys(e, closed, "cannot write the report");
}

static int print_written(const char *name, struct err *e)
{
    errno = 0;
    printf("wrote %s\n", name);
    if ( fflush(stdout) || ferror(stdout) )
        return err_sys(e, errno ? -errno : -EIO,
                       "%s is complete, but standard output fails", name);
    return 0;
}

/* The trace of the run is open; or it is of several hosts. */
static int run_outputs(struct run *run, struct hosts *hosts, struct err *e)
{
    const struct config *config = run->config;
    int rc = config->output && !config->draws ? write_output(run, hosts, e)
                                              : print_output(run, hosts, e);

    return rc || !config->draws ? rc : print_written(config->output, e);
}

/* --json-schema: to standard output, or into the file of --output. */
static int print_schema(const char *output, struct err *e)
{
    const struct export_table *const more[] = {
        comparison_tables(), info_tables(), NULL,
    };
    struct output_file file = { .out = stdout };
    int rc = output ? output_file_open(&file, output, e) : 0;

    if ( rc )
        return rc;
    assert(file.out);
    report_print_schema(more, file.out);
    if ( output )
        return output_file_commit(&file, e);
    if ( fflush(stdout) || ferror(stdout) )
        return err_sys(e, errno ? -errno : -EIO, "cannot write the schema");
    return 0;
}

/*
 * Completion has a name per line, and lists of options have commas: names with
 * a comma or a control character are left out.
 */
static bool is_completable(const char *name)
{
    for ( const char *c = name; *c; c++ )
        if ( (unsigned char)*c < ' ' || *c == 0x7f || *c == ',' )
            return false;
    return *name && *name != '-';
}

#define MAX_NUMBER_VALUES 1024u /* pcpus, and vcpus of one domain */

/*
 * The name of a domain, whose blanks a shell can quote; or the label, if other
 * domains have the same name, or if the name is a number.
 */
static const char *choose_word(const struct xt_domain_names *names,
                               const struct xt_domain_name *d)
{
    size_t length = strlen(d->name), at = 0;

    if ( !strncmp(d->name, d->label, length) || !is_completable(d->name) ||
         !xt_domain_names_find(names, d->name, length, &at) ||
         xt_domain_names_find(names, d->name, length, &at) )
        return d->label;
    return d->name;
}

/* A domain, or all its vcpus; without metadata of their number, vcpu 0. */
static void print_domain_values(const struct xt_domain_names *names,
                                const struct xt_domain_name *d, bool vcpus)
{
    const struct xt_rec_meta_domain *m = xt_host_domain(&names->host, d->id);
    unsigned int nr = m && m->vcpus ? m->vcpus : 1;
    const char *word = choose_word(names, d);

    if ( !is_completable(word) )
        return;
    if ( !vcpus )
        printf("%s\n", word);
    for ( unsigned int i = 0; vcpus && i < nr && i < MAX_NUMBER_VALUES; i++ )
        printf("%s/%u\n", word, i);
}

static int print_pcpu_values(struct xt_trace *trace, struct err *e)
{
    struct xt_info info;
    int rc = xt_trace_info(trace, &info, e);

    for ( uint32_t i = 0; !rc && i < info.cpus && i < MAX_NUMBER_VALUES; i++ )
        printf("%" PRIu32 "\n", i);
    return rc;
}

static int print_all_domains(struct xt_trace *trace, bool vcpus,
                                struct err *e)
{
    struct xt_domain_names names;
    int rc = xt_domain_names_init(&names, trace, e);

    if ( rc )
        return rc;
    for ( size_t i = 0; i < names.nr; i++ )
        print_domain_values(&names, &names.all[i], vcpus);
    xt_domain_names_fini(&names);
    return 0;
}

/*
 * --complete-values: the words for --pcpu, --domain or --vcpu, from metadata
 * only.
 */
static int print_values(const struct config *config, struct err *e)
{
    enum complete_values kind = config->complete_values;
    struct xt_trace *trace;
    int rc = xt_trace_open(&trace, config->path, 0, e);

    if ( rc )
        return rc;
    rc = kind == COMPLETE_PCPUS
         ? print_pcpu_values(trace, e)
         : print_all_domains(trace, kind == COMPLETE_VCPUS, e);
    xt_trace_close(trace);
    return rc;
}

/* Open the trace, and those of programs, and run the outputs. */
static int read_trace(struct run *run, const char *path, unsigned int flags,
                      struct err *e)
{
    const struct config *config = run->config;
    int rc = xt_trace_open(&run->trace, path, flags, e);

    if ( rc )
        return rc;
    if ( config->nr_programs )
        rc = programs_open(&run->programs, config->programs,
                           config->nr_programs, config->program_events, e);
    rc = rc ? rc : run_outputs(run, NULL, e);
    programs_close(run->programs);
    xt_trace_close(run->trace);
    return rc;
}

static int analyze_file(struct config *config, struct err *e)
{
    char name[PATH_MAX];
    struct run run = {
        .config = config, .name = trace_name(config, name, sizeof(name)),
        .log = &config->log,
    };
    unsigned int flags = config->follow ? XT_SOURCE_FOLLOW | XT_SOURCE_STREAM
                                        : 0;
    struct spool spool = { .fd = -1 };
    const char *path = config->path;
    struct hosts *hosts;
    int rc;

    if ( config->reports.json_schema )
    {
        rc = outputs_check_schema(config, e);
        return rc ? rc : print_schema(config->output, e);
    }
    if ( config->complete_values )
        return print_values(config, e);
    rc = outputs_choose(config, isatty(STDOUT_FILENO) && !config->output,
                        e);
    if ( !rc && config->program_events )
        rc = programs_check_declarations(config->program_events, e);
    rc = rc ? rc : hosts_find(&hosts, config, e);
    if ( rc )
        return rc;
    if ( hosts )
    {
        rc = run_outputs(&run, hosts, e);
        hosts_free(hosts);
        return rc;
    }
    if ( config->nr_paths > 1 && !config->compare )
        rc = spool_join(&spool, config->paths, config->nr_paths, &path,
                        &config->log, e);
    else if ( outputs_read_again(config) )
        rc = spool_open(&spool, config->path, &path, e);
    if ( !rc )
        rc = read_trace(&run, path, flags, e);
    spool_close(&spool);
    return rc;
}

int main(int argc, char **argv)
{
    struct config config = { .log = LOG_INIT("xenalyze") };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int rc = fault_arm_env(&e);

    if ( !rc )
        rc = options_parse(&config, argc, argv, &next, &e);
    if ( !rc && next == OPTS_RUN )
        rc = analyze_file(&config, &e);
    if ( rc )
        err_print("xenalyze", &e);
    return rc ? err_exit_code(&e) : EXIT_SUCCESS;
}
