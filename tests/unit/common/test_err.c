/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct err: the first reason is kept, in one line, and never truncated. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "unit.h"

START_TEST(set_fills_and_returns_code)
{
    struct err e = ERR_INIT;

    ck_assert_int_eq(err_set(&e, -EINVAL, "--cpus %d: no", 0), -EINVAL);
    ck_assert_int_eq(e.code, -EINVAL);
    ck_assert_str_eq(e.text, "--cpus 0: no");
    ck_assert(e.offset == ERR_NO_OFFSET);
}
END_TEST

START_TEST(null_is_allowed)
{
    ck_assert_int_eq(err_set(NULL, -EIO, "x"), -EIO);
    ck_assert_int_eq(err_sys(NULL, -EPERM, "x"), -EPERM);
    ck_assert_int_eq(err_at(NULL, -EBADMSG, 3, "x"), -EBADMSG);
}
END_TEST

/* Only the first reason decides whether the call was wrong. */
START_TEST(usage_exits_2)
{
    struct err wrong = ERR_INIT, failed = ERR_INIT, filled = ERR_INIT;

    ck_assert_int_eq(err_usage(&wrong, "--cpus %d: no", 0), -EINVAL);
    ck_assert_int_eq(wrong.code, -EINVAL);
    ck_assert_str_eq(wrong.text, "--cpus 0: no");
    ck_assert(wrong.offset == ERR_NO_OFFSET);
    err_set(&wrong, -EIO, "second");
    ck_assert_int_eq(err_exit_code(&wrong), 2);

    err_set(&failed, -EINVAL, "a bad trace");
    ck_assert_int_eq(err_exit_code(&failed), 1);

    err_sys(&filled, -EIO, "first");
    ck_assert_int_eq(err_usage(&filled, "second"), -EINVAL);
    ck_assert_int_eq(err_exit_code(&filled), 1);
    ck_assert_int_eq(err_usage(NULL, "x"), -EINVAL);
}
END_TEST

START_TEST(first_reason_wins)
{
    struct err e = ERR_INIT;

    err_at(&e, -EBADMSG, 12, "first");
    ck_assert_int_eq(err_set(&e, -EIO, "second"), -EIO);
    ck_assert_int_eq(err_sys(&e, -EPERM, "third"), -EPERM);
    ck_assert_int_eq(e.code, -EBADMSG);
    ck_assert_str_eq(e.text, "first");
    ck_assert(e.offset == 12);
}
END_TEST

START_TEST(sys_says_what_the_system_says)
{
    struct err e = ERR_INIT;

    err_sys(&e, -ENOENT, "cannot open %s", "a.trc");
    ck_assert_str_eq(e.text, "cannot open a.trc: No such file or directory");
}
END_TEST

START_TEST(long_text_is_cut_but_keeps_its_cause)
{
    static const char cause[] = ": Permission denied";
    struct err e = ERR_INIT;
    char name[4096];

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    err_sys(&e, -EACCES, "%s", name);
    ck_assert_uint_eq(strlen(e.text), sizeof(e.text) - 1);
    ck_assert_str_eq(e.text + strlen(e.text) - strlen(cause), cause);
}
END_TEST

/* Around the length at which cutting sets in, nothing is lost or doubled. */
START_TEST(cut_is_exact_at_the_edge)
{
    const size_t room = sizeof(((struct err *)0)->text) - sizeof(": ") -
                        strlen(strerror(EIO));
    char name[sizeof(((struct err *)0)->text)];
    char expected[2 * sizeof(name)];
    size_t len;

    for ( len = room - 2; len <= room + 2; len++ )
    {
        struct err e = ERR_INIT;

        memset(name, 'n', len);
        name[len] = '\0';
        err_sys(&e, -EIO, "%s", name);
        name[len < room ? len : room] = '\0';
        snprintf(expected, sizeof(expected), "%s: %s", name, strerror(EIO));
        ck_assert_str_eq(e.text, expected);
    }
}
END_TEST

START_TEST(text_is_one_harmless_line)
{
    struct err e = ERR_INIT;

    err_set(&e, -EINVAL, "%s", "a\nb\033[31mc\tk\xc3\xa4se\x7f");
    ck_assert_str_eq(e.text, "a?b?[31mc?k\xc3\xa4se?");
}
END_TEST

/* Capture the output of err_print(). */
static void print(const struct err *e, char *text, size_t size)
{
    int pipes[2], saved = dup(2);
    ssize_t n;

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_eq(dup2(pipes[1], 2), 2);
    err_print("prog", e);
    ck_assert_int_eq(dup2(saved, 2), 2);
    close(saved);
    close(pipes[1]);
    n = read(pipes[0], text, size - 1);
    ck_assert_int_ge(n, 0);
    text[n] = '\0';
    close(pipes[0]);
}

START_TEST(print_is_one_line_with_name)
{
    struct err e = ERR_INIT;
    char text[512];

    err_set(&e, -EINVAL, "100%% wrong");
    print(&e, text, sizeof(text));
    ck_assert_str_eq(text, "prog: 100% wrong\n");
}
END_TEST

START_TEST(print_shows_offset)
{
    struct err e = ERR_INIT;
    char text[512];

    err_at(&e, -EBADMSG, UINT64_MAX - 1, "bad header");
    print(&e, text, sizeof(text));
    ck_assert_str_eq(text,
                     "prog: bad header (at byte 18446744073709551614)\n");
}
END_TEST

UNIT_MAIN("err", set_fills_and_returns_code, null_is_allowed,
          first_reason_wins, usage_exits_2, sys_says_what_the_system_says,
          long_text_is_cut_but_keeps_its_cause, cut_is_exact_at_the_edge,
          text_is_one_harmless_line, print_is_one_line_with_name,
          print_shows_offset)
