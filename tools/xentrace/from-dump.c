/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two parts of a ring become windows, the older part first:
 *
 *      prod                 cons                 prod
 *        |  read by dom0,     |  not read yet      |
 *        |  not overwritten   |                    |
 *        +--------------------+--------------------+
 *          recovered            proven: prod is the end of a record
 */
#include "config.h"

#include "xentrace/from-dump.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/output-file.h"
#include "libxentrace/catalogue.h"
#include "xentrace/dump-recover.h"
#include "xentrace/dump-rings.h"
#include "xentrace/host-rings.h"
#include "xentrace/metadata.h"

/* Values of text_kind, tsc_source, lost_why, end_reason of events/11-meta. */
enum { TEXT_COLLECTOR = 10, TEXT_ARGUMENTS = 11, SOURCE_HYPERVISOR = 2,
       LOST_RING = 0, END_DUMP = 8 };

#define WINDOW_BYTES (1u << 20)

struct part
{
    uint64_t records, bytes, pcpus;
};

struct job
{
    const struct log *log;      /* borrowed, as hv and catalogue */
    struct hv *hv;
    struct xt_catalogue *catalogue;
    struct dump_host host;
    struct rings rings;
    struct writer writer;
    struct part unread, recovered;
    uint64_t damaged;           /* bytes of rings that are no records */
    unsigned int bad;           /* rings that were not read to the end */
    /* Encoded metadata of the end. */
    unsigned char *trailer;
    size_t used, room;
};

/* --- metadata ------------------------------------------------------------- */

/* Without memory, metadata is left out. */
static void append_meta(void *arg, const struct xt_meta *m)
{
    struct job *j = arg;
    unsigned char *larger;

    if ( j->room - j->used < XT_META_MAX_BYTES )
    {
        larger = fault_realloc(j->trailer, 2 * j->room + 1024);
        if ( !larger )
            return;
        j->trailer = larger;
        j->room = 2 * j->room + 1024;
    }
    j->used += xt_meta_encode(m, j->trailer + j->used);
    assert(j->used <= j->room);
}

static void append_about(struct job *j, const char *dump, const char *arguments,
                         const char *comment)
{
    struct xt_meta version = {
        .event = TRC_META_VERSION,
        .version = { .version = 1, .catalogue = xt_catalogue_sum() },
    };
    struct xt_meta tsc = {
        .event = TRC_META_TSC,
        .tsc = { .hz = 1000ull * j->host.khz, .source = SOURCE_HYPERVISOR },
    };
    char text[512];

    append_meta(j, &version);
    if ( j->host.khz )
        append_meta(j, &tsc);
    metadata_put_text(append_meta, j, TRC_META_TEXT, TEXT_COLLECTOR,
                      PACKAGE_NAME " xentrace " PACKAGE_VERSION);
    metadata_put_text(append_meta, j, TRC_META_TEXT, TEXT_ARGUMENTS, arguments);
    snprintf(text, sizeof(text), "%s%sfrom the crash dump %s",
             comment ? comment : "", comment ? "; " : "", dump);
    metadata_put_text(append_meta, j, TRC_META_TEXT, METADATA_TEXT_COMMENT,
                      text);
}

static void append_lost(struct job *j, unsigned int cpu, uint64_t lost)
{
    struct xt_meta m = {
        .event = TRC_META_LOST,
        .lost = { .cpu = cpu, .why = LOST_RING, .lost = lost },
    };

    if ( lost )
        append_meta(j, &m);
}

/* --- one ring ------------------------------------------------------------- */

/* The bytes of a ring from index `cons` on, in one piece. */
static unsigned char *copy_ring(const struct ring *ring)
{
    const unsigned char *data = (const unsigned char *)(ring->buf + 1);
    size_t from = ring->buf->cons % ring->data_size;
    unsigned char *copy = fault_malloc(ring->data_size);

    assert(from % 4 == 0);      /* ring_peek() has checked cons */
    if ( copy )
    {
        memcpy(copy, data + from, ring->data_size - from);
        memcpy(copy + ring->data_size - from, data, from);
    }
    return copy;
}

/* The records from the begin, up to the limit of a window; *nr of them. */
static size_t measure_window(const unsigned char *bytes, size_t size,
                             uint64_t *nr)
{
    struct xt_record r;
    size_t at = 0, n;

    assert(size);
    while ( (n = xt_record_decode(&r, bytes + at, bytes + size)) != 0 &&
            xt_record_is_possible(&r) && at + n <= WINDOW_BYTES )
    {
        at += n;
        ++*nr;
    }
    return at;
}

