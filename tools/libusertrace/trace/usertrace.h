/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control that QEMU does not have: reasons instead of silence, counters, who
 * speaks.  usertrace_init() is all that a program needs; libusertrace(3)
 * shows one.
 *
 * Functions that return int return 0 or -errno, and fill the struct err
 * (common/err.h), which may be NULL, with one line for a person.
 */
#ifndef TRACE_USERTRACE_H
#define TRACE_USERTRACE_H

#include "control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct err;

/*
 * All of it in one call, at the beginning of main(): the back ends, then what
 * the environment's TRACE asks for (the grammar of --trace, several separated
 * by ";").  Without TRACE everything is off until somebody switches it on.
 */
int usertrace_init(struct err *e);

/*
 * The argument of an option --trace, as often as it comes, before or after
 * the above.  What does not exist is a warning to the reporter.  1: it was
 * "help", and all names were printed on stdout.
 */
int usertrace_option(const char *text, struct err *e);

/*
 * NAME, PATTERN, -NAME or -PATTERN.  A pattern leaves out what is compiled
 * out, and may fit nothing; -ENOENT: no event has this name; -EPERM: it is
 * compiled out.
 */
int usertrace_enable(const char *line, struct err *e);

/* ---- the back ends ------------------------------------------------------ */

/* The names of those that the program was generated with; NULL ends. */
const char *const *usertrace_backends(void);
bool usertrace_has_backend(const char *name);

/* What generated code calls, before main(): "log,simple". */
void usertrace_use_backends(const char *names);

/* Lines of the log back end begin with "TID@SEC.USEC:".  Default: no. */
void usertrace_log_prefix(bool on);

/* Where they go; NULL: stderr.  It is opened for appending, made if absent. */
int usertrace_log_file(const char *path, struct err *e);

/* ---- the simple back end's trace file ----------------------------------- */

enum usertrace_file
{
    USERTRACE_FILE_OFF,         /* write all, close */
    USERTRACE_FILE_ON,          /* begin a new file */
    USERTRACE_FILE_FLUSH,       /* write all that was traced before the call */
};

int usertrace_file(enum usertrace_file what, struct err *e);

/* Another name; if a file is open, it ends, and one of this name begins.
 * NULL: the default name, trace-PID. */
int usertrace_file_set(const char *path, struct err *e);

/* *path (size bytes) gets the name of the file; is it open? */
bool usertrace_file_status(char *path, size_t size);

/*
 * Begin a new file once one has `bytes` (0: never), and keep at most `keep`
 * older ones (0: all), which are called PATH.1 (the newest), PATH.2 ...
 */
void usertrace_file_rotate(uint64_t bytes, unsigned int keep);

/*
 * Files that are begun from now on have nothing that QEMU's do not have: no
 * declarations, threads, wall clock.  QEMU's reader takes either kind.
 */
void usertrace_file_plain(bool on);

/* How much can wait for the writer, per thread; before the first event. */
int usertrace_ring_size(size_t bytes, struct err *e);

struct usertrace_counts
{
    uint64_t written;           /* events that went to trace files */
    uint64_t dropped;           /* events that found no room */
    uint64_t bytes;             /* in trace files */
    uint64_t files;             /* how many were begun */
    uint64_t failed_writes;     /* disk full and the like */
    unsigned int rings;         /* threads that trace, or traced lately */
};

void usertrace_counts(struct usertrace_counts *counts);

/* ---- who speaks --------------------------------------------------------- */

/*
 * What happens out of sight (the disk is full, say) becomes one line.  It
 * goes to stderr, with the program's name before it, unless the program
 * takes it.  `report` may be called from any thread.
 */
void usertrace_set_reporter(void (*report)(const char *line, void *arg),
                            void *arg);

#ifdef __cplusplus
}
#endif

#endif /* TRACE_USERTRACE_H */
