/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files: complete or unchanged, whatever fails or ends the process;
 * modes and symbolic links are kept, devices are not replaced.  All tests run
 * three times: as the file system is, without O_TMPFILE, and without /proc.
 */
#define _GNU_SOURCE             /* O_TMPFILE */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/output-file.h"
#include "unit.h"

static char folder[] = "/tmp/test_output_file.XXXXXX";

static enum { AS_IS, NO_TMPFILE, NO_PROC } way;

static const char *at(const char *name)
{
    static char path[400];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int write_text(const char *name, const char *text, struct err *e)
{
    struct output_file f;
    int rc = output_file_open(&f, at(name), e);

    if ( rc )
        return rc;
    fputs(text, f.out);
    return output_file_commit(&f, e);
}

static void expect_text(const char *name, const char *text)
{
    char got[100] = "";
    FILE *in = fopen(at(name), "re");

    ck_assert_ptr_nonnull(in);
    ck_assert_int_eq(fread(got, 1, sizeof(got) - 1, in), strlen(text));
    fclose(in);
    ck_assert_str_eq(got, text);
}

static unsigned int count_files(void)
{
    DIR *d = opendir(folder);
    unsigned int nr = 0;

    ck_assert_ptr_nonnull(d);
    while ( readdir(d) )
        nr++;
    closedir(d);
    return nr - 2;
}

static void remove_files(void)
{
    static const char *const names[] = { "a", "b", "link" };

    for ( size_t i = 0; i < 3; i++ )
        unlink(at(names[i]));
    ck_assert_int_eq(rmdir(folder), 0);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
}

/*
 * The first question is for O_TMPFILE, the second for /proc.  The handlers of
 * the library `check` are inherited.
 */
static void make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if ( way == NO_TMPFILE )
        fault_arm_from(FAULT_TMPFILE, 1);
    if ( way == NO_PROC )
        fault_arm(FAULT_TMPFILE, 2);
}

/* Has an unfinished file no name here? */
static bool is_unnamed(void)
{
    int fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);

    if ( fd >= 0 )
        close(fd);
    return way == AS_IS && fd >= 0 && !access("/proc/self/fd", X_OK);
}

START_TEST(file_appears_at_commit)
{
    struct err e = ERR_INIT;
    struct output_file f;

    make_folder();
    ck_assert_int_eq(output_file_open(&f, at("a"), &e), 0);
    fputs("text", f.out);
    fflush(f.out);
    ck_assert_uint_eq(count_files(), !is_unnamed());
    ck_assert_int_ne(access(at("a"), F_OK), 0);
    /* at() has one buffer: the path of the struct is that of the file. */
    ck_assert_str_eq(f.path, at("a"));
    ck_assert_int_eq(output_file_commit(&f, &e), 0);
    expect_text("a", "text");
    ck_assert_uint_eq(count_files(), 1);
    remove_files();
}
END_TEST

START_TEST(discarded_file_leaves_nothing)
{
    struct err e = ERR_INIT;
    struct output_file f;

    make_folder();
    ck_assert_int_eq(write_text("a", "old", &e), 0);
    ck_assert_int_eq(output_file_open(&f, at("a"), &e), 0);
    fputs("new", f.out);
    output_file_discard(&f);
    output_file_discard(&f);
    expect_text("a", "old");
    ck_assert_uint_eq(count_files(), 1);
    remove_files();
}
END_TEST

