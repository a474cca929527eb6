/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass of `xenalyze index`.
 */
#include "xenalyze/index-pass.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/stat.h>

#include "common/fault.h"
#include "common/num.h"
#include "xenalyze/captures.h"
#include "xenalyze/convert/convert.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/pass-progress.h"

static int note_disorder(void *state, const struct fact_end *f, struct err *e)
{
    bool *any = state;

    (void)e;
    *any |= fact_disorder_error(&f->disorder) > 0;
    return 0;
}

/*
 * Would an analysis correct clocks, or warn of them?  A span has too few
 * records to find out.  1, 0, or -errno; the trace is rewound, and *damage is
 * what the analysis has found.
 */
static int find_differences(const struct run *run, struct xt_damage *damage,
                            struct err *e)
{
    static const struct sink_ops ops = {
        .name = "disorder", .end = note_disorder,
    };
    const struct analyze_options options = {
        .threads = run->config->threads, .hz = run->config->hz,
        .info = &run->info,
    };
    bool any = false;
    const struct sink sink = { &ops, &any };
    unsigned int nr;
    int rc = analyze_trace(run->trace, &options, &sink, 1, e);

    *damage = *xt_trace_damage(run->trace);
    rc = rc ? rc : xt_trace_rewind(run->trace, e);
    rc = rc ? rc : xt_trace_cpus(run->trace, &nr, e);
    if ( !rc )
    {
        any |= analyze_has_corrections(run->trace, nr);
        rc = analyze_reset_clocks(run->trace, e);
    }
    rc = rc ? rc : xt_trace_rewind(run->trace, e);
    assert(rc <= 0);
    return rc ? rc : any;
}

/* --- damage --------------------------------------------------------------- */

/*
 * Can the damage of the trace be listed by pcpu?  Windows that are not in order
 * have another place than in the file.
 */
static bool is_listable(const struct xt_damage *d)
{
    return xt_damage_grade(d) > XT_GRADE_CUT &&
           !d->times[XT_DAMAGE_REPEATED] && !d->times[XT_DAMAGE_ORDER] &&
           !d->times[XT_DAMAGE_TWICE] && !d->times[XT_DAMAGE_CHANGED];
}

/*
 * List the damage if there is any: *list is NULL without any, or if there is
 * too much.  The trace has been read; it is rewound.  0 or -errno.
 */
static int list_damage(const struct run *run, const struct xt_damage *found,
                       struct xt_pcpu_damages *d,
                       const struct xt_pcpu_damages **list, struct err *e)
{
    int rc = 0;

    *list = NULL;
    if ( is_listable(found) )
    {
        rc = xt_trace_list_damage(run->trace, d, e);
        *list = rc ? NULL : d;
    }
    return rc == -E2BIG ? 0 : rc;
}

/* --- counts --------------------------------------------------------------- */

/* The pass in the order of the file, beside that in the order of time. */
struct counting
{
    const char *path;
    struct saved_counts saved;
    struct err err;
    pthread_t thread;
    bool has_thread, is_done;
    int rc;
};

static void *run_counting(void *counting)
{
    struct counting *c = counting;
    struct xt_trace *trace = NULL;
    struct captures captures;
    int rc = saved_counts_init(&c->saved);

    assert(!c->is_done);
    rc = rc ? rc : xt_trace_open(&trace, c->path, 0, &c->err);
    rc = rc ? rc : count_trace(&c->saved.counts, trace,
                               saved_counts_add_window, &c->saved, &c->err);
    xt_trace_close(trace);
    if ( !rc )
    {
        captures = captures_count(c->path, &c->saved.counts.damage);
        c->saved.captures = captures.nr;
        c->saved.cycles = captures.cycles;
        rc = captures.nr ? 0 : -ENOMEM;
    }
    c->rc = rc;
    return NULL;
}

/* Without a second thread, the records are counted in the end. */
static void begin_counting(struct counting *c, const struct run *run)
{
    *c = (struct counting){ .path = run->config->path, .err = ERR_INIT };
    c->has_thread = run->config->threads > 1 && !fault_hit(FAULT_OPEN) &&
                    !pthread_create(&c->thread, NULL, run_counting, c);
}

