/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer, on correct files and on faulty ones.
 */
#define _GNU_SOURCE

#include "xentrace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/fault.h"

#include "tests/unit/libxentrace/unit.h"

static bool answer_never(void)
{
    return false;
}

static bool answer_always(void)
{
    return true;
}

static char path[64], dir[32];
static struct writer_plan plan;

/* Open `to` with the settings of stock xentrace. */
static int open_plain(struct writer *w, const char *to, bool (*is_forced)(void),
                      struct err *e)
{
    plan = (struct writer_plan){
        .path = to, .plain = true, .is_forced = is_forced,
    };
    return writer_open(w, &plan, e);
}

static void make_dir(void)
{
    strcpy(dir, "test_writer.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/trace", dir);
}

static void remove_dir(void)
{
    unlink(path);
    rmdir(dir);
}

/* Two windows of 8 and 4 + 12 bytes. */
static int write_two(struct writer *w, struct err *e)
{
    struct iovec one = { (char *)"AAAAAAAA", 8 };
    struct iovec two[] = { { (char *)"BBBB", 4 },
                           { (char *)"CCCCCCCCCCCC", 12 } };
    int rc = writer_window(w, 5, &one, 1, e);

    if ( !rc )
        rc = writer_flush(w, false, e);
    if ( !rc )
        rc = writer_window(w, 6, two, 2, e);
    return rc ? rc : writer_flush(w, false, e);
}

static const unsigned char expected[] =
    "\x03\xf0\x01\x20" "\5\0\0\0" "\x08\0\0\0" "AAAAAAAA"
    "\x03\xf0\x01\x20" "\6\0\0\0" "\x10\0\0\0" "BBBBCCCCCCCCCCCC";

static void expect_file(void)
{
    unsigned char got[100];
    int fd = open(path, O_RDONLY);

    ck_assert_int_eq(read(fd, got, sizeof(got)), sizeof(expected) - 1);
    ck_assert_int_eq(memcmp(got, expected, sizeof(expected) - 1), 0);
    close(fd);
}

START_TEST(a_file)
{
    struct err e = ERR_INIT;
    struct writer w;
    struct stat st;

    make_dir();
    umask(0);
    ck_assert_int_eq(open_plain(&w, path, answer_never, &e), 0);
    ck_assert_int_eq(write_two(&w, &e), 0);
    ck_assert_uint_eq(w.windows, 2);
    ck_assert_uint_eq(w.bytes, sizeof(expected) - 1);
    ck_assert_int_eq(writer_close(&w, &e), 0);
    expect_file();
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0640);

    /* Again, over a longer file. */
    ck_assert_int_eq(truncate(path, 1000), 0);
    ck_assert_int_eq(open_plain(&w, path, answer_never, &e), 0);
    ck_assert_int_eq(write_two(&w, &e), 0);
    ck_assert_int_eq(writer_close(&w, &e), 0);
    expect_file();
    remove_dir();
}
END_TEST

/* Writes of one byte, and a signal before each. */
START_TEST(short_and_interrupted)
{
    struct err e = ERR_INIT;
    struct writer w;

    make_dir();
    for ( uint64_t n = 1; n < 60; n++ )
    {
        fault_arm_from(FAULT_SHORT_WRITE, 1);
        fault_arm(FAULT_INTERRUPT, n);
        ck_assert_int_eq(open_plain(&w, path, answer_never, &e), 0);
        ck_assert_int_eq(write_two(&w, &e), 0);
        ck_assert_int_eq(writer_close(&w, &e), 0);
        fault_disarm();
        expect_file();
    }
    remove_dir();
}
END_TEST

