/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same bytes, whichever way they come; and a sentence if they do not.
 */
#include "libxentrace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"

#include "tests/unit/libxentrace/unit.h"

#define SIZE (3u << 20) /* more than one buffer */

static unsigned char content[SIZE];

static void fill(void)
{
    for ( size_t i = 0; i < SIZE; i++ )
        content[i] = i * 7 + (i >> 8);
}

/* A file with the first `size` bytes of the content. */
static int make_file(char *path, size_t size)
{
    int fd;

    strcpy(path, "test_source.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, content, size), size);
    return fd;
}

static void expect(const char *path, size_t size)
{
    struct err e = ERR_INIT;
    struct xt_source *s;
    const void *bytes;
    size_t got;

    ck_assert_msg(!xt_source_open(&s, path, &e), "%s", e.text);
    bytes = xt_source_bytes(s, &got);
    ck_assert_uint_eq(got, size);
    if ( size )
        ck_assert_int_eq(memcmp(bytes, content, size), 0);
    else
        ck_assert_ptr_null(bytes);
    xt_source_close(s);
}

START_TEST(files)
{
    static const size_t sizes[] = { 0, 1, 4096, SIZE };
    char path[32];

    fill();
    for ( size_t i = 0; i < 4; i++ )
    {
        close(make_file(path, sizes[i]));
        expect(path, sizes[i]);
        unlink(path);
    }
}
END_TEST

/* A child that writes in pieces of an odd size. */
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

/* Standard input, as a pipe with a writer that takes its time. */
START_TEST(pipes)
{
    static const size_t sizes[] = { 0, 1, 1u << 20, SIZE };
    int fds[2];
    pid_t pid;

    fill();
    for ( size_t i = 0; i < 4; i++ )
    {
        ck_assert_int_eq(pipe(fds), 0);
        pid = start_writer(fds[1], sizes[i]);
        close(fds[1]);
        ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
        close(fds[0]);
        expect("-", sizes[i]);
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    }
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

        ck_assert_int_eq(xt_source_open(&s, rows[i].path, &e), rows[i].code);
        ck_assert_int_eq(e.code, rows[i].code);
        ck_assert_ptr_nonnull(strstr(e.text, rows[i].path));
    }
}
END_TEST

/* Fail the Nth of everything, N = 1, 2, ...: an errno, and no leak. */
static void fault_loop(const char *path, enum fault_kind kind, int code)
{
    struct xt_source *s;
    int rc;

    for ( uint64_t n = 1; ; n++ )
    {
        struct err e = ERR_INIT;

        fault_arm(kind, n);
        rc = xt_source_open(&s, path, &e);
        if ( !fault_fired(kind) )
            break;
        ck_assert_int_eq(rc, code);
    }
    ck_assert_int_eq(rc, 0);
    xt_source_close(s);
    fault_disarm();
}

START_TEST(faults)
{
    char path[32];

    fill();
    close(make_file(path, 5000));
    fault_loop(path, FAULT_ALLOC, -ENOMEM);
    fault_loop(path, FAULT_OPEN, -EMFILE);
    fault_loop(path, FAULT_MMAP, -ENOMEM);
    unlink(path);
    /* Not a regular file, so it is read. */
    fault_loop("/dev/null", FAULT_READ, -EIO);
    fault_loop("/dev/null", FAULT_ALLOC, -ENOMEM);
}
END_TEST

/* Interrupted and short reads are no errors. */
START_TEST(interrupted)
{
    int fds[2];

    fill();
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(write(fds[1], content, 5000), 5000);
    close(fds[1]);
    ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
    close(fds[0]);
    fault_arm(FAULT_INTERRUPT, 2);
    fault_arm(FAULT_SHORT_READ, 1);
    expect("-", 5000);
    ck_assert_uint_eq(fault_fired(FAULT_INTERRUPT), 1);
    fault_disarm();
}
END_TEST

UNIT_MAIN("source", files, pipes, refusals, faults, interrupted)
