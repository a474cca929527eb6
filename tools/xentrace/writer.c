/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectored writes, repeated until all bytes are written or an error is final.
 *
 *   writer_window() -> batch -> writer_flush() -+--------------> write_iov()
 *                                               +-> zstd -> write_compressed()
 *                                                             --^
 *
 * `whole` advances only when the kernel has accepted the bytes of whole
 * windows, or of a whole zstd frame; after a failure the file is truncated
 * there.
 */
#include "xentrace/writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/num.h"
#include "libxentrace/internal.h"

/* The time that windows may stay in the compressor, for larger frames. */
#define PATIENCE_NS 1000000000u

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* --- files ---------------------------------------------------------------- */

/* The names of standard output; Xen 4.17's xentrace needed the last one. */
static bool is_stdout(const char *path)
{
    return !path || !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

/* True: an older file is in the place of this one; *st describes it. */
static bool has_older(const struct writer *w, struct stat *st)
{
    return w->is_own_file && !w->is_begun && !fstat(w->fd, st) &&
           S_ISREG(st->st_mode) && st->st_size;
}

/* Scripts rely on the replacement of an older trace; people should know. */
static int replace_older(struct writer *w, struct err *e)
{
    char size[NUM_HUMAN_MAX + 4];
    struct stat st;
    bool is_older = has_older(w, &st);

    assert(!w->is_begun && !w->at);
    if ( is_older && ftruncate(w->fd, 0) )
        return err_sys(e, -errno, "cannot empty %s", w->name);
    w->is_begun = true;
    if ( !is_older || !w->plan->log )
        return 0;
    *num_human_1024(size, st.st_size, "B") = '\0';
    log_info(w->plan->log, "%s: the older file of %s is replaced", w->name,
             size);
    return 0;
}

/*
 * Lock the file until it is closed: two captures into one file would destroy
 * both.  Pipes and devices may have several writers, and some file systems
 * have no locks.
 */
static int lock_file(int fd, const char *path, struct err *e)
{
    struct stat st;

    if ( fstat(fd, &st) || !S_ISREG(st.st_mode) ||
         !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK )
        return 0;
    return err_set(e, -EBUSY, "another capture writes to %s: give another "
                   "name", path);
}

/* The older file, if there is one, keeps its bytes until the first write. */
static int create_file(const char *path, struct err *e)
{
    int fd = fault_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY |
                        O_CLOEXEC, 0640);
    int rc = fd < 0 ? 0 : lock_file(fd, path, e);

    if ( rc )
        close(fd);
    if ( rc || fd >= 0 )
        return rc ? rc : fd;
    if ( errno == ELOOP )
        return err_set(e, -ELOOP, "%s is a symbolic link: give the name of the "
                       "file itself", path);
    return err_sys(e, -errno, "cannot create %s", path);
}

/* The name of file nr; numbers start at 1. */
static int name_file(const struct writer_plan *plan, unsigned int nr,
                     char *name, struct err *e)
{
    int length = plan->numbered
                 ? snprintf(name, PATH_MAX, "%s.%u", plan->path, nr)
                 : snprintf(name, PATH_MAX, "%s", plan->path);

    assert(nr > 0);
    if ( length < 0 || length >= PATH_MAX )
        return err_set(e, -ENAMETOOLONG, "the file name is too long");
    return 0;
}

void writer_remove(const struct writer_plan *plan, unsigned int nr)
{
    struct writer_plan numbered = *plan;
    struct err ignored = ERR_INIT;
    char name[PATH_MAX];

    numbered.numbered = true;
    if ( !name_file(&numbered, nr, name, &ignored) )
        unlink(name);
}

/* With --keep: remove the oldest file of the series. */
static void remove_oldest(const struct writer *w)
{
    const struct writer_plan *plan = w->plan;

    if ( plan->numbered && plan->keep && w->files > plan->keep )
        writer_remove(plan, w->files - plan->keep);
}

static int write_iov(struct writer *w, struct iovec *iov, int nr);

static int write_compressed(void *writer, const void *bytes, size_t size)
{
    struct writer *w = writer;
    struct iovec iov = { (void *)bytes, size };
    int rc = write_iov(w, &iov, 1);

    if ( !rc )
        w->whole = w->at;
    return rc;
}

