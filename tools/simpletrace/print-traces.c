/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges the records of all traces, filters them and passes them to a style.
 * On a terminal, output goes through a pager and in colours; otherwise a
 * progress line is printed on standard error.  Damage in the traces is
 * reported, too.
 */
#include "simpletrace/print-traces.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/debug.h"
#include "common/num.h"
#include "common/pager.h"
#include "common/progress.h"
#include "simpletrace/sink.h"

#define MAX_GAPS 10u            /* gaps that are reported one by one */
#define RECORDS_PER_TICK 8192u  /* between updates of the progress */

static const struct st_sink *const styles[] = {
    &st_style_text, &st_style_log, &st_style_qemu, &st_style_qemu_raw,
    &st_style_json, &st_style_csv, &st_style_stats, &st_style_locks,
    &st_style_9p,
};

static void report_gap(const struct st_reader *r, uint64_t offset,
                       uint64_t bytes, void *arg)
{
    if ( r->gaps > MAX_GAPS )
        return;
    progress_hide(arg);
    fprintf(stderr, "simpletrace: %s: skipped %" PRIu64 " byte%s at offset %"
            PRIu64 ", where no valid record is\n", r->in.name, bytes,
            num_plural(bytes), offset);
}

static void report_deleted(const struct st_reader *r, uint64_t files, void *arg)
{
    progress_hide(arg);
    if ( files )
        fprintf(stderr, "simpletrace: %s: %" PRIu64 " %s read: keep more "
                "rotated files\n", r->in.name, files, files == 1 ?
                "file was deleted before it was" :
                "files were deleted before they were");
    else
        fprintf(stderr, "simpletrace: %s: the followed file was deleted or "
                "renamed, and files behind it may be unread: keep more rotated "
                "files, as NAME.1, NAME.2\n", r->in.name);
}

static void print_record(const struct st_options *o, struct st_print *p,
                         const struct st_sink *sink,
                         const struct st_record *record)
{
    debug_assert(record->event && record->from);
    if ( !p->seen )
        p->first = record->time;
    p->seen = true;
    if ( !p->matched )
        p->matched = st_unmatched_note(&p->unmatched, &o->select, record,
                                       p->first);
    if ( !st_filter_accepts(&o->select, record, p->first) )
        return;
    if ( !p->any )
        p->last = record->time;
    sink->record(p, record);
    p->any = true;
    p->last = record->time;
}

static volatile sig_atomic_t interrupted;

static void handle_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* Flush before the wait, so that followed records are visible at once. */
static bool wait_for_records(const struct st_options *o, struct st_print *p)
{
    static const struct timespec tick = { .tv_nsec = 100000000 };

    if ( !o->follow || interrupted )
        return false;
    st_out_flush(&p->out);
    nanosleep(&tick, NULL);
    return true;
}

/* ---- how far it is ------------------------------------------------------ */

static void start_progress(struct progress *p, const struct st_merge *m,
                           bool is_wanted)
{
    struct stat st;

    *p = (struct progress){ .out = NULL };
    if ( !is_wanted )
        return;
    progress_init(p, stderr, "reading", "B", 0);
    for ( size_t i = 0; i < m->nr; i++ )
        if ( !fstat(m->readers[i].in.fd, &st) && S_ISREG(st.st_mode) )
            p->total += st.st_size;
}

static void show_progress(struct progress *p, const struct st_merge *m)
{
    uint64_t done = 0;

    for ( size_t i = 0; i < m->nr; i++ )
        done += st_input_offset(&m->readers[i].in);
    progress_update(p, done);
}

/* ---- all records -------------------------------------------------------- */

static int print_records(const struct st_options *o, struct st_print *p,
                         const struct st_sink *sink, struct st_merge *m,
                         const struct st_reader_options *how,
                         struct progress *progress, struct err *e)
{
    const struct st_record *record;
    unsigned int n = 0;
    int rc;

    do
    {
        while ( (rc = st_merge_next(m, &record, e)) > 0 && !p->out.failed &&
                !interrupted )
        {
            print_record(o, p, sink, record);
            if ( ++n % RECORDS_PER_TICK == 0 )
                show_progress(progress, m);
        }
        if ( !rc && o->follow )
            rc = st_merge_follow(m, how, e);
    } while ( rc >= 0 && !p->out.failed && !interrupted &&
              (rc > 0 || wait_for_records(o, p)) );

