/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of programs beside a trace of Xen: traces of the simple back end, of
 * QEMU or of other programs, texts of the log back end and of ftrace, as one
 * stream in the order of time, with the time stamps of the trace.
 *
 *     programs_open()         recognise and open the files
 *     programs_set_clock()    pairs of clocks from the trace's metadata
 *     programs_begin()        at the begin of each pass
 *     programs_next()         the next event
 *
 * Such a trace has the clock CLOCK_MONOTONIC of dom0.  The metadata of a trace
 * of Xen has the time of one moment on both clocks, about once per second
 * (clock-pairs.h).
 */
#ifndef XENALYZE_PROGRAMS_PROGRAMS_H
#define XENALYZE_PROGRAMS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/log.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/programs/clock-offset.h"

struct programs;

struct program_event
{
    uint64_t time;              /* as a time stamp of the trace */
    uint32_t process;           /* number, for programs_process() */
    uint32_t tid;               /* 0: unknown */
    uint32_t name;              /* number, for programs_event_name() */
    uint64_t lost;              /* not 0: no event, but so many lost ones */
    const char *text;           /* the arguments; "": none, or not wanted */
};

struct program_process
{
    const char *label;          /* "qemu", of visible characters */
    uint32_t pid;               /* 0: unknown */
    const char *path;           /* its file */
};

/* Does the file begin like the trace of a program? */
bool programs_is_trace(const char *path);

/*
 * Open the files.  `declarations`, which may be NULL, is a file with the
 * declarations of events that the files lack.  The paths are borrowed.
 */
int programs_open(struct programs **programs, const char *const *paths,
                  size_t nr, const char *declarations, struct err *e);

/*
 * Can the file of declarations be read?  Otherwise it is an error also if no
 * file lacks declarations, so that a mistyped name is noticed.
 */
int programs_check_declarations(const char *path, struct err *e);
void programs_close(struct programs *p);        /* NULL is fine */

/*
 * Compute the time stamps of events from the metadata of the trace, before the
 * trace is read; `hz` is the user's frequency, or 0.  -EINVAL: a file is from
 * another boot of the host.  If no boot is known, the assumption is logged.
 * Returns PROGRAMS_NO_PAIRS if the trace has no metadata of clocks.
 */
#define PROGRAMS_NO_PAIRS 1

int programs_set_clock(struct programs *p, struct xt_trace *trace,
                       const struct xt_info *info, uint64_t hz,
                       const struct log *log, struct err *e);

/*
 * The same files with the same clock, for another reader of the stream: each
 * reader has a copy.  Call after programs_set_clock().  Closing the copy adds
 * what programs_warn() reports to `from`, which is closed later.
 */
int programs_copy(struct programs **copy, struct programs *from,
                  struct err *e);

/*
 * Estimate the clock from accesses to emulated devices (clock-offset.h).
 * Changes the spans.  The result and its error are logged.  -EINVAL: few events
 * are in the span of an access for any offset.
 */
int programs_estimate_clock(struct programs *p, struct clock_span *spans,
                            size_t nr, const struct xt_clock *clock,
                            const struct log *log, struct err *e);

/* The largest error of the conversion that the pairs show, in nanoseconds. */
uint64_t programs_clock_error(const struct programs *p);

/* Begin a pass with the first event. */
int programs_begin(struct programs *p, bool wants_text, struct err *e);

/*
 * 1: *event is the next event, borrowed until the next call; 0: the end;
 * -errno.  Times never fall.
 */
int programs_next(struct programs *p, const struct program_event **event,
                  struct err *e);

/* The processes and names of all events so far. */
uint32_t programs_nr_processes(const struct programs *p);
const struct program_process *programs_process(const struct programs *p,
                                               uint32_t number);
uint32_t programs_nr_event_names(const struct programs *p);
const char *programs_event_name(const struct programs *p, uint32_t number);

/* After a pass: warn of lost events, damage and disorder. */
void programs_warn(const struct programs *p, const struct log *log);

#endif /* XENALYZE_PROGRAMS_PROGRAMS_H */
