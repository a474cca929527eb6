/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files: complete or unchanged, whatever fails; modes and symbolic links
 * are kept, devices are not replaced.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/output-file.h"
#include "unit.h"

static char folder[] = "/tmp/test_output_file.XXXXXX";

static const char *at(const char *name)
{
    static char path[200];

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

static void make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

START_TEST(file_appears_at_commit)
{
    struct err e = ERR_INIT;
    struct output_file f;

    make_folder();
    ck_assert_int_eq(output_file_open(&f, at("a"), &e), 0);
    fputs("text", f.out);
    fflush(f.out);
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

UNIT_MAIN("output-file", file_appears_at_commit, discarded_file_leaves_nothing,
          mode_and_link_are_kept, devices_are_written_directly,
          failures_are_reported, descriptor_without_a_stream,
          stale_file_is_not_overwritten)
