/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simpletrace: traces of the simple back end, as text.
 *
 * main() reads the declarations, opens the traces, and chooses the exit code:
 * 0 success, 1 failure, 2 wrong call, 3 part of a trace is damaged or not as
 * declared.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/num.h"
#include "simpletrace/merge.h"
#include "simpletrace/options.h"
#include "simpletrace/print-traces.h"
#include "simpletrace/recover.h"

#define EXIT_PART 3

static void print_diagnostic(const char *text)
{
    fprintf(stderr, "%s\n", text);
}

/* What the rings of a program have, as "3 more events". */
struct ring_contents
{
    char text[96];
};

static const char *describe_rings(const struct st_recovered *r,
                                  struct ring_contents *c)
{
    char events[48] = "", lost[48] = "";

    if ( r->events )
        snprintf(events, sizeof(events), "%" PRIu64 " more event%s", r->events,
                 num_plural(r->events));
    if ( r->lost )
        snprintf(lost, sizeof(lost), "the number of %" PRIu64 " lost event%s",
                 r->lost, num_plural(r->lost));
    snprintf(c->text, sizeof(c->text), "%s%s%s", events,
             *events && *lost ? ", and " : "", lost);
    return c->text;
}

static void report_recovered(const struct st_options *o,
                             const struct st_recovered *r)
{
    char lost[64] = "";

    if ( r->lost )
        snprintf(lost, sizeof(lost), "; %" PRIu64 " event%s had been lost",
                 r->lost, num_plural(r->lost));
    log_info(&o->log, "%s: recovered %" PRIu64 " event%s from the rings%s",
             o->recover, r->events, num_plural(r->events), lost);
}

static int recover_trace(const struct st_options *o, bool *damaged,
                         struct err *e)
{
    struct st_recovered done;
    int rc = st_recover_trace(o->traces[0], o->recover, &done, e);

    if ( rc )
        return rc;
    report_recovered(o, &done);
    *damaged = done.unread || done.missing;
    if ( done.unread )
        log_warning(&o->log, "skipped %" PRIu64 " byte%s of the rings, where "
                    "no valid event is", done.unread, num_plural(done.unread));
    if ( done.missing )
        log_warning(&o->log, "the end of the trace file is missing, %" PRIu64
                    " byte%s: the events there are lost", done.missing,
                    num_plural(done.missing));
    if ( done.is_removed )
        log_info(&o->log, "removed the rings: %s contains all of their events",
                 o->recover);
    return 0;
}

/* A killed program has left its last events in memory. */
static void report_rings(const struct st_options *o)
{
    struct st_recovered more;
    struct ring_contents c;

    for ( size_t i = 0; i < o->nr_traces; i++ )
        if ( !st_recover_find_more(o->traces[i], &more) )
            continue;
        else if ( more.is_alive )
            log_info(&o->log, "%s: the program still runs, and holds %s in "
                     "memory", o->traces[i], describe_rings(&more, &c));
        else
            log_warning(&o->log, "%s: the program was killed: %s.rings holds "
                        "%s: simpletrace --recover=NEW %s.rings", o->traces[i],
                        o->traces[i], describe_rings(&more, &c),
                        o->traces[i]);
}

static int print_traces(const struct st_options *o, bool *damaged,
                        struct err *e)
{
    struct st_reader_options how = { .no_header = o->no_header, .ids = o->ids,
                              .follow = o->follow };
    struct st_events events;
    struct st_merge merge;
    int rc = 0;

    st_events_init(&events);
    if ( o->files.nr )
        rc = st_events_read(&events, o->files.text, o->files.nr,
                            print_diagnostic, e);
    if ( !rc )
        rc = st_merge_open(&merge, o->traces, o->nr_traces, &events, &how, e);
    if ( !rc )
    {
        rc = st_print_traces(o, &merge, &how, damaged, e);
        st_merge_close(&merge);
        if ( !o->follow )
            report_rings(o);
    }
    st_events_fini(&events);
    return rc;
}

int main(int argc, char **argv)
{
    struct st_options options;
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    bool damaged = false;
    int rc;

    rc = fault_arm_env(&e);
    if ( !rc )
        rc = st_options_read(&options, argc, argv, &next, &e);
    if ( !rc && next == OPTS_RUN )
        rc = options.recover ? recover_trace(&options, &damaged, &e) :
                               print_traces(&options, &damaged, &e);
    if ( rc )
        err_print("simpletrace", &e);
    return rc ? err_exit_code(&e) : damaged ? EXIT_PART : EXIT_SUCCESS;
}