    if ( p->no_memory )
        return err_sys(e, -ENOMEM, "cannot store the data of the report");
    return rc < 0 ? rc : 0;
}

/* Print warnings about damage and undeclared events; true if there are any. */
static bool report_damage(const struct st_options *o, const struct st_merge *m,
                          const struct st_print *p)
{
    bool any = p->undeclared;
    const struct st_reader *r;

    for ( r = m->readers; r < m->readers + m->nr; r++ )
    {
        any |= r->deleted || r->unknown;
        if ( r->gaps )
        {
            any = true;
            log_warning(&o->log, "%s: read %" PRIu64 " record%s; skipped %"
                        PRIu64 " damaged byte%s in %" PRIu64 " place%s",
                        r->in.name, r->records, num_plural(r->records),
                        r->skipped, num_plural(r->skipped), r->gaps,
                        num_plural(r->gaps));
        }
    }
    if ( p->undeclared )
        log_warning(&o->log, "%" PRIu64 " record%s not match a declaration, "
                    "and %s printed as bytes: give the traced program's file "
                    "of events with --events", p->undeclared,
                    p->undeclared == 1 ? " does" : "s do",
                    p->undeclared == 1 ? "is" : "are");
    return any;
}

/*
 * A filter without a match is an error; a warning if losses were printed, among
 * which a match may be.
 */
static int refuse_unmatched(const struct st_options *o, struct st_print *p,
                            const struct st_merge *m, struct err *e)
{
    struct err why = ERR_INIT;

    if ( p->matched || o->follow ||
         !st_unmatched_explain(&p->unmatched, &o->select, m, &why) )
        return 0;
    if ( p->any )
    {
        log_warning(&o->log, "%s", why.text);
        return 0;
    }
    p->out.at = p->out.buffer;  /* a heading, such as that of style csv */
    return err_set(e, why.code, "%s", why.text);
}

/* ---- on a terminal as on one -------------------------------------------- */

static bool resolve_when(enum st_when when, bool by_itself)
{
    return when == ST_ALWAYS || (when == ST_AUTO && by_itself);
}

static int print_to_fd(const struct st_options *o, struct st_print *p, int fd,
                       struct st_merge *m, const struct st_reader_options *how,
                       struct progress *progress, struct err *e)
{
    const struct st_sink *sink = styles[o->style];
    int rc = st_out_init(&p->out, fd, e), rc2;

    assert(o->style < sizeof(styles) / sizeof(styles[0]));
    if ( rc )
        return rc;
    arena_init(&p->arena, 0);
    if ( sink->begin )
        sink->begin(p);
    rc = print_records(o, p, sink, m, how, progress, e);
    rc = rc ? rc : refuse_unmatched(o, p, m, e);
    if ( !rc && sink->end )
        sink->end(p);
    rc2 = st_out_fini(&p->out, e);
    arena_fini(&p->arena);
    return rc ? rc : rc2;
}

int st_print_traces(const struct st_options *o, struct st_merge *m,
                    const struct st_reader_options *how, bool *damaged,
                    struct err *e)
{
    bool terminal = isatty(STDOUT_FILENO);
    const char *no_colour = getenv("NO_COLOR");
    struct st_print p = { .time = o->time };
    struct pager pager = { .out = stdout };
    struct progress progress;
    int rc;

    p.colour = resolve_when(o->colour, terminal && !(no_colour && *no_colour));
    if ( o->follow )
    {
        signal(SIGINT, handle_interrupt);
        signal(SIGTERM, handle_interrupt);
    }
    else if ( resolve_when(o->pager, terminal) )
        pager_open(&pager);
    start_progress(&progress, m, o->progress && !terminal && !o->follow &&
                   !pager.pid);
    for ( size_t i = 0; i < m->nr; i++ )
    {
        m->readers[i].report_damage = report_gap;
        m->readers[i].report_deleted = report_deleted;
        m->readers[i].report_arg = &progress;
    }
    rc = print_to_fd(o, &p, fileno(pager.out), m, how, &progress, e);
    progress_fini(&progress);
    pager_close(&pager);
    /* A pager that was closed early is not an error. */
    if ( pager.pid && p.out.failed == -EPIPE )
        rc = 0;
    *damaged = report_damage(o, m, &p);
    return rc;
}