/* The first failure is stored, reported, and reported again by close. */
START_TEST(disk_full)
{
    make_dir();
    for ( uint64_t n = 1; n <= 2; n++ )
    {
        struct err e = ERR_INIT, again = ERR_INIT, last = ERR_INIT;
        struct writer w;

        ck_assert_int_eq(open_plain(&w, path, answer_never, &e), 0);
        fault_arm(FAULT_WRITE, n);
        ck_assert_int_eq(write_two(&w, &e), -ENOSPC);
        ck_assert_ptr_nonnull(strstr(e.text, path));
        ck_assert_uint_eq(w.windows, n - 1);
        ck_assert_int_eq(write_two(&w, &again), -ENOSPC);
        ck_assert_uint_eq(fault_count(FAULT_WRITE), n);
        ck_assert_int_eq(writer_close(&w, &last), -ENOSPC);
        ck_assert_int_eq(last.code, -ENOSPC);
        fault_disarm();
    }
    remove_dir();
}
END_TEST

START_TEST(really_full)
{
    struct err e = ERR_INIT;
    struct writer w;

    ck_assert_int_eq(open_plain(&w, "/dev/full", answer_never, &e), 0);
    ck_assert_int_eq(write_two(&w, &e), -ENOSPC);
    ck_assert_int_eq(writer_close(&w, &e), -ENOSPC);
}
END_TEST

/* Address 0 is not mapped: writing from there is the EIO of a bad disk. */
START_TEST(bad_disk)
{
    struct err e = ERR_INIT;
    struct writer w;

    ck_assert_int_eq(open_plain(&w, "/proc/self/mem", answer_never, &e), 0);
    ck_assert_int_eq(write_two(&w, &e), -EIO);
    ck_assert_uint_eq(w.nr_given, 0);
    ck_assert_int_eq(writer_close(&w, &e), -EIO);
}
END_TEST

/* The second file cannot be created: the first one is complete. */
START_TEST(no_second_file)
{
    struct iovec one = { (char *)"AAAAAAAA", 8 };
    struct err e = ERR_INIT;
    char first[80];
    struct writer w;
    struct stat st;

    make_dir();
    snprintf(first, sizeof(first), "%s.1", path);
    plan = (struct writer_plan){ .path = path, .numbered = true,
                                 .plain = true, .is_forced = answer_never,
                                 .rotate_bytes = 50 };
    ck_assert_int_eq(writer_open(&w, &plan, &e), 0);
    ck_assert_int_eq(writer_window(&w, 1, &one, 1, &e), 0);
    fault_arm(FAULT_OPEN, 1);
    ck_assert_int_eq(writer_window(&w, 1, &one, 1, &e), -EMFILE);
    fault_disarm();
    ck_assert_uint_eq(w.nr_safe, 1);
    ck_assert_int_eq(writer_close(&w, NULL), -EMFILE);
    ck_assert_int_eq(stat(first, &st), 0);
    ck_assert_int_eq(st.st_size, 20);
    unlink(first);
    remove_dir();
}
END_TEST

/* The preface of later files. */
static void *renew_preface(void *of, size_t *bytes)
{
    *bytes = 4;
    return of ? memcpy(malloc(4), of, 4) : NULL;
}

static void check_preface(unsigned int nr, const char *preface)
{
    char name[90], bytes[16];
    int fd;

    snprintf(name, sizeof(name), "%s.%u", path, nr);
    fd = open(name, O_RDONLY);
    ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), sizeof(bytes));
    ck_assert_int_eq(memcmp(bytes + 12, preface, 4), 0);
    close(fd);
    unlink(name);
}

