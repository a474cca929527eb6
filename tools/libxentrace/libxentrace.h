/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libxentrace: read the traces that xentrace writes.
 *
 *     struct err e = ERR_INIT;
 *     struct xt_trace *t;
 *     struct xt_batch b;
 *     struct xt_record r;
 *
 *     if ( xt_trace_open(&t, "trace.bin", 0, &e) )
 *         ... e.text has the reason ...
 *     while ( xt_trace_next_batch(t, &b, &e) > 0 )
 *         for ( size_t i = 0; i < b.nr; i++ )
 *         {
 *             xt_batch_record(&b, &b.items[i], &r);
 *             ... xt_item_cpu(&b.items[i]), b.items[i].time, r ...
 *         }
 *     xt_trace_close(t);
 *
 * READING MODES.  A trace is read in one of three modes, and xt_trace_rewind()
 * changes the mode: by time, in batches; by window, in the order of the file;
 * by pcpu, each pcpu in a walk of its own (walk.h).
 *
 * DAMAGE is never an error.  xt_trace_damage() counts damage, and reading
 * continues at the next credible byte.
 *
 * RETURN VALUES.  Functions return 0 (or a number, where the comment says so)
 * or -errno with the reason in a struct err.  No function prints or exits.  A
 * trace belongs to one thread at a time; any number of threads may read the
 * records of a batch.
 *
 * The other headers for programs are catalogue.h (names, fields and texts of
 * events), readers.h (the fields of each event's payload) and meta.h (records
 * of the collector).
 */
#ifndef LIBXENTRACE_LIBXENTRACE_H
#define LIBXENTRACE_LIBXENTRACE_H

#include <stdint.h>

#include "common/err.h"
#include "libxentrace/batch.h"
#include "libxentrace/clock.h"
#include "libxentrace/damage.h"
#include "libxentrace/dialect.h"
#include "libxentrace/domain.h"
#include "libxentrace/info.h"
#include "libxentrace/record.h"
#include "libxentrace/source.h"
#include "libxentrace/walk.h"
#include "libxentrace/window.h"

struct xt_trace;

/*
 * Open a trace.  The path "-" is standard input.  The flags are XT_SOURCE_...
 * (source.h).  A regular file is mapped, any other input is read as a stream.
 */
int xt_trace_open(struct xt_trace **t, const char *path, unsigned int flags,
                  struct err *e);
void xt_trace_close(struct xt_trace *t);        /* NULL is fine */

/*
 * Return to the state after xt_trace_open().  -ESPIPE if the beginning of a
 * stream is gone.
 */
int xt_trace_rewind(struct xt_trace *t, struct err *e);

/* --- by time -------------------------------------------------------------- */

/*
 * Read the next records in the order of time.  Returns 1; 0 at the end; -EAGAIN
 * if a growing file has no more records yet (XT_SOURCE_FOLLOW); or another
 * -errno.
 *
 * The order of a mapped file is exact.  The order of a stream is exact as long
 * as the collector visits the pcpus in turn, as xentrace does: then the windows
 * of two such passes are held in memory.
 */
int xt_trace_next_batch(struct xt_trace *t, struct xt_batch *b, struct err *e);

/*
 * The time at which a segment begins, right after its first batch: of the first
 * record, or of a loss before the first record of a pcpu.
 */
uint64_t xt_trace_origin(const struct xt_trace *t, const struct xt_batch *b);

/*
 * The trace is a part of another trace, which begins at `time`: the first
 * segment has this origin, and xt_trace_span() returns it as the first time
 * stamp, if no record is earlier.
 */
void xt_trace_set_origin(struct xt_trace *t, uint64_t time);

/*
 * Skip the records before the time stamp `time`.  A mapped file, or a
 * compressed file with a frame table, is searched for the right offset; any
 * other input is read up to that time.  Only forwards: xt_trace_rewind() goes
 * back.
 *
 * A long file is not read far before `time`: xt_trace_damage() has no damage
 * from there, and walks (below) may begin later than the pcpu's first record.
 */
int xt_trace_seek(struct xt_trace *t, uint64_t time, struct err *e);

/*
 * Promise that no batch after `time` is needed until xt_trace_rewind().  A long
 * mapped file is then not read far behind `time`, and xt_trace_damage() has no
 * damage from there.  Call before xt_trace_seek(), or before the first batch
 * after xt_trace_span().
 */
void xt_trace_read_until(struct xt_trace *t, uint64_t time);

/*
 * Find a start for a reader that needs some history before `time`: *from is a
 * time stamp with at least `bytes` bytes of input between *from and `time`, or
 * 0 for the beginning of the trace.  Only for a mapped file, before
 * xt_trace_seek(): else -ESPIPE.
 */
int xt_trace_find_start(struct xt_trace *t, uint64_t time, uint64_t bytes,
                        uint64_t *from, struct err *e);

