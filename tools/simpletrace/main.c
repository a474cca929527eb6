/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simpletrace: traces of the simple back end, as text.
 *
 * This file joins events, traces and what becomes of the records, speaks to
 * the user and chooses the exit code: 0 all was read, 1 nothing was, 2 part
 * of the trace was damaged or not as declared.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/fault.h"
#include "simpletrace/merge.h"
#include "simpletrace/options.h"
#include "simpletrace/recover.h"
#include "simpletrace/sink.h"

#define EXIT_PART 2
#define MOST_GAPS 10u           /* that are told one by one */

static const struct st_sink *const styles[] = {
    &st_style_text, &st_style_log, &st_style_qemu, &st_style_qemu_raw,
    &st_style_json, &st_style_csv, &st_style_stats, &st_style_locks,
    &st_style_9p,
};

static void complain(const char *text)
{
    fprintf(stderr, "%s\n", text);
}

static void tell_gap(const struct st_reader *r, uint64_t offset,
                     uint64_t bytes)
{
    if ( r->gaps <= MOST_GAPS )
        fprintf(stderr, "simpletrace: %s: %" PRIu64 " bytes at %" PRIu64
                " are no records: passed over\n", r->in.name, bytes, offset);
}

static void print_one(const struct st_options *o, struct st_print *p,
                      const struct st_sink *sink,
                      const struct st_record *record)
{
    if ( !p->seen )
        p->first = record->time;
    p->seen = true;
    if ( !st_select_wants(&o->select, record, p->first) )
        return;
    if ( !p->any )
        p->last = record->time;
    sink->record(p, record);
    p->any = true;
    p->last = record->time;
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* Whoever follows a trace sees all of it that there is, at once. */
static bool wait_for_more(const struct st_options *o, struct st_print *p)
{
    static const struct timespec tick = { .tv_nsec = 100000000 };

    if ( !o->follow || interrupted )
        return false;
    st_out_flush(&p->out);
    nanosleep(&tick, NULL);
    return true;
}

static int print_all(const struct st_options *o, struct st_print *p,
                     const struct st_sink *sink, struct st_merge *m,
                     const struct st_reading *how, struct err *e)
{
    const struct st_record *record;
    int rc;

    do
    {
        while ( (rc = st_merge_next(m, &record, e)) > 0 && !p->out.failed &&
                !interrupted )
            print_one(o, p, sink, record);
        if ( !rc && o->follow )
            rc = st_merge_follow(m, how, e);
    } while ( !rc && !p->out.failed && wait_for_more(o, p) );

    if ( p->no_memory )
        return err_sys(e, -ENOMEM, "cannot keep what the report needs");
    return rc < 0 ? rc : 0;
}

/* What was wrong with the traces; true if anything was. */
static bool tell_damage(const struct st_options *o, const struct st_merge *m,
                        const struct st_print *p)
{
    bool any = p->misfits;
    size_t i;

    for ( i = 0; i < m->nr; i++ )
        if ( m->readers[i].gaps )
        {
            any = true;
            log_warning(&o->log, "%s: %" PRIu64 " bytes in %" PRIu64
                        " places are no records; %" PRIu64 " records read",
                        m->readers[i].in.name, m->readers[i].skipped,
                        m->readers[i].gaps, m->readers[i].records);
        }
    if ( p->misfits )
        log_warning(&o->log, "%" PRIu64 " records are of events that are not "
                    "declared, or declared otherwise: their bytes are shown; "
                    "give the file of events of the program that was traced",
                    p->misfits);
    return any;
}

static int print(const struct st_options *o, struct st_merge *m,
                 const struct st_reading *how, bool *damaged, struct err *e)
{
    struct st_print p = { .time = o->time };
    const struct st_sink *sink = styles[o->style];
    int rc, rc2;

    for ( size_t i = 0; i < m->nr; i++ )
        m->readers[i].damaged = tell_gap;
    rc = st_out_init(&p.out, STDOUT_FILENO, e);
    if ( rc )
        return rc;
    arena_init(&p.arena, 0);
    if ( sink->begin )
        sink->begin(&p);
    rc = print_all(o, &p, sink, m, how, e);
    if ( !rc && sink->end )
        sink->end(&p);
    rc2 = st_out_fini(&p.out, e);
    *damaged = tell_damage(o, m, &p);
    arena_fini(&p.arena);
    return rc ? rc : rc2;
}

static int recover(const struct st_options *o, bool *damaged, struct err *e)
{
    struct st_recovered done;
    int rc = st_recover(o->traces[0], o->recover, &done, e);

    if ( rc )
        return rc;
    log_info(&o->log, "%s: %" PRIu64 " events from the rings, and %" PRIu64
             " that were lost", o->recover, done.events, done.lost);
    *damaged = done.unread || done.missing;
    if ( done.unread )
        log_warning(&o->log, "%" PRIu64 " bytes of the rings are no events: "
                    "passed over", done.unread);
    if ( done.missing )
        log_warning(&o->log, "the trace file lacks %" PRIu64 " bytes at its "
                    "end: they are passed over", done.missing);
    return 0;
}

static int run(const struct st_options *o, bool *damaged, struct err *e)
{
    struct st_reading how = { .no_header = o->no_header, .ids = o->ids,
                              .follow = o->follow };
    struct st_events events;
    struct st_merge merge;
    int rc = 0;

    st_events_init(&events);
    if ( o->files.nr )
        rc = st_events_read(&events, o->files.text, o->files.nr, complain, e);
    if ( !rc )
        rc = st_merge_open(&merge, o->traces, o->nr_traces, &events, &how, e);
    if ( !rc )
    {
        rc = print(o, &merge, &how, damaged, e);
        st_merge_close(&merge);
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
    if ( !rc && next == OPTS_RUN && options.follow )
    {
        signal(SIGINT, interrupt);
        signal(SIGTERM, interrupt);
    }
    if ( !rc && next == OPTS_RUN )
        rc = options.recover ? recover(&options, &damaged, &e) :
                               run(&options, &damaged, &e);
    if ( rc )
        err_print("simpletrace", &e);
    return rc ? EXIT_FAILURE : damaged ? EXIT_PART : EXIT_SUCCESS;
}
