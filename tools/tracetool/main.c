/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracetool: from event declarations to code, tables and text.
 *
 * This file connects options, files, parser, formats and back ends, prints
 * errors and sets the exit code: 0 if the output was written; 1, or 2 for a
 * wrong call (1 with --runtime=qemu), if it is unchanged.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "tracetool/errors.h"
#include "tracetool/files.h"
#include "tracetool/options.h"
#include "tracetool/parse.h"
#include "tracetool/sources.h"
#include "tracetool/stap-command.h"

static void report_error(void *ctx, const struct tt_place *at, const char *text)
{
    (void)ctx;
    fprintf(stderr, "%s:%u:%u: %s\n", at->file, at->line, at->column, text);
}

/*
 * Each back end may reject an event; report the first error per event, and the
 * first TT_MAX_ERRORS of all.
 */
static int ask_backends(const struct tt_request *r)
{
    const struct tt_model *m = r->model;
    const struct tt_backend *backend;
    size_t i, j, nr = 0;
    struct err why;

    for ( i = 0; i < m->nr_events; i++ )
        for ( j = 0; j < r->nr_backends; j++ )
        {
            backend = r->backends[j];
            why = (struct err)ERR_INIT;
            if ( m->events[i].disabled || !backend->accepts ||
                 !backend->accepts(&m->events[i], &why) )
                continue;
            if ( nr++ < TT_MAX_ERRORS )
                report_error(NULL, &m->events[i].at, why.text);
            break;
        }
    if ( nr > TT_MAX_ERRORS )
        fprintf(stderr, "tracetool: and %zu more error%s not shown: mend "
                "these first\n", nr - TT_MAX_ERRORS,
                nr - TT_MAX_ERRORS == 1 ? " that is" : "s that are");
    return nr ? -EINVAL : 0;
}

static int write_all(const struct options *o, struct tt_request *r,
                     struct err *e)
{
    struct tt_output out;
    int rc = tt_output_begin(&out, e);

    if ( rc )
        return rc;
    r->out = out.file;
    rc = o->format->write(r, e);
    if ( rc )
        tt_output_drop(&out);
    else
        rc = tt_output_end(&out, o->output, e);
    return rc;
}

/* The error was reported: print no further message. */
#define ALREADY_REPORTED (-ECANCELED)

static int generate_output(const struct options *o, struct arena *a,
                           const struct tt_source *sources, struct err *e)
{
    struct tt_model model;
    struct tt_request r = {
        .model = &model, .runtime = o->runtime, .backends = o->backends,
        .nr_backends = o->nr_backends, .group = o->group,
        .provider = o->provider, .binary = o->binary,
        .probe_prefix = o->probe_prefix,
        .target_type = o->target_type, .target_name = o->target_name,
    };
    int rc = tt_parse(a, sources, o->nr_inputs, &model, report_error, NULL);

    if ( rc == -ENOMEM )
        return err_sys(e, rc, "cannot read the events");
    if ( rc )
        return ALREADY_REPORTED;
    model.group = o->group;
    if ( ask_backends(&r) )
        return ALREADY_REPORTED;
    return write_all(o, &r, e);
}

static int run_request(const struct options *o, struct err *e)
{
    struct tt_source *sources = NULL;
    struct arena a;
    int rc;

    arena_init(&a, 1u << 16);
    rc = tt_input_check(o->inputs, o->nr_inputs, o->output, e);
    if ( !rc )
        rc = tt_sources_read(o->inputs, o->nr_inputs, &sources, e);
    if ( !rc )
        rc = generate_output(o, &a, sources, e);
    tt_sources_free(sources, o->nr_inputs);
    arena_fini(&a);
    return rc;
}

int main(int argc, char **argv)
{
    struct options options = { .format = NULL };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int rc;

    if ( argc > 1 && !strcmp(argv[1], "stap") )
        return stap_command_run(argc - 1, argv + 1);
    rc = fault_arm_env(&e);
    if ( !rc )
        rc = options_read(&options, argc, argv, &next, &e);
    if ( !rc && next == OPTS_RUN )
        rc = run_request(&options, &e);
    if ( rc && e.text[0] )
        err_print("tracetool", &e);
    if ( options.runtime && options.runtime->is_strict )
        e.usage = false;
    options_fini(&options);
    return rc ? err_exit_code(&e) : EXIT_SUCCESS;
}