/* An index_counts_fn. */
static int end_counting(void *counting, struct saved_counts **saved,
                        struct err *e)
{
    struct counting *c = counting;

    assert(!c->is_done);
    if ( c->has_thread )
        pthread_join(c->thread, NULL);
    else
        run_counting(c);
    c->is_done = true;
    *saved = c->rc ? NULL : &c->saved;
    /* Too much metadata: info and count read the trace. */
    if ( !c->rc || c->rc == -E2BIG )
        return 0;
    return *c->err.text ? err_set(e, c->rc, "%s", c->err.text)
                        : err_sys(e, c->rc, "cannot count %s", c->path);
}

static void free_counting(struct counting *c)
{
    assert(c->path);
    if ( c->has_thread && !c->is_done )
        pthread_join(c->thread, NULL);
    saved_counts_fini(&c->saved);
}

/* --- the index ------------------------------------------------------------ */

static int build_beside_counting(const struct run *run, struct counting *c,
                                 struct index_counts *counts, struct err *e)
{
    struct index_options o = {
        .trace = run->trace, .path = run->config->path,
        .get_counts = end_counting, .counts_arg = c,
    };
    struct xt_pcpu_damages damages = { .nr = 0 };
    struct pass_progress progress = { .trace = NULL };
    struct xt_damage found;
    int rc = find_differences(run, &found, e);

    if ( rc < 0 )
        return rc;
    o.clocks_differ = rc;
    rc = list_damage(run, &found, &damages, &o.damages, e);
    if ( !rc && pass_progress_begin(&progress, run, true) )
    {
        o.progress = pass_progress_update;
        o.progress_arg = &progress;
        rc = xt_trace_rewind(run->trace, e);
    }
    if ( !rc )
        rc = time_index_write(&o, counts, e);
    pass_progress_end(&progress);
    xt_pcpu_damages_fini(&damages);
    return rc ? rc : xt_trace_rewind(run->trace, e);
}

int index_build(const struct run *run, struct index_counts *counts,
                struct err *e)
{
    struct counting counting;
    int rc;

    begin_counting(&counting, run);
    rc = build_beside_counting(run, &counting, counts, e);
    free_counting(&counting);
    return rc;
}

static bool is_empty_file(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

/* Only a file that is mapped as it is can be read from its middle. */
static int check_input(const struct run *run, struct err *e)
{
    const struct config *c = run->config;
    struct err unmapped = ERR_INIT;
    uint64_t first, last;
    int rc;

    if ( !time_index_may_exist(c->path) )
        return err_set(e, -EINVAL, "%s: an index is beside a file: give the "
                       "name of the trace", run->name);
    rc = c->nr_paths == 1
         ? xt_trace_span(run->trace, &first, &last, &unmapped) : -ESPIPE;
    if ( rc == -ESPIPE && is_empty_file(c->path) )
        return PASS_NO_RECORD;
    if ( rc == -ESPIPE )
        return err_set(e, -EINVAL, "%s: only a file that is neither "
                       "compressed nor of the other byte order can have an "
                       "index", run->name);
    rc = rc ? err_set(e, rc, "%s", unmapped.text)
            : xt_trace_rewind(run->trace, e);
    return rc || first <= last ? rc : PASS_NO_RECORD;
}

int index_pass(const struct run *run, struct err *e)
{
    struct index_counts counts;
    char size[NUM_HUMAN_MAX + 1];
    int rc = check_input(run, e);

    rc = rc ? rc : index_build(run, &counts, e);
    if ( rc )
        return rc;
    if ( counts.is_unusable )
        log_warning(run->log, "%s: the index serves --info and --count only, "
                    "since the trace has several captures, windows that are "
                    "repeated or in the wrong order, or too much damage",
                    run->name);
    else if ( counts.clocks_differ )
        log_warning(run->log, "%s: reports will not use the index, since the "
                    "clocks of pcpus differ; --cut, --info and --count will",
                    run->name);
    *num_human_1024(size, counts.size, "B") = '\0';
    fprintf(run->out, "%s" TIME_INDEX_SUFFIX ": %" PRIu32 " checkpoint%s, %s\n",
            run->name, counts.checkpoints, num_plural(counts.checkpoints),
            size);
    return run_flush(run, e);
}
