/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files are of one host if nothing in their metadata differs that a capture
 * cannot change (same-capture.h).  Only metadata can prove the contrary:
 * without it, files that differ are refused.
 */
#define _GNU_SOURCE /* gmtime_r */
#include "xenalyze/hosts.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/fault.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/merge-lines.h"
#include "xenalyze/not-trace.h"
#include "xenalyze/same-capture.h"
#include "xenalyze/spool.h"
#include "xenalyze/time-span.h"

#define SECOND INT64_C(1000000000)
#define TIME_MAX 96u            /* bytes of a time on the wall clock, twice */

struct host
{
    const char **paths;         /* its files */
    size_t nr_paths;
    struct xt_info info;        /* of the first file */
    struct xt_clock clock;      /* from the begin on */
    struct spool spool;
    const char *use;            /* path to open */
    char label[VIEWER_HOST_MAX];
};

struct hosts
{
    struct host all[HOSTS_MAX];
    size_t nr;
    const char **paths;         /* memory of the paths of all hosts */
    char time[TIME_MAX];        /* --time for all hosts */
};

/* --- which hosts ---------------------------------------------------------- */

/* A pipe cannot be read again, which all that follows does. */
static int check_file(const char *path, struct err *e)
{
    struct stat st;

    if ( stat(path, &st) )
        return err_sys(e, -errno, "cannot open %s", path);
    return S_ISREG(st.st_mode) ? 0
           : err_set(e, -EINVAL, "%s is no regular file, as traces of several "
                     "hosts have to be", path);
}

static int read_info(const char *path, struct xt_info *info, struct err *e)
{
    struct xt_trace *trace;
    int rc = check_file(path, e);

    rc = rc ? rc : xt_trace_open(&trace, path, 0, e);
    if ( rc )
        return rc;
    rc = xt_trace_info(trace, info, e);
    xt_trace_close(trace);
    return rc;
}

/* Why a file cannot be one of several hosts. */
static int check_host(const struct xt_info *info, const char *path,
                      size_t nr_hosts, struct err *e)
{
    if ( nr_hosts == HOSTS_MAX )
        return err_set(e, -EINVAL, "%s is of host number %zu; at most %u hosts "
                       "are shown together", path, nr_hosts + 1, HOSTS_MAX);
    if ( info->has_wall && info->hz )
        return 0;
    return err_set(e, -EINVAL, "%s has no %s, so its place among the other "
                   "hosts is unknown; analyze it alone", path,
                   info->has_wall ? "frequency of its clock" : "wall clock");
}

/* Find or add the host of a file. */
static int add_file(struct hosts *h, size_t host_of[], size_t file,
                    const char *path, const struct xt_info *info,
                    struct err *e)
{
    size_t i;
    int rc;

    for ( i = 0; i < h->nr; i++ )
    {
        if ( !same_capture_find_difference(&h->all[i].info, info) )
            break;
        if ( !same_capture_is_proven(&h->all[i].info, info) )
            return err_set(e, -EINVAL, "the metadata of %s do not tell its "
                           "host; analyze it alone", path);
    }
    rc = i < h->nr ? 0 : check_host(info, path, h->nr, e);
    if ( rc )
        return rc;
    if ( i == h->nr )
        h->all[h->nr++].info = *info;
    host_of[file] = i;
    h->all[i].nr_paths++;
    return 0;
}

/* Give each host its part of the array of paths. */
static int distribute_paths(struct hosts *h, const struct config *config,
                            const size_t *host_of)
{
    const char **paths = h->paths = fault_calloc(config->nr_paths,
                                                 sizeof(*paths));

    if ( !paths )
        return -ENOMEM;
    for ( size_t i = 0; i < h->nr; i++ )
    {
        h->all[i].paths = paths;
        for ( size_t file = 0; file < config->nr_paths; file++ )
            if ( host_of[file] == i )
                *paths++ = config->paths[file];
    }
    return 0;
}

/* Labels are in the names of rows: no blanks, and nothing unusual. */
static void set_label(struct host *h, const char *name)
{
    size_t length = 0;

    for ( ; name[length] && length < sizeof(h->label) - 8; length++ )
        h->label[length] = isalnum((unsigned char)name[length]) ||
                           strchr("-_.", name[length]) ? name[length] : '_';
    h->label[length] = '\0';
}

struct label_search
{
    struct host *host;
    struct xt_meta_text text;
};

static void find_label(void *arg, const struct xt_meta *m)
{
    struct label_search *s = arg;

    if ( m->event == TRC_META_TEXT && m->text.kind == FILE_TEXT_HOST &&
         xt_meta_text_add(&s->text, m->text.part, m->text.parts,
                          &m->text.t0) && *s->text.text )
        set_label(s->host, s->text.text);
}

