/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libxentrace: read what xentrace wrote.
 *
 *     struct err e = ERR_INIT;
 *     struct xt_trace *t;
 *     struct xt_batch b;
 *     struct xt_record r;
 *
 *     if ( xt_trace_open(&t, "trace.bin", 0, &e) )
 *         ... e.text says why ...
 *     while ( xt_trace_next_batch(t, &b, &e) > 0 )
 *         for ( size_t i = 0; i < b.nr; i++ )
 *         {
 *             xt_batch_record(&b, &b.items[i], &r);
 *             ... xt_item_cpu(&b.items[i]), b.items[i].time, r ...
 *         }
 *     xt_trace_close(t);
 *
 * THREE WAYS TO READ, of which a trace goes one at a time (xt_trace_rewind in
 * between): by time, in batches; as the file has it, window by window; and
 * each pcpu by itself (walk.h).
 *
 * DAMAGE never is an error.  It is noted in xt_trace_damage(), and reading
 * goes on with what can be believed.
 *
 * Functions return 0 (some a number, as they say) or -errno, and tell a struct
 * err why; none prints, and none exits.  A trace is for one thread at a time;
 * the records that it hands out are for as many as you like.
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
 * `path` may be "-": standard input.  flags: XT_SOURCE_... (source.h).  A file
 * is mapped, anything else is read as it comes.
 */
int xt_trace_open(struct xt_trace **t, const char *path, unsigned int flags,
                  struct err *e);
void xt_trace_close(struct xt_trace *t);        /* NULL is fine */

/* As if it had just been opened.  -ESPIPE: its beginning is gone. */
int xt_trace_rewind(struct xt_trace *t, struct err *e);

/* --- by time -------------------------------------------------------------- */

/*
 * The next records in the order of time: 1; 0: there are no more; -EAGAIN: not
 * yet (XT_SOURCE_FOLLOW); or another -errno.
 *
 * The order of a mapped file is exact.  Of anything else it is too, as long as
 * the collector went through the pcpus round and round, as xentrace does: then
 * the windows of two rounds are held in memory.
 */
int xt_trace_next_batch(struct xt_trace *t, struct xt_batch *b, struct err *e);

/*
 * Pass over what is before `time`, a time stamp: go there at once in a file
 * that is mapped, or compressed with a table of its frames; read up to there in
 * anything else.  Only forwards; xt_trace_rewind goes back.
 *
 * Of a long file what lies far before is not even looked at, so damage there
 * is not in the book, and walks (below) need not begin before `time`.
 */
int xt_trace_seek(struct xt_trace *t, uint64_t time, struct err *e);

/*
 * Nothing behind `time` will be asked for, in batches, until xt_trace_rewind.
 * Of a long file that is mapped what lies far behind is not even looked at
 * then, so damage there is not in the book.  Before xt_trace_seek, or the first
 * batch after xt_trace_span.
 */
void xt_trace_read_until(struct xt_trace *t, uint64_t time);

/*
 * Who comes to a moment may have to know what was before: *from is a time
 * stamp from which on there are `bytes` of the input to read up to `time`,
 * or somewhat more; 0: that is the beginning.  Only of a mapped file, before
 * xt_trace_seek: else -ESPIPE.
 */
int xt_trace_find_start(struct xt_trace *t, uint64_t time, uint64_t bytes,
                        uint64_t *from, struct err *e);

/*
 * The clock of a pcpu differs from the others': from now on `cycles` are added
 * to its time stamps wherever records are ordered, in the times of items,
 * spans and seeks.  The records themselves stay as they are.  Only before
 * reading has begun, or after xt_trace_rewind: else -EBUSY.
 */
int xt_trace_set_offset(struct xt_trace *t, unsigned int cpu, int64_t cycles,
                        struct err *e);
int64_t xt_trace_offset(const struct xt_trace *t, unsigned int cpu);

/*
 * How well the order of something that is not mapped could be kept.  If no
 * record was late and no time stamp is in the book for going backwards, it is
 * the order of the same bytes when they are mapped.
 */
struct xt_trace_bounds
{
    bool exact;         /* it could not have gone wrong */
    uint64_t passes;    /* of the collector */
    uint64_t held;      /* bytes in memory, at most */
    uint64_t late;      /* records that came too late for their place */
};

void xt_trace_bounds(const struct xt_trace *t, struct xt_trace_bounds *b);

/*
 * Is there a window of this pcpu before any pcpu has its second one?  Known of
 * any source, but only after the first batch.
 */
bool xt_trace_starts_with(const struct xt_trace *t, unsigned int cpu);

/*
 * First and last time stamp of the segment, nearly: of a pcpu whose last
 * window is damaged it may be that of an earlier record.  First is after last
 * if there is none.  Only of a mapped file: else -ESPIPE.
 */
int xt_trace_span(struct xt_trace *t, uint64_t *first, uint64_t *last,
                  struct err *e);

/* --- by window ------------------------------------------------------------ */

/* The next one that can be believed: 1; 0 at the end; or -errno as above. */
int xt_trace_next_window(struct xt_trace *t, struct xt_window *w,
                         struct err *e);

/* A walk over its records.  What is wrong with them gets into the book. */
void xt_trace_begin_records(struct xt_trace *t, const struct xt_window *w,
                            struct xt_records *records);

/* --- by pcpu -------------------------------------------------------------- */

/*
 * One more than the highest pcpu of the segment.  -ESPIPE: it is not mapped, so
 * nobody can be in several places of it at once: read it by window or by time.
 */
int xt_trace_cpus(struct xt_trace *t, unsigned int *nr, struct err *e);

/* Give up this segment for the next one: 1; 0: there is none; or -errno. */
int xt_trace_next_segment(struct xt_trace *t, struct err *e);

/*
 * A walk over all of a pcpu, after xt_trace_cpus().  It may run beside others
 * of other pcpus, in threads of their own.  xt_trace_end_walk() adds the damage
 * that it found to the book: one at a time.
 */
void xt_trace_begin_walk(struct xt_trace *t, unsigned int cpu,
                         struct xt_walk *w);
void xt_trace_end_walk(struct xt_trace *t, const struct xt_walk *w);

/* --- about it ------------------------------------------------------------- */

/*
 * What its first windows say: up to one after which nothing is left to be
 * known, or those that begin in XT_INFO_BYTES.  They are the same of any
 * source; only of a file that grows they are what is there now.  Reading goes
 * on as if nobody had looked; only before it has begun: else -EBUSY.
 */
int xt_trace_info(struct xt_trace *t, struct xt_info *info, struct err *e);

#define XT_INFO_BYTES (1u << 20)

/* Bytes that it has, or XT_SIZE_UNKNOWN; and where reading is. */
uint64_t xt_trace_size(const struct xt_trace *t);
uint64_t xt_trace_position(const struct xt_trace *t);

const char *xt_trace_name(const struct xt_trace *t);

/* Borrowed: valid until the trace is closed, and up to date. */
const struct xt_damage *xt_trace_damage(const struct xt_trace *t);

#endif /* LIBXENTRACE_LIBXENTRACE_H */
