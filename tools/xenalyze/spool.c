/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy is a temporary file that is unlinked at once, so it vanishes with
 * the process, however that ends.  The trace is opened by the file's name in
 * /proc/self/fd.  Compressed input is expanded, so that it can be mapped.
 */
#define _GNU_SOURCE             /* mkostemp, strverscmp */
#include "xenalyze/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <public/trace.h>

#include "common/fault.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/not-trace.h"
#include "xenalyze/same-capture.h"

#define PIECE (256u * 1024)

/* The header of a window: a record with two words. */
#define WINDOW_MAGIC (2u << TRACE_EXTRA_SHIFT | TRC_TRACE_CPU_CHANGE)
#define WINDOW_HEADER 12u

/* An unlinked file in $TMPDIR.  -1 and errno. */
static int open_unlinked(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int fd;

    if ( fault_hit(FAULT_OPEN) )
        return -1;
    if ( !folder || !*folder )
        folder = "/tmp";
    if ( snprintf(path, sizeof(path), "%s/xenalyze.XXXXXX", folder) >=
         (int)sizeof(path) )
    {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if ( fd >= 0 )
        unlink(path);
    return fd;
}

static int write_fully(int fd, const char *bytes, size_t size)
{
    while ( size )
    {
        ssize_t n = fault_write(fd, bytes, size);

        if ( n < 0 && errno != EINTR )
            return -errno;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? n : 0;
    }
    return 0;
}

/* Copy up to `limit` bytes.  0 at the end of the source, 1 before, -errno. */
static int copy_source(struct xt_source *from, int to, uint64_t limit,
                       struct err *e)
{
    char *piece = fault_malloc(PIECE);
    ssize_t n = 1;
    int rc = piece ? 0 : -ENOMEM;

    while ( !rc && n > 0 && limit )
    {
        n = from->ops->read(from, piece, limit < PIECE ? limit : PIECE, e);
        rc = n < 0 ? n : write_fully(to, piece, n);
        limit -= n > 0 ? n : 0;
    }
    free(piece);
    return rc ? rc : n > 0;
}

/* Append the source to the copy, which is created for the first source. */
static int spool_copy(struct spool *s, struct xt_source *from, uint64_t limit,
                      struct err *e)
{
    int rc;

    if ( s->fd < 0 )
        s->fd = open_unlinked();
    rc = s->fd < 0 ? -errno : copy_source(from, s->fd, limit, e);
    snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
    return rc < 0 ? err_sys(e, rc, "cannot copy %s to a file in TMPDIR, to "
                            "read it again", from->name) : rc;
}

/* Is there a window in the copy? */
static int check_begin(const struct spool *s, const char *path, struct err *e)
{
    struct xt_trace *t;
    struct xt_window w;
    int rc = xt_trace_open(&t, s->path, 0, e);

    if ( rc )
        return rc;
    assert(s->fd >= 0);
    rc = xt_trace_next_window(t, &w, e);
    xt_trace_close(t);
    return rc > 0 ? 0 : rc ? rc : not_trace_explain_begin(path, e);
}

/*
 * An input that is no trace may be endless, as /dev/zero: the copy continues
 * only if there is a window where a trace has one.
 */
static int copy_trace(struct spool *s, struct xt_source *from,
                      const char *path, struct err *e)
{
    int rc = spool_copy(s, from, XT_WINDOW_MAX, e);

    assert(rc <= 1);
    if ( rc <= 0 )
        return rc;
    rc = check_begin(s, path, e);
    return rc ? rc : spool_copy(s, from, UINT64_MAX, e);
}

int spool_open(struct spool *s, const char *path, const char **use,
               struct err *e)
{
    struct xt_source *source;
    int rc = xt_source_open(&source, path, 0, e);

    *s = (struct spool){ .fd = -1 };
    *use = path;
    if ( rc )
        return rc;
    if ( !source->map )
    {
        rc = copy_trace(s, source, path, e);
        *use = s->path;
    }
    xt_source_close(source);
    return rc;
}

/* --- several files -------------------------------------------------------- */

struct piece
{
    const char *path;
    struct xt_info info;
    bool has_window, has_record;
    uint64_t first;             /* time stamp of the first record in the file */
    uint64_t from, to;          /* its bytes in the copy */
    uint64_t used;              /* bytes in windows of the copy */
};

/* The first record tells a file from the next file of a capture. */
static int find_first_record(struct piece *p, struct xt_trace *t,
                             struct err *e)
{
    struct xt_records records;
    struct xt_window w;
    struct xt_record r;
    int rc = 0;

    while ( !p->has_record && (rc = xt_trace_next_window(t, &w, e)) > 0 )
    {
        p->has_window = true;
        xt_trace_begin_records(t, &w, &records);
        while ( !p->has_record && xt_records_next(&records, &r) )
            if ( r.has_tsc && xt_record_is_timed(&r) )
            {
                p->has_record = true;
                p->first = r.tsc;
            }
    }
    return rc < 0 ? rc : 0;
}

/* A file without a window, such as the rest of a split file, has no info. */
static int read_info(struct piece *p, struct err *e)
{
    struct xt_trace *t;
    int rc = access(p->path, R_OK) ? -errno : 0;

    if ( rc )
        return err_sys(e, rc, "cannot open %s", p->path);
    rc = xt_trace_open(&t, p->path, 0, e);
    if ( rc )
        return rc;
    rc = xt_trace_info(t, &p->info, e);
    if ( !rc )
        rc = find_first_record(p, t, e);
    xt_trace_close(t);
    return rc;
}

static int compare_first_records(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if ( x->has_record != y->has_record )
        return x->has_record ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* A file twice, or two snapshots, would count records twice.  Sorts pieces. */
static int refuse_copies(struct piece *pieces, size_t nr, struct err *e)
{
    size_t snapshots = 0;

    qsort(pieces, nr, sizeof(*pieces), compare_first_records);
    for ( size_t i = 0; i < nr; i++ )
    {
        snapshots += pieces[i].info.is_snapshot;
        if ( snapshots > 1 )
            return err_set(e, -EINVAL, "%s is one of several snapshots of a "
                           "capture, which share records; analyze these "
                           "traces one by one", pieces[i].path);
        if ( i && pieces[i].has_record &&
             !compare_first_records(&pieces[i - 1], &pieces[i]) )
            return err_set(e, -EINVAL, "%s begins with the same record as %s; "
                           "give each part of a capture once", pieces[i].path,
                           pieces[i - 1].path);
    }
    return 0;
}

/* The value of the digits at the end of a name; *length: of the name before. */
static uint64_t get_number(const char *name, size_t *length)
{
    *length = strlen(name);
    while ( *length && name[*length - 1] >= '0' && name[*length - 1] <= '9' )
        --*length;
    return strtoull(name + *length, NULL, 10);
}

/*
 * Does a number miss between two names?  Behind x89, split(1) continues with
 * x9000.
 */
static bool has_gap(const char *last, const char *path)
{
    size_t length, last_length;
    uint64_t number = get_number(path, &length);
    uint64_t last_number = get_number(last, &last_length);

    return length == last_length && !memcmp(path, last, length) &&
           last[length] && strlen(path) < strlen(last) + 2 &&
           number > last_number + 1;
}

/* The records of a file that was forgotten do not count as lost. */
static void warn_missing(const struct piece *pieces, size_t nr,
                         const struct log *log)
{
    for ( size_t i = 1; i < nr; i++ )
        if ( has_gap(pieces[i - 1].path, pieces[i].path) )
            log_warning(log, "a file is missing between %s and %s; its time "
                        "does not count as lost", pieces[i - 1].path,
                        pieces[i].path);
}

/* By name, where the number 2 precedes 10. */
static int compare_pieces(const void *a, const void *b)
{
    return strverscmp(((const struct piece *)a)->path,
                      ((const struct piece *)b)->path);
}

static int refuse_other(const struct piece *first, const struct piece *other,
                        const char *difference, struct err *e)
{
    bool has_walls = first->info.has_wall && other->info.has_wall;

    assert(difference);
    return err_set(e, -EINVAL, "%s is not of the same capture as %s: %s "
                   "differs; analyze these traces one by one%s", other->path,
                   first->path, difference,
                   has_walls && same_capture_is_proven(&first->info,
                                                       &other->info)
                   ? ", or show hosts on one timeline with xenalyze dump, or "
                     "xenalyze export html" : "");
}

/*
 * Time stamps cannot sort files: with several pcpus, the first record of a file
 * may be older than the first record of the file before.
 */
static int sort_pieces(struct piece *pieces, size_t nr, struct err *e)
{
    const char *difference;
    int rc = 0;

    for ( size_t i = 0; !rc && i < nr; i++ )
    {
        rc = read_info(&pieces[i], e);
        difference = same_capture_find_difference(&pieces[0].info,
                                                  &pieces[i].info);
        if ( !rc && difference )
            rc = refuse_other(&pieces[0], &pieces[i], difference, e);
    }
    if ( !rc )
        rc = refuse_copies(pieces, nr, e);
    if ( !rc )
        qsort(pieces, nr, sizeof(*pieces), compare_pieces);
    return rc;
}

/*
 * Files without an identity may be parts of one capture if their times allow
 * that.  The assumption is logged.  Sets the sorted paths.
 */
static int check_unproven(const struct piece *pieces, size_t nr,
                          const char **paths, const struct log *log,
                          struct err *e)
{
    size_t unproven = 0;
    int rc = 0;

    assert(nr > 1 && paths);
    for ( size_t i = 0; i < nr; i++ )
    {
        paths[i] = pieces[i].path;
        unproven += i && !same_capture_is_proven(&pieces[0].info,
                                                 &pieces[i].info);
    }
    if ( unproven )
        rc = same_capture_check_times(paths, nr, e);
    if ( unproven && !rc )
        log_info(log, "assuming that the %zu files are parts of one capture: "
                 "not all have a boot id, and nothing else contradicts", nr);
    return rc;
}

/* The copy grows at its end only: its position is its size. */
static uint64_t get_size(const struct spool *s)
{
    off_t size = s->fd < 0 ? 0 : lseek(s->fd, 0, SEEK_CUR);

    return size < 0 ? 0 : size;
}

static int append_piece(struct spool *s, struct piece *p, struct err *e)
{
    struct xt_source *source;
    int rc = xt_source_open(&source, p->path, 0, e);

    if ( rc )
        return rc;
    p->from = get_size(s);
    rc = spool_copy(s, source, p->has_window ? UINT64_MAX : XT_WINDOW_MAX, e);
    if ( rc > 0 )
        rc = not_trace_explain_begin(p->path, e);
    p->to = get_size(s);
    xt_source_close(source);
    return rc;
}

/* --- pieces without a window ---------------------------------------------- */

/* Does the piece begin like a window?  Its window may be damaged or cut. */
static bool begins_window(const struct spool *s, const struct piece *p)
{
    const uint32_t magic = WINDOW_MAGIC;
    size_t size = p->to - p->from;
    char head[sizeof(magic)];

    assert(p->from <= p->to);
    size = size < sizeof(head) ? size : sizeof(head);
    return size && pread(s->fd, head, size, p->from) == (ssize_t)size &&
           !memcmp(head, &magic, size);
}

/* Count the bytes from..to of the copy as used.  Pieces are in its order. */
static void mark_used(struct piece *pieces, size_t nr, uint64_t from,
                      uint64_t to)
{
    for ( size_t i = 0; i < nr && pieces[i].from < to; i++ )
    {
        struct piece *p = &pieces[i];
        uint64_t first = from > p->from ? from : p->from;
        uint64_t end = to < p->to ? to : p->to;

        p->used += first < end ? end - first : 0;
    }
}

/*
 * A window with a wrong checksum is no other file.  At the end of the copy, a
 * cut record may begin in one piece of split(1).
 */
static void mark_damage(struct piece *pieces, size_t nr,
                            const struct xt_damage *d)
{
    uint64_t size = pieces[nr - 1].to, cut = d->bytes[XT_DAMAGE_TORN];

    for ( size_t i = 0; i < d->nr_first; i++ )
        if ( d->first[i].kind == XT_DAMAGE_SUM )
            mark_used(pieces, nr, d->first[i].offset,
                      d->first[i].offset + d->first[i].bytes);
    for ( size_t i = 0; cut && cut <= size && i < nr; i++ )
        if ( size - cut < pieces[i].from )
            mark_used(&pieces[i], 1, size - cut, size);
}

static int mark_windows(const struct spool *s, struct piece *pieces, size_t nr,
                        struct err *e)
{
    struct xt_trace *t;
    struct xt_window w;
    size_t i = 0;
    int rc = xt_trace_open(&t, s->path, 0, e);

    assert(nr > 1);
    if ( rc )
        return rc;
    while ( (rc = xt_trace_next_window(t, &w, e)) > 0 )
    {
        /* Windows ascend. */
        while ( i < nr - 1 && pieces[i].to <= w.at )
            i++;
        mark_used(&pieces[i], nr - i, w.at, w.at + WINDOW_HEADER + w.size);
    }
    mark_damage(pieces, nr, xt_trace_damage(t));
    xt_trace_close(t);
    return rc;
}

/*
 * A piece of split(1) may be the middle of a window that begins in the piece
 * before it.  If most bytes of a piece are in no window, the file is no trace.
 */
static int refuse_other_files(const struct spool *s, struct piece *pieces,
                              size_t nr, struct err *e)
{
    size_t without = 0;
    int rc = 0;

    for ( size_t i = 0; i < nr; i++ )
        without += !pieces[i].has_window;
    if ( without )
        rc = mark_windows(s, pieces, nr, e);
    for ( size_t i = 0; without && !rc && i < nr; i++ )
    {
        const struct piece *p = &pieces[i];
        uint64_t size = p->to - p->from;

        if ( !p->has_window && !begins_window(s, p) &&
             (!size || p->used < size - size / 2) )
            rc = not_trace_explain_file(p->path, !size, e);
    }
    return rc;
}

static int copy_pieces(struct spool *s, struct piece *pieces, size_t nr,
                       struct err *e)
{
    int rc = 0;

    assert(nr > 1);
    for ( size_t i = 0; !rc && i < nr; i++ )
        rc = append_piece(s, &pieces[i], e);
    return rc ? rc : refuse_other_files(s, pieces, nr, e);
}

int spool_join(struct spool *s, const char **paths, size_t nr,
               const char **use, const struct log *log, struct err *e)
{
    struct piece *pieces = fault_calloc(nr, sizeof(*pieces));
    int rc = pieces ? 0 : err_sys(e, -ENOMEM, "cannot join %zu files", nr);

    assert(nr > 1);
    *s = (struct spool){ .fd = -1 };
    for ( size_t i = 0; pieces && i < nr; i++ )
        pieces[i].path = paths[i];
    if ( !rc )
        rc = sort_pieces(pieces, nr, e);
    if ( !rc )
        rc = copy_pieces(s, pieces, nr, e);
    if ( !rc )
        rc = check_unproven(pieces, nr, paths, log, e);
    if ( !rc )
        warn_missing(pieces, nr, log);
    free(pieces);
    *use = s->path;
    return rc;
}

void spool_close(struct spool *s)
{
    if ( s->fd >= 0 )
        close(s->fd);
}
