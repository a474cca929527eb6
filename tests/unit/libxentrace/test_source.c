/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same bytes from every kind of source; and a message on failure.
 */
#include "libxentrace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"
#include "libxentrace/view.h"

#include "tests/unit/libxentrace/unit.h"

#define SIZE (3u << 20) /* more than one buffer */

static unsigned char content[SIZE];

static void fill_content(void)
{
    for ( size_t i = 0; i < SIZE; i++ )
        content[i] = i * 7 + (i >> 8);
}

/* A file with the first `size` bytes of the content. */
static int make_content_file(char *path, size_t size)
{
    int fd;

    strcpy(path, "test_source.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, content, size), size);
    return fd;
}

static struct xt_source *open_source(const char *path, unsigned int flags)
{
    struct err e = ERR_INIT;
    struct xt_source *s;

    ck_assert_msg(!xt_source_open(&s, path, flags, &e), "%s", e.text);
    return s;
}

static int view_read_all(struct xt_view *v, struct err *e)
{
    int rc = 0;

    while ( !rc && !v->ended )
        rc = xt_view_more(v, v->lo, e);
    return rc;
}

/* All at once. */
static void expect_all(const char *path, unsigned int flags, size_t size)
{
    struct xt_source *s = open_source(path, flags);
    struct err e = ERR_INIT;
    struct xt_view v;

    xt_view_init(&v, s);
    ck_assert_int_eq(view_read_all(&v, &e), 0);
    ck_assert_uint_eq(v.lo, 0);
    ck_assert_uint_eq(v.hi, size);
    ck_assert_int_eq(size && memcmp(v.bytes, content, size), 0);
    xt_view_fini(&v);
    xt_source_close(s);
}

/* In a sliding view, with a tail of `keep` bytes. */
static void expect_sliding(const char *path, unsigned int flags, size_t size,
                           size_t keep)
{
    struct xt_source *s = open_source(path, flags);
    struct err e = ERR_INIT;
    struct xt_view v;

    xt_view_init(&v, s);
    while ( !v.ended )
    {
        uint64_t from = v.hi - v.lo > keep ? v.hi - keep : v.lo;

        ck_assert_int_eq(xt_view_more(&v, from, &e), 0);
        ck_assert_uint_eq(v.lo, from);
        ck_assert_int_eq(memcmp(v.bytes, content + v.lo, v.hi - v.lo), 0);
        ck_assert_uint_le(v.room, 8 * keep + (2u << 20));
    }
    ck_assert_uint_eq(v.hi, size);
    xt_view_fini(&v);
    xt_source_close(s);
}

/* By the source's own read(). */
static void expect_read(const char *path, unsigned int flags, size_t size)
{
    static unsigned char got[SIZE + 1];
    struct xt_source *s = open_source(path, flags);
    struct err e = ERR_INIT;
    size_t have = 0, step = 1;
    ssize_t n;

    while ( (n = s->ops->read(s, got + have, step, &e)) > 0 )
    {
        have += n;
        step = have + step < SIZE ? 3 * step % 100000 + 1 : SIZE + 1 - have;
    }
    ck_assert_int_eq(n, 0);
    ck_assert_uint_eq(have, size);
    ck_assert_int_eq(memcmp(got, content, size), 0);
    xt_source_close(s);
}

START_TEST(files)
{
    static const size_t sizes[] = { 0, 1, 15, 16, 17, 4096, SIZE };
    char path[32];

    fill_content();
    for ( size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        close(make_content_file(path, sizes[i]));
        for ( unsigned int flags = 0; flags <= XT_SOURCE_STREAM; flags++ )
        {
            expect_all(path, flags, sizes[i]);
            expect_read(path, flags, sizes[i]);
            expect_sliding(path, flags, sizes[i], 0);
            expect_sliding(path, flags, sizes[i], 100000);
            expect_sliding(path, flags, sizes[i], SIZE);
        }
        unlink(path);
    }
}
END_TEST

/* A child process that writes in pieces of an odd size. */
static pid_t start_writer(int to, size_t size)
{
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    for ( size_t at = 0, n; !pid && at < size; at += n )
    {
        n = size - at < 10007 ? size - at : 10007;
        if ( write(to, content + at, n) != (ssize_t)n )
            _exit(1);
    }
    if ( !pid )
        _exit(0);
    return pid;
}

/* Standard input, as a pipe with a slow writer. */
START_TEST(pipes)
{
    static const size_t sizes[] = { 0, 1, 1u << 20, SIZE };
    int fds[2];
    pid_t pid;

    fill_content();
    for ( size_t i = 0; i < 4; i++ )
    {
        ck_assert_int_eq(pipe(fds), 0);
        pid = start_writer(fds[1], sizes[i]);
        close(fds[1]);
        ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
        close(fds[0]);
        expect_sliding("-", 0, sizes[i], 70000);
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    }
}
END_TEST

/*
 * A file of which some bytes were read before (by the shell) is read from
 * there.
 */
START_TEST(half_read)
{
    struct err e = ERR_INIT;
    struct xt_source *s;
    struct xt_view v;
    char path[32];
    int fd;

    fill_content();
    fd = make_content_file(path, 5000);
    ck_assert_int_eq(lseek(fd, 100, SEEK_SET), 100);
    ck_assert_int_eq(xt_source_open_fd(&s, fd, "it", 0, &e), 0);
    close(fd);
    xt_view_init(&v, s);
    ck_assert_int_eq(view_read_all(&v, &e), 0);
    ck_assert_uint_eq(v.hi, 4900);
    ck_assert_int_eq(memcmp(v.bytes, content + 100, 4900), 0);
    xt_view_fini(&v);
    xt_source_close(s);
    unlink(path);
}
END_TEST

START_TEST(refusals)
{
    static const struct
    {
        const char *path;
        int code;
    } rows[] = {
        { "no/such/file", -ENOENT },
        { ".", -EISDIR },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct err e = ERR_INIT;
        struct xt_source *s = NULL;

        ck_assert_int_eq(xt_source_open(&s, rows[i].path, 0, &e),
                         rows[i].code);
        ck_assert_int_eq(e.code, rows[i].code);
        ck_assert_ptr_nonnull(strstr(e.text, rows[i].path));
        ck_assert_ptr_null(s);
    }
}
END_TEST

/* --- files that change while they are read -------------------------------- */

/* Truncated bytes read as zeroes, and no process dies. */
START_TEST(cut_under_the_mapping)
{
    static const off_t left[] = { 0, 1, 4096, 10000, SIZE - 4096 };
    size_t page = sysconf(_SC_PAGESIZE);
    char path[32];

    fill_content();
    for ( size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++ )
    {
        struct xt_source *s;
        size_t edge = (left[i] + page - 1) / page * page;

        close(make_content_file(path, SIZE));
        s = open_source(path, 0);
        ck_assert_ptr_nonnull(s->map);
        ck_assert_int_eq(s->map[SIZE - 1], content[SIZE - 1]);
        ck_assert_uint_eq(xt_source_truncated_at(s), UINT64_MAX);
        ck_assert_int_eq(truncate(path, left[i]), 0);
        for ( size_t at = 0; at < SIZE; at += 997 )
            ck_assert_int_eq(s->map[at],
                             at < (size_t)left[i] ? content[at] : 0);
        ck_assert_uint_eq(xt_source_truncated_at(s), edge);
        xt_source_close(s);
        unlink(path);
    }
}
END_TEST

static volatile sig_atomic_t others;

static void count_other(int signal)
{
    (void)signal;
    others++;
    _exit(others == 1 ? 42 : 1);
}

/* An unrelated SIGBUS goes to the previous handler. */
START_TEST(not_our_signal)
{
    int status;
    pid_t pid = fork();

    if ( !pid )
    {
        char path[32];

        signal(SIGBUS, count_other);
        close(make_content_file(path, SIZE));
        open_source(path, 0);
        unlink(path);
        raise(SIGBUS);
        _exit(2);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}
END_TEST

/*
 * More files than guards: further files are read as streams, with the same
 * bytes.
 */
START_TEST(many)
{
    struct xt_source *s[70];
    unsigned int mapped = 0;
    char path[32];

    fill_content();
    close(make_content_file(path, 5000));
    for ( size_t i = 0; i < 70; i++ )
    {
        s[i] = open_source(path, 0);
        mapped += s[i]->map != NULL;
    }
    ck_assert_uint_lt(mapped, 70);
    ck_assert_uint_gt(mapped, 10);
    for ( size_t i = 0; i < 70; i++ )
        xt_source_close(s[i]);
    expect_all(path, 0, 5000);
    unlink(path);
}
END_TEST

/* Following: -EAGAIN at the end, and later more bytes. */
START_TEST(follow)
{
    struct err e = ERR_INIT;
    struct xt_source *s;
    struct xt_view v;
    char path[32];
    int fd, rc;

    fill_content();
    fd = make_content_file(path, 0);
    s = open_source(path, XT_SOURCE_FOLLOW);
    xt_view_init(&v, s);
    for ( size_t size = 0; size < 100000; )
    {
        ck_assert_int_eq(xt_view_more(&v, 0, &e), -EAGAIN);
        ck_assert(!v.ended);
        ck_assert_int_eq(write(fd, content + size, 9999), 9999);
        size += 9999;
        do
            rc = xt_view_more(&v, 0, &e);
        while ( !rc && v.hi < size );
        ck_assert_int_eq(rc, 0);
        ck_assert_uint_eq(v.hi, size);
        ck_assert_int_eq(memcmp(v.bytes, content, size), 0);
    }
    xt_view_fini(&v);
    xt_source_close(s);
    close(fd);
    unlink(path);
}
END_TEST

/* --- failures ------------------------------------------------------------- */

/* Fail the Nth call of each kind, N = 1, 2, ...: an errno, and no leak. */
static void loop_over_faults(const char *path, unsigned int flags,
                             enum fault_kind kind, int code)
{
    struct xt_source *s;
    int rc;

    for ( uint64_t n = 1; ; n++ )
    {
        struct err e = ERR_INIT;

        fault_arm(kind, n);
        rc = xt_source_open(&s, path, flags, &e);
        if ( !fault_fired(kind) )
            break;
        ck_assert_int_eq(rc, code);
        ck_assert_ptr_null(s);
    }
    ck_assert_int_eq(rc, 0);
    xt_source_close(s);
    fault_disarm();
}

START_TEST(faults)
{
    char path[32];

    fill_content();
    close(make_content_file(path, 5000));
    loop_over_faults(path, 0, FAULT_ALLOC, -ENOMEM);
    loop_over_faults(path, 0, FAULT_OPEN, -EMFILE);
    loop_over_faults(path, XT_SOURCE_STREAM, FAULT_READ, -EIO);
    /* A file that cannot be mapped is read as a stream. */
    fault_arm(FAULT_MMAP, 1);
    expect_all(path, 0, 5000);
    ck_assert_uint_eq(fault_fired(FAULT_MMAP), 1);
    fault_disarm();
    unlink(path);
}
END_TEST

START_TEST(faults_of_a_view)
{
    static const struct
    {
        enum fault_kind kind;
        int code;
    } rows[] = { { FAULT_ALLOC, -ENOMEM }, { FAULT_READ, -EIO } };
    char path[32];

    fill_content();
    close(make_content_file(path, SIZE));
    for ( size_t i = 0; i < 2; i++, fault_disarm() )
        for ( uint64_t n = 1; ; n++ )
        {
            struct xt_source *s = open_source(path, XT_SOURCE_STREAM);
            struct err e = ERR_INIT;
            struct xt_view v;
            int rc;

            xt_view_init(&v, s);
            fault_arm(rows[i].kind, n);
            rc = view_read_all(&v, &e);
            xt_view_fini(&v);
            xt_source_close(s);
            if ( !fault_fired(rows[i].kind) )
                break;
            fault_disarm();
            ck_assert_int_eq(rc, rows[i].code);
            ck_assert_int_eq(e.code, rc);
        }
    unlink(path);
}
END_TEST

/* Interrupted and short reads are no errors. */
START_TEST(interrupted)
{
    int fds[2];

    fill_content();
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(write(fds[1], content, 5000), 5000);
    close(fds[1]);
    ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
    close(fds[0]);
    fault_arm(FAULT_INTERRUPT, 2);
    fault_arm(FAULT_SHORT_READ, 1);
    expect_all("-", 0, 5000);
    ck_assert_uint_eq(fault_fired(FAULT_INTERRUPT), 1);
    fault_disarm();
}
END_TEST

UNIT_MAIN("source", files, pipes, half_read, refusals, cut_under_the_mapping,
          not_our_signal, many, follow, faults, faults_of_a_view, interrupted)