/* The name that dom0 had, or that of the file. */
static void choose_label(struct host *h, const char *path,
                         const struct xt_trace *trace)
{
    const char *base = strrchr(path, '/');
    struct label_search search = { .host = h };

    set_label(h, base ? base + 1 : path);
    xt_trace_visit_metadata(trace, find_label, &search);
}

static bool has_label(const struct hosts *h, size_t end, const char *label)
{
    for ( size_t i = 0; i < end; i++ )
        if ( !strcmp(h->all[i].label, label) )
            return true;
    return false;
}

/* Hosts of the same name have numbers: "xen", "xen-2". */
static void make_labels_unique(struct hosts *h)
{
    char label[VIEWER_HOST_MAX];

    for ( size_t i = 1; i < h->nr; i++ )
    {
        struct host *host = &h->all[i];

        strcpy(label, host->label);
        for ( size_t nr = 2; has_label(h, i, host->label); nr++ )
            snprintf(host->label, sizeof(host->label), "%.*s-%zu",
                     (int)sizeof(label) - 8, label, nr);
    }
}

struct begin
{
    bool has_window;            /* a file is a trace */
    uint64_t time;              /* UINT64_MAX: no record has a time */
};

/* The begin is the first file's, which spool_join() has not found yet. */
static int read_begin(struct host *h, const char *path, struct begin *begin,
                      struct err *e)
{
    struct xt_trace *trace;
    struct xt_batch b;
    struct xt_info info;
    uint64_t time;
    int rc = xt_trace_open(&trace, path, 0, e);

    if ( rc )
        return rc;
    rc = xt_trace_info(trace, &info, e);
    if ( !rc && !*h->label )
        choose_label(h, path, trace);
    rc = rc ? rc : xt_trace_next_batch(trace, &b, e);
    if ( rc > 0 )
    {
        /* 0 if the file has metadata only. */
        time = xt_trace_origin(trace, &b);
        begin->has_window = true;
        if ( time && time < begin->time )
            begin->time = time;
    }
    xt_trace_close(trace);
    return rc < 0 ? rc : 0;
}

static int complete_host(struct host *h, uint64_t hz, struct err *e)
{
    struct begin begin = { .time = UINT64_MAX };
    int rc = 0;

    assert(h->nr_paths && h->info.has_wall);
    for ( size_t i = 0; !rc && i < h->nr_paths; i++ )
        rc = read_begin(h, h->paths[i], &begin, e);
    if ( !rc && !begin.has_window )
        rc = not_trace_explain_begin(h->paths[0], e);
    if ( rc )
        return rc;
    if ( h->info.is_cut )
        begin.time = h->info.cut_origin;
    else if ( begin.time == UINT64_MAX )
        begin.time = h->info.wall_tsc;
    xt_info_clock(&h->info, hz, &h->clock);
    xt_info_set_origin(&h->info, &h->clock, begin.time);
    return 0;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct xt_clock *x = &((const struct host *)a)->clock;
    const struct xt_clock *y = &((const struct host *)b)->clock;

    assert(x->has_wall && y->has_wall);
    return x->wall < y->wall ? -1 : x->wall > y->wall;
}

/* A damaged record has any date; times from the first begin have to fit. */
static int check_dates(const struct hosts *h, struct err *e)
{
    const struct host *first = &h->all[0], *last = &h->all[h->nr - 1];

    assert(h->nr > 1);
    if ( first->clock.wall >= 0 && last->clock.wall <= INT64_MAX / 4 )
        return 0;
    return err_set(e, -EINVAL, "%s has a wall clock before 1970 or after 2043; "
                   "analyze these traces one by one",
                   first->clock.wall < 0 ? first->paths[0] : last->paths[0]);
}

static int complete_hosts(struct hosts *h, uint64_t hz, struct err *e)
{
    int rc = 0;

    assert(h->nr > 1);
    for ( size_t i = 0; i < h->nr; i++ )
        h->all[i].spool.fd = -1;
    for ( size_t i = 0; !rc && i < h->nr; i++ )
        rc = complete_host(&h->all[i], hz, e);
    if ( rc )
        return rc;
    qsort(h->all, h->nr, sizeof(*h->all), compare_hosts);
    make_labels_unique(h);
    return check_dates(h, e);
}

/* -ENOMEM may come without *e. */
static int find_hosts(struct hosts *h, const struct config *config,
                      struct err *e)
{
    size_t *host_of = fault_calloc(config->nr_paths, sizeof(*host_of));
    struct err refused = ERR_INIT;
    int rc = 0;