START_TEST(mode_and_link_are_kept)
{
    struct err e = ERR_INIT;
    struct stat st;

    make_folder();
    ck_assert_int_eq(write_text("a", "old", &e), 0);
    ck_assert_int_eq(chmod(at("a"), 0660), 0);
    ck_assert_int_eq(symlink("a", at("link")), 0);
    ck_assert_int_eq(write_text("link", "new", &e), 0);
    expect_text("a", "new");
    ck_assert_int_eq(lstat(at("link"), &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    ck_assert_int_eq(stat(at("a"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0660);
    remove_files();
}
END_TEST

START_TEST(devices_are_written_directly)
{
    struct err e = ERR_INIT;
    struct output_file f;
    struct stat st;

    ck_assert_int_eq(output_file_open(&f, "/dev/null", &e), 0);
    fputs("text", f.out);
    ck_assert_int_eq(output_file_commit(&f, &e), 0);
    ck_assert_int_eq(stat("/dev/null", &st), 0);
    ck_assert(S_ISCHR(st.st_mode));

    ck_assert_int_eq(output_file_open(&f, "/dev/full", &e), 0);
    fputs("text", f.out);
    ck_assert_int_eq(output_file_commit(&f, &e), -ENOSPC);
    ck_assert_ptr_nonnull(strstr(e.text, "cannot write /dev/full"));
}
END_TEST

START_TEST(failures_are_reported)
{
    struct err e = ERR_INIT;
    struct output_file f;

    ck_assert_int_eq(output_file_open(&f, "/nowhere/file", &e), -ENOENT);
    ck_assert_ptr_nonnull(strstr(e.text, "cannot write /nowhere/file"));
    ck_assert_int_eq(output_file_open(&f, "/tmp", &e), -EISDIR);

    make_folder();
    fault_arm(FAULT_OPEN, 1);
    ck_assert_int_eq(output_file_open(&f, at("a"), &e), -EMFILE);
    fault_disarm();
    ck_assert_uint_eq(count_files(), 0);
    remove_files();
}
END_TEST

START_TEST(descriptor_without_a_stream)
{
    struct err e = ERR_INIT;
    struct output_file f;

    make_folder();
    ck_assert_int_eq(output_file_open_fd(&f, at("a"), &e), 0);
    ck_assert_ptr_null(f.out);
    ck_assert_int_eq(write(f.fd, "text", 4), 4);
    ck_assert_int_eq(output_file_commit(&f, &e), 0);
    expect_text("a", "text");

    ck_assert_int_eq(output_file_open_fd(&f, at("a"), &e), 0);
    ck_assert_int_eq(write(f.fd, "new", 3), 3);
    output_file_discard(&f);
    output_file_discard(&f);
    expect_text("a", "text");
    ck_assert_uint_eq(count_files(), 1);
    remove_files();
}
END_TEST

/* A killed process of the same number left its temporary file. */
START_TEST(stale_file_is_not_overwritten)
{
    struct err e = ERR_INIT;
    struct output_file f;
    char stale[32];

    make_folder();
    snprintf(stale, sizeof(stale), "a.%ld-0.part", (long)getpid());
    ck_assert_int_eq(write_text(stale, "stale", &e), 0);
    ck_assert_int_eq(output_file_open(&f, at("a"), &e), 0);
    fputs("text", f.out);
    ck_assert_int_eq(output_file_commit(&f, &e), 0);
    expect_text("a", "text");
    expect_text(stale, "stale");
    ck_assert_int_eq(unlink(at(stale)), 0);
    remove_files();
}
END_TEST

START_TEST(new_files_obey_the_umask)
{
    static const mode_t masks[] = { 0, 022, 027, 077 };
    struct err e = ERR_INIT;
    struct stat st;

    for ( size_t i = 0; i < 4; i++ )
    {
        make_folder();
        umask(masks[i]);
        ck_assert_int_eq(write_text("a", "text", &e), 0);
        ck_assert_int_eq(stat(at("a"), &st), 0);
        ck_assert_uint_eq(st.st_mode & 0777, 0666 & ~masks[i]);
        remove_files();
    }
}
END_TEST

START_TEST(names_can_be_long)
{
    struct err e = ERR_INIT;
    char name[256] = "";

    make_folder();
    memset(name, 'n', 255);
    ck_assert_int_eq(write_text(name, "old", &e), 0);
    ck_assert_int_eq(write_text(name, "new", &e), 0);
    expect_text(name, "new");
    ck_assert_uint_eq(count_files(), 1);
    ck_assert_int_eq(unlink(at(name)), 0);
    remove_files();
}
END_TEST

/* The target becomes a folder meanwhile. */
START_TEST(failed_rename_leaves_nothing)
{
    struct err e = ERR_INIT;
    struct output_file f;

    make_folder();
    ck_assert_int_eq(output_file_open(&f, at("a"), &e), 0);
    fputs("text", f.out);
    ck_assert_int_eq(mkdir(at("a"), 0777), 0);
    ck_assert_int_eq(output_file_commit(&f, &e), -EISDIR);
    ck_assert_ptr_nonnull(strstr(e.text, "cannot write /tmp/test_output_file"));
    ck_assert_uint_eq(count_files(), 1);
    ck_assert_int_eq(rmdir(at("a")), 0);
    remove_files();
}
END_TEST

START_TEST(failed_link_is_reported)
{
    struct err e = ERR_INIT;
    struct output_file f;

    make_folder();
    ck_assert_int_eq(output_file_open(&f, at("a"), &e), 0);
    if ( is_unnamed() )
    {
        ck_assert_int_eq(rmdir(folder), 0);
        ck_assert_int_eq(output_file_commit(&f, &e), -ENOENT);
        ck_assert_ptr_nonnull(strstr(e.text, "cannot write /tmp/test_output"));
        ck_assert_int_eq(mkdir(folder, 0777), 0);
    }
    output_file_discard(&f);
    remove_files();
}
END_TEST

/* --- signals -------------------------------------------------------------- */

static void open_output(struct output_file *f, const char *name)
{
    struct err e = ERR_INIT;

    ck_assert_int_eq(output_file_open(f, at(name), &e), 0);
    fputs("new", f->out);
    fflush(f->out);
}

/* In a child process: the signal comes while three outputs are written. */
static void write_until(int number)
{
    const struct rlimit no_core = { 0, 0 };
    struct output_file f[3];

    setrlimit(RLIMIT_CORE, &no_core);
    for ( unsigned int i = 0; i < 40; i++ )
    {
        open_output(&f[0], "a");
        output_file_discard(&f[0]);
    }
    open_output(&f[0], "a");
    open_output(&f[1], "b");
    open_output(&f[2], "c");
    output_file_discard(&f[0]);
    open_output(&f[0], "a");
    raise(number);
    _exit(1);
}

/* The status of a child process that a signal stops. */
static int run_until(int number)
{
    pid_t pid = fork();
    int status;

    if ( !pid )
        write_until(number);
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

START_TEST(signals_leave_nothing)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
                                   SIGXFSZ, SIGXCPU, SIGKILL };
    struct err e = ERR_INIT;

    make_folder();
    ck_assert_int_eq(write_text("a", "old", &e), 0);
    for ( size_t i = 0; i < 7u + is_unnamed(); i++ )
    {
        int status;

        if ( way == NO_PROC )
            fault_arm(FAULT_TMPFILE, 2);
        status = run_until(numbers[i]);
        ck_assert(WIFSIGNALED(status));
        ck_assert_int_eq(WTERMSIG(status), numbers[i]);
        expect_text("a", "old");
        ck_assert_uint_eq(count_files(), 1);
    }
    remove_files();
}
END_TEST

static volatile sig_atomic_t handled;

static void count_signal(int number)
{
    handled += number == SIGINT;
}

/* A program that handles or ignores a signal completes its file. */
START_TEST(handlers_are_kept)
{
    struct err e = ERR_INIT;
    struct output_file f;

    make_folder();
    signal(SIGINT, count_signal);
    signal(SIGTERM, SIG_IGN);
    open_output(&f, "a");
    raise(SIGINT);
    raise(SIGTERM);
    ck_assert_int_eq(handled, 1);
    ck_assert_int_eq(output_file_commit(&f, &e), 0);
    expect_text("a", "new");
    remove_files();
}
END_TEST

START_TEST(child_leaves_the_files_of_its_parent)
{
    struct err e = ERR_INIT;
    struct output_file f;
    int status;
    pid_t pid;

    make_folder();
    open_output(&f, "a");
    pid = fork();
    if ( !pid )
    {
        raise(SIGTERM);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(output_file_commit(&f, &e), 0);
    expect_text("a", "new");
    remove_files();
}
END_TEST

int main(void)
{
    static const char *const names[] = { "output-file", "without O_TMPFILE",
                                         "without /proc" };
    const TTest *const tests[] = {
        file_appears_at_commit, discarded_file_leaves_nothing,
        mode_and_link_are_kept, devices_are_written_directly,
        failures_are_reported, descriptor_without_a_stream,
        stale_file_is_not_overwritten, new_files_obey_the_umask,
        names_can_be_long, failed_rename_leaves_nothing,
        failed_link_is_reported, signals_leave_nothing, handlers_are_kept,
        child_leaves_the_files_of_its_parent,
    };
    int failed = 0;

    for ( way = AS_IS; way <= NO_PROC; way++ )
        failed |= unit_run(names[way], tests, sizeof(tests) / sizeof(tests[0]));
    return failed;
}
