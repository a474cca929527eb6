/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The back ends that print: format and destination of lines, and that a line
 * is written in one piece, for any length and with concurrent printing.
 */
#define _GNU_SOURCE             /* gettid */
#include "tracefile.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/trace/text.h"

static char folder[32];

static void init_program(const char *log)
{
    struct err e = ERR_INIT;

    scratch_begin(folder, sizeof(folder));
    ck_assert_msg(!usertrace_log_file(log, &e), "%s", e.text);
}

/* The contents of a file, valid until the next call. */
static const char *read_text(const char *path)
{
    static char text[200000];
    FILE *in = fopen(path, "r");

    ck_assert_msg(in != NULL, "%s is not there", path);
    text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
    fclose(in);
    return text;
}

START_TEST(a_line_is_as_it_was_printed)
{
    init_program("l");
    errno = 77;
    usertrace_log("one %d %s\n", 1, "x");
    ck_assert_int_eq(errno, 77);
    ck_assert_str_eq(read_text("l"), "one 1 x\n");
    scratch_end(folder);
}
END_TEST

START_TEST(a_prefix_has_thread_and_time)
{
    struct timespec before, after;
    long long seconds;
    int tid, micro, n = 0;

    init_program("l");
    usertrace_log_prefix(true);
    clock_gettime(CLOCK_REALTIME, &before);
    usertrace_log("one\n");
    clock_gettime(CLOCK_REALTIME, &after);
    ck_assert_int_eq(sscanf(read_text("l"), "%d@%lld.%6d:one\n%n", &tid,
                            &seconds, &micro, &n), 3);
    ck_assert_int_eq(n, strlen(read_text("l")));
    ck_assert_int_eq(tid, gettid());
    ck_assert_int_ge(seconds, before.tv_sec);
    ck_assert_int_le(seconds, after.tv_sec);
    usertrace_log_prefix(false);
    usertrace_log("two\n");
    ck_assert_ptr_nonnull(strstr(read_text("l"), "one\ntwo\n"));
    scratch_end(folder);
}
END_TEST

static void append_line(const char *line, size_t length, void *arg)
{
    ck_assert_uint_eq(strlen(line), length);
    strcat(arg, line);
    errno = EIO;
}

START_TEST(a_program_takes_the_lines)
{
    static char long_text[5000];
    char got[8000] = "";

    init_program("l");
    memset(long_text, 'x', sizeof(long_text) - 1);
    usertrace_log_prefix(true);
    usertrace_log_to(append_line, got);
    errno = 77;
    usertrace_log("one %d\n", 1);
    usertrace_log("%s\n", long_text);
    ck_assert_int_eq(errno, 77);
    ck_assert_uint_eq(strlen(got), strlen("one 1\n") + sizeof(long_text));
    ck_assert(!strncmp(got, "one 1\nxxx", 9));
    ck_assert_str_eq(read_text("l"), "");

    usertrace_log_prefix(false);
    usertrace_log_to(NULL, NULL);
    usertrace_log("two\n");
    ck_assert_str_eq(read_text("l"), "two\n");
    scratch_end(folder);
}
END_TEST

START_TEST(a_file_follows_a_file)
{
    struct err e = ERR_INIT;

    init_program("l");
    usertrace_log("one\n");
    ck_assert(!usertrace_log_file("m", &e));
    usertrace_log("two\n");
    ck_assert_int_eq(usertrace_log_file("no/such", &e), -ENOENT);
    ck_assert_ptr_nonnull(strstr(e.text, "Error opening logfile no/such: No"));
    usertrace_log("three\n");
    ck_assert(!usertrace_log_file("l", NULL));
    usertrace_log("four\n");
    ck_assert_str_eq(read_text("l"), "one\nfour\n");
    ck_assert_str_eq(read_text("m"), "two\nthree\n");
    scratch_end(folder);
}
END_TEST

static char long_text[20000];

START_TEST(a_long_line_is_whole)
{
    size_t length;

    memset(long_text, 'l', sizeof(long_text) - 1);
    init_program("l");
    usertrace_log("%s\n", long_text);
    ck_assert_uint_eq(strlen(read_text("l")), sizeof(long_text));
    ck_assert(!usertrace_log_file("m", NULL));
    fault_arm(FAULT_ALLOC, 1);
    usertrace_log("%s\n", long_text);
    fault_disarm();
    usertrace_log("next\n");
    length = strcspn(read_text("m"), "\n");
    ck_assert_uint_gt(length, 100);
    ck_assert_uint_lt(length, sizeof(long_text) - 1);
    ck_assert_str_eq(read_text("m") + length, "\nnext\n");
    scratch_end(folder);
}
END_TEST

START_TEST(an_entry_of_the_kernel_is_one_line)
{
    struct err e = ERR_INIT;

    memset(long_text, 'l', sizeof(long_text) - 1);
    init_program("l");
    fclose(fopen("tracing_on", "w"));
    fclose(fopen("trace_marker", "w"));
    setenv("USERTRACE_TRACEFS", ".", 1);
    usertrace_use_backends("ftrace");
    ck_assert_msg(!usertrace_init(&e), "%s", e.text);
    usertrace_ftrace("%s\n", long_text);
    ck_assert_uint_eq(strlen(read_text("trace_marker")), 1000);
    ck_assert_uint_eq(strcspn(read_text("trace_marker"), "\n"), 999);
    scratch_end(folder);
}
END_TEST

enum { PRINTERS = 8, LINES = 200 };

static void *print_many(void *arg)
{
    for ( int i = 0; i < LINES; i++ )
        usertrace_log("printer %d prints %d, and it is the line of %d\n",
                      (int)(uintptr_t)arg, i, (int)(uintptr_t)arg);
    return NULL;
}

START_TEST(lines_do_not_mix)
{
    pthread_t threads[PRINTERS];
    int next[PRINTERS] = { 0 }, who, nr, again, n;
    const char *at;

    init_program("l");
    for ( uintptr_t i = 0; i < PRINTERS; i++ )
        ck_assert(!pthread_create(&threads[i], NULL, print_many, (void *)i));
    for ( int i = 0; i < PRINTERS; i++ )
        pthread_join(threads[i], NULL);
    for ( at = read_text("l"); *at; at += n )
    {
        n = 0;
        sscanf(at, "printer %d prints %d, and it is the line of %d\n%n", &who,
               &nr, &again, &n);
        UNIT_CHECK(n && who == again && nr == next[who]);
        next[who]++;
    }
    for ( int i = 0; i < PRINTERS; i++ )
        ck_assert_int_eq(next[i], LINES);
    scratch_end(folder);
}
END_TEST

UNIT_MAIN("text", a_line_is_as_it_was_printed, a_prefix_has_thread_and_time,
          a_program_takes_the_lines, a_file_follows_a_file,
          a_long_line_is_whole, an_entry_of_the_kernel_is_one_line,
          lines_do_not_mix)