    if ( !host_of )
        return -ENOMEM;
    for ( size_t i = 0; !rc && i < config->nr_paths; i++ )
    {
        const char *path = config->paths[i];
        struct xt_info info;

        rc = read_info(path, &info, &refused);
        rc = rc ? rc : add_file(h, host_of, i, path, &info, &refused);
    }
    if ( rc && h->nr > 1 )
        *e = refused;
    else if ( rc )
    {
        /* Files of one host are read again, with a message. */
        h->nr = 0;
        rc = 0;
    }
    if ( !rc && h->nr > 1 )
        rc = distribute_paths(h, config, host_of);
    free(host_of);
    return rc || h->nr < 2 ? rc : complete_hosts(h, config->hz, e);
}

int hosts_find(struct hosts **hosts, const struct config *config,
               struct err *e)
{
    struct hosts *h;
    int rc;

    *hosts = NULL;
    if ( config->nr_paths < 2 || config->compare ||
         !outputs_have_hosts(config) )
        return 0;
    h = fault_calloc(1, sizeof(*h));
    rc = h ? find_hosts(h, config, e) : -ENOMEM;
    if ( rc && !e->code )
        err_sys(e, rc, "cannot compare %zu files", config->nr_paths);
    if ( rc || h->nr < 2 )
        hosts_free(h);
    else
        *hosts = h;
    return rc;
}

void hosts_free(struct hosts *h)
{
    for ( size_t i = 0; h && i < h->nr; i++ )
        spool_close(&h->all[i].spool);
    if ( h )
        free(h->paths);
    free(h);
}

/* --- the span of time ----------------------------------------------------- */

/* A moment in the form of --time; "" if it is no bound. */
static void put_moment(char *text, size_t size, const struct moment *m,
                       int64_t wall)
{
    time_t at = wall / SECOND;
    struct tm tm;
    size_t length;

    *text = '\0';
    if ( m->kind == MOMENT_NONE || !gmtime_r(&at, &tm) )
        return;
    length = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + length, size - length, ".%09" PRId64 "Z", wall % SECOND);
}

/*
 * --time is of the timeline: its second 0 is the begin of the first host, and a
 * time of day is on the day of that begin.
 */
static int resolve_time(struct hosts *h, const struct config *config,
                        struct err *e)
{
    const struct xt_clock *clock = &h->all[0].clock;
    uint64_t from, until;
    size_t used;
    struct span s;
    int rc = span_parse(config->time, &s, e);

    if ( rc )
        return rc;
    if ( s.from.kind == MOMENT_CYCLES || s.to.kind == MOMENT_CYCLES ||
         s.from.kind == MOMENT_BEFORE_END || s.to.kind == MOMENT_BEFORE_END )
        return err_usage(e, "--time %s: several hosts have no common time "
                         "stamps, and no common end; give times from the "
                         "begin, or of the wall clock", config->time);
    rc = span_resolve(&s, clock, clock->origin, 0, &from, &until, e);
    if ( rc )
        return rc;
    put_moment(h->time, sizeof(h->time) / 2, &s.from,
               xt_clock_wall(clock, from));
    used = strlen(h->time);
    strcpy(h->time + used, "..");
    put_moment(h->time + used + 2, sizeof(h->time) / 2, &s.to,
               xt_clock_wall(clock, until));
    return 0;
}

/* --- the passes ----------------------------------------------------------- */

/* Nanoseconds from the begin of the first host. */
static uint64_t get_begin(const struct hosts *h, const struct host *host)
{
    assert(host->clock.wall >= h->all[0].clock.wall);
    return (uint64_t)host->clock.wall - (uint64_t)h->all[0].clock.wall;
}

/* Join or copy the files of a host where this is necessary. */
static int open_host(struct host *h, const struct log *log,
                     struct xt_trace **trace, struct err *e)
{
    int rc = h->nr_paths > 1
             ? spool_join(&h->spool, h->paths, h->nr_paths, &h->use, log, e)
             : spool_open(&h->spool, h->paths[0], &h->use, e);

    return rc ? rc : xt_trace_open(trace, h->use, 0, e);
}

/*
 * `reports`: for exports; or NULL.  0, 1: nothing of the host can be shown, *e
 * says why; or -errno with *e.
 */
static int run_host(struct host *h, const struct config *config,
                    struct report_hosts *reports, const struct run *all,
                    struct err *e)
{
    struct run run = *all;
    int rc = open_host(h, all->log, &run.trace, e);

    if ( rc )
        return rc;
    run.config = config;
    run.name = h->label;
    run.hosts = reports;
    if ( reports )
        reports->host.label = h->label;
    rc = outputs_run(&run, e);
    xt_trace_close(run.trace);
    /* -ENOENT: no domain of this name */
    return rc == -ENODATA || rc == -ENOENT ? 1 : rc;
}

