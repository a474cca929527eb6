/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control beyond QEMU's interface: error codes with reasons, counters, and a
 * callback for messages.  Most programs need only usertrace_init(); see
 * libusertrace(3) for an example.
 *
 * Functions that return int return 0 or -errno, and on failure fill the struct
 * err (common/err.h), which may be NULL, with a line of text.
 */
#ifndef TRACE_USERTRACE_H
#define TRACE_USERTRACE_H

#include "control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct err;

/*
 * Initialize everything, at the beginning of main(): the back ends, then the
 * options in the environment variable TRACE (the syntax of --trace, several
 * separated by ";").  Without TRACE, all events are off until they are
 * switched on.
 */
int usertrace_init(struct err *e);

/*
 * Parse the argument of an option --trace; may be called repeatedly, before or
 * after usertrace_init().  Unknown events are warnings to the reporter.
 * Returns 1 for "help", after all names were printed on stdout.
 */
int usertrace_option(const char *text, struct err *e);

/*
 * NAME, PATTERN, -NAME or -PATTERN.  A pattern skips events that are not
 * compiled in, and may match nothing.  -ENOENT: no event has this name;
 * -EPERM: not compiled in.
 */
int usertrace_enable(const char *line, struct err *e);

/* ---- the back ends ------------------------------------------------------ */

/* The back ends that the program was generated with; NULL-terminated. */
const char *const *usertrace_backends(void);
bool usertrace_has_backend(const char *name);

/* Called by generated code before main(): "log,simple". */
void usertrace_use_backends(const char *names);

/* Begin lines of the log back end with "TID@SEC.USEC:".  Default: no. */
void usertrace_log_prefix(bool on);

/*
 * Destination of the log back end; NULL: stderr.  The file is opened for
 * appending, and created if necessary.
 */
int usertrace_log_file(const char *path, struct err *e);

/*
 * Pass each line of the log back end to a function, from the thread of the
 * trace point, instead of writing to a file: `line` ends with a newline and a
 * NUL, and has no prefix.  The function must not trace.  Call this before an
 * event is switched on; NULL: write to the file again.
 */
void usertrace_log_to(void (*write)(const char *line, size_t length, void *arg),
                      void *arg);

/* ---- the simple back end's trace file ----------------------------------- */

enum usertrace_file
{
    USERTRACE_FILE_OFF,         /* write everything, and close */
    USERTRACE_FILE_ON,          /* open a new file */
    USERTRACE_FILE_FLUSH,       /* write everything traced before the call */
};

int usertrace_file(enum usertrace_file what, struct err *e);

/*
 * Change the name; an open file is closed, and a new file opened.  NULL: the
 * default name, trace-PID.
 */
int usertrace_file_set(const char *path, struct err *e);

/*
 * Copy the name of the file to path (size bytes).  Returns whether a file is
 * open.
 */
bool usertrace_file_status(char *path, size_t size);

/*
 * Begin a new file when the file exceeds `bytes` (0: never), and keep at most
 * `keep` older files (0: all), named PATH.1 (the newest), PATH.2 ...
 */
void usertrace_file_rotate(uint64_t bytes, unsigned int keep);

/*
 * Limit later files to the items of QEMU's format: no declarations, threads or
 * wall clock.  QEMU's reader accepts both kinds.
 */
void usertrace_file_plain(bool on);

/*
 * Size of the ring of each thread, rounded up to a power of two, for trace
 * files that are opened later.
 */
int usertrace_ring_size(size_t bytes, struct err *e);

enum usertrace_mode
{
    USERTRACE_DROP,             /* a full ring drops events, and counts them */
    USERTRACE_BLOCK,            /* the trace point waits for room; drops only
                                 * if the file cannot be written */
};

/* From now on; the default is USERTRACE_DROP. */
void usertrace_ring_mode(enum usertrace_mode mode);

struct usertrace_counts
{
    uint64_t written;           /* events in trace files */
    uint64_t dropped;           /* events that found no room */
    uint64_t bytes;             /* in trace files */
    uint64_t files;             /* opened */
    uint64_t failed_writes;     /* disk full and the like */
    unsigned int rings;         /* threads with a ring */
};

void usertrace_counts(struct usertrace_counts *counts);

/* ---- messages ----------------------------------------------------------- */

/*
 * Messages about background failures (for example a full disk) are one line
 * each, on stderr after the program's name, unless a reporter is set.
 * `report` may be called from any thread.
 */
void usertrace_set_reporter(void (*report)(const char *line, void *arg),
                            void *arg);

#ifdef __cplusplus
}
#endif

#endif /* TRACE_USERTRACE_H */