static int next_fd(struct writer *w, struct err *e)
{
    struct stat st;
    int rc;

    w->is_begun = w->is_new = false;
    w->is_own_file = !is_stdout(w->plan->path);
    if ( !w->is_own_file )
    {
        strcpy(w->name, "standard output");
        return STDOUT_FILENO;
    }
    rc = name_file(w->plan, w->files + 1, w->name, e);
    if ( rc )
        return rc;
    w->is_new = lstat(w->name, &st) && errno == ENOENT;
    return create_file(w->name, e);
}

static int open_next(struct writer *w, struct err *e)
{
    int fd = next_fd(w, e);

    assert(w->fd < 0);
    if ( fd < 0 )
        return fd;
    w->fd = fd;
    w->files++;
    w->number = w->nr_whole = 0;
    w->at = w->whole = 0;
    w->opened_ns = w->flushed_ns = now_ns();
    if ( isatty(fd) )
        return err_usage(e, "%s is a terminal, and a trace is binary: "
                         "give a file or redirect the output", w->name);
    remove_oldest(w);
    return w->plan->level ? xt_zstd_writer_new(&w->zstd, w->plan->level,
                                               write_compressed, w, e) : 0;
}

/*
 * A file that is closed before its beginning has its older bytes, or is removed
 * if there was none.  After EINTR from close() the descriptor is closed on
 * Linux.
 */
static int close_file(struct writer *w)
{
    int rc = 0;

    if ( w->fd >= 0 && !w->is_begun )
        w->files--;
    if ( w->fd >= 0 && !w->is_begun && w->is_new )
        unlink(w->name);
    if ( w->zstd && !w->failed && w->is_begun )
        rc = xt_zstd_end(w->zstd);
    xt_zstd_writer_free(w->zstd);
    w->zstd = NULL;
    if ( w->fd >= 0 && close(w->fd) && errno != EINTR && !rc )
        rc = -errno;
    w->fd = -1;
    return rc;
}

int writer_open(struct writer *w, const struct writer_plan *plan,
                struct err *e)
{
    int rc;

    *w = (struct writer){ .plan = plan, .fd = -1, .files = plan->first_behind };
    rc = open_next(w, e);
    if ( rc )
        close_file(w);
    return rc;
}

/* --- bytes ---------------------------------------------------------------- */

/* Handle the error of a write.  0: repeat the write. */
static int can_retry(struct writer *w, int error)
{
    struct pollfd pfd = { .fd = w->fd, .events = POLLOUT };

    if ( (error == EINTR || error == EAGAIN) && w->plan->is_forced() )
        return -EINTR;
    /* After EINTR the next round checks is_forced() again. */
    if ( error == EAGAIN && poll(&pfd, 1, -1) < 0 && errno != EINTR )
        return -errno;
    return error == EINTR || error == EAGAIN ? 0 : -error;
}

/* Remove `done` bytes from the front. */
static void advance_iov(struct iovec **iov, int *nr, size_t done)
{
    while ( *nr && done >= (*iov)->iov_len )
    {
        done -= (*iov)->iov_len;
        (*iov)++;
        (*nr)--;
    }
    if ( done )
    {
        assert(*nr);
        (*iov)->iov_base = (char *)(*iov)->iov_base + done;
        (*iov)->iov_len -= done;
    }
}

static int write_iov(struct writer *w, struct iovec *iov, int nr)
{
    ssize_t done;
    int rc = 0;

    while ( !rc && nr )
    {
        done = fault_writev(w->fd, iov, nr);
        if ( done < 0 )
            rc = can_retry(w, errno);
        else
        {
            w->at += done;
            advance_iov(&iov, &nr, done);
        }
    }
    return rc;
}

/* --- batches -------------------------------------------------------------- */

static uint64_t frame_bytes(const struct xt_frame *f)
{
    uint64_t bytes = 0;

    for ( int i = 0; i < f->nr_iov; i++ )
        bytes += f->iov[i].iov_len;
    return bytes;
}

/* Write the whole batch with one call. */
static int write_batch(struct writer *w)
{
    struct iovec iov[3 * WRITER_BATCH];
    int nr = 0;

    for ( unsigned int i = 0; i < w->nr_batch; i++ )
        for ( int k = 0; k < w->batch[i].nr_iov; k++ )
            iov[nr++] = w->batch[i].iov[k];
    return write_iov(w, iov, nr);
}