/*
 * Correct the clock of a pcpu: add `cycles` to its time stamps in the order of
 * records and in the times of items, spans and seeks.  The records themselves
 * keep their time stamps.  Only before reading has begun, or after
 * xt_trace_rewind(): else -EBUSY.
 */
int xt_trace_set_offset(struct xt_trace *t, unsigned int cpu, int64_t cycles,
                        struct err *e);
int64_t xt_trace_offset(const struct xt_trace *t, unsigned int cpu);

/*
 * Correct the clock of a pcpu that is slow: add `ppb` cycles to its time stamps
 * in 10^9 cycles since the time stamp `from`, in addition to the offset.
 */
#define XT_DRIFT_MAX 10000000u
int xt_trace_set_drift(struct xt_trace *t, unsigned int cpu, uint64_t from,
                       uint64_t ppb, struct err *e);

/* The corrected time of a time stamp. */
uint64_t xt_trace_correct(const struct xt_trace *t, unsigned int cpu,
                          uint64_t tsc);

/*
 * Quality of the order of a stream.  If no record was late and the damage has
 * no time stamp that goes backwards, the order equals the order of the same
 * bytes in a mapped file.
 */
struct xt_trace_bounds
{
    bool exact;         /* the order cannot be wrong */
    uint64_t passes;    /* passes of the collector over the pcpus */
    uint64_t held;      /* most bytes that were held in memory */
    uint64_t late;      /* records that came too late for their place in the
                           order */
};

void xt_trace_bounds(const struct xt_trace *t, struct xt_trace_bounds *b);

/*
 * True if the pcpu has a window before any pcpu has a second window.  Valid for
 * any input after the first batch.
 */
bool xt_trace_starts_with(const struct xt_trace *t, unsigned int cpu);

/*
 * First and last time stamp of the segment; a loss of records before the first
 * time stamp counts from its begin.  If the last window of a pcpu is
 * damaged, an earlier record of that pcpu counts.  First is greater than last
 * if no record has a time stamp.  Only for a mapped file: else -ESPIPE.
 */
int xt_trace_span(struct xt_trace *t, uint64_t *first, uint64_t *last,
                  struct err *e);

/* --- by window ------------------------------------------------------------ */

/*
 * Read the next credible window.  Returns 1; 0 at the end; or -errno as above.
 */
int xt_trace_next_window(struct xt_trace *t, struct xt_window *w,
                         struct err *e);

/*
 * The same for a reader that needs each window once: its bytes are valid until
 * the next call, and of a mapped file they are a copy, which costs less than
 * mapping them (window-bytes.h).
 */
int xt_trace_copy_window(struct xt_trace *t, struct xt_window *w,
                         struct err *e);

/*
 * Begin a walk over the records of a window.  The walk adds damage to the
 * trace.
 */
void xt_trace_begin_records(struct xt_trace *t, const struct xt_window *w,
                            struct xt_records *records);

/* --- by pcpu -------------------------------------------------------------- */

/*
 * Number of the segment's highest pcpu, plus one.  -ESPIPE if the input is not
 * mapped: a stream has one read position, so read it by window or by time.
 */
int xt_trace_cpus(struct xt_trace *t, unsigned int *nr, struct err *e);

/* Continue with the next segment.  Returns 1; 0 if there is none; or -errno. */
int xt_trace_next_segment(struct xt_trace *t, struct err *e);

/*
 * Begin a walk over all records of a pcpu, after xt_trace_cpus().  Walks over
 * different pcpus may run in different threads.  xt_trace_end_walk() adds the
 * damage of a walk to the trace: from one thread at a time.
 */
void xt_trace_begin_walk(struct xt_trace *t, unsigned int cpu,
                         struct xt_walk *w);
void xt_trace_end_walk(struct xt_trace *t, struct xt_walk *w);

/* --- information ---------------------------------------------------------- */

/*
 * Collect what the first windows tell about the machine and its clock: up to
 * the window that completes *info, or up to XT_INFO_BYTES.  The result is the
 * same for a file and a stream; a growing file is read as far as it is there.
 * The read position does not change.  Only before reading has begun: else
 * -EBUSY.
 */
int xt_trace_info(struct xt_trace *t, struct xt_info *info, struct err *e);

#define XT_INFO_BYTES (1u << 20)

/*
 * Search a mapped file for records that prove the hardware and the version of
 * Xen, up to the first of each, and learn the dialect.  Returns false for other
 * inputs.  Only before reading has begun.
 */
bool xt_trace_find_dialect(struct xt_trace *t, struct xt_dialect *d);

/* Size of the trace in bytes, or XT_SIZE_UNKNOWN; and the read position. */
uint64_t xt_trace_size(const struct xt_trace *t);
uint64_t xt_trace_position(const struct xt_trace *t);

const char *xt_trace_name(const struct xt_trace *t);

/* Borrowed, valid until xt_trace_close(), and up to date. */
const struct xt_damage *xt_trace_damage(const struct xt_trace *t);

#endif /* LIBXENTRACE_LIBXENTRACE_H */
