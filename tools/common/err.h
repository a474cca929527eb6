/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reason of a failure.  A function that can fail returns 0 or -errno and
 * prints no message.  If a user needs the reason, the function also takes a
 * struct err, which is filled once, at the call level that knows most about
 * the failure.  Only main() prints the reason (err_print), and returns
 * err_exit_code().
 */
#ifndef COMMON_ERR_H
#define COMMON_ERR_H

#include <stdbool.h>
#include <stdint.h>

#define ERR_NO_OFFSET UINT64_MAX

struct err
{
    int code;           /* -errno; 0: no failure so far */
    uint64_t offset;    /* byte offset in the input, or ERR_NO_OFFSET */
    bool usage;         /* usage error */
    char text[256];     /* one line without newline: what, where, how to fix */
};

#define ERR_INIT { .code = 0, .offset = ERR_NO_OFFSET }

/*
 * Fill *e (which may be NULL) and return code, so that a failing line reads
 *     return err_set(e, -EINVAL, "--cpus 0: at least one is needed");
 * The first reason wins: a filled struct err is not changed.
 */
int err_set(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set, with ": " and strerror() of the code appended to the text. */
int err_sys(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * As err_set, with -EINVAL, for a usage error: unknown, bad or conflicting
 * options, missing arguments.
 */
int err_usage(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* As err_set, with the byte offset of the failure in the input. */
int err_at(struct err *e, int code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* One line on stderr: "PROGRAM: TEXT (at byte OFFSET)". */
void err_print(const char *program, const struct err *e);

/* The exit code of a failed program: 2 after a usage error, otherwise 1. */
int err_exit_code(const struct err *e);

#endif /* COMMON_ERR_H */