/*
 * Compress the batch.  A zstd frame that is written during xt_zstd_write()
 * contains all windows before the current one.
 */
static int pack_batch(struct writer *w)
{
    uint64_t given = w->nr_given, whole;
    int rc = 0;

    assert(w->zstd);
    for ( unsigned int i = 0; !rc && i < w->nr_batch; i++ )
    {
        whole = w->whole;
        rc = xt_zstd_write(w->zstd, w->batch[i].iov, w->batch[i].nr_iov);
        if ( w->whole != whole )
            w->nr_safe = given;
        given += i >= w->nr_preface;
    }
    return rc;
}

/*
 * Count the windows of the batch that are in the file: all, or after a failure
 * the whole ones.
 */
static void account_batch(struct writer *w)
{
    uint64_t bytes;

    for ( unsigned int i = 0; i < w->nr_batch; i++ )
    {
        bytes = frame_bytes(&w->batch[i]);
        if ( !w->zstd && w->whole + bytes > w->at )
            break;
        if ( !w->zstd )
            w->whole += bytes;
        w->windows++;
        w->nr_whole++;
        w->nr_given += i >= w->nr_preface;
        w->bytes += bytes;
    }
    if ( !w->zstd )
        w->nr_safe = w->nr_given;
    assert(w->nr_safe <= w->nr_given && w->whole <= w->at);
    w->nr_batch = w->nr_preface = 0;
    w->batch_bytes = 0;
}

/*
 * f_bavail, not f_bfree: blocks reserved for root do not count.  An older file
 * makes room when it is replaced.
 */
static int check_reserve(const struct writer *w, struct err *e)
{
    struct statvfs st;
    struct stat older;
    uint64_t left;

    if ( !w->plan->reserve )
        return 0;
    if ( fstatvfs(w->fd, &st) )
        return err_sys(e, -errno,
                       "cannot read the free space on the disk of %s", w->name);
    left = (uint64_t)st.f_bavail * st.f_frsize;
    if ( has_older(w, &older) )
        left += (uint64_t)older.st_blocks * 512;
    if ( left >= w->batch_bytes && left - w->batch_bytes >= w->plan->reserve )
        return 0;
    return err_set(e, -ENOSPC, "stopped: less than %llu MB (-r) would stay "
                   "free on the disk of %s",
                   (unsigned long long)w->plan->reserve >> 20, w->name);
}

/* Truncate the file to its last whole window. */
static void cut_back(struct writer *w)
{
    assert(w->whole <= w->at);
    if ( w->is_own_file && w->fd >= 0 && w->at != w->whole &&
         !ftruncate(w->fd, w->whole) &&
         lseek(w->fd, w->whole, SEEK_SET) == (off_t)w->whole )
        w->at = w->whole;
}

static int fail_writer(struct writer *w, int rc, struct err *e)
{
    assert(rc < 0);
    w->failed = rc;
    cut_back(w);
    return err_sys(e, rc, "cannot write to %s", w->name);
}

static bool zstd_is_due(struct writer *w, bool hard)
{
    uint64_t now = now_ns();

    if ( !hard && now - w->flushed_ns < PATIENCE_NS )
        return false;
    w->flushed_ns = now;
    return true;
}

/* The checks before a write, then the end of an older file. */
static int prepare_write(struct writer *w, struct err *e)
{
    int rc = check_reserve(w, e);

    return rc || w->is_begun ? rc : replace_older(w, e);
}

int writer_flush(struct writer *w, bool hard, struct err *e)
{
    int rc = w->failed;

    assert(w->nr_preface <= w->nr_batch && w->nr_batch <= WRITER_BATCH);
    if ( !rc && w->nr_batch )
        rc = prepare_write(w, e);
    if ( !rc && w->nr_batch )
    {
        rc = w->zstd ? pack_batch(w) : write_batch(w);
        account_batch(w);
    }
    if ( !rc && w->zstd && w->is_begun && zstd_is_due(w, hard) )
    {
        rc = xt_zstd_flush(w->zstd);
        if ( !rc )
            w->nr_safe = w->nr_given;
    }
    return rc ? fail_writer(w, rc, e) : 0;
}

