/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line without a time, such as a record of metadata, has the place of the
 * line before it.  Behind a line that begins another trace, times start again,
 * and nothing tells how much later: they continue from the last one.
 */
#define _GNU_SOURCE /* pipe2 */
#include "xenalyze/merge-lines.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/num.h"
#include "xenalyze/lines/lines.h"

#define SECOND UINT64_C(1000000000)

/* How a child ended, in memory that it shares with the parent. */
struct child_result
{
    int rc;
    struct err err;
};

struct dump
{
    const struct merge_source *source;
    pid_t pid;                  /* 0: no child */
    FILE *in;
    char *line;                 /* the next one; length 0: none */
    size_t room;
    ssize_t length;
    size_t time_at, rest_at;    /* where the time is; both 0: none */
    uint64_t base;              /* added to times */
    uint64_t time;
};

struct merge
{
    struct dump *dumps;
    size_t nr;
    struct child_result *results;       /* shared, for each dump */
    int width;                  /* of the labels */
};

/* --- children ------------------------------------------------------------- */

static void run_child(struct child_result *result, merge_write_fn *write,
                      void *arg, size_t i, int fd)
{
    FILE *out = fdopen(fd, "w");

    assert(result->rc);
    result->rc = out ? write(arg, i, out, &result->err) : -ENOMEM;
    /* A reader that has seen enough is no error. */
    if ( out && fclose(out) && !result->rc && errno != EPIPE )
        result->rc = err_sys(&result->err, -errno, "cannot write a dump");
    _exit(EXIT_SUCCESS);
}

static int start_child(struct merge *m, size_t i, merge_write_fn *write,
                       void *arg)
{
    struct dump *d = &m->dumps[i];
    int ends[2];

    if ( fault_hit(FAULT_OPEN) || pipe2(ends, O_CLOEXEC) )
        return -errno;
    d->pid = fork();
    if ( !d->pid )
    {
        /* A child with another's end would hide from it that nobody reads. */
        close(ends[0]);
        for ( size_t k = 0; k < i; k++ )
            close(fileno(m->dumps[k].in));
        run_child(&m->results[i], write, arg, i, ends[1]);
    }
    close(ends[1]);
    if ( d->pid > 0 )
        d->in = fdopen(ends[0], "r");
    if ( d->in )
        return 0;
    close(ends[0]);
    d->pid = d->pid < 0 ? 0 : d->pid;
    return errno ? -errno : -ENOMEM;
}

static void end_child(struct dump *d)
{
    while ( d->pid && waitpid(d->pid, NULL, 0) < 0 && errno == EINTR )
        continue;
    free(d->line);
}

/* --- lines ---------------------------------------------------------------- */

/* The mark of a line may be in colour, and the time is behind it. */
static void find_time(struct dump *d)
{
    const char *p = d->line, *end;
    uint64_t ns = 0;

    d->time_at = d->rest_at = 0;
    if ( *p == '\033' )
        p += strcspn(p, "m");
    p += *p == 'm';
    p += *p != '\0';
    end = p + strspn(p, " ");
    for ( ; *end >= '0' && *end <= '9' && ns < UINT64_MAX / 10 - 9; end++ )
        ns = ns * 10 + (uint64_t)(*end - '0');
    if ( *end != '.' || strspn(end + 1, "0123456789") != 9 ||
         ns > UINT64_MAX / SECOND - 1 )
        return;
    d->time_at = p - d->line;
    d->rest_at = end + 10 - d->line;
    d->time = d->base + ns * SECOND + strtoul(end + 1, NULL, 10);
}

/* Read the next line of a dump; 0 or -errno. */
static int read_dump(struct dump *d)
{
    errno = 0;
    d->length = getline(&d->line, &d->room, d->in);
    if ( d->length <= 0 )
    {
        d->length = 0;
        return ferror(d->in) || errno ? -(errno ? errno : EIO) : 0;
    }
    if ( !strcmp(d->line, DUMP_SEGMENT_LINE) )
        d->base = d->time;
    find_time(d);
    return 0;
}

static void write_line(const struct merge *m, const struct dump *d, FILE *out)
{
    char time[2 * NUM_U64_MAX];

    assert(d->length > 0);
    fprintf(out, "%-*s ", m->width, d->source->label);
    if ( d->rest_at )
    {
        fwrite(d->line, 1, d->time_at, out);
        fwrite(time, 1, snprintf(time, sizeof(time), "%3" PRIu64 ".%09" PRIu64,
                                 d->time / SECOND, d->time % SECOND), out);
    }
    fwrite(d->line + d->rest_at, 1, d->length - d->rest_at, out);
}

/* The dump with the earliest line; NULL: all have ended. */
static struct dump *find_next_dump(const struct merge *m)
{
    struct dump *first = NULL;

    for ( size_t i = 0; i < m->nr; i++ )
        if ( m->dumps[i].length &&
             (!first || m->dumps[i].time < first->time) )
            first = &m->dumps[i];
    return first;
}

static int merge_dumps(struct merge *m, FILE *out, const char *output,
                       struct err *e)
{
    struct dump *d;
    int rc = 0;

    for ( size_t i = 0; !rc && i < m->nr; i++ )
        rc = read_dump(&m->dumps[i]);
    while ( !rc && (d = find_next_dump(m)) )
    {
        write_line(m, d, out);
        if ( ferror(out) )
            return err_sys(e, errno ? -errno : -EIO, "cannot write %s", output);
        rc = read_dump(d);
    }
    return rc;
}

/* --- the interface -------------------------------------------------------- */

static int begin_merge(struct merge *m, const struct merge_source *sources,
                       size_t nr)
{
    m->dumps = fault_calloc(nr, sizeof(*m->dumps));
    m->results = fault_mmap(NULL, nr * sizeof(*m->results),
                            PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if ( m->results == MAP_FAILED )
        m->results = NULL;
    if ( !m->dumps || !m->results )
        return -ENOMEM;
    m->nr = nr;
    for ( size_t i = 0; i < nr; i++ )
    {
        m->dumps[i].source = &sources[i];
        m->dumps[i].base = m->dumps[i].time = sources[i].later;
        if ( (int)strlen(sources[i].label) > m->width )
            m->width = strlen(sources[i].label);
        m->results[i] = (struct child_result){ -ECHILD, ERR_INIT };
    }
    return 0;
}

/* A child that died has no reason. */
static void take_result(struct merge_source *s, const struct child_result *r)
{
    s->rc = r->rc;
    s->err = r->err;
    if ( s->rc && !s->err.code )
        err_sys(&s->err, s->rc, "cannot dump the trace of %s", s->label);
}

int merge_lines(struct merge_source *sources, size_t nr, merge_write_fn *write,
                void *arg, FILE *out, const char *output, struct err *e)
{
    struct merge m = { .nr = 0 };
    int rc = begin_merge(&m, sources, nr);

    /* A child has a copy of what is not written yet. */
    if ( !rc && fflush(out) )
        rc = -errno;
    for ( size_t i = 0; !rc && i < m.nr; i++ )
        rc = start_child(&m, i, write, arg);
    rc = rc ? rc : merge_dumps(&m, out, output, e);
    for ( size_t i = 0; i < m.nr; i++ )
        if ( m.dumps[i].in )
            fclose(m.dumps[i].in);
    for ( size_t i = 0; i < m.nr; i++ )
    {
        end_child(&m.dumps[i]);
        take_result(&sources[i], &m.results[i]);
    }
    if ( m.results )
        munmap(m.results, nr * sizeof(*m.results));
    free(m.dumps);
    return rc ? err_sys(e, rc, "cannot dump %zu traces", nr) : 0;
}