START_TEST(later_files_know_more)
{
    static char record[] = "rec1", news[] = "new!";
    struct iovec one = { record, 4 };
    struct err e = ERR_INIT;
    struct writer w;

    make_dir();
    plan = (struct writer_plan){ .path = path, .numbered = true,
                                 .plain = true, .is_forced = answer_never,
                                 .rotate_bytes = 50 };
    ck_assert_int_eq(writer_open(&w, &plan, &e), 0);
    ck_assert_int_eq(writer_begin(&w, 0, "old!", 4, &e), 0);
    writer_renew(&w, renew_preface, news);
    for ( unsigned int i = 0; i < 4; i++ )
        ck_assert_int_eq(writer_window(&w, 1, &one, 1, &e), 0);
    ck_assert_uint_eq(w.files, 4);
    /* The next file gets no preface, and is not started. */
    writer_renew(&w, renew_preface, NULL);
    ck_assert_int_eq(writer_window(&w, 1, &one, 1, &e), -ENOMEM);
    ck_assert_uint_eq(w.files, 4);
    ck_assert_int_eq(writer_close(&w, NULL), -ENOMEM);
    check_preface(1, "old!");
    for ( unsigned int nr = 2; nr <= 4; nr++ )
        check_preface(nr, "new!");
    remove_dir();
}
END_TEST

START_TEST(refusals)
{
    char link[80];
    int tty = posix_openpt(O_RDWR | O_NOCTTY);

    make_dir();
    snprintf(link, sizeof(link), "%s/link", dir);
    ck_assert_int_eq(symlink("trace", link), 0);

    const struct
    {
        const char *path;
        int code;
    } rows[] = {
        { link, -ELOOP }, { dir, -EISDIR }, { "no/such/dir", -ENOENT },
        { tty < 0 ? NULL : ptsname(tty), -EINVAL },
    };

    if ( tty < 0 )
        printf("no terminal to be had (%s): not tried\n", strerror(errno));
    else
        ck_assert_int_eq(unlockpt(tty), 0);

    for ( size_t i = 0; i < 4 && rows[i].path; i++ )
    {
        struct err e = ERR_INIT;
        struct writer w;

        ck_assert_int_eq(open_plain(&w, rows[i].path, answer_never, &e),
                         rows[i].code);
        ck_assert_ptr_nonnull(strstr(e.text, rows[i].path));
    }
    if ( tty >= 0 )
        close(tty);
    unlink(link);
    ck_assert_int_ne(access(path, F_OK), 0);
    remove_dir();
}
END_TEST

static void on_alarm(int number)
{
    (void)number;
}

/* A pipe without a reader, and a stop forced by the user. */
static void full_pipe(int flags)
{
    struct sigaction act = { .sa_handler = on_alarm };
    struct itimerval often = { { 0, 20000 }, { 0, 20000 } };
    static char bytes[1u << 20];
    struct iovec span = { bytes, sizeof(bytes) };
    struct err e = ERR_INIT;
    struct writer w;
    int fds[2];

    ck_assert_int_eq(pipe2(fds, flags), 0);
    ck_assert_int_eq(dup2(fds[1], STDOUT_FILENO), STDOUT_FILENO);
    ck_assert_int_eq(sigaction(SIGALRM, &act, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    ck_assert_int_eq(open_plain(&w, NULL, answer_always, &e), 0);
    ck_assert_int_eq(writer_window(&w, 0, &span, 1, &e), 0);
    ck_assert_int_eq(writer_flush(&w, false, &e), -EINTR);
    ck_assert_int_eq(writer_close(&w, NULL), -EINTR);
    close(fds[0]);
    close(fds[1]);
}

START_TEST(nobody_reads)
{
    full_pipe(0);
}
END_TEST

START_TEST(nobody_reads_and_no_blocking)
{
    full_pipe(O_NONBLOCK);
}
END_TEST

START_TEST(reader_has_gone)
{
    struct err e = ERR_INIT;
    struct writer w;
    int fds[2];

    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(dup2(fds[1], STDOUT_FILENO), STDOUT_FILENO);
    close(fds[0]);
    close(fds[1]);
    ck_assert_int_eq(open_plain(&w, "-", answer_never, &e), 0);
    ck_assert_int_eq(write_two(&w, &e), -EPIPE);
    writer_close(&w, &e);
}
END_TEST

UNIT_MAIN("writer", a_file, short_and_interrupted, disk_full, really_full,
          bad_disk, no_second_file, later_files_know_more, refusals,
          nobody_reads, nobody_reads_and_no_blocking, reader_has_gone)