static void log_hosts(const struct hosts *h, const struct log *log)
{
    assert(h->nr > 1);
    log_info(log, "%zu hosts by the wall clock of each; how far these clocks "
             "differ is unknown", h->nr);
    for ( size_t i = 0; i < h->nr; i++ )
    {
        const struct host *host = &h->all[i];
        uint64_t later = get_begin(h, host);

        log_info(log, "%s: %s%s, from second %" PRIu64 ".%09" PRIu64,
                 host->label, host->paths[0],
                 host->nr_paths > 1 ? " and others" : "",
                 later / (uint64_t)SECOND, later % (uint64_t)SECOND);
    }
}

/* The results of run_host(). */
struct outcome
{
    bool any;                   /* a host has something to show */
    struct err reasons[HOSTS_MAX];      /* of those with nothing to show */
    size_t nr_reasons;
};

/* 0, or -errno with *e. */
static int add_result(struct outcome *o, int rc, const struct err *reason,
                      struct err *e)
{
    assert(o->nr_reasons < HOSTS_MAX);
    o->any |= !rc;
    if ( rc > 0 )
        o->reasons[o->nr_reasons++] = *reason;
    else if ( rc )
        *e = *reason;
    return rc < 0 ? rc : 0;
}

/* A host with nothing to show is a warning; all of them are an error. */
static int check_outcome(const struct outcome *o, const struct run *run,
                         struct err *e)
{
    for ( size_t i = 0; o->any && i < o->nr_reasons; i++ )
        log_warning(run->log, "%s", o->reasons[i].text);
    if ( o->any )
        return 0;
    assert(o->nr_reasons);
    if ( run->config->time )
        return err_set(e, -ENODATA, "--time %s selects nothing of the %zu "
                       "hosts", run->config->time, o->nr_reasons);
    *e = o->reasons[0];
    return e->code;
}

static int export_hosts(struct hosts *h, const struct config *config,
                        const struct run *run, struct err *e)
{
    struct report_hosts reports = {
        .name = run->name, .host = { .origin = h->all[0].clock.wall },
    };
    struct outcome outcome = { .nr_reasons = 0 };
    int rc = 0;

    for ( size_t i = 0; !rc && i < h->nr; i++ )
    {
        struct err reason = ERR_INIT;

        rc = run_host(&h->all[i], config, &reports, run, &reason);
        rc = add_result(&outcome, rc, &reason, e);
    }
    rc = rc ? rc : check_outcome(&outcome, run, e);
    rc = rc ? rc : report_hosts_write(&reports, e);
    report_hosts_fini(&reports);
    return rc ? rc : run_flush(run, e);
}

struct host_dump
{
    struct hosts *hosts;
    const struct config *config;
    const struct run *run;
};

static int dump_host(void *arg, size_t i, FILE *out, struct err *e)
{
    const struct host_dump *d = arg;
    struct run run = *d->run;

    run.out = out;
    run.progress = NULL;
    return run_host(&d->hosts->all[i], d->config, NULL, &run, e);
}

static int dump_hosts(struct hosts *h, struct config *config,
                      const struct run *run, struct err *e)
{
    struct host_dump d = { h, config, run };
    struct outcome outcome = { .nr_reasons = 0 };
    struct merge_source *sources = fault_calloc(h->nr, sizeof(*sources));
    int rc = sources ? 0 : err_sys(e, -ENOMEM, "cannot dump %zu traces",
                                   h->nr);

    if ( config->threads > h->nr )
        config->threads /= h->nr;
    for ( size_t i = 0; !rc && i < h->nr; i++ )
    {
        sources[i].label = h->all[i].label;
        sources[i].later = get_begin(h, &h->all[i]);
    }
    if ( !rc )
        rc = merge_lines(sources, h->nr, dump_host, &d, run->out,
                         run->output ? run->output : "the report", e);
    rc = rc ? rc : run_flush(run, e);
    for ( size_t i = 0; !rc && i < h->nr; i++ )
        rc = add_result(&outcome, sources[i].rc, &sources[i].err, e);
    free(sources);
    return rc ? rc : check_outcome(&outcome, run, e);
}

int hosts_run(struct hosts *h, const struct run *run, struct err *e)
{
    struct config config = *run->config;
    int rc = config.time ? resolve_time(h, &config, e) : 0;

    if ( rc )
        return rc;
    if ( config.time )
        config.time = h->time;
    log_hosts(h, run->log);
    return config.dump_all ? dump_hosts(h, &config, run, e)
                           : export_hosts(h, &config, run, e);
}