/* Returns -EBADMSG, without a text, at bytes that are no record. */
static int write_part(struct job *j, unsigned int cpu, unsigned char *bytes,
                      size_t size, struct part *part, struct err *e)
{
    size_t at = 0, n;
    int rc = 0;

    while ( !rc && at < size )
    {
        n = measure_window(bytes + at, size - at, &part->records);
        if ( !n )
            break;
        rc = writer_window(&j->writer, cpu,
                           &(struct iovec){ bytes + at, n }, 1, e);
        at += n;
    }
    part->bytes += at;
    part->pcpus += at > 0;
    j->damaged += size - at;
    if ( !rc )
        rc = writer_flush(&j->writer, false, e);
    return rc ? rc : at < size ? -EBADMSG : 0;
}

static uint64_t find_first_time(const unsigned char *bytes, size_t size)
{
    struct xt_record r;
    size_t at = 0, n;

    while ( (n = xt_record_decode(&r, bytes + at, bytes + size)) != 0 )
    {
        if ( xt_record_is_timed(&r) )
            return r.tsc;
        at += n;
    }
    return UINT64_MAX;
}

static int write_ring(struct job *j, struct ring *ring, bool overwrite,
                      struct err *e)
{
    unsigned char *copy;
    struct ring_view view;
    size_t old = 0;
    int rc = ring_peek(ring, &view, e);

    if ( rc )
        return rc;
    copy = copy_ring(ring);
    if ( !copy )
        return err_sys(e, -ENOMEM, "cannot copy the ring of pcpu %u",
                       ring->cpu);
    assert(view.bytes <= ring->data_size);
    /* A flight recorder is never read: there is only unread data. */
    if ( !overwrite )
        old = dump_recover(j->catalogue, copy + view.bytes,
                           ring->data_size - view.bytes,
                           find_first_time(copy, view.bytes));
    rc = write_part(j, ring->cpu, copy + ring->data_size - old, old,
                    &j->recovered, e);
    if ( !rc )
        rc = write_part(j, ring->cpu, copy, view.bytes, &j->unread, e);
    free(copy);
    return rc;
}

#define WARNINGS 4u             /* damaged rings that have a warning each */

/* A damaged ring is reported, and the others are still read. */
static int read_ring(struct job *j, unsigned int cpu, struct err *e)
{
    struct ring *ring = &j->rings.ring[cpu];
    struct err why = ERR_INIT;
    struct dump_ring state;
    int rc = rings_map(&j->rings, cpu, &why);

    if ( !rc && !ring->buf )
        return 0;
    if ( !rc )
    {
        dump_rings_state(j->hv, ring, j->rings.pages, &state);
        append_lost(j, cpu, state.lost);
        rc = write_ring(j, ring, state.overwrite, &why);
        j->hv->type->unmap(j->hv, ring->buf);
        ring->buf = NULL;
    }
    if ( !rc )
        return 0;
    if ( j->writer.failed )
        return err_set(e, rc, "%s", why.text);
    /* The number of all is in the error at the end. */
    if ( j->bad++ < WARNINGS )
        log_warning(j->log, "pcpu %u: %s", cpu, rc == -EBADMSG && !why.text[0]
                    ? "its ring is damaged: the records behind are left out"
                    : why.text);
    return 0;
}

/* --- the file ------------------------------------------------------------- */

static int write_trailer(struct job *j, struct err *e)
{
    struct xt_meta end = {
        .event = TRC_META_END,
        .end = { .bytes = j->writer.bytes, .windows = j->writer.windows,
                 .reason = END_DUMP },
    };
    struct iovec span;
    int rc;

    append_meta(j, &end);
    span = (struct iovec){ j->trailer, j->used };
    rc = j->used ? writer_window(&j->writer, 0, &span, 1, e) : 0;
    return rc ? rc : writer_flush(&j->writer, true, e);
}

static int write_file(struct job *j, const struct writer_plan *output,
                      const char *dump, const char *arguments,
                      const char *comment, struct err *e)
{
    int rc = writer_open(&j->writer, output, e), closed;

    if ( rc )
        return rc;
    append_about(j, dump, arguments, comment);
    rc = writer_begin(&j->writer, 0, j->trailer, output->plain ? 0 : j->used,
                      e);
    if ( !rc )
        rc = writer_flush(&j->writer, false, e);
    j->used = 0;
    for ( unsigned int cpu = 0; !rc && cpu < j->rings.nr_cpus; cpu++ )
        rc = read_ring(j, cpu, e);
    if ( !rc && !output->plain )
        rc = write_trailer(j, e);
    closed = writer_close(&j->writer, e);
    return rc ? rc : closed;
}