/* --- windows -------------------------------------------------------------- */

static void add_frame(struct writer *w, unsigned int cpu,
                      const struct iovec *spans, int nr_spans)
{
    struct xt_frame *f = &w->batch[w->nr_batch];

    assert(w->nr_batch < WRITER_BATCH);
    xt_frame_init(f, cpu, spans, nr_spans);
    if ( !w->plan->plain )
        xt_frame_seal(f, w->number);
    w->number++;
    w->nr_batch++;
    w->batch_bytes += frame_bytes(f);
}

static void add_preface(struct writer *w)
{
    assert(!w->nr_batch);
    if ( !w->preface.iov_len )
        return;
    add_frame(w, w->preface_cpu, &w->preface, 1);
    w->nr_preface = 1;
}

int writer_begin(struct writer *w, unsigned int cpu, const void *preface,
                 size_t bytes, struct err *e)
{
    int rc;

    assert(preface || !bytes);
    w->preface_cpu = cpu;
    w->preface = (struct iovec){ (void *)preface, bytes };
    add_preface(w);
    /* Also without a preface: the capture has begun. */
    rc = prepare_write(w, e);
    return rc ? fail_writer(w, rc, e) : writer_flush(w, true, e);
}

void writer_renew(struct writer *w, void *(*renew)(void *arg, size_t *bytes),
                  void *arg)
{
    assert(renew);
    w->renew = renew;
    w->renew_arg = arg;
}

/* Get the preface of the next file; the batch no longer uses the old one. */
static int renew_preface(struct writer *w)
{
    assert(!w->nr_batch);
    if ( !w->renew )
        return 0;
    free(w->copy);
    w->copy = w->renew(w->renew_arg, &w->preface.iov_len);
    w->preface.iov_base = w->copy;
    return w->copy ? 0 : -ENOMEM;
}

static int rotate_file(struct writer *w, struct err *e)
{
    int rc = writer_flush(w, true, e);

    assert(w->is_own_file);
    if ( rc )
        return rc;
    rc = close_file(w);
    if ( !rc )
        rc = renew_preface(w);
    if ( rc )
        return fail_writer(w, rc, e);
    rc = open_next(w, e);
    if ( rc )
        return fail_writer(w, rc, e);
    add_preface(w);
    return 0;
}

/*
 * Does a window of `more` bytes belong into the next file?  Never leave a file
 * with nothing but a preface.
 */
static bool is_full(const struct writer *w, uint64_t more)
{
    const struct writer_plan *plan = w->plan;

    if ( w->number <= (w->preface.iov_len ? 1 : 0) )
        return false;
    if ( plan->rotate_bytes &&
         w->at + w->batch_bytes + more > plan->rotate_bytes )
        return true;
    return plan->rotate_ns && now_ns() - w->opened_ns >= plan->rotate_ns;
}

int writer_window(struct writer *w, unsigned int cpu,
                  const struct iovec *spans, int nr_spans, struct err *e)
{
    uint64_t bytes = spans[0].iov_len + (nr_spans > 1 ? spans[1].iov_len : 0);
    int rc = 0;

    assert(nr_spans == 1 || nr_spans == 2);
    if ( !w->failed &&
         is_full(w, bytes + XT_WINDOW_HEADER + XT_SEAL_BYTES) )
        rc = rotate_file(w, e);
    if ( !rc && w->nr_batch == WRITER_BATCH )
        rc = writer_flush(w, false, e);
    if ( w->failed )
        return fail_writer(w, w->failed, e);
    if ( !rc )
        add_frame(w, cpu, spans, nr_spans);
    return rc;
}

void writer_retry(struct writer *w)
{
    w->nr_batch = w->nr_preface = 0;
    w->batch_bytes = 0;
    if ( !w->failed || !w->is_own_file || w->fd < 0 || w->at != w->whole ||
         w->zstd )
        return;
    w->failed = 0;
    w->number = w->nr_whole;
}

int writer_close(struct writer *w, struct err *e)
{
    int rc = writer_flush(w, true, e), closed;

    closed = close_file(w);
    free(w->copy);
    w->copy = NULL;
    if ( !rc )
        rc = closed;
    return rc ? err_sys(e, rc, "cannot write to %s", w->name) : 0;
}
