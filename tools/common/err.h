/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a reason travels.  A function that can fail returns 0 or -errno and
 * says nothing; if a person will want to know why, it also takes a struct
 * err and fills it once, where the failure is understood best.  Only main()
 * prints it (err_print) and exits.
 */
#ifndef COMMON_ERR_H
#define COMMON_ERR_H

#include <stdint.h>

#define ERR_NO_OFFSET UINT64_MAX

struct err
{
    int code;           /* -errno; 0: nothing happened yet */
    uint64_t offset;    /* byte in the input where it is, or ERR_NO_OFFSET */
    char text[256];     /* one line: what, where, what to do; no newline */
};

#define ERR_INIT { .code = 0, .offset = ERR_NO_OFFSET }

/*
 * Fill *e (which may be NULL) and return code, so that a failing line reads
 *     return err_set(e, -EINVAL, "--cpus 0: at least one is needed");
 * The first reason wins: a filled err is left as it is.
 */
int err_set(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, and the text ends in ": " and what the system calls the code. */
int err_sys(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same as err_set, and remembers the byte offset at which it was seen. */
int err_at(struct err *e, int code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* One line on stderr: "PROGRAM: TEXT (at byte OFFSET)". */
void err_print(const char *program, const struct err *e);

#endif /* COMMON_ERR_H */