static int report_result(const struct job *j, const char *dump, struct err *e)
{
    if ( j->unread.records + j->recovered.records )
        log_info(j->log, "%s: %" PRIu64 " record%s that dom0 had not read, of %"
                 PRIu64 " pcpu%s; %" PRIu64 " older one%s, recovered", dump,
                 j->unread.records, num_plural(j->unread.records),
                 j->unread.pcpus, num_plural(j->unread.pcpus),
                 j->recovered.records, num_plural(j->recovered.records));
    else if ( !j->bad )
        log_warning(j->log, "%s: the trace buffers are empty", dump);
    return j->bad ? err_set(e, -EBADMSG, "%u ring%s not read to the end, %"
                            PRIu64 " byte%s", j->bad,
                            j->bad == 1 ? " was" : "s were", j->damaged,
                            num_plural(j->damaged))
                  : 0;
}

/* The output must not replace the dump or the symbols. */
static int check_dump_output(const struct from_dump *f, const char *output,
                             struct err *e)
{
    const char *const inputs[] = { f->path, f->symbols };
    struct stat in;

    for ( size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++ )
        if ( output && inputs[i] && !stat(inputs[i], &in) &&
             output_file_replaces(output, &in) )
            return err_usage(e, "%s is an input: give FILE another name",
                             output);
    return 0;
}

static int open_dump(struct job *j, const struct from_dump *f, struct err *e)
{
    const struct xt_dialect dialect = { 0 };
    char size[NUM_HUMAN_MAX + 4];
    int rc = dump_rings_open(&j->hv, f->path, f->symbols, &j->host, e);

    if ( !rc && j->host.missing )
    {
        *num_human_1024(size, j->host.missing, "B") = '\0';
        log_warning(j->log, "%s is cut off: %s of it are missing", f->path,
                    size);
    }
    if ( !rc )
        rc = rings_open(&j->rings, j->hv, j->host.nr_cpus, e);
    if ( !rc && xt_catalogue_new(&j->catalogue, &dialect) )
        rc = err_sys(e, -ENOMEM, "cannot read %s", f->path);
    return rc;
}

static int run_job(const struct from_dump *f, const struct writer_plan *output,
                   const char *arguments, const char *comment,
                   const struct log *log, struct err *e)
{
    struct job *j = fault_calloc(1, sizeof(*j));
    int rc;

    if ( !j )
        return err_sys(e, -ENOMEM, "cannot read %s", f->path);
    j->log = log;
    rc = check_dump_output(f, output->path, e);
    if ( !rc )
        rc = open_dump(j, f, e);
    if ( !rc )
        rc = write_file(j, output, f->path, arguments, comment, e);
    if ( !rc )
        rc = report_result(j, f->path, e);
    xt_catalogue_free(j->catalogue);
    if ( j->rings.ring )
        rings_close(&j->rings);
    hv_close(j->hv);
    free(j->trailer);
    free(j);
    return rc;
}

/* --- the process ---------------------------------------------------------- */

struct result
{
    int rc;
    struct err error;
};

_Static_assert(sizeof(struct result) <= PIPE_BUF, "one write is one piece");

/* The result of the child with this end of the pipe. */
static int await_result(const struct from_dump *f, pid_t child, int fd,
                        struct err *e)
{
    struct result result;
    int status = 0;
    ssize_t n;

    do
        n = read(fd, &result, sizeof(result));
    while ( n < 0 && errno == EINTR );
    while ( waitpid(child, &status, 0) < 0 && errno == EINTR )
        continue;
    if ( n == (ssize_t)sizeof(result) && WIFEXITED(status) &&
         !WEXITSTATUS(status) )
    {
        *e = result.error;
        return result.rc;
    }
    if ( WIFSIGNALED(status) && WTERMSIG(status) == SIGINT )
        return err_set(e, -EINTR, "interrupted");
    return err_set(e, -EBADMSG, "%s is damaged: the library that reads it has "
                   "crashed", f->path);
}

/*
 * Dumps are read in a child process, since libkdumpfile 0.5.1 crashes on some
 * damaged ones.
 */
int from_dump_run(const struct from_dump *f, const struct writer_plan *output,
                  const char *arguments, const char *comment,
                  const struct log *log, struct err *e)
{
    struct result result = { .error = ERR_INIT };
    int ends[2], rc;
    pid_t child;

    assert(f->path);
    if ( pipe(ends) )
        return err_sys(e, -errno, "cannot read %s", f->path);
    child = fork();
    if ( child < 0 )
        rc = err_sys(e, -errno, "cannot read %s", f->path);
    else if ( child )
    {
        close(ends[1]);
        rc = await_result(f, child, ends[0], e);
    }
    else
    {
        result.rc = run_job(f, output, arguments, comment, log, &result.error);
        exit(write(ends[1], &result, sizeof(result)) != sizeof(result));
    }
    close(ends[0]);
    if ( child < 0 )
        close(ends[1]);
    return rc;
}
